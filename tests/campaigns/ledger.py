"""Compare the clients' record of requests, acknowledgements and events with the stored log.

A `Ledger` records every request sent, every acknowledgement and every event received.
`find_faults` compares that record with the rows of the store, and has no side effects.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import chain
from statistics import median
from typing import NamedTuple

from mastermind_protocol.codec import decode_events
from mastermind_protocol.errors import MastermindError
from mastermind_protocol.events import AnyEvent, Guessed, Joined, Opened, RoundEnded, SecretSet
from mastermind_protocol.match import Match, Phase
from mastermind_protocol.requests import AnyRequest, EnterDay, Guess, Join, Open, Resign, Secret
from mastermind_protocol.transitions import fold
from mastermind_server.matches.tables.views import show
from mastermind_server.storage.rows import LogRow

_CAUSES: dict[type[AnyRequest], type[AnyEvent]] = {
    Open: Opened,
    EnterDay: Opened,
    Join: Joined,
    Secret: SecretSet,
    Guess: Guessed,
    Resign: RoundEnded,
}


class Flaw(StrEnum):
    """The kinds of faults."""

    LOST = "lost"  # an acknowledged or received row is not stored
    DOUBLED = "doubled"  # one request has two rows
    CHANGED = "changed"  # a row differs from its request, or from the events a client received
    UNASKED = "unasked"  # a row has a request that its player never sent
    DISORDERED = "disordered"  # versions are not 1, 2, 3 ..., or the rows do not fold
    STUCK = "stuck"  # the match is not finished
    UNTOLD = "untold"  # a player was not told that rows of a followed match are undone
    CRASHED = "crashed"  # a server has logged an unexpected exception


class Fault(NamedTuple):
    """A fault and its match."""

    flaw: Flaw
    match: str
    text: str

    def __str__(self) -> str:
        return f"{self.flaw}: match {self.match or '?'}, {self.text}"


class Acknowledgement(NamedTuple):
    """A successful answer to a player's request.

    `version` is the row's version, or None for `open` and `join`: their answer is the whole log.
    """

    player: str
    request: int
    match: str
    version: int | None


class Ledger:
    """The requests, acknowledgements and events of all connections of all clients.

    `given_up` has the exceptions that ended sessions too early. `waited` has the latency of each
    request in seconds; `resumed` has the seconds from each loss of a connection until the client
    had its match again. `undone` has each player and match whose client was told of lost rows, and
    `left` the players whose session has ended.
    """

    def __init__(self) -> None:
        self.asked: dict[tuple[str, int], AnyRequest] = {}
        self.acknowledged: list[Acknowledgement] = []
        self.received: dict[tuple[str, str], dict[int, set[tuple[AnyEvent, ...]]]] = {}
        self.given_up: list[Exception] = []
        self.refused: Counter[str] = Counter()
        self.waited: list[float] = []
        self.resumed: list[float] = []
        self.undone: set[tuple[str, str]] = set()
        self.left: set[str] = set()

    def ask(self, player: str, request: AnyRequest) -> None:
        """Record a request before it is first sent."""
        self.asked[player, request.id] = request

    def acknowledge(self, player: str, request: int, match: str, version: int | None) -> None:
        """Record the acknowledgement of a request."""
        self.acknowledged.append(Acknowledgement(player, request, match, version))

    def list_figures(self) -> dict[str, str]:
        """Return the figures of the report by name, in order."""
        resumed = sorted(self.resumed) or [0.0]
        return {
            "requests acknowledged": f"{len(self.acknowledged):,}",
            "temporarily refused": f"{sum(self.refused.values()):,}",
            "connections resumed": f"{len(self.resumed):,}",
            "time to resume, median": f"{median(resumed):.2f} s",
            "time to resume, maximum": f"{resumed[-1]:.2f} s",
            "time to answer, maximum": f"{max(self.waited, default=0.0):.2f} s",
        }

    def receive(self, player: str, match: str, version: int, events: tuple[AnyEvent, ...]) -> None:
        """Record the events of a row that a player received, possibly again."""
        rows = self.received.setdefault((player, match), {})
        rows.setdefault(version, set()).add(events)


def find_faults(ledger: Ledger, log: Iterable[LogRow]) -> list[Fault]:
    """Return all faults of the log. Every match in `log` must have ended."""
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
        yield Fault(Flaw.STUCK, "", f"its players could not continue: {_describe(error)}")


def _describe(error: BaseException) -> str:
    """Return the text of an error, or of all errors of a group."""
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
                yield Fault(Flaw.CHANGED, match, f"version {row.version} differs from its request")
    for (player, match), told in ledger.received.items():
        rows_by_version = {row.version: row for row in log.get(match, ())}
        for version, received in told.items():
            kept = rows_by_version.get(version)
            if kept is None:
                yield Fault(Flaw.LOST, match, f"version {version}, which {player} has received")
            elif received != {show(decode_events(kept.events), player)}:
                text = f"version {version} differs from the events {player} received"
                yield Fault(Flaw.CHANGED, match, text)


def _answers(events: tuple[AnyEvent, ...], asked: AnyRequest) -> bool:
    """Return whether the request `asked` can have caused a row's events."""
    cause, *others = events
    kind = _CAUSES.get(type(asked))
    if kind is None or not isinstance(cause, kind) or any(isinstance(one, kind) for one in others):
        return False
    if isinstance(cause, Guessed | SecretSet) and isinstance(asked, Guess | Secret):
        return cause.code == asked.code
    return True


def find_untold(ledger: Ledger, log: Iterable[LogRow], left: Container[str]) -> Iterator[Fault]:
    """Yield a fault for each player who was not told that rows of a followed match are lost.

    A player follows a match until its end. The players who have `left` are not told.
    """
    stored = Counter(row.match for row in log)
    for (player, match), rows in ledger.received.items():
        events = chain.from_iterable(chain.from_iterable(rows.values()))
        ended = any(isinstance(event, RoundEnded) for event in events)
        untold = player not in left and (player, match) not in ledger.undone
        if untold and not ended and max(rows) > stored[match]:
            yield Fault(Flaw.UNTOLD, match, f"{player} has {max(rows)} rows of {stored[match]}")


def find_disordered(log: Mapping[str, Sequence[LogRow]]) -> Iterator[Fault]:
    """Yield a fault for each match with missing versions, or with rows that do not fold."""
    for match, rows in log.items():
        versions = [row.version for row in rows]
        if versions != list(range(1, len(rows) + 1)):
            yield Fault(Flaw.DISORDERED, match, f"its rows have versions {versions}")
            continue
        try:
            _fold(rows)
        except (MastermindError, ValueError) as error:
            yield Fault(Flaw.DISORDERED, match, f"its rows do not fold: {error}")


def _find_stuck(ledger: Ledger, log: Mapping[str, Sequence[LogRow]]) -> Iterator[Fault]:
    for match in sorted({*log, *(known for _, known in ledger.received)}):
        try:
            finished = _fold(log.get(match, ())) is Phase.FINISHED
        except (MastermindError, ValueError):
            continue  # reported by find_disordered
        if not finished:
            yield Fault(Flaw.STUCK, match, f"after {len(log.get(match, ()))} rows")


def _fold(rows: Sequence[LogRow]) -> Phase | None:
    state: Match | None = None
    for row in rows:
        state = fold(decode_events(row.events), state, row.elapsed_since(rows[0].at))
    return state.phase if state else None
