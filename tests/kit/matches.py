"""Codes, seeded random numbers, and matches made by the state machine."""

from __future__ import annotations

from random import Random
from typing import NamedTuple

from mastermind_protocol.code import Code, parse_code
from mastermind_protocol.commands import (
    Command,
    GuessCode,
    LeaveMatch,
    ResignRound,
    SetSecret,
    TakeAdvice,
)
from mastermind_protocol.errors import Refused
from mastermind_protocol.events import AnyEvent, Joined, Opened, Player, Seat
from mastermind_protocol.match import Match
from mastermind_protocol.messages import (
    Log,
)
from mastermind_protocol.rules import find_rules
from mastermind_protocol.transitions import decide, fold

_SYMBOLS = "123456789"


def pegs(typed: str, rules: str | None = None) -> Code:
    """Return the code for the text typed by a player: `pegs("1122")`.

    Without `rules`, digits are colours, numbered from 1. Symbols of particular rules, such as
    letters, need the name of the rules: `pegs("RGBY", "mini")`.
    """
    if rules is None:
        return tuple(map(_SYMBOLS.index, typed))
    return parse_code(typed, find_rules(rules))


class SeededRandom(Random):
    """A random generator with a seed, so that its numbers are reproducible."""


def events_of(log: Log) -> list[AnyEvent]:
    """Return the events of a log's rows, one after another."""
    return [event for row in log.rows for event in row.events]


def state_of(log: Log) -> Match:
    """Return the match after all events of a whole log."""
    return fold(events_of(log))


ADA, BOB = Player(id="ADA", name="Ada"), Player(id="BOB", name="Bob")
NONCE = bytes(16)


class Game(NamedTuple):
    """One round: its secret, its guesses, and the numbers of the guesses with advice.

    If the last guess is wrong and guesses are left, the codebreaker resigns.
    """

    secret: Code
    guesses: tuple[Code, ...]
    advised: tuple[int, ...] = ()


def game(secret: str, *guesses: str, advised: tuple[int, ...] = ()) -> Game:
    """Return a round for codes as players type them: `game("1234", "1122", "1234")`."""
    return Game(pegs(secret), tuple(pegs(guess) for guess in guesses), advised)


def sit(rules: str = "classic", rounds: int = 1) -> Match:
    """Return a match with Ada as the first codemaker and Bob as the first codebreaker."""
    return fold(
        [
            Opened(rules=rules, rounds=rounds),
            Joined(player=ADA, seat=Seat.MAKER),
            Joined(player=BOB, seat=Seat.BREAKER),
        ]
    )


def do(match: Match, by: str, *commands: Command) -> Match:
    """Return the match after the player with id `by` has executed `commands`."""
    for command in commands:
        decision = decide(match, command, by)
        assert not isinstance(decision, Refused), decision
        match = decision.after
    return match


def play(*games: Game, rules: str = "classic") -> Match:
    """Return a finished match with the rounds `games`."""
    match = sit(rules, len(games))
    for number, (secret, guesses, advised) in enumerate(games):
        assert match.maker is not None
        assert match.breaker is not None
        maker, breaker = match.maker.id, match.breaker.id
        match = do(match, maker, SetSecret(secret, NONCE))
        for count, guess in enumerate(guesses, start=1):
            match = do(
                match, breaker, *([TakeAdvice()] if count in advised else []), GuessCode(guess)
            )
        if len(match.played) == number:
            match = do(match, breaker, ResignRound())
    return match


def leave(match: Match, player: Player = BOB) -> Match:
    """Return the match after a player has left it for good."""
    return do(match, player.id, LeaveMatch())
