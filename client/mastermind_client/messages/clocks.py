"""The clocks of a match: the times of the players, and texts about these times."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, NamedTuple

from mastermind_client.language import gettext as _
from mastermind_client.language import ngettext
from mastermind_client.messages.players import choose_sentence
from mastermind_protocol.clock import DAY, MINUTE, SECOND
from mastermind_protocol.match import Phase

if TYPE_CHECKING:
    from mastermind_client.network.mirror import Mirror
    from mastermind_protocol.clock import Clock
    from mastermind_protocol.events import Player
    from mastermind_protocol.match import Match


TENTHS_BELOW_MS = 10 * SECOND
ALARM_DIVISOR = 10  # the last tenth of the time: the bell rings, and the time has reversed colours
TIMER_MARGIN_MS = 1  # milliseconds after a change, so that a timer never runs just before it


class RunningClock(NamedTuple):
    """The time of the player to move: `left` of the `total`, in milliseconds.

    `total` is the time at the start of the round or of the move. `player` is an id. A clock is
    `live` unless it counts days.
    """

    player: str
    left: int
    total: int
    live: bool = True

    @property
    def is_alarming(self) -> bool:
        """Whether the clock is live and at most a tenth of the total time is left."""
        return self.live and self.left * ALARM_DIVISOR <= self.total

    @property
    def shows_tenths(self) -> bool:
        """Whether the displayed time has tenths of a second."""
        return self.live and self.left < TENTHS_BELOW_MS

    @property
    def step_ms(self) -> int:
        """The smallest change of the displayed time, in milliseconds."""
        if not self.live:
            return MINUTE
        return SECOND // 10 if self.shows_tenths else SECOND


class ClockPhase(NamedTuple):
    """A part of a match with one running clock: a round, or a guess if the clock is per move.

    `rounds` is the number of ended rounds. `guesses` is the number of guesses in the current round,
    or 0 if the clock is not per move.
    """

    rounds: int
    phase: Phase
    guesses: int


def find_running_clock(mirror: Mirror) -> RunningClock | None:
    """Return the running clock in the last received state, or None if no clock runs."""
    match, left = mirror.state, mirror.time_left
    if match.clock is None or match.to_move is None or left is None:
        return None
    setting = match.phase is Phase.SETTING
    total = match.clock.code_setting_ms if setting else match.clock.code_breaking_ms
    return RunningClock(match.to_move.id, left, total, match.clock.live)


def find_time(match: Match, running: RunningClock | None, player: Player) -> int | None:
    """Return the displayed time of a player in milliseconds, or None without one.

    For the player to move it is the time left. For the other player it is the full time for the
    next round or guess as codebreaker. A player who breaks no more codes has no time. A clock of
    days shows no time for the other player.
    """
    if running is not None and running.player == player.id:
        return running.left
    if match.clock is None or not match.clock.live or match.phase is Phase.FINISHED:
        return None
    waits_for_code = match.phase is Phase.SETTING and match.breaker == player
    gathering = match.phase is Phase.GATHERING
    last = match.round_number == match.opened.rounds
    return match.clock.code_breaking_ms if gathering or waits_for_code or not last else None


def find_clock_phase(match: Match) -> ClockPhase:
    """Return the current part of the match. The players' times start anew with each part."""
    turns = match.current.turns if match.current is not None else ()
    per_move = match.clock is not None and match.clock.move
    return ClockPhase(len(match.played), match.phase, len(turns) if per_move else 0)


def find_tick_seconds(running: RunningClock | None) -> float | None:
    """Return the seconds until the displayed time changes, or None if it does not change."""
    if running is None or running.left == 0:
        return None
    return (running.left % running.step_ms + TIMER_MARGIN_MS) / SECOND


def find_threshold_seconds(
    running: RunningClock | None, thresholds: tuple[int, ...]
) -> float | None:
    """Return the seconds until the time left falls to the next of the `thresholds`, or None.

    `thresholds` are in milliseconds.
    """
    if running is None or not running.live:
        return None
    below = [each for each in thresholds if each < running.left]
    return (running.left - max(below) + TIMER_MARGIN_MS) / SECOND if below else None


HOUR_MS = 60 * MINUTE


def describe_clock(clock: Clock) -> str:
    """Return a sentence about the time that players have under this clock."""
    if not clock.live:
        days = clock.move // DAY
        return ngettext("Each move has {number} day.", "Each move has {number} days.", days).format(
            number=days
        )
    if clock.move:
        return _("Each guess has {seconds} seconds.").format(seconds=clock.move // SECOND)
    minutes, added = clock.base // MINUTE, clock.increment // SECOND
    text = ngettext(
        "The codebreaker has {number} minute a round.",
        "The codebreaker has {number} minutes a round.",
        minutes,
    ).format(number=minutes)
    if added:
        more = ngettext(
            "Each guess adds {number} second.", "Each guess adds {number} seconds.", added
        )
        text = f"{text} {more.format(number=added)}"
    return text


def summarise_clock(clock: Clock) -> str:
    """Return the time that players have under this clock in a few words, for a form."""
    if not clock.live:
        days = clock.move // DAY
        return ngettext("{number} day a move", "{number} days a move", days).format(number=days)
    if clock.move:
        return _("{seconds} s a guess").format(seconds=clock.move // SECOND)
    minutes, added = clock.base // MINUTE, clock.increment // SECOND
    text = _("{minutes} min, and {seconds} s a guess") if added else _("{minutes} min a round")
    return text.format(minutes=minutes, seconds=added)


def format_time(left: int) -> str:
    """Return `left` milliseconds as ``02:37``, or with tenths below ten seconds, as ``9.4``."""
    if left < TENTHS_BELOW_MS:
        return f"{max(0, left) // 100 / 10:.1f}"
    minutes, seconds = divmod(left // SECOND, 60)
    return f"{minutes:02}:{seconds:02}"


def format_time_left(left: int, *, live: bool) -> str:
    """Return `left` milliseconds beside other words: ``02:37``, ``9 seconds`` or ``2 d 4 h``."""
    if not live:
        return format_days(left)
    return speak_time(left) if left < TENTHS_BELOW_MS else format_time(left)


def format_clock(left: int, *, live: bool) -> str:
    """Return `left` milliseconds of a clock for the screen: ``02:37``, ``!00:48`` or ``!9.4``.

    A clock that is not `live` shows days: ``2 d 4 h``.
    """
    if not live:
        return format_days(left)
    return f"!{format_time(left)}" if left < MINUTE else format_time(left)


def format_days(left: int) -> str:
    """Return `left` milliseconds as ``2 d 4 h`` or ``3 h``, or in minutes below one hour."""
    days, hours = divmod(max(0, left) // HOUR_MS, DAY // HOUR_MS)
    if days:
        text = _("{days} d {hours} h") if hours else _("{days} d")
        return text.format(days=days, hours=hours)
    if hours:
        return _("{hours} h").format(hours=hours)
    return _("{minutes} min").format(minutes=max(0, left) // MINUTE)


def describe_times(mirror: Mirror, me: str) -> list[str]:
    """Return a sentence about the time of each player. The first is about the player to move."""
    match, running = mirror.state, find_running_clock(mirror)
    if match.clock is None:
        return [_("This match has no clock.")]
    if match.phase is Phase.FINISHED:
        return [_("No clock runs: the match is over.")]
    lines = []
    for player in sorted(match.players, key=lambda player: player != match.to_move):
        time = find_time(match, running, player)
        if time is None:
            continue
        if player == match.to_move:
            you, other = _("You have {time} left."), _("{name} has {time} left.")
        else:
            you, other = _("You have {time} ahead."), _("{name} has {time} ahead.")
        spoken = speak_time(time) if match.clock.live else speak_days(time)
        lines.append(choose_sentence(match, player.id, me, you, other, time=spoken))
    return lines


def speak_days(left: int) -> str:
    """Return `left` milliseconds in words: ``2 days 4 hours``, or below one hour ``5 minutes``."""
    days, hours = divmod(max(0, left) // HOUR_MS, DAY // HOUR_MS)
    parts = []
    if days:
        parts.append(ngettext("{number} day", "{number} days", days).format(number=days))
    if hours:
        parts.append(ngettext("{number} hour", "{number} hours", hours).format(number=hours))
    return " ".join(parts) if parts else speak_time(left)


def speak_time(left: int) -> str:
    """Return `left` milliseconds in words: ``2 minutes 37 seconds``."""
    minutes, seconds = divmod(max(0, left) // SECOND, 60)
    parts = []
    if minutes:
        parts.append(
            ngettext("{number} minute", "{number} minutes", minutes).format(number=minutes)
        )
    if seconds or not minutes:
        parts.append(
            ngettext("{number} second", "{number} seconds", seconds).format(number=seconds)
        )
    return " ".join(parts)


def describe_lost_time(lost: int) -> str:
    """Return a sentence: the server was down or stalled, and adds `lost` ms to the time."""
    seconds = ceil(lost / SECOND)
    time = ngettext("{number} second", "{number} seconds", seconds).format(number=seconds)
    return _("The server lost time: the clock gets {time} back.").format(time=time)
