"""What clients asked and were told, compared with the log that is left: pure, and trusts nobody.

A `Ledger` takes down every request that was sent, every acknowledgement that came, and every event
that anybody was told. `find_faults` holds it against the rows of the store.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import chain
from typing import NamedTuple

from mastermind_protocol.codec import decode_events
from mastermind_protocol.errors import MastermindError
from mastermind_protocol.events import AnyEvent, Guessed, Joined, Opened, RoundEnded, SecretSet
from mastermind_protocol.match import Phase
from mastermind_protocol.requests import AnyRequest, Guess, Join, Open, Resign, Secret
from mastermind_protocol.transitions import fold
from mastermind_server.matches.tables.views import show
from mastermind_server.storage.rows import LogRow

_CAUSES: dict[type[AnyRequest], type[AnyEvent]] = {
    Open: Opened,
    Join: Joined,
    Secret: SecretSet,
    Guess: Guessed,
    Resign: RoundEnded,
}


class Flaw(StrEnum):
    """What can have gone wrong."""

    LOST = "lost"  # it was acknowledged, and its row is not there
    DOUBLED = "doubled"  # one request has two rows
    CHANGED = "changed"  # the log tells it otherwise than it was asked for, or told to somebody
    UNASKED = "unasked"  # a row is the request of a player who has not sent it
    DISORDERED = "disordered"  # the rows are not numbered 1, 2, 3 ..., or make no match
    STUCK = "stuck"  # the match is not finished
    CRASHED = "crashed"  # a server has logged what nobody has foreseen


class Fault(NamedTuple):
    """One thing that went wrong, and where."""

    flaw: Flaw
    match: str
    text: str

    def __str__(self) -> str:
        return f"{self.flaw}: match {self.match or '?'}, {self.text}"


class Acknowledgement(NamedTuple):
    """An answer by which a player's request was done, as this row of a match.

    The answer to a request that brings its player to a match has the log in place of a version.
    """

    player: str
    request: int
    match: str
    version: int | None


class Ledger:
    """What was asked, acknowledged and told, over all connections of all clients.

    `given_up` is what ended sessions that should have gone on.
    `waited` are the seconds until each request was answered, `resumed` those from the loss of a
    connection until its client knew its match again.
    """

    def __init__(self) -> None:
        self.asked: dict[tuple[str, int], AnyRequest] = {}
        self.acknowledged: list[Acknowledgement] = []
        self.told: dict[tuple[str, str], dict[int, set[tuple[AnyEvent, ...]]]] = {}
        self.given_up: list[Exception] = []
        self.refused: Counter[str] = Counter()
        self.waited: list[float] = []
        self.resumed: list[float] = []

    def ask(self, player: str, request: AnyRequest) -> None:
        """Take down a request, before it is sent for the first time."""
        self.asked[player, request.id] = request

    def acknowledge(self, player: str, request: int, match: str, version: int | None) -> None:
        """Take down that a request was answered as done."""
        self.acknowledged.append(Acknowledgement(player, request, match, version))

    def tell(self, player: str, match: str, version: int, events: tuple[AnyEvent, ...]) -> None:
        """Take down what a player was told of a row, which may come more than once."""
        rows = self.told.setdefault((player, match), {})
        rows.setdefault(version, set()).add(events)


def find_faults(ledger: Ledger, log: Iterable[LogRow]) -> list[Fault]:
    """Return all that is wrong with the log, in which every match must be finished by now."""
    matches: dict[str, list[LogRow]] = {}
    for row in log:
        matches.setdefault(row.match, []).append(row)
    checks: tuple[Iterable[Fault], ...] = (
        _find_given_up(ledger),
        _find_lost(ledger, matches),
        _find_doubled(matches),
        _find_changed(ledger, matches),
        find_disordered(matches),
        _find_stuck(ledger, matches),
    )
    return list(chain.from_iterable(checks))


def _find_given_up(ledger: Ledger) -> Iterator[Fault]:
    for error in ledger.given_up:
        yield Fault(Flaw.STUCK, "", f"for its players could not go on: {_describe(error)}")


def _describe(error: BaseException) -> str:
    """Return what went wrong, of several things all."""
    if isinstance(error, BaseExceptionGroup):
        return "; ".join(map(_describe, error.exceptions))
    return repr(error)


def _find_lost(ledger: Ledger, log: Mapping[str, Sequence[LogRow]]) -> Iterator[Fault]:
    for player, request, match, version in ledger.acknowledged:
        rows = [
            row.version
            for row in log.get(match, ())
            if (row.player, row.request) == (player, request) and version in (None, row.version)
        ]
        if not rows:
            place = "" if version is None else f"version {version}, "
            yield Fault(Flaw.LOST, match, f"{place}request {request} of {player}")


def _find_doubled(log: Mapping[str, Sequence[LogRow]]) -> Iterator[Fault]:
    done = Counter(
        (row.player, row.request) for row in chain.from_iterable(log.values()) if row.request
    )
    for match, rows in log.items():
        for row in rows:
            if row.request and (times := done[row.player, row.request]) > 1:
                text = f"version {row.version}, request {row.request} of {row.player}: {times} rows"
                yield Fault(Flaw.DOUBLED, match, text)


def _find_changed(ledger: Ledger, log: Mapping[str, Sequence[LogRow]]) -> Iterator[Fault]:
    for match, rows in log.items():
        for row in rows:
            if row.player is None or row.request is None:
                continue
            asked = ledger.asked.get((row.player, row.request))
            if asked is None:
                text = f"version {row.version}, request {row.request} of {row.player}"
                yield Fault(Flaw.UNASKED, match, text)
            elif not _answers(decode_events(row.events), asked):
                yield Fault(Flaw.CHANGED, match, f"version {row.version} is not what was asked for")
    for (player, match), told in ledger.told.items():
        rows_by_version = {row.version: row for row in log.get(match, ())}
        for version, versions_of_it in told.items():
            kept = rows_by_version.get(version)
            if kept is None:
                yield Fault(Flaw.LOST, match, f"version {version}, which {player} was told of")
            elif versions_of_it != {show(decode_events(kept.events), player)}:
                text = f"version {version} is not what {player} was told of it"
                yield Fault(Flaw.CHANGED, match, text)


def _answers(events: tuple[AnyEvent, ...], asked: AnyRequest) -> bool:
    """Tell whether a row's events are what a request may have caused."""
    cause, *others = events
    kind = _CAUSES.get(type(asked))
    if kind is None or not isinstance(cause, kind) or any(isinstance(one, kind) for one in others):
        return False
    if isinstance(cause, Guessed | SecretSet) and isinstance(asked, Guess | Secret):
        return cause.code == asked.code
    return True


def find_disordered(log: Mapping[str, Sequence[LogRow]]) -> Iterator[Fault]:
    """Return what is wrong with matches whoever played them: each must be a fold of its rows."""
    for match, rows in log.items():
        versions = [row.version for row in rows]
        if versions != list(range(1, len(rows) + 1)):
            yield Fault(Flaw.DISORDERED, match, f"its rows have the versions {versions}")
            continue
        try:
            _fold(rows)
        except (MastermindError, ValueError) as error:
            yield Fault(Flaw.DISORDERED, match, f"its rows make no match: {error}")


def _find_stuck(ledger: Ledger, log: Mapping[str, Sequence[LogRow]]) -> Iterator[Fault]:
    for match in sorted({*log, *(known for _, known in ledger.told)}):
        try:
            finished = _fold(log.get(match, ())) is Phase.FINISHED
        except (MastermindError, ValueError):
            continue  # it is disordered
        if not finished:
            yield Fault(Flaw.STUCK, match, f"after {len(log.get(match, ()))} rows")


def _fold(rows: Sequence[LogRow]) -> Phase | None:
    if not rows:
        return None
    return fold(chain.from_iterable(decode_events(row.events) for row in rows)).phase
