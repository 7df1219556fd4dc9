import pytest

from kit.clock import ManualClock
from mastermind_client.playback import DEFAULT_PACE_SECONDS, SPEED_SECONDS, Pacer, Playback

STOPS = (2, 4, 6)


def at(shown: int, *, known: int = 7, playing: bool = True, seconds: float = 1.5) -> Playback:
    return Playback(seconds, shown, known, playing)


@pytest.mark.parametrize(
    ("shown", "by", "then", "playing"),
    [
        (6, -1, 4, False),
        (5, -1, 4, False),
        (4, -1, 2, False),
        (2, -1, 2, False),
        (2, 1, 4, False),
        (3, 1, 4, False),
        (4, 1, 6, True),  # the last known moment: new ones follow
        (6, 1, 6, True),
    ],
)
def test_a_step_moves_to_the_next_stop_and_pauses_before_the_last_moment(shown, by, then, playing):
    stepped = at(shown).step(by, STOPS, now=5.0)
    assert (stepped.shown, stepped.playing, stepped.since) == (then, playing, 5.0)


def test_first_and_last_move_to_the_ends():
    first = at(6).first(STOPS, now=3.0)
    assert (first.shown, first.playing, first.behind) == (2, False, True)
    last = first.last(now=4.0)
    assert (last.shown, last.playing, last.behind, last.since) == (6, True, False, 4.0)


def test_a_shorter_log_moves_to_its_last_moment():
    assert at(6).set_known(3).shown == 2
    assert at(1).set_known(3).shown == 1


def test_speeds_go_from_the_slowest_to_the_fastest_and_back():
    playback = at(0, seconds=3.0)
    faster = [playback := playback.faster() for _press in range(4)]
    assert [each.seconds for each in faster] == [1.5, 0.7, 0.3, 0.3]
    assert [each.speed for each in faster] == [2, 3, 4, 4]
    slower = [playback := playback.slower() for _press in range(4)]
    assert [each.seconds for each in slower] == [0.7, 1.5, 3.0, 3.0]


@pytest.mark.parametrize(
    ("seconds", "speed"),
    [(0.0, 4), (0.2, 4), (0.9, 3), (1.2, 2), (DEFAULT_PACE_SECONDS, 2), (60.0, 1)],
)
def test_another_pace_is_shown_as_the_nearest_speed(seconds, speed):
    assert at(0, seconds=seconds).speed == speed


def test_another_pace_changes_to_one_of_the_four_speeds():
    assert at(0, seconds=1.0).faster().seconds == 0.7
    assert at(0, seconds=1.0).slower().seconds == 1.5
    assert at(0, seconds=0.0).slower().seconds == SPEED_SECONDS[-1]


# The pacer.


class Show:
    """A pacer on a manual clock, with a stay at every other moment."""

    def __init__(self, seconds: float = 1.5) -> None:
        self.clock = ManualClock()
        self.seen: list[int] = []
        self.pacer = Pacer(Playback(seconds), self._stay, self._see, self.clock)

    def _stay(self, moment: int) -> float:
        return self.pacer.playback.seconds if moment % 2 == 0 and moment > 0 else 0.0

    def _see(self) -> None:
        self.seen.append(self.pacer.playback.shown)


async def test_due_moments_are_shown_at_once_and_others_in_time():
    show = Show()
    show.pacer.set_known(6)
    assert show.seen == [0, 1]
    show.clock.skip(1.4)
    assert show.seen == [0, 1]
    show.clock.skip(0.1)
    assert show.seen == [0, 1, 2, 3]
    show.clock.skip(1.5)
    assert show.seen == [0, 1, 2, 3, 4, 5]
    assert not show.clock.pending


async def test_a_late_moment_is_shown_at_once():
    show = Show()
    show.pacer.set_known(2)
    show.clock.skip(20.0)
    show.pacer.set_known(3)
    assert show.seen == [0, 1, 2]


async def test_without_a_pace_everything_is_shown_at_once():
    show = Show(seconds=0.0)
    show.pacer.set_known(5)
    assert show.seen == [0, 1, 2, 3, 4]
    assert not show.clock.pending


async def test_a_pause_stops_the_timer_and_restarts_the_moment():
    show = Show()
    show.pacer.set_known(4)
    show.clock.skip(1.0)
    show.pacer.change(show.pacer.playback.toggle(show.pacer.now))
    assert not show.clock.pending
    show.clock.skip(100.0)
    show.pacer.change(show.pacer.playback.toggle(show.pacer.now))
    show.clock.skip(1.4)
    assert show.seen == [0, 1]
    show.clock.skip(0.1)
    assert show.seen == [0, 1, 2, 3]


async def test_a_changed_speed_applies_to_the_displayed_moment():
    show = Show()
    show.pacer.set_known(4)
    show.clock.skip(0.5)
    show.pacer.change(show.pacer.playback.faster())
    show.clock.skip(0.2)
    assert show.seen == [0, 1, 2, 3]
