"""The visual order of the characters of a text: Unicode's bidirectional algorithm.

This is UAX #9 in a line from left to right, without the formatting characters, which names cannot
contain, and without mirrored brackets.
"""

from __future__ import annotations

from itertools import groupby
from unicodedata import bidirectional

_LEVELS = {"L": 0, "R": 1, "AL": 1, "EN": 2, "AN": 2}
_NUMBER_PARTS = (("ES", "EN"), ("CS", "EN"), ("CS", "AN"))  # a separator between two digits


def reorder(text: str) -> str:
    """Return the characters of `text` in their visual order, from left to right."""
    levels = _find_levels([bidirectional(character) for character in text])
    order = list(range(len(text)))
    for lowest in (2, 1):  # rule L2
        runs = [(levels[at] >= lowest, at) for at in order]
        order = []
        for reverse, run in groupby(runs, lambda one: one[0]):
            places = [at for _, at in run]
            order += reversed(places) if reverse else places
    return "".join(text[at] for at in order)


def _find_levels(kinds: list[str]) -> list[int]:
    """Return the level of each character: 0, 1 from right to left, 2 for numbers there.

    `kinds` are the bidirectional classes. The function changes the list.
    """
    strong = "L"
    for at, kind in enumerate(kinds):
        if kind == "NSM":  # rule W1
            kinds[at] = kinds[at - 1] if at else "ON"
        elif kind == "EN" and strong == "AL":  # rule W2
            kinds[at] = "AN"
        elif kind in ("L", "R", "AL"):
            strong = kind
    for at in range(1, len(kinds) - 1):  # rule W4
        before, kind, after = kinds[at - 1 : at + 2]
        if before == after and (kind, after) in _NUMBER_PARTS:
            kinds[at] = after
    for places in (range(len(kinds)), range(len(kinds) - 1, -1, -1)):  # rule W5
        number = False
        for at in places:
            number = kinds[at] == "EN" or (number and kinds[at] == "ET")
            kinds[at] = "EN" if number else kinds[at]
    strong = "L"
    for at, kind in enumerate(kinds):
        if kind in ("L", "R", "AL"):
            strong = kind
        elif kind == "EN" and strong == "L":  # rule W7
            kinds[at] = "L"
    return _resolve_neutral([_LEVELS.get(kind) for kind in kinds])


def _resolve_neutral(levels: list[int | None]) -> list[int]:
    """Replace each None by 1 between levels above 0, otherwise by 0 (rules N1, N2)."""
    after, nexts = 0, []
    for level in reversed(levels):
        after = after if level is None else level
        nexts.append(after)
    before, resolved = 0, []
    for level, following in zip(levels, reversed(nexts), strict=True):
        before = before if level is None else level
        resolved.append(int(before > 0 and following > 0) if level is None else level)
    return resolved
