from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit.matches import pegs
from kit.played import game, play
from kit.strategies import brief
from mastermind_client.words.verdicts import (
    Judged,
    Luck,
    Verdict,
    find_mean,
    head_guess,
    judge_round,
    list_figures,
    tell_better,
    tell_excluded,
    tell_left,
    write_verdict,
    write_word,
)
from mastermind_protocol.match import Match
from mastermind_protocol.messages import Reviewed, Weighed
from mastermind_server.bots.advice import review

EXAMPLE = play(game("2513", "1122", "2344", "2536", "2513"))


def judge(match: Match) -> tuple[Judged, ...]:
    """Return the judgement of the first round, of which a server says what it says."""
    played = match.played[0]
    return judge_round(review(match.rules, played.turns), played, match.rules)


def guessed(
    bits: float, best: float = 4.0, *, before: int = 64, after: int = 8, possible: bool = True
) -> Judged:
    """Return a guess that is worth so many bits where the best one is worth others."""
    guess = Weighed(pegs("1122"), possible, 1, 10.0, bits, 1)
    other = Weighed(pegs("1234"), possible, 1, 6.0, best, 1)
    worth = min(1.0, bits / best) if best else 0.0
    return Judged(2, Reviewed(guess, other, before, after), worth, found=False)


@pytest.mark.parametrize(
    ("bits", "verdict"),
    [
        (5.0, Verdict.EXCELLENT),
        (3.88, Verdict.EXCELLENT),
        (3.87, Verdict.GOOD),
        (3.4, Verdict.GOOD),
        (3.39, Verdict.WEAK),
        (2.0, Verdict.WEAK),
        (1.99, Verdict.WASTED),
        (0.0, Verdict.WASTED),
    ],
)
def test_a_guess_is_worth_its_bits_as_a_part_of_the_best_ones(bits, verdict):
    assert guessed(bits).verdict is verdict


@brief
@given(st.floats(0, 10), st.floats(0, 10), st.floats(0, 10))
def test_more_bits_are_never_a_worse_verdict(one, other, best):
    order = list(Verdict)
    less, more = (guessed(bits, best).verdict for bits in sorted((one, other)))
    assert order.index(more) <= order.index(less)


def test_the_right_guess_found_it_whatever_it_promised():
    *others, last = judge(EXAMPLE)
    assert [guess.verdict for guess in others] == [Verdict.GOOD, Verdict.GOOD, Verdict.WEAK]
    assert last.verdict is Verdict.FOUND
    assert last.worth == 1


def test_where_the_code_is_known_any_other_guess_is_wasted():
    wasted = guessed(0.0, 0.0, before=1, after=1)
    assert wasted.verdict is Verdict.WASTED
    assert tell_left(wasted) == "It could bring nothing new."


@pytest.mark.parametrize(
    ("after", "luck", "word"),
    [(4, Luck.LUCKY, "weak, lucky"), (8, Luck.EVEN, "weak"), (16, Luck.UNLUCKY, "weak, unlucky")],
)
def test_half_a_bit_more_or_less_is_luck(after, luck, word):
    guess = guessed(3.0, after=after)
    assert guess.luck is luck
    assert write_word(guess) == word


def test_a_round_is_judged_in_a_sentence():
    (played,) = EXAMPLE.played
    judged = judge(EXAMPLE)
    assert find_mean(judged) == 93
    told = write_verdict(judged, EXAMPLE, played, "BOB")
    assert told == "93 of 100: you played well, and were lucky"
    told = write_verdict(judged, EXAMPLE, played, None)
    assert told == "93 of 100: Bob played well, and was lucky"
    with pytest.raises(ValueError, match="no guess"):
        find_mean(())


@pytest.mark.parametrize(
    ("guess", "told"),
    [
        (guessed(3.9, after=2), "98 of 100: you played superbly, and were lucky"),
        (guessed(3.4, after=8), "85 of 100: you played well"),
        (guessed(3.0, after=64), "75 of 100: you played fairly, and were very unlucky"),
        (guessed(2.6, after=32), "65 of 100: you will do better, and were very unlucky"),
        (guessed(1.0, after=8), "25 of 100: you will do better, and were very lucky"),
        (guessed(3.6, after=8), "90 of 100: you played well, and were unlucky"),
    ],
)
def test_play_and_luck_are_told_apart(guess, told):
    assert write_verdict([guess], EXAMPLE, EXAMPLE.played[0], "BOB") == told


def test_the_second_guess_of_the_example_is_told_as_drawn():
    guess = judge(EXAMPLE)[1]
    assert head_guess(guess) == "Guess 2: good"
    assert tell_left(guess) == (
        "It left 18 codes of 96. On average it would have left 13: unlucky."
    )
    better = tell_better(guess)
    assert better == (
        "Better was ", pegs("2314"), ", which leaves 12.7 and might have been the code."
    )  # fmt: skip
    assert tell_excluded(guess) == (
        "But guess 2 could not be the code itself: guess 1 ruled it out."
    )
    assert list_figures(guess) == [
        "2.42 bits, 3.02 expected, best 3.17", "size 13.3, best 12.7", "luck -0.60",
    ]  # fmt: skip


def test_what_could_not_be_bettered_is_told_so():
    best = judge(play(game("1234", "1123", "1234")))[0]
    assert best.verdict is Verdict.EXCELLENT
    assert tell_better(best) == ("No guess was better.", None, "")
    assert tell_excluded(best) == ""


def test_a_better_guess_that_could_not_be_the_code_is_told_as_that():
    better = tell_better(guessed(2.0, possible=False))
    assert better is not None
    assert better.after == ", which leaves 6.0, though it could not be the code."
    only = tell_better(guessed(0.0, 0.0, before=1, after=1))
    assert only is not None
    assert only.after == ": it was the only code that was left."


def test_the_right_guess_is_told_by_how_many_codes_were_left():
    last = judge(EXAMPLE)[-1]
    assert tell_left(last) == "It was the code, one of 3 that were left: lucky."
    assert tell_better(last) is None
    sure = Judged(3, Reviewed(last.said.guess, last.said.best, 1, 1), 1.0, found=True)
    assert tell_left(sure) == "It was the only code that was left."


def test_advice_is_part_of_the_heading():
    guess = judge(play(game("1234", "1122", "1234", advised=(1,))))[0]
    assert head_guess(guess) == "Guess 1: good, with advice"
