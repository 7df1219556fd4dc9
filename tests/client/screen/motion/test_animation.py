import pytest

from kit.clock import ManualClock
from mastermind_client.screen.motion.animation import Animation
from mastermind_client.screen.motion.motion import AT_REST, Moment, Motion

ANSWER = Motion(answer=0.32)
WIN = Motion(answer=0.32, opening=0.48, wave=0.24, confetti=1.4)


class Show:
    """An animation on a stopped clock, with its recorded frames."""

    def __init__(self) -> None:
        self.clock = ManualClock()
        self.seen: list[Moment] = []
        self.animation = Animation(self.clock, self._see)

    def _see(self) -> None:
        self.seen.append(self.animation.moment)


@pytest.fixture
async def show():
    return Show()


async def test_each_change_is_drawn_once_and_then_no_timer_runs(show):
    show.animation.begin(ANSWER)
    assert len(show.clock.pending) == 1
    show.clock.skip(10)
    assert show.seen == [*(Moment(answer=number) for number in range(4)), AT_REST]
    assert not show.clock.pending


async def test_no_timer_runs_before_an_animation(show):
    show.clock.skip(10)
    assert (show.seen, show.clock.pending) == ([], [])


async def test_end_stops_the_animation_at_once(show):
    show.animation.begin(WIN)
    show.clock.skip(0.1)
    show.animation.end()
    assert show.animation.moment == AT_REST
    assert not show.clock.pending
    seen = len(show.seen)
    show.animation.end()
    assert len(show.seen) == seen


async def test_a_new_motion_replaces_a_running_one(show):
    show.animation.begin(WIN)
    show.clock.skip(0.5)
    show.animation.begin(ANSWER)
    assert show.animation.moment == Moment(answer=0)
    assert len(show.clock.pending) == 1


async def test_the_age_counts_from_the_complete_answer(show):
    show.animation.begin(WIN)
    assert show.animation.age == pytest.approx(-0.32)
    show.clock.skip(1)
    assert show.animation.age == pytest.approx(0.68)


async def test_ending_the_animation_resets_the_age(show):
    show.animation.begin(WIN)
    show.clock.skip(0.1)
    show.animation.end()
    assert show.animation.age == 0
    show.animation.begin(WIN)
    show.clock.skip(1.0)
    show.animation.end()
    assert show.animation.age == pytest.approx(0.68)
