import pytest

from kit.matches import game, pegs, play
from mastermind_client.language import use_language
from mastermind_client.messages.analysis import (
    describe_advice,
    describe_bot,
    describe_bots,
    describe_review,
)
from mastermind_protocol.messages import Advice, KnownBot, Weighed
from mastermind_protocol.rules import DEFAULT
from mastermind_server.bots import BOTS
from mastermind_server.bots.advice import review

HEADING = "Advice for guess 2, ranked by {} ({}):"


@pytest.mark.parametrize(
    ("measure", "left", "sampled", "heading"),
    [
        ("size", 8, False, HEADING.format("expected size", "8 codes are left")),
        ("bits", 1, False, HEADING.format("information", "1 code is left")),
        ("bits", 9, True,
         HEADING.format("information", "9 codes are left; not every guess was weighed")),
    ],
)  # fmt: skip
def test_advice_lists_its_guesses_under_a_heading(measure, left, sampled, heading):
    guesses = (
        Weighed(code=pegs("1234"), possible=True, worst=4, size=2.25, bits=1.5, parts=4),
        Weighed(code=pegs("5566"), possible=False, worst=5, size=3.4, bits=1.25, parts=1),
    )
    advice = Advice(id=1, match="ABCDEF", guess=2, left=left, guesses=guesses, sampled=sampled)
    assert list(describe_advice(advice, measure, DEFAULT)) == [
        heading,
        " 1  1 2 3 4  leaves 2.2, may be the code; 1.50 bits, worst 4, 4 parts",
        " 2  5 5 6 6  leaves 3.4, cannot be it; 1.25 bits, worst 5, 1 part",
    ]


def test_a_review_has_the_verdict_first_then_sentences_and_figures():
    match = play(game("1234", "1122", "1122", "1234", advised=(3,)))
    reviewed = review(match.rules, match.played[0].turns)
    lines = list(describe_review(reviewed, match, 1, "BOB"))
    assert lines == [
        "Review of round 1, you breaking:",
        "65 of 100: you will do better, and were very lucky.",
        " 1  1 1 2 2  good",
        "    It left 208 codes of 1296. On average it would have left 205.",
        "    Better was 1 1 2 3, which leaves 185.3 and might have been the code.",
        "    2.64 bits, 2.89 expected, best 3.04; size 204.5, best 185.3; luck -0.25",
        " 2  1 1 2 2  wasted",
        "    It could bring nothing new.",
        "    Better was 1 3 1 4, which leaves 23.4 and might have been the code.",
        "    Guess 2 could not be the code itself: guess 1 ruled it out.",
        "    0.00 bits, 0.00 expected, best 3.36; size 208.0, best 23.4; luck +0.00",
        " 3  1 2 3 4  found it, lucky, with advice",
        "    It was the code, one of 208 that were left: lucky.",
        "    7.70 bits, 3.10 expected, best 3.36; size 28.6, best 23.4; luck +4.60",
    ]
    assert list(describe_review(reviewed, match, 1, "ADA"))[:2] == [
        "Review of round 1, Bob breaking:",
        "65 of 100: Bob will do better, and was very lucky.",
    ]


def test_a_round_without_a_guess_has_no_verdict():
    match = play(game("1234"))
    assert list(describe_review((), match, 1, None)) == ["Review of round 1, Bob breaking:"]


def test_bots_are_listed_with_their_other_names():
    known = KnownBot(name="random", about="Plays anything.", largest=1000, aliases=("medium",))
    assert list(describe_bots([known])) == ["random or medium: Plays anything."]


@pytest.mark.parametrize(
    ("name", "about", "words"),
    [("knuth", BOTS["knuth"].about, "Wybiera próbę"), ("x", "Rings.", "Rings."), ("x", "", "")],
)
def test_a_bot_is_described_in_the_readers_language_if_it_is_known(name, about, words):
    use_language("pl")
    described = describe_bot(KnownBot(name=name, about=about, largest=1))
    assert described.startswith(words)
    assert bool(described) is bool(words)
