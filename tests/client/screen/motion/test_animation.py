import pytest

from kit.clock import ManualClock
from kit.matches import ADA, BOB, NONCE, do, leave, pegs, sit
from mastermind_client.screen.motion.animation import (
    AT_REST,
    Animation,
    Moment,
    Motion,
    find_motion,
)
from mastermind_protocol.commands import GuessCode, OfferRematch, ResignRound, SetSecret
from mastermind_protocol.match import Phase

EVE = "EVE"
LONGEST_SECONDS = 1.5  # that anything may move
SET = do(sit(), ADA.id, SetSecret(pegs("1234"), NONCE))
WRONG, RIGHT = GuessCode(pegs("1122")), GuessCode(pegs("1234"))


def watch(motion: Motion | None, *moments: float) -> list[Moment]:
    assert motion is not None
    return [motion.find_moment(elapsed) for elapsed in moments]


def test_an_answer_appears_peg_by_peg():
    motion = find_motion(SET, do(SET, BOB.id, WRONG), BOB.id)
    assert watch(motion, 0, 0.07, 0.09, 0.25, 0.33) == [
        Moment(shown_key_pegs=0),
        Moment(shown_key_pegs=0),
        Moment(shown_key_pegs=1),
        Moment(shown_key_pegs=3),
        AT_REST,
    ]


def test_a_broken_code_opens_and_then_the_row_lifts():
    motion = find_motion(SET, do(SET, BOB.id, RIGHT), EVE)
    assert watch(motion, 0.1, 0.33, 0.45, 0.79, 0.81, 0.99, 1.05) == [
        Moment(shown_key_pegs=1, opened_tiles=0),
        Moment(opened_tiles=0),
        Moment(opened_tiles=1),
        Moment(opened_tiles=3),
        Moment(lifted_tile=0),
        Moment(lifted_tile=3),
        AT_REST,
    ]


def test_confetti_falls_for_the_winner_after_the_answer():
    motion = find_motion(SET, do(SET, BOB.id, RIGHT), BOB.id)
    falling, later, still = watch(motion, 0.32, 1.5, 1.73)
    assert falling.fallen_seconds == 0
    assert later.fallen_seconds == pytest.approx(1.18)
    assert still is AT_REST
    lost = find_motion(SET, do(SET, BOB.id, RIGHT), ADA.id)
    assert all(moment.fallen_seconds is None for moment in watch(lost, 0.32, 0.5))


def test_the_codemakers_code_does_not_open():
    motion = find_motion(SET, do(SET, BOB.id, RIGHT), ADA.id)
    assert watch(motion, 0.1, 0.33) == [Moment(shown_key_pegs=1), Moment(lifted_tile=0)]


def test_an_unbroken_code_opens_and_nothing_lifts():
    motion = find_motion(SET, do(SET, BOB.id, ResignRound()), BOB.id)
    assert watch(motion, 0, 0.47, 0.49) == [Moment(opened_tiles=0), Moment(opened_tiles=3), AT_REST]


def test_the_end_of_a_round_moves_although_the_next_round_has_begun():
    first = do(sit(rounds=2), ADA.id, SetSecret(pegs("1234"), NONCE))
    after = do(first, BOB.id, RIGHT)
    assert after.phase is Phase.SETTING
    assert watch(find_motion(first, after, EVE), 0.33) == [Moment(opened_tiles=0)]


def test_a_new_code_is_sealed_tile_by_tile():
    motion = find_motion(sit(), SET, ADA.id)
    assert watch(motion, 0, 0.13, 0.47, 0.49) == [
        Moment(sealed_tiles=0),
        Moment(sealed_tiles=1),
        Moment(sealed_tiles=3),
        AT_REST,
    ]


def test_missed_moves_are_not_animated():
    assert find_motion(SET, do(SET, BOB.id, WRONG, WRONG), BOB.id) == Motion()
    assert find_motion(do(SET, BOB.id, WRONG), SET, BOB.id) == Motion()
    assert find_motion(sit(), leave(sit()), ADA.id) == Motion()


def test_updates_without_a_move_have_no_motion():
    assert find_motion(SET, SET, BOB.id) is None
    over = do(SET, BOB.id, RIGHT)
    assert find_motion(over, do(over, BOB.id, OfferRematch("W4T9BN")), ADA.id) is None


def test_a_win_by_leaving_has_no_confetti():
    motion = find_motion(SET, leave(SET), ADA.id)
    assert watch(motion, 0) == [AT_REST]


def test_every_motion_is_short():
    wide = do(sit("9x12/99"), ADA.id, SetSecret(tuple(range(9)), NONCE))
    motion = find_motion(wide, do(wide, BOB.id, GuessCode(tuple(range(9)))), BOB.id)
    assert motion is not None
    assert (
        max(
            motion.answer_seconds,
            motion.opening_seconds,
            motion.wave_seconds,
            motion.confetti_seconds,
        )
        < LONGEST_SECONDS
    )
    sealed = find_motion(sit("9x12/99"), wide, ADA.id)
    assert sealed is not None
    assert sealed.total_seconds < LONGEST_SECONDS


ANSWER = Motion(answer_seconds=0.32)
WIN = Motion(answer_seconds=0.32, opening_seconds=0.48, wave_seconds=0.24, confetti_seconds=1.4)


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
    assert show.seen == [*(Moment(shown_key_pegs=number) for number in range(4)), AT_REST]
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
    assert show.animation.moment == Moment(shown_key_pegs=0)
    assert len(show.clock.pending) == 1


async def test_the_age_counts_from_the_complete_answer(show):
    show.animation.begin(WIN)
    assert show.animation.seconds_since_answer == pytest.approx(-0.32)
    show.clock.skip(1)
    assert show.animation.seconds_since_answer == pytest.approx(0.68)


async def test_ending_the_animation_resets_the_age(show):
    show.animation.begin(WIN)
    show.clock.skip(0.1)
    show.animation.end()
    assert show.animation.seconds_since_answer == 0
    show.animation.begin(WIN)
    show.clock.skip(1.0)
    show.animation.end()
    assert show.animation.seconds_since_answer == pytest.approx(0.68)
