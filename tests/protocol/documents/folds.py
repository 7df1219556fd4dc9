"""Matches for the vectors: their rows, the states after each, and results of `find_refusal`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import permutations
from typing import Any, TypeAlias

import msgpack
import msgspec
from msgspec.structs import replace

from kit.entries import KEEPER
from mastermind_protocol.clock import DAY, MINUTE, SECOND
from mastermind_protocol.commands import (
    COMMANDS,
    Command,
    Decline,
    GuessCode,
    LeaveMatch,
    OfferRematch,
    ResignRound,
    SetSecret,
    TakeAdvice,
    TakeSeat,
    find_refusal,
)
from mastermind_protocol.commitment import commit
from mastermind_protocol.errors import Refused
from mastermind_protocol.events import (
    SERVER,
    AnyEvent,
    Forfeit,
    Guessed,
    MatchEnd,
    Opened,
    Player,
    Rated,
    RatedPlayer,
    Seat,
    SecretSet,
)
from mastermind_protocol.glicko import INITIAL_RATING, Rating, rate
from mastermind_protocol.match import Match
from mastermind_protocol.transitions import (
    Decision,
    Moment,
    advance,
    decide,
    evolve,
    expire,
    fold,
    resume,
)
from protocol.documents.markdown import write_value
from protocol.matches import ANN, BOB, DEVIOUS, EVE, NONCE, ROBOT, SECRET, WRONG


class Expire(msgspec.Struct, frozen=True):
    """The time of the player to move, who may be `away`, is over."""

    away: bool = False


class Resume(msgspec.Struct, frozen=True):
    """The server gives `lost` milliseconds back."""

    lost: int


Step: TypeAlias = tuple[Player, Command] | Expire | Resume | SecretSet
TimedStep: TypeAlias = Step | tuple[Moment, Step]
"""A step without a Moment happens at the first millisecond of the match.

A SecretSet is the event by which the server sets the secret of a contest.
"""

OTHER = (1, 1, 2, 0)
MAKER, BREAKER = Seat.MAKER, Seat.BREAKER
ANN_AND_BOB: tuple[Step, ...] = (ANN, TakeSeat(ANN, MAKER)), (BOB, TakeSeat(BOB))
SECRET_OF_ANN: Step = ANN, SetSecret(SECRET, NONCE)
SECRET_OF_BOB: Step = BOB, SetSecret(OTHER, NONCE)
SEATS_OF_TRY: tuple[Step, ...] = (KEEPER, TakeSeat(KEEPER, MAKER)), (BOB, TakeSeat(BOB))
SECRET_OF_DAY: Step = SecretSet(SERVER, commit(NONCE, SECRET), SECRET, NONCE)
LOBBY = Opened(rules="4x6/3", rounds=1)
TWO_ROUNDS = Opened(rules="4x6/2", rounds=2, public=True)
CLOCKED = Opened(rules="4x6/2", rounds=2, clock="1+2")
RATED = replace(CLOCKED, clock="20/move", rated=True)
STRONG = Rating(1900.0, 60.0, 0.06)
RATED_SEATS: tuple[Step, ...] = (
    (ANN, TakeSeat(ANN, MAKER, STRONG)),
    (BOB, TakeSeat(BOB, rating=INITIAL_RATING)),
)

VALUES: dict[str, Any] = {"player": EVE, "code": SECRET, "nonce": NONCE, "match": "72S54M"}
OPS: Mapping[str, Command] = {
    op: kind(**{name: VALUES[name] for name in kind.__struct_fields__ if name in VALUES})
    for op, kind in COMMANDS.items()
}
"""The requests of a match, each as an example of its command."""

SCRIPTS: Mapping[str, tuple[Opened, Sequence[TimedStep]]] = {
    "broken after advice, and a rematch": (
        LOBBY,
        (
            *ANN_AND_BOB,
            SECRET_OF_ANN,
            (BOB, GuessCode(WRONG)),
            (BOB, TakeAdvice()),
            (BOB, GuessCode(SECRET)),
            (BOB, OfferRematch("72S54M")),
            (ANN, LeaveMatch()),
        ),
    ),
    "codes without repeats": (
        replace(LOBBY, rules="4x6u/3"),
        (*ANN_AND_BOB, SECRET_OF_ANN, (BOB, GuessCode((1, 0, 2, 5))), (BOB, GuessCode(SECRET))),
    ),
    "two rounds, and a draw": (
        TWO_ROUNDS,
        (
            *ANN_AND_BOB,
            SECRET_OF_ANN,
            (BOB, GuessCode(OTHER)),
            (BOB, GuessCode(WRONG)),
            SECRET_OF_BOB,
            (ANN, ResignRound()),
        ),
    ),
    "two rounds, and a winner": (
        TWO_ROUNDS,
        (
            *ANN_AND_BOB,
            SECRET_OF_ANN,
            (BOB, GuessCode(SECRET)),
            SECRET_OF_BOB,
            (ANN, GuessCode(WRONG)),
            (ANN, GuessCode(OTHER)),
        ),
    ),
    "the codemaker leaves while the codebreaker guesses": (
        TWO_ROUNDS,
        (*ANN_AND_BOB, SECRET_OF_ANN, (BOB, GuessCode(OTHER)), (ANN, LeaveMatch())),
    ),
    "the codebreaker leaves in its turn": (
        replace(LOBBY, rules="knuth"),
        (*ANN_AND_BOB, SECRET_OF_ANN, (BOB, LeaveMatch(absent=True))),
    ),
    "a player leaves before the secret": (LOBBY, (*ANN_AND_BOB, (BOB, LeaveMatch()))),
    "a lobby closes": (LOBBY, (ANN_AND_BOB[0], (ANN, LeaveMatch()))),
    "no limit, and the codebreaker resigns": (
        replace(LOBBY, rules="knuth"),
        (*ANN_AND_BOB, SECRET_OF_ANN, *[(BOB, GuessCode(WRONG))] * 13, (BOB, ResignRound())),
    ),
    "a rated rematch with a reserved seat": (
        replace(LOBBY, rated=True, previous="72S54M", reserved=BOB.id),
        (*ANN_AND_BOB, SECRET_OF_ANN, (BOB, ResignRound())),
    ),
    "a codemaker that keeps no code": (
        LOBBY,
        (
            (DEVIOUS, TakeSeat(DEVIOUS, MAKER)),
            (BOB, TakeSeat(BOB)),
            (DEVIOUS, SetSecret(SECRET, None)),
            (BOB, GuessCode(WRONG, SECRET)),
            (BOB, GuessCode(OTHER, SECRET)),
            (BOB, GuessCode(SECRET, SECRET)),
        ),
    ),
    "a person is absent while a bot has the turn": (
        LOBBY,
        (
            (DEVIOUS, TakeSeat(DEVIOUS, MAKER)),
            (BOB, TakeSeat(BOB)),
            (BOB, LeaveMatch(absent=True)),
        ),
    ),
    "a program is too slow": (
        LOBBY,
        (
            (ROBOT, TakeSeat(ROBOT, BREAKER)),
            (ANN, TakeSeat(ANN)),
            SECRET_OF_ANN,
            (ROBOT, LeaveMatch(Forfeit.SLOW)),
        ),
    ),
    "a challenge is declined": (
        replace(LOBBY, reserved=BOB.id),
        (ANN_AND_BOB[0], (BOB, Decline())),
    ),
    "a challenge expires": (
        replace(LOBBY, reserved=BOB.id),
        (ANN_AND_BOB[0], (BOB, Decline(late=True))),
    ),
    "a clock with increments, credited latency and time given back": (
        CLOCKED,
        (
            *ANN_AND_BOB,
            (Moment(60 * SECOND + 90, 90), SECRET_OF_ANN),
            (Moment(70 * SECOND, 400), (BOB, GuessCode(OTHER))),
            (Moment(125 * SECOND), Resume(9500)),
            (Moment(131 * SECOND, 40), (BOB, GuessCode(WRONG))),
            (Moment(132 * SECOND), SECRET_OF_BOB),
            (Moment(133 * SECOND), (ANN, TakeAdvice())),
            (Moment(192 * SECOND + 200, 300), (ANN, GuessCode(SECRET))),
            (Moment(194 * SECOND + 301), Expire()),
        ),
    ),
    "the first code is not set in time": (
        CLOCKED,
        (*ANN_AND_BOB, (Moment(60 * SECOND + 1), Expire())),
    ),
    "the server draws the code of the second round": (
        CLOCKED,
        (
            *ANN_AND_BOB,
            (Moment(5 * SECOND), SECRET_OF_ANN),
            (Moment(6 * SECOND), (BOB, ResignRound())),
            (Moment(66 * SECOND + 1), Expire()),
            (Moment(70 * SECOND), (ANN, GuessCode(WRONG))),
            (Moment(129 * SECOND), Expire(away=True)),
        ),
    ),
    "a player leaves before the first guess of a match with a clock": (
        CLOCKED,
        (
            *ANN_AND_BOB,
            (Moment(5 * SECOND), SECRET_OF_ANN),
            (Moment(6 * SECOND), (ANN, LeaveMatch())),
        ),
    ),
    "a clock of days": (
        replace(CLOCKED, clock="3d/move"),
        (
            *ANN_AND_BOB,
            (Moment(2 * DAY), SECRET_OF_ANN),
            (Moment(4 * DAY), (BOB, GuessCode(WRONG))),
            (Moment(7 * DAY + 1), Expire()),
        ),
    ),
    "a rated match changes ratings": (
        RATED,
        (
            *RATED_SEATS,
            (Moment(5 * SECOND), SECRET_OF_ANN),
            (Moment(25 * SECOND), (BOB, GuessCode(SECRET))),
            (Moment(26 * SECOND), SECRET_OF_BOB),
            (Moment(46 * SECOND + 1), Expire()),
            (Moment(MINUTE), (BOB, OfferRematch("72S54M"))),
        ),
    ),
    "a rated match that does not count": (
        RATED,
        (
            RATED_SEATS[0],
            (BOB, TakeSeat(BOB, rating=INITIAL_RATING, counts_for_ratings=False)),
            (Moment(5 * SECOND), SECRET_OF_ANN),
            (Moment(6 * SECOND), (BOB, GuessCode(OTHER))),
            (Moment(7 * SECOND), (ANN, LeaveMatch())),
        ),
    ),
    "a try at the code of a day": (
        replace(LOBBY, contest="day/147"),
        (*SEATS_OF_TRY, SECRET_OF_DAY, (BOB, GuessCode(OTHER)), (BOB, GuessCode(SECRET))),
    ),
    "a player leaves a try at the code of a day": (
        replace(LOBBY, contest="day/147"),
        (*SEATS_OF_TRY, SECRET_OF_DAY, (BOB, GuessCode(OTHER)), (BOB, LeaveMatch(absent=True))),
    ),
    "a rated match that closes": (RATED, (*RATED_SEATS, (Moment(4 * SECOND), (BOB, LeaveMatch())))),
}
"""The commands of each match and the ends of time, after it is opened."""


def make_folds() -> list[dict[str, Any]]:
    """Return the vectors of all matches, as spectators see them."""
    return [
        {
            "name": name,
            "aids": fold([opened]).allows_aids,
            "rows": list(_write_rows(opened, steps)),
        }
        for name, (opened, steps) in SCRIPTS.items()
    ]


def _write_rows(opened: Opened, steps: Sequence[TimedStep]) -> Iterator[dict[str, Any]]:
    states = [fold([opened])]
    rows: list[tuple[AnyEvent, ...]] = [(opened,)]
    for timed in steps:
        moment, step = (
            timed
            if isinstance(timed, tuple) and isinstance(timed[0], Moment)
            else (Moment(), timed)
        )
        decision = _take_step(states[-1], step, moment)
        events = (*decision.events, *_change_ratings(decision.after))
        states.append(fold(events, states[-1], moment.at))
        rows.append(tuple(map(_hide_secrets, events)))
    known: Match | None = None
    for version, (row, state) in enumerate(zip(rows, states, strict=True), start=1):
        known = fold(row, known, state.at)
        yield {
            "v": version,
            "at": state.at,
            "events": [_write_event(event) for event in row],
            **_write_state(state),
            "possible": [
                later
                for later, other in enumerate(rows, start=1)
                if _can_follow(advance(known, states[later - 1].at), other[0])
            ],
        }


def _take_step(match: Match, step: Step, moment: Moment) -> Decision:
    decision: Decision | Refused | None
    match step:
        case Expire(away):
            decision = expire(match, moment, lambda _: SetSecret(OTHER, NONCE), away=away)
        case Resume(lost):
            decision = resume(match, moment, lost)
        case SecretSet():
            decision = Decision((step,), fold([step], match, moment.at))
        case (player, command):
            decision = decide(match, command, player.id, moment)
    assert isinstance(decision, Decision), decision
    return decision


def _change_ratings(match: Match) -> Iterator[Rated]:
    """Give Ann the rating STRONG, and Bob that of a newcomer, before a match that changes them."""
    outcome = match.outcome
    if not match.rated or not match.has_live_clock or match.ratings is not None:
        return
    if outcome is None or outcome.how is MatchEnd.CLOSED:
        return
    before = {ANN.id: STRONG, BOB.id: INITIAL_RATING}
    changes = [
        RatedPlayer(
            player=player.id,
            n=1,
            before=before[player.id],
            after=rate(before[player.id], [(before[other.id], match.find_score(player.id))]),
        )
        for player, other in permutations(match.players)
    ]
    yield Rated(players=(changes[0], changes[1]))


def _hide_secrets(event: AnyEvent) -> AnyEvent:
    if isinstance(event, SecretSet):
        return replace(event, code=None, nonce=None)
    return replace(event, held=None) if isinstance(event, Guessed) else event


def _write_event(event: AnyEvent) -> Any:
    return write_value(msgpack.unpackb(msgspec.msgpack.encode(event)))


def _write_state(match: Match) -> dict[str, Any]:
    state: dict[str, Any] = {"phase": match.phase, "round": match.round_number}
    if match.to_move is not None:
        state["turn"] = match.to_move.id
    if match.timer is not None:
        state["deadline"] = match.timer.deadline
    state["points"] = {player.id: match.points_of(player.id) for player in match.players}
    state["refused"] = {
        op: {player.id: _find_reason(match, command, player) for player in (ANN, BOB, EVE)}
        for op, command in OPS.items()
    }
    return state


def _find_reason(match: Match, command: Command, player: Player) -> str | None:
    if isinstance(command, TakeSeat):
        command = TakeSeat(player)
    refusal = find_refusal(match, command, player.id)
    return None if refusal is None or refusal.reason is None else refusal.reason.key


def _can_follow(match: Match, event: AnyEvent) -> bool:
    with suppress(ValueError):
        return bool(evolve(match, event))
    return False
