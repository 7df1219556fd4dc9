"""Codes, chance and matches for tests."""

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
    """Return a code from what a player types: `pegs("1122")`.

    Without `rules` a colour is its number, from 1. The symbols of other rules, such as letters,
    need their name: `pegs("RGBY", "mini")`.
    """
    if rules is None:
        return tuple(map(_SYMBOLS.index, typed))
    return parse_code(typed, find_rules(rules))


class SeededRandom(Random):
    """Chance that can be repeated, from a seed."""


def events_of(log: Log) -> list[AnyEvent]:
    """Return the events of a log's rows, one after another."""
    return [event for row in log.rows for event in row.events]


def state_of(log: Log) -> Match:
    """Return the match that a whole log tells."""
    return fold(events_of(log))
