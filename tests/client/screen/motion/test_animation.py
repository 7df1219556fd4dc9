import pytest

from kit.clock import ManualClock
from mastermind_client.screen.motion.animation import FRAME_SECONDS, Animation
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


async def test_each_change_is_shown_once_and_then_nothing_runs(show):
    show.animation.begin(ANSWER)
    assert len(show.clock.pending) == 1
    show.clock.skip(10)
    assert show.seen == [*(Moment(answer=number) for number in range(4)), AT_REST]
    assert not show.clock.pending


async def test_nothing_runs_before_anything_moves(show):
    show.clock.skip(10)
    assert (show.seen, show.clock.pending) == ([], [])


async def test_what_is_ended_is_at_rest_at_once(show):
    show.animation.begin(WIN)
    show.clock.skip(0.1)
    show.animation.end()
    assert show.animation.moment == AT_REST
    assert not show.clock.pending
    seen = len(show.seen)
    show.animation.end()
    assert len(show.seen) == seen


async def test_another_motion_takes_the_place_of_one_that_goes_on(show):
    show.animation.begin(WIN)
    show.clock.skip(0.5)
    show.animation.begin(ANSWER)
    assert show.animation.moment == Moment(answer=0)
    assert len(show.clock.pending) == 1


async def test_the_age_of_an_answer_begins_when_all_of_it_is_there(show):
    show.animation.begin(WIN)
    assert show.animation.age == pytest.approx(-0.32)
    show.clock.skip(1)
    assert show.animation.age == pytest.approx(0.68)


async def test_an_answer_that_is_shown_at_once_is_new_then(show):
    show.animation.begin(WIN)
    show.clock.skip(0.1)
    show.animation.end()
    assert show.animation.age == 0
    show.animation.begin(WIN)
    show.clock.skip(1.0)
    show.animation.end()
    assert show.animation.age == pytest.approx(0.68)


def test_a_motion_is_smooth_but_does_not_draw_more_often_than_a_terminal_is_drawn():
    assert 0.02 < FRAME_SECONDS < 0.06
