import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit.matches import game, pegs, play
from kit.strategies import brief
from mastermind_client.messages.verdicts import (
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


def judge(match: Match) -> tuple[Judged, ...]:
    """Return the judgement of the first round, from a server's review."""
    played = match.played[0]
    return judge_round(review(match.rules, played.turns), played, match.rules)


def guessed(
    bits: float, best: float = 4.0, *, before: int = 64, after: int = 8, possible: bool = True
) -> Judged:
    """Return a guess of this information, and the best one."""
    guess = Weighed(pegs("1122"), possible, 1, 10.0, bits, 1)
    other = Weighed(pegs("1234"), possible, 1, 6.0, best, 1)
    worth = min(1.0, bits / best) if best else 0.0
    return Judged(2, Reviewed(guess, other, before, after), worth, found=False)


EXAMPLE = play(game("2513", "1122", "2344", "2536", "2513"))
JUDGED = judge(EXAMPLE)
ONLY = guessed(0.0, 0.0, before=1, after=1)
BEST = judge(play(game("1234", "1123", "1234")))[0]
SURE = Judged(3, Reviewed(JUDGED[-1].said.guess, JUDGED[-1].said.best, 1, 1), 1.0, found=True)


@pytest.mark.parametrize(
    ("guess", "verdict"),
    [
        (guessed(5.0), Verdict.EXCELLENT),
        (guessed(3.88), Verdict.EXCELLENT),
        (guessed(3.87), Verdict.GOOD),
        (guessed(3.4), Verdict.GOOD),
        (guessed(3.39), Verdict.WEAK),
        (guessed(0.4), Verdict.WEAK),
        (guessed(0.39), Verdict.WASTED),
        (guessed(0.0), Verdict.WASTED),
        (ONLY, Verdict.WASTED),
        (BEST, Verdict.EXCELLENT),
        *zip(JUDGED, (Verdict.GOOD, Verdict.GOOD, Verdict.WEAK, Verdict.FOUND), strict=True),
    ],
)
def test_the_verdict_depends_on_the_share_of_the_best_guesss_bits(guess, verdict):
    assert guess.verdict is verdict


@brief
@given(st.floats(0, 10), st.floats(0, 10), st.floats(0, 10))
def test_more_bits_are_never_a_worse_verdict(one, other, best):
    order = list(Verdict)
    less, more = (guessed(bits, best).verdict for bits in sorted((one, other)))
    assert order.index(more) <= order.index(less)


@pytest.mark.parametrize(
    ("after", "luck", "word"),
    [(4, Luck.LUCKY, "weak, lucky"), (8, Luck.EVEN, "weak"), (16, Luck.UNLUCKY, "weak, unlucky")],
)
def test_half_a_bit_more_or_less_is_luck(after, luck, word):
    guess = guessed(3.0, after=after)
    assert guess.luck is luck
    assert write_word(guess) == word


@pytest.mark.parametrize(
    ("guesses", "me", "line"),
    [
        (JUDGED, "BOB", "93 of 100: you played well, and were lucky"),
        (JUDGED, None, "93 of 100: Bob played well, and was lucky"),
        ([guessed(3.9, after=2)], "BOB", "98 of 100: you played superbly, and were lucky"),
        ([guessed(3.4)], "BOB", "85 of 100: you played well"),
        ([guessed(3.0, after=64)], "BOB", "75 of 100: you played fairly, and were very unlucky"),
        ([guessed(2.6, after=32)], "BOB", "65 of 100: you will do better, and were very unlucky"),
        ([guessed(1.0)], "BOB", "25 of 100: you will do better, and were very lucky"),
        ([guessed(3.6)], "BOB", "90 of 100: you played well, and were unlucky"),
    ],
)
def test_a_round_is_judged_in_a_sentence(guesses, me, line):
    assert write_verdict(guesses, EXAMPLE, EXAMPLE.played[0], me) == line


def test_the_mean_needs_a_guess_and_a_found_code_is_worth_all():
    assert find_mean(JUDGED) == 93
    assert find_mean([guessed(4.0)] * 300) == 100
    assert find_mean([*[guessed(4.0)] * 300, guessed(3.9)]) == 99, "a better guess was left"
    assert JUDGED[-1].worth == 1
    with pytest.raises(ValueError, match="no guess"):
        find_mean(())


@pytest.mark.parametrize(
    ("write", "given", "words"),
    [
        (head_guess, (JUDGED[1],), "Guess 2: good"),
        (head_guess, (judge(play(game("1234", "1122", "1234", advised=(1,))))[0],),
         "Guess 1: good, with advice"),
        (tell_left, (JUDGED[1],),
         "It left 18 codes of 96. On average it would have left 13: unlucky."),
        (tell_left, (ONLY,), "It could bring nothing new."),
        (tell_left, (JUDGED[-1],), "It was the code, one of 3 that were left: lucky."),
        (tell_left, (SURE,), "It was the only code that was left."),
        (tell_excluded, (JUDGED[1],),
         "But guess 2 could not be the code itself: guess 1 ruled it out."),
        (tell_excluded, (BEST,), ""),
        (tell_better, (JUDGED[1],),
         ("Better was ", pegs("2314"), ", which leaves 12.7 and might have been the code.")),
        (tell_better, (JUDGED[-1],), None),
        (tell_better, (BEST,), ("No guess was better.", None, "")),
        (tell_better, (guessed(2.0, possible=False),),
         ("Better was ", pegs("1234"), ", which leaves 6.0, though it could not be the code.")),
        (tell_better, (ONLY,),
         ("Better was ", pegs("1234"), ": it was the only code that was left.")),
        (list_figures, (JUDGED[1],),
         ["2.42 bits, 3.02 expected, best 3.17", "size 13.3, best 12.7", "luck -0.60"]),
    ],
)  # fmt: skip
def test_a_guess_is_described(write, given, words):
    assert write(*given) == words
