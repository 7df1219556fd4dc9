"""The streak of a player: a function of the stored days and of the player's tries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_protocol.days import FINISH_MS, find_day
from mastermind_protocol.messages import DayStreak

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping


def find_last_missable(now: int) -> int:
    """Return the last day with no running tries at `now`, in milliseconds since 1970.

    A later day without a try interrupts no streak, because the player can still begin or end one.
    """
    return find_day(now - FINISH_MS) - 1


def find_streak(tried: Mapping[int, int], missable: Collection[int]) -> DayStreak:
    """Return the totals of a player's tries that ended in time.

    `tried` maps each day with such a try to the number of its codes that the player broke.
    `missable` are the days that interrupt a streak if they are not in `tried`.
    """
    current = longest = 0
    for day in sorted({*tried, *missable}):
        current = current + 1 if day in tried else 0
        longest = max(longest, current)
    return DayStreak(current=current, longest=longest, days=len(tried), broken=sum(tried.values()))
