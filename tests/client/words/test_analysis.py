from __future__ import annotations

import pytest

from kit.matches import pegs
from kit.played import game, play
from mastermind_client.language import use_language
from mastermind_client.words.analysis import (
    describe_advice,
    describe_bot,
    describe_bots,
    describe_review,
)
from mastermind_protocol.commitment import commit
from mastermind_protocol.events import (
    Advised,
    AnyEvent,
    Guessed,
    Joined,
    Opened,
    Player,
    Seat,
    SecretSet,
)
from mastermind_protocol.feedback import Feedback, score
from mastermind_protocol.match import Match, Turn
from mastermind_protocol.messages import Advice, KnownBot, Reviewed, Weighed
from mastermind_protocol.rules import DEFAULT
from mastermind_protocol.transitions import fold
from mastermind_server.bots import BOTS
from mastermind_server.bots.advice import review

ADA, BOB = Player(id="ADA", name="Ada"), Player(id="BOB", name="Bob\x1b[2J")
NONCE, SECRET = bytes(16), pegs("1234")


def finished(*guesses: str, advised: int | None = None) -> Match:
    """Return a match of one round with these guesses, the last of which is right."""
    from mastermind_protocol.commands import GuessCode
    from mastermind_protocol.errors import Refused
    from mastermind_protocol.transitions import decide

    events: list[AnyEvent] = [
        Opened(rules="classic", rounds=1),
        Joined(player=ADA, seat=Seat.MAKER),
        Joined(player=BOB, seat=Seat.BREAKER),
        SecretSet(by="ADA", commitment=commit(NONCE, SECRET), code=SECRET, nonce=NONCE),
    ]
    match = fold(events)
    for number, guess in enumerate(guesses, start=1):
        if number == advised:
            match = fold([Advised(by="BOB")], match)
        decision = decide(match, GuessCode(pegs(guess)), "BOB")
        assert not isinstance(decision, Refused)
        match = decision.after
    return match


def reviewed(match: Match) -> list[Reviewed]:
    """Return what a server says of the round."""
    return review(match.rules, match.played[0].turns)


def test_advice_tells_of_each_guess_whether_it_may_be_it_and_what_it_may_bring():
    guesses = (
        Weighed(code=pegs("1234"), possible=True, worst=4, size=2.25, bits=1.5, parts=4),
        Weighed(code=pegs("5566"), possible=False, worst=5, size=3.4, bits=1.25, parts=1),
    )
    advice = Advice(id=1, match="ABCDEF", guess=2, left=8, guesses=guesses)
    assert list(describe_advice(advice, "size", DEFAULT)) == [
        "Advice for guess 2, ranked by expected size (8 codes are left):",
        " 1  1 2 3 4  leaves 2.2, may be the code; 1.50 bits, worst 4, 4 parts",
        " 2  5 5 6 6  leaves 3.4, cannot be it; 1.25 bits, worst 5, 1 part",
    ]


@pytest.mark.parametrize(
    ("left", "sampled", "words"),
    [(1, False, "1 code is left"), (9, True, "9 codes are left; not every guess was weighed")],
)
def test_advice_tells_how_many_codes_are_left(left, sampled, words):
    advice = Advice(id=1, match="ABCDEF", guess=5, left=left, guesses=(), sampled=sampled)
    (line,) = describe_advice(advice, "bits", DEFAULT)
    assert line == f"Advice for guess 5, ranked by information ({words}):"


def test_a_review_tells_the_verdict_first_then_sentences_then_figures():
    match = finished("1122", "1122", "1234", advised=3)
    assert list(describe_review(reviewed(match), match, 1, "BOB")) == [
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


def test_a_review_tells_others_whose_guesses_they_were():
    match = finished("1122", "1234")
    lines = list(describe_review(reviewed(match), match, 1, "ADA"))
    assert lines[0] == "Review of round 1, Bob?[2J breaking:"
    assert lines[1].endswith("Bob?[2J played superbly, and was very lucky.")


def test_a_round_without_a_guess_has_no_verdict():
    match = play(game("1234"))
    assert list(describe_review((), match, 1, None)) == ["Review of round 1, Bob breaking:"]


def test_bots_are_listed_with_their_other_names():
    known = (
        KnownBot(name="random", about="Plays anything.", largest=1000, aliases=("medium",)),
        KnownBot(name="x\x1b", about="\x07Rings.", largest=0),
    )
    lines = list(describe_bots(known))
    assert lines[0] == "random or medium: Plays anything."
    assert not any(character in lines[1] for character in "\x1b\x07")


def test_how_a_bot_plays_is_told_in_the_readers_language_if_it_is_known():
    use_language("pl")
    knuth, nobody = BOTS["knuth"].about, KnownBot(name="x", about="", largest=0)
    assert describe_bot(KnownBot(name="knuth", about=knuth, largest=1)).startswith("Wybiera próbę")
    assert describe_bot(KnownBot(name="x", about="Rings.", largest=0)) == "Rings."
    assert describe_bot(nobody) == ""


def test_the_example_is_scored_as_the_game_does():
    turn = finished("1122", "1234").played[0].turns[0]
    assert turn == Turn(pegs("1122"), Feedback(1, 1))
    assert score(SECRET, pegs("1122")) == (1, 1)
    assert Guessed(code=turn.code, black=1, white=1).held is None
