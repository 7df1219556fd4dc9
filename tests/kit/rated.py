"""Rated matches made by the state machine, and stored as a server does."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import combinations
from typing import Any

import sqlalchemy as sa

from kit.matches import ADA, BOB, NONCE, pegs
from mastermind_protocol.codec import encode_events
from mastermind_protocol.commands import Command, GuessCode, LeaveMatch, SetSecret
from mastermind_protocol.errors import Refused
from mastermind_protocol.events import (
    MATCH_CODE_ALPHABET,
    MATCH_CODE_LENGTH,
    AnyEvent,
    Joined,
    Opened,
    Player,
    Seat,
    Unrated,
)
from mastermind_protocol.match import Match, Turn
from mastermind_protocol.rules import Rules
from mastermind_protocol.transitions import Decision, decide, fold
from mastermind_server.bots import worker_functions
from mastermind_server.matches.ratings import RatedEnding, list_rated_turns, make_rated_ending
from mastermind_server.storage.engines.database import Session
from mastermind_server.storage.records import make_projection
from mastermind_server.storage.rows import LogRow
from mastermind_server.storage.schema import standings
from mastermind_server.storage.statements.log import append
from mastermind_server.storage.statements.ratings import append_rated, read_last_ratings

SECRET, WRONG = pegs("1234"), pegs("5566")


def start_rated(
    first: Player = ADA,
    second: Player = BOB,
    *,
    rules: str = "classic",
    counts: bool = True,
    public: bool = False,
) -> tuple[AnyEvent, ...]:
    """Return the first events of a rated match of two rounds."""
    events = (
        Opened(rules=rules, rounds=2, public=public, rated=True, clock="5+3"),
        Joined(player=first, seat=Seat.MAKER),
        Joined(player=second, seat=Seat.BREAKER),
    )
    return events if counts else (*events, Unrated(why="pair"))


def win(match: Match, winner: str, misses: int = 1) -> tuple[tuple[AnyEvent, ...], Decision]:
    """Return the events up to the last guess of a match, and that guess.

    The player id `winner` needs one guess, and the other player `misses` more.
    """
    events: list[AnyEvent] = []
    while True:
        assert match.maker is not None
        assert match.breaker is not None
        breaker = match.breaker.id
        guesses = [SECRET] if breaker == winner else [WRONG] * misses + [SECRET]
        commands: list[tuple[str, Command]] = [(match.maker.id, SetSecret(SECRET, NONCE))]
        commands += [(breaker, GuessCode(guess)) for guess in guesses]
        for by, command in commands:
            decision = decide(match, command, by)
            assert not isinstance(decision, Refused)
            if decision.after.outcome is not None:
                return tuple(events), decision
            events += decision.events
            match = decision.after


def leave(match: Match, player: str) -> Decision:
    """Return the end of a match that the player id `player` leaves."""
    decision = decide(match, LeaveMatch(), player)
    assert not isinstance(decision, Refused)
    return decision


def store_rated(
    session: Session,
    code: str,
    first: Player = ADA,
    second: Player = BOB,
    *,
    at: int = 0,
    misses: int = 1,
    rules: str = "classic",
    public: bool = False,
) -> RatedEnding:
    """Store a rated match that `first` wins, or draws without `misses`, at the time `at`."""
    begun = start_rated(first, second, rules=rules, public=public)
    events, decision = win(fold(begun), first.id, misses)
    last = read_last_ratings(session, rules, [first.id, second.id])
    luck = _measure_luck(decision.after.rules, tuple(list_rated_turns(decision.after)))
    ending = make_rated_ending(code, decision, at, last, luck)
    append(session, [LogRow(code, 1, at, encode_events((*begun, *events)), first.id)])
    row = LogRow(code, 2, at, encode_events(ending.decision.events), second.id)
    projection = make_projection(code, ending.decision.after, 2, at)
    append_rated(session, [row], [projection], ending.rows, ending.claims)
    return ending


@cache
def _measure_luck(rules: Rules, rounds: tuple[tuple[Turn, ...], ...]) -> list[float] | None:
    """Return the luck of rounds. It is cached, because most matches of the tests are alike."""
    return worker_functions.measure_luck(rules, rounds)


def store_league(session: Session, players: Sequence[Player], at: int, rounds: int = 8) -> None:
    """Store matches of each player with each other at the time `at`, so that all are ranked.

    Of two players, the first in `players` wins each match, except that every third is a draw.
    """
    pairs = [pair for _ in range(rounds) for pair in combinations(players, 2)]
    for number, (first, second) in enumerate(pairs):
        code = "".join(
            MATCH_CODE_ALPHABET[
                number // len(MATCH_CODE_ALPHABET) ** place % len(MATCH_CODE_ALPHABET)
            ]
            for place in range(MATCH_CODE_LENGTH)
        )
        store_rated(session, code, first, second, at=at, misses=int(number % 3 > 0))


def store_ranked(
    session: Session, rules: str, count: int, now: int, first: str = "player-0"
) -> None:
    """Store the standings of `count` players on the leaderboard by one statement, without matches.

    The last match of the player with the id `first` ended a minute before `now`, and those of the
    others before. All ratings differ.
    """
    numbers = sa.select(sa.literal(0).label("n")).cte("numbers", recursive=True)
    numbers = numbers.union_all(sa.select(numbers.c.n + 1).where(numbers.c.n < count - 1))
    n = numbers.c.n
    values: dict[str, sa.ColumnElement[Any]] = {
        "player": sa.case((n == 0, first), else_=sa.literal("player-") + sa.cast(n, sa.String)),
        "rules": sa.literal(rules),
        "at": sa.literal(now - 60_000, sa.BigInteger) - n,
        "rating": 1000.0 + n * 7919 % 104_729 / 100.0,
        "deviation": sa.literal(60.0),
        "volatility": sa.literal(0.06),
        "n": sa.literal(20),
        "draws": sa.literal(0),
        "opponents": sa.literal(3),
        **dict.fromkeys(("wins", "losses", "rounds", "broken", "guesses"), sa.literal(10)),
    }
    rows = sa.select(*(value.label(name) for name, value in values.items()))
    session.connection.execute(sa.insert(standings).from_select(list(values), rows))
