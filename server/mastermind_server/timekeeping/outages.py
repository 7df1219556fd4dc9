"""Outages: times in which a server did not serve, and the lost time of a player in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence


NEVER = 2**62  # later than all times


class Outage(NamedTuple):
    """A time from `began` to `ended` in which players could not move.

    Both are in milliseconds since 1970. `disconnected`: clients had to connect again after it.
    `of_all`: no server ran, so it is an outage of all matches.
    """

    began: int
    ended: int
    disconnected: bool = False
    of_all: bool = False


def measure_lost_time(outages: Sequence[Outage], since: int, until: int) -> int:
    """Return the milliseconds from `since` to `until` that are in at least one of `outages`.

    `since` and `until` are in milliseconds since 1970.
    """
    lost = 0
    for began, ended, *_ in sorted(outages):
        lost += max(0, min(ended, until) - max(began, since))
        since = max(since, ended)
    return lost


def merge_outages(outages: Sequence[Outage]) -> list[Outage]:
    """Return `outages` in order of time, with overlapping ones merged.

    In none of them clients had to connect again.
    """
    merged: list[Outage] = []
    for outage in sorted(outages):
        if merged and outage.began <= merged[-1].ended:
            merged[-1] = Outage(merged[-1].began, max(merged[-1].ended, outage.ended))
        else:
            merged.append(outage)
    return merged
