from kit.matches import NONCE, do, pegs
from mastermind_client.messages.ratings import (
    describe_change,
    describe_prospects,
    format_rating,
)
from mastermind_protocol.commands import GuessCode, SetSecret
from mastermind_protocol.events import Joined, Opened, Player, Rated, RatedPlayer, Seat
from mastermind_protocol.glicko import INITIAL_RATING, Rating, rate
from mastermind_protocol.match import Match
from mastermind_protocol.transitions import evolve, fold

ADA, BOB = Player(id="ADA", name="Ada"), Player(id="BOB", name="Bob")
FIRM = Rating(1512.4, 60.0, 0.06)
RATINGS = {"ADA": FIRM, "BOB": INITIAL_RATING}


def sit(*, rated: bool = True, clock: str | None = "5+3") -> Match:
    return fold(
        [
            Opened(rules="classic", rounds=2, rated=rated, clock=clock),
            Joined(player=ADA, seat=Seat.MAKER),
            Joined(player=BOB, seat=Seat.BREAKER),
        ]
    )


def test_a_provisional_rating_has_a_question_mark():
    assert format_rating(FIRM) == "1512"
    assert format_rating(INITIAL_RATING) == "1500?"


def test_a_player_reads_what_a_win_and_a_loss_bring():
    assert describe_prospects(sit(), {"ADA": INITIAL_RATING, "BOB": INITIAL_RATING}, "BOB") == (
        "A win brings +162, a loss -162."
    )


def test_after_the_first_guess_and_for_others_there_are_no_prospects():
    begun = do(sit(), "ADA", SetSecret(pegs("1234"), NONCE))
    assert describe_prospects(begun, RATINGS, "ADA")
    guessed = do(begun, "BOB", GuessCode(pegs("1122")))
    assert not describe_prospects(guessed, RATINGS, "ADA")
    assert not describe_prospects(sit(), RATINGS, "CLEO")
    assert not describe_prospects(sit(), RATINGS, None)
    assert not describe_prospects(sit(), {"ADA": FIRM}, "ADA")
    assert not describe_prospects(sit(rated=False), RATINGS, "ADA")
    assert not describe_prospects(sit(clock=None), RATINGS, "ADA")


def test_a_finished_match_says_how_the_rating_changed():
    match = sit()
    for maker, breaker in (("ADA", "BOB"), ("BOB", "ADA")):
        match = do(match, maker, SetSecret(pegs("1234"), NONCE))
        if breaker == "ADA":
            match = do(match, breaker, GuessCode(pegs("1122")))
        match = do(match, breaker, GuessCode(pegs("1234")))
    changes = (
        RatedPlayer(
            player="BOB",
            n=1,
            before=INITIAL_RATING,
            after=rate(INITIAL_RATING, [(INITIAL_RATING, 1.0)]),
        ),
        RatedPlayer(
            player="ADA",
            n=1,
            before=INITIAL_RATING,
            after=rate(INITIAL_RATING, [(INITIAL_RATING, 0.0)]),
        ),
    )
    assert describe_change(match, "ADA") == ""
    match = evolve(match, Rated(players=changes))
    assert describe_change(match, "ADA") == "Rating 1338 (-162)"
    assert describe_change(match, "BOB") == "Rating 1662 (+162)"
    assert describe_change(match, "CLEO") == ""
