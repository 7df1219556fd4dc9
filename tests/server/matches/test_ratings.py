from __future__ import annotations

import pytest
from msgspec.structs import replace

from kit.matches import ADA, BOB, NONCE
from kit.rated import SECRET, WRONG, leave, start_rated, win
from mastermind_protocol.commands import GuessCode, ResignRound, SetSecret
from mastermind_protocol.events import Player, Rated, RatedPlayer
from mastermind_protocol.glicko import INITIAL_RATING, PROVISIONAL_DEVIATION, Rating, rate
from mastermind_protocol.transitions import Decision, decide, fold
from mastermind_server.matches.ratings import (
    ends_rated_match,
    find_codebreaker_rounds,
    make_rated_ending,
)
from mastermind_server.storage.rating_rows import DAY_MILLISECONDS, LastRating, NameClaim

KNOWN = Rating(1700, 60, 0.06)
MATCH = fold(start_rated())
NEW = {ADA.id: LastRating(name="Ada"), BOB.id: LastRating(name="Bob")}


def test_the_winner_of_a_first_match_gains_what_the_other_loses():
    ending = make_rated_ending("AAAAAA", win(MATCH, ADA.id)[1], 0, NEW, [0.5, -0.25])

    won, lost = (rate(INITIAL_RATING, [(INITIAL_RATING, score)]) for score in (1.0, 0.0))
    rated = ending.decision.events[-1]
    assert isinstance(rated, Rated)
    assert set(rated.players) == {
        RatedPlayer(ADA.id, 1, INITIAL_RATING, won),
        RatedPlayer(BOB.id, 1, INITIAL_RATING, lost),
    }
    assert ending.decision.after.ratings == rated
    rows = {row.player: row for row in ending.rows}
    assert (rows[ADA.id].score, rows[ADA.id].after) == (1.0, won)
    assert (rows[BOB.id].score, rows[BOB.id].after) == (0.0, lost)


def test_a_client_accepts_the_event():
    """The event follows the rule by which a client checks it: `fold` raises for any other."""
    events, decision = win(MATCH, ADA.id)
    ending = make_rated_ending("AAAAAA", decision, 0, NEW, None)

    assert fold(ending.decision.events, fold(events, MATCH)) == ending.decision.after


def test_ratings_before_the_match_have_aged_to_its_end():
    last = {ADA.id: LastRating(7, 0, KNOWN, "Ada"), BOB.id: LastRating(name="Bob")}

    ending = make_rated_ending("AAAAAA", win(MATCH, ADA.id)[1], 100 * DAY_MILLISECONDS, last, None)

    rated = ending.decision.events[-1]
    assert isinstance(rated, Rated)
    (change,) = (player for player in rated.players if player.player == ADA.id)
    assert change.n == 8
    assert change.before.deviation > KNOWN.deviation
    assert [row.established for row in sorted(ending.rows)] == [False, True]


def test_an_opponent_is_established_by_its_rating_at_the_end_of_the_match():
    """Since its last match the rating may have become uncertain."""
    nearly = Rating(1700, PROVISIONAL_DEVIATION - 1, 0.06)
    last = {ADA.id: LastRating(7, 0, KNOWN, "Ada"), BOB.id: LastRating(7, 0, nearly, "Bob")}

    for days, expected in ((0, True), (30, False)):
        now = days * DAY_MILLISECONDS
        rows = make_rated_ending("AAAAAA", win(MATCH, ADA.id)[1], now, last, None).rows
        assert {row.player: row.established for row in rows} == {ADA.id: expected, BOB.id: True}


def test_a_draw_is_half_a_win_for_both():
    ending = make_rated_ending("AAAAAA", win(MATCH, ADA.id, misses=0)[1], 0, NEW, None)

    assert [row.score for row in ending.rows] == [0.5, 0.5]


def test_guesses_and_luck_are_those_of_the_codebreaker():
    _, decision = win(MATCH, ADA.id, misses=2)
    luck = {ADA.id: 0.5, BOB.id: -0.25}
    values = [luck[player.id] for player in decision.after.players]

    rows = {row.player: row for row in make_rated_ending("AAAAAA", decision, 0, NEW, values).rows}

    assert (rows[ADA.id].rounds, rows[ADA.id].broken, rows[ADA.id].guesses) == (1, 1, 1)
    assert (rows[BOB.id].rounds, rows[BOB.id].broken, rows[BOB.id].guesses) == (1, 1, 3)
    assert (rows[ADA.id].fewest, rows[BOB.id].fewest) == (1, 3)
    assert {row.player: row.luck for row in rows.values()} == luck


def test_a_code_that_was_not_broken_counts_as_one_guess_above_the_limit():
    match, last = MATCH, None
    for player, command in (
        (ADA.id, SetSecret(SECRET, NONCE)),
        (BOB.id, GuessCode(WRONG)),
        (BOB.id, ResignRound()),
        (BOB.id, SetSecret(SECRET, NONCE)),
        (ADA.id, GuessCode(SECRET)),
    ):
        decision = decide(match, command, player)
        assert isinstance(decision, Decision)
        match, last = decision.after, decision

    assert last is not None
    rows = {row.player: row for row in make_rated_ending("AAAAAA", last, 0, NEW, None).rows}

    assert (rows[BOB.id].rounds, rows[BOB.id].broken, rows[BOB.id].fewest) == (1, 0, None)
    assert rows[BOB.id].guesses == match.rules.guess_limit + 1
    assert (rows[ADA.id].rounds, rows[ADA.id].broken, rows[ADA.id].guesses) == (1, 1, 1)


def test_luck_is_unknown_for_rules_with_many_codes():
    ending = make_rated_ending("AAAAAA", win(MATCH, ADA.id)[1], 0, NEW, None)

    assert [row.luck for row in ending.rows] == [None, None]


def test_a_round_that_a_player_left_is_not_counted():
    events, _ = win(MATCH, ADA.id)
    after = leave(fold(events, MATCH), BOB.id).after

    assert [len(find_codebreaker_rounds(after, player)) for player in (ADA.id, BOB.id)] == [0, 1]


def test_a_match_claims_the_names_of_its_players():
    """A player who takes another name during the match claims it with the next match."""
    match = fold(start_rated(replace(ADA, name="Äda")))
    last = {ADA.id: LastRating(name="Ida"), BOB.id: LastRating(name=None)}

    ending = make_rated_ending("AAAAAA", win(match, ADA.id)[1], 0, last, None)

    assert ending.claims == (NameClaim("ada", ADA.id, "Äda"),)


def test_the_name_of_a_bot_is_not_claimed():
    match = fold(start_rated(replace(ADA, name="H4RD"), replace(BOB, name="Hard")))

    ending = make_rated_ending("AAAAAA", win(match, ADA.id)[1], 0, NEW, None)

    assert [claim.player for claim in ending.claims] == [ADA.id]


@pytest.mark.promise("leaving-loses")
def test_a_player_who_leaves_after_the_first_guess_loses_rating():
    events, _ = win(MATCH, ADA.id)
    decision = leave(fold(events, MATCH), ADA.id)

    assert ends_rated_match(decision)
    ending = make_rated_ending("AAAAAA", decision, 0, NEW, None)
    assert {row.player: row.score for row in ending.rows} == {ADA.id: 0.0, BOB.id: 1.0}


def test_a_match_that_closes_before_the_first_guess_changes_no_rating():
    assert not ends_rated_match(leave(MATCH, ADA.id))


def test_the_seventh_match_of_a_pair_changes_no_rating():
    match = fold(start_rated(counts=False))

    assert not ends_rated_match(win(match, ADA.id)[1])


@pytest.mark.parametrize("opened", [{"rated": False}, {"clock": None}])
def test_other_matches_change_no_rating(opened):
    first, *others = start_rated()
    match = fold([replace(first, **opened), *others])

    assert not ends_rated_match(win(match, ADA.id)[1])


def test_a_move_that_ends_no_match_changes_no_rating():
    begun = fold(start_rated(ADA, Player(id="EVE", name="Eve")))
    events, decision = win(begun, ADA.id)

    assert ends_rated_match(decision)
    assert not any(isinstance(event, Rated) for event in events)
