"""Codes, seeded random numbers and matches for tests."""

from __future__ import annotations

from random import Random

from mastermind_protocol.code import Code, parse_code
from mastermind_protocol.events import AnyEvent
from mastermind_protocol.match import Match
from mastermind_protocol.messages import (
    Log,
)
from mastermind_protocol.rules import find_rules
from mastermind_protocol.transitions import fold

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
