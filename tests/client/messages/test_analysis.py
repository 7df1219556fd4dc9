import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit.matches import game, pegs, play
from kit.strategies import brief
from mastermind_client.language import use_language
from mastermind_client.messages.analysis import (
    describe_advice,
    describe_better_guess,
    describe_exclusion,
    describe_remaining,
    describe_review,
    describe_verdict,
    format_guess_heading,
    format_verdict,
    list_figures,
)
from mastermind_client.messages.judging import JudgedGuess, Luck, Verdict, compute_mean, judge_round
from mastermind_client.messages.players import describe_bot, describe_bots
from mastermind_protocol.match import Match
from mastermind_protocol.messages import Advice, GuessMeasures, KnownBot, ReviewedGuess
from mastermind_protocol.rules import DEFAULT
from mastermind_server.bots import BOTS
from mastermind_server.bots.analysis.advice import review


def judge(match: Match) -> tuple[JudgedGuess, ...]:
    """Return the judgement of the first round, from a server's review."""
    played = match.played[0]
    return judge_round(review(match.rules, played.turns), played, match.rules)


def guessed(
    bits: float, best: float = 4.0, *, before: int = 64, after: int = 8, possible: bool = True
) -> JudgedGuess:
    """Return a guess of this information, and the best one."""
    guess = GuessMeasures(pegs("1122"), possible, 1, 10.0, bits, 1)
    other = GuessMeasures(pegs("1234"), possible, 1, 6.0, best, 1)
    worth = min(1.0, bits / best) if best else 0.0
    return JudgedGuess(2, ReviewedGuess(guess, other, before, after), worth, found=False)


EXAMPLE = play(game("2513", "1122", "2344", "2536", "2513"))
JUDGED = judge(EXAMPLE)
ONLY = guessed(0.0, 0.0, before=1, after=1)
BEST = judge(play(game("1234", "1123", "1234")))[0]
SURE = JudgedGuess(
    3, ReviewedGuess(JUDGED[-1].review.guess, JUDGED[-1].review.best, 1, 1), 1.0, found=True
)


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
    assert format_verdict(guess) == word


@pytest.mark.parametrize(
    ("guesses", "me", "line"),
    [
        (JUDGED, "BOB", "93 of 100: you played well, and were lucky"),
        (JUDGED, None, "93 of 100: Bob played well, and was lucky"),
        ([guessed(3.9, after=2)], "BOB", "98 of 100: you played superbly, and were lucky"),
        ([guessed(3.4)], "BOB", "85 of 100: you played well"),
        (
            [guessed(3.0, after=64)],
            "BOB",
            "75 of 100: you played fairly well, and were very unlucky",
        ),
        ([guessed(2.6, after=32)], "BOB", "65 of 100: you can do better, and were very unlucky"),
        ([guessed(1.0)], "BOB", "25 of 100: you can do better, and were very lucky"),
        ([guessed(3.6)], "BOB", "90 of 100: you played well, and were unlucky"),
    ],
)
def test_a_round_is_judged_in_a_sentence(guesses, me, line):
    assert describe_verdict(guesses, EXAMPLE, EXAMPLE.played[0], me) == line


def test_the_verdict_counts_the_guesses_with_advice():
    match = play(game("1234", "1122", "1134", "1234", advised=(1, 3)))
    verdict = describe_verdict(judge(match), match, match.played[0], "BOB")
    assert verdict.endswith("; 2 guesses advised")


def test_the_mean_needs_a_guess_and_a_found_code_is_worth_all():
    assert compute_mean(JUDGED) == 93
    assert compute_mean([guessed(4.0)] * 300) == 100
    assert compute_mean([*[guessed(4.0)] * 300, guessed(3.9)]) == 99, "a better guess was left"
    assert JUDGED[-1].worth == 1
    with pytest.raises(ValueError, match="no guess"):
        compute_mean(())


@pytest.mark.parametrize(
    ("write", "given", "words"),
    [
        (format_guess_heading, (JUDGED[1],), "Guess 2: good"),
        (format_guess_heading, (judge(play(game("1234", "1122", "1234", advised=(1,))))[0],),
         "Guess 1: good, with advice"),
        (describe_remaining, (JUDGED[1],),
         "It left 18 codes of 96. On average it would have left 13: unlucky."),
        (describe_remaining, (ONLY,), "It could reveal nothing new."),
        (describe_remaining, (JUDGED[-1],), "It was the code, one of 3 left: lucky."),
        (describe_remaining, (SURE,), "It was the only code left."),
        (describe_exclusion, (JUDGED[1],),
         "But guess 2 could not be the code itself: guess 1 ruled it out."),
        (describe_exclusion, (BEST,), ""),
        (describe_better_guess, (JUDGED[1],),
         ("Better: ", pegs("2314"), ", which leaves 12.7 and might have been the code.")),
        (describe_better_guess, (JUDGED[-1],), None),
        (describe_better_guess, (BEST,), ("No guess was better.", None, "")),
        (describe_better_guess, (guessed(2.0, possible=False),),
         ("Better: ", pegs("1234"), ", which leaves 6.0, though it could not be the code.")),
        (describe_better_guess, (ONLY,),
         ("Better: ", pegs("1234"), ", the only code left.")),
        (list_figures, (JUDGED[1],),
         ["2.42 bits, 3.02 expected, best 3.17", "size 13.3, best 12.7", "luck -0.60"]),
    ],
)  # fmt: skip
def test_a_guess_is_described(write, given, words):
    assert write(*given) == words


HEADING = "Advice for guess 2, ranked by {} ({}):"


@pytest.mark.parametrize(
    ("measure", "left", "sampled", "heading"),
    [
        ("size", 8, False, HEADING.format("expected size", "8 codes are left")),
        ("bits", 1, False, HEADING.format("information", "1 code is left")),
        ("bits", 9, True,
         HEADING.format("information", "9 codes are left; only some guesses were tried")),
    ],
)  # fmt: skip
def test_advice_lists_its_guesses_under_a_heading(measure, left, sampled, heading):
    guesses = (
        GuessMeasures(code=pegs("1234"), possible=True, worst=4, size=2.25, bits=1.5, parts=4),
        GuessMeasures(code=pegs("5566"), possible=False, worst=5, size=3.4, bits=1.25, parts=1),
    )
    advice = Advice(id=1, match="ABCDEF", guess=2, left=left, guesses=guesses, sampled=sampled)
    assert list(describe_advice(advice, measure, DEFAULT)) == [
        heading,
        " 1  1 2 3 4  leaves 2.2, may be the code; 1.50 bits, worst 4, 4 parts",
        " 2  5 5 6 6  leaves 3.4, cannot be the code; 1.25 bits, worst 5, 1 part",
    ]


def test_numbers_of_codes_from_a_sample_are_called_estimates():
    guess, best = (
        GuessMeasures((int(bits),) * 9, possible=False, worst=9, size=size, bits=bits, parts=9)
        for size, bits in ((61_234.5, 3.0), (41_234.5, 4.0))
    )
    judged = JudgedGuess(
        2, ReviewedGuess(guess, best, 1_234_567, 43_210, estimated=True), 0.5, found=False
    )
    remaining = (
        "It left about 43,000 codes of about 1,200,000. "
        "On average it would have left about 61,000: lucky."
    )
    assert describe_remaining(judged) == remaining
    level = JudgedGuess(2, ReviewedGuess(guess, best, 800, 101, estimated=True), 0.5, found=False)
    assert list_figures(level)[-1] == "luck +0.0"  # and not -0.0
    better = describe_better_guess(judged)
    assert better is not None
    assert better.after == ", which leaves about 41,000, though it could not be the code."
    assert list_figures(judged) == [
        "4.8 bits, 3.0 expected, best 4.0", "size about 61,000, best about 41,000", "luck +1.8",
    ]  # fmt: skip
    measured = GuessMeasures((0, 1, 2, 3), True, 81_234, 41_234.5, 4.0, 9)
    advice = Advice(
        id=1, match="ABCDEF", guess=2, left=1_234_567, guesses=(measured,), estimated=True
    )
    heading, advised = describe_advice(advice, "bits", DEFAULT)
    assert heading.endswith("(about 1,200,000 codes are left):")
    figures = "4.0 bits, worst about 81,000, about 9 parts"
    assert advised.endswith(f"leaves about 41,000, may be the code; {figures}")


def test_large_means_have_no_decimals():
    measured = GuessMeasures((0, 1, 2, 3), True, 123_456, 41_234.5, 4.0, 9)
    advice = Advice(id=1, match="ABCDEF", guess=2, left=1_000_000, guesses=(measured,))
    _heading, advised = describe_advice(advice, "bits", DEFAULT)
    assert "leaves 41,234, may be the code; 4.00 bits, worst 123,456, 9 parts" in advised


def test_a_review_has_the_verdict_first_then_sentences_and_figures():
    match = play(game("1234", "1122", "1122", "1234", advised=(3,)))
    reviewed = review(match.rules, match.played[0].turns)
    lines = list(describe_review(reviewed, match, 1, "BOB"))
    assert lines == [
        "Review of round 1, your guesses:",
        "65 of 100: you can do better, and were very lucky; 1 guess advised.",
        " 1  1 1 2 2  good",
        "    It left 208 codes of 1296. On average it would have left 205.",
        "    Better: 1 1 2 3, which leaves 185.3 and might have been the code.",
        "    2.64 bits, 2.89 expected, best 3.04; size 204.5, best 185.3; luck -0.25",
        " 2  1 1 2 2  wasted",
        "    It could reveal nothing new.",
        "    Better: 1 3 1 4, which leaves 23.4 and might have been the code.",
        "    Guess 2 could not be the code itself: guess 1 ruled it out.",
        "    0.00 bits, 0.00 expected, best 3.36; size 208.0, best 23.4; luck +0.00",
        " 3  1 2 3 4  found it, lucky, with advice",
        "    It was the code, one of 208 left: lucky.",
        "    7.70 bits, 3.10 expected, best 3.36; size 28.6, best 23.4; luck +4.60",
    ]
    assert list(describe_review(reviewed, match, 1, "ADA"))[:2] == [
        "Review of round 1, guesses of Bob:",
        "65 of 100: Bob can do better, and was very lucky; 1 guess advised.",
    ]


def test_a_round_without_a_guess_has_no_verdict():
    match = play(game("1234"))
    assert list(describe_review((), match, 1, None)) == ["Review of round 1, guesses of Bob:"]


def test_bots_are_listed_with_their_other_names():
    known = [
        KnownBot(name="random", about="Plays.", largest=1000, aliases=("medium",), hides="Hides."),
        KnownBot(name="devious", about="Cheats.", largest=0, hides="Dodges."),
        KnownBot(name="newer", about="Plays.", largest=1000),
    ]
    means = "In classic it needs 4.6 guesses on average, and costs `hard` 4.3."
    assert list(describe_bots(known)) == [
        f"random or medium: Plays. Hides. {means}",
        "devious: Cheats. Dodges. In classic `hard` needs 5.0 guesses for its codes.",
        "newer: Plays.",
    ]


@pytest.mark.parametrize(
    ("name", "about", "words"),
    [("knuth", BOTS["knuth"].about, "Wybiera próbę"), ("x", "Rings.", "Rings."), ("x", "", "")],
)
def test_a_bot_is_described_in_the_readers_language_if_it_is_known(name, about, words):
    use_language("pl")
    described = describe_bot(KnownBot(name=name, about=about, largest=1))
    assert described.startswith(words)
    assert bool(described) is bool(words)
