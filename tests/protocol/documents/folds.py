"""Matches for the vectors: their rows, the state after each row, and the answers of `refuse`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeAlias

import msgpack
import msgspec
from msgspec.structs import replace

from mastermind_protocol.commands import (
    Command,
    GuessCode,
    LeaveMatch,
    OfferRematch,
    ResignRound,
    SetSecret,
    TakeAdvice,
    TakeSeat,
    refuse,
)
from mastermind_protocol.events import AnyEvent, Forfeit, Guessed, Opened, Player, Seat, SecretSet
from mastermind_protocol.match import Match
from mastermind_protocol.transitions import evolve, fold
from protocol.documents.markdown import write_value
from protocol.matches import ANN, BOB, DEVIOUS, EVE, NONCE, ROBOT, SECRET, WRONG, cause

Step: TypeAlias = tuple[Player, Command]

OTHER = (1, 1, 2, 0)
MAKER, BREAKER = Seat.MAKER, Seat.BREAKER
ANN_AND_BOB: tuple[Step, ...] = (ANN, TakeSeat(ANN, MAKER)), (BOB, TakeSeat(BOB))
SECRET_OF_ANN: Step = ANN, SetSecret(SECRET, NONCE)
SECRET_OF_BOB: Step = BOB, SetSecret(OTHER, NONCE)
LOBBY = Opened(rules="4x6/3", rounds=1)
TWO_ROUNDS = Opened(rules="4x6/2", rounds=2, public=True)

OPS: Mapping[str, Command] = {
    "join": TakeSeat(EVE),
    "secret": SetSecret(SECRET, NONCE),
    "guess": GuessCode(SECRET),
    "advise": TakeAdvice(),
    "resign": ResignRound(),
    "leave": LeaveMatch(),
    "rematch": OfferRematch("72S54M"),
}
"""The requests of a match, each as an example of its command."""

SCRIPTS: Mapping[str, tuple[Opened, Sequence[Step]]] = {
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
}
"""The commands of each match, after it is opened."""


def make_folds() -> list[dict[str, Any]]:
    """Return the vectors of all matches, as spectators see them."""
    return [
        {"name": name, "rows": list(_write_rows(opened, steps))}
        for name, (opened, steps) in SCRIPTS.items()
    ]


def _write_rows(opened: Opened, steps: Sequence[Step]) -> Iterator[dict[str, Any]]:
    states = [fold([opened])]
    rows: list[tuple[AnyEvent, ...]] = [(opened,)]
    for player, command in steps:
        rows.append(tuple(map(_hide_secrets, events := cause(states[-1], command, player))))
        states.append(fold(events, states[-1]))
    known: Match | None = None
    for version, (row, state) in enumerate(zip(rows, states, strict=True), start=1):
        known = fold(row, known)
        yield {
            "v": version,
            "events": [_write_event(event) for event in row],
            **_write_state(state),
            "possible": [
                later for later, other in enumerate(rows, start=1) if _can_follow(known, other[0])
            ],
        }


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
    state["points"] = {player.id: match.points_of(player.id) for player in match.players}
    state["refused"] = {
        op: {player.id: _find_reason(match, command, player) for player in (ANN, BOB, EVE)}
        for op, command in OPS.items()
    }
    return state


def _find_reason(match: Match, command: Command, player: Player) -> str | None:
    if isinstance(command, TakeSeat):
        command = TakeSeat(player)
    refusal = refuse(match, command, player.id)
    return None if refusal is None or refusal.reason is None else refusal.reason.key


def _can_follow(match: Match, event: AnyEvent) -> bool:
    with suppress(ValueError):
        return bool(evolve(match, event))
    return False
