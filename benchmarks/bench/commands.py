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


AnyCommand: TypeAlias = OpenMatches | Play | Saturate


class Opened(msgspec.Struct, frozen=True):
    """Matches are open: the server's CPU seconds for all of it, and the seconds it took."""

    cpu: float
    seconds: float


class Played(msgspec.Struct, frozen=True):
    """What playing cost. Times are in seconds; latency counts from when a move was due.

    `cpu` is the server's. `driver` is the share of a core that the driver took, `behind` the 99th
    percentile of how late it sent, and `elsewhere` the cores that neither of both kept busy.
    """

    moves: int
    cpu: float
    seconds: float
    p50: float
    p99: float
    driver: float
    behind: float
    elsewhere: float
