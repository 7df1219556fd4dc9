"""What the load driver is told to do, and what it tells back: lines of JSON, by pipes."""

from __future__ import annotations

from typing import TypeAlias

import msgspec


class Command(msgspec.Struct, frozen=True, tag_field="do"):
    """The base of all commands; each is answered by one report."""


class OpenMatches(Command, frozen=True, tag="open"):
    """Have so many matches open, each of two people's at their first guess.

    `each` is how many of them share the same two connections.
    """

    matches: int
    each: int = 1


class Play(Command, frozen=True, tag="play"):
    """Guess in an open loop: all matches in turn, `rate` guesses a second in all."""

    rate: float
    seconds: float


class Saturate(Command, frozen=True, tag="saturate"):
    """Guess as fast as guesses are answered: one in each match is always under way."""

    seconds: float


class Rally(Command, frozen=True, tag="rally"):
    """Guess so often, in all matches in turn, so many guesses being under way at any time."""

    moves: int
    at_once: int


class Advance(Command, frozen=True, tag="advance"):
    """Guess as fast as guesses are answered, until there were so many in each match."""

    guesses: int


class Come(Command, frozen=True, tag="come"):
    """Have so many connections that have said hello and do nothing."""

    connections: int


class LookOn(Command, frozen=True, tag="look on"):
    """Have all who do nothing follow the first match."""


class Show(Command, frozen=True, tag="show"):
    """Guess in the first match, for its spectators; they read of it afterwards."""

    rate: float
    seconds: float


class Probe(Command, frozen=True, tag="probe"):
    """Guess as in `Play`, and send pings, so many a second of all connections that do nothing."""

    rate: float
    pings: float
    seconds: float


class Return(Command, frozen=True, tag="return"):
    """Drop the lines of all who play, and have them back in their matches."""


class End(Command, frozen=True, tag="end"):
    """End all matches: one of both leaves, and the other looks at it no more."""


AnyCommand: TypeAlias = (
    OpenMatches | Play | Saturate | Rally | Advance | Come | LookOn | Show | Probe | Return | End
)


class Done(msgspec.Struct, frozen=True):
    """What was to be arranged is so: the server's CPU seconds for it, and the seconds it took."""

    cpu: float
    seconds: float


class Played(msgspec.Struct, frozen=True):
    """What playing cost. Times are in seconds; latency counts from when a move was due.

    `p50` and `p99` are of the answers, `told_p50` and `told_p99` of when the other seat was told.
    `cpu` is the server's, of all its nodes. `driver` is the share of a core that the driver took,
    `behind` the 99th percentile of how late it sent, and `elsewhere` the cores that others than
    these two kept busy, `stolen` the cores that the hardware gave to other machines meanwhile.
    `longest_ping` is how long the slowest ping took.
    """

    moves: int
    cpu: float
    seconds: float
    p50: float
    p99: float
    told_p50: float
    told_p99: float
    driver: float
    behind: float
    elsewhere: float
    stolen: float
    longest_ping: float = 0.0
