"""Positions of games that are played elsewhere, and puzzles, asked for over the wire."""

from __future__ import annotations

import pytest

from kit.codes import list_codes
from kit.matches import pegs
from mastermind_protocol.errors import ErrorCode
from mastermind_protocol.feedback import Feedback, score
from mastermind_protocol.match import Turn
from mastermind_protocol.messages import MAX_ANALYSED_CODES, PositionAnalysis
from mastermind_protocol.requests import MAX_GIVEN_TURNS, Analyse, GivenTurn, ShowPuzzle
from mastermind_protocol.rules import find_rules
from mastermind_server.bots.analysis.positions import analyse
from mastermind_server.bots.analysis.puzzles import make_puzzle
from mastermind_server.commands.status import read_status

CLASSIC = find_rules("classic")
GIVEN = (GivenTurn(pegs("1122"), 0, 1), GivenTurn(pegs("3345"), 1, 2))
TURNS = tuple(Turn(turn.code, Feedback(turn.black, turn.white)) for turn in GIVEN)
WRONG = (*GIVEN, GivenTurn(pegs("1122"), 4, 0))


async def test_a_position_is_analysed_as_without_a_server(ada):
    found = await ada.analyse("classic", GIVEN, by="worst", most=3)
    assert found == analyse(CLASSIC, TURNS, "worst", 3)
    assert (found.left, len(found.guesses), found.choice) == (found.after[-1], 3, None)
    assert (await ada.analyse("classic")).left == 1296


async def test_the_remaining_codes_are_sent_in_pages(ada):
    pages, after = [], 0
    while codes := (await ada.analyse("classic", most=0, after=after)).codes:
        pages.append(codes)
        after += len(codes)
    assert [code for page in pages for code in page] == list_codes(CLASSIC.space)
    assert {len(page) for page in pages[:-1]} == {MAX_ANALYSED_CODES}
    assert (await ada.analyse("classic", most=0, after=2**63)).codes == ()


async def test_wrong_feedback_is_answered_with_its_corrections(ada):
    found = await ada.analyse("classic", WRONG, bot="hard")
    assert (found.left, found.guesses, found.choice) == (0, (), None)
    for correction in found.corrections:
        turns = list(WRONG)
        code = turns[correction.turn - 1].code
        turns[correction.turn - 1] = GivenTurn(code, correction.black, correction.white)
        assert (await ada.analyse("classic", turns, most=0)).left == correction.left
    assert found.corrections


async def test_positions_of_large_rules_are_estimates(ada):
    found = await ada.analyse("6x11", [GivenTurn(pegs("123456"), 1, 3)], most=1, bot="hard")
    assert (found.sampled, found.estimated, len(found.guesses)) == (True, True, 1)
    assert (found.after, found.codes, found.places, found.corrections) == ((), (), (), ())
    assert found.choice is not None
    no_colours = [GivenTurn((colour,) * 6, 0, 0) for colour in range(11)]
    found = await ada.analyse("6x11", no_colours, bot="hard")
    assert found == PositionAnalysis(0, estimated=True)


@pytest.mark.parametrize("bot", ["knuth", "easy"])
async def test_a_bot_chooses_the_next_guess_in_a_position(ada, bot):
    found = await ada.analyse("classic", GIVEN, most=0, bot=bot)
    assert found.guesses == ()
    assert found.choice in list_codes(CLASSIC.space)
    if bot == "knuth":
        ranked = await ada.analyse("classic", GIVEN, by="worst", most=1)
        assert found.choice == ranked.guesses[0].code


async def test_as_many_turns_as_allowed_fit_into_a_request(ada):
    secret, guess = (0,) * 9, (8, 7, 6, 5, 4, 3, 2, 1, 1)
    turns = [GivenTurn(guess, *score(secret, guess))] * MAX_GIVEN_TURNS
    found = await ada.analyse("9x9/99", turns, by="parts", most=20, after=10**6, bot="forgetful")
    assert found.left


CODE, FEEDBACK = ErrorCode.INVALID_CODE, ErrorCode.INVALID_FEEDBACK


@pytest.mark.parametrize(
    ("fields", "code", "field"),
    [
        ({"rules": "chess"}, ErrorCode.INVALID_RULES, "rules"),
        ({"turns": (GIVEN[0], GivenTurn((0, 1, 2), 1, 0))}, CODE, "turns[1]"),
        ({"turns": (GivenTurn((0, 1, 2, 6), 1, 0),)}, CODE, "turns[0]"),
        ({"rules": "bulls", "turns": (GivenTurn((0, 1, 2, 2), 1, 0),)}, CODE, "turns[0]"),
        ({"turns": (*GIVEN, GivenTurn((0, 0, 1, 1), 3, 2))}, FEEDBACK, "turns[2]"),
        ({"turns": (GivenTurn((0, 0, 1, 1), 3, 1),)}, FEEDBACK, "turns[0]"),
        ({"rules": "4x6u", "turns": (GivenTurn((0, 1, 2, 3), 0, 1),)}, FEEDBACK, "turns[0]"),
        ({"bot": "hal"}, ErrorCode.UNKNOWN_BOT, "bot"),
        ({"bot": "devious"}, ErrorCode.INVALID_SEATS, "bot"),
    ],
)
async def test_an_invalid_position_is_refused_with_its_field(ada, fields, code, field):
    refusal = await ada.refused(Analyse, **{"rules": "classic", **fields})
    assert (refusal.code, refusal.field) == (code, field)
    assert refusal.details is not None


async def test_a_puzzle_is_that_of_its_name(ada, bob):
    for level in (1, 2, 3):
        turns = await ada.show_puzzle(level=level, seed=49)
        assert turns == await bob.show_puzzle(level=level, seed=49, rules="4x6")
        expected = make_puzzle(CLASSIC, level, 49)
        assert [Turn(turn.code, Feedback(turn.black, turn.white)) for turn in turns] == list(
            expected
        )
        assert (await ada.analyse("classic", turns, most=0)).left == 1


async def test_puzzles_of_unknown_and_of_large_rules_are_refused(ada):
    for rules in ("chess", "9x12"):
        refusal = await ada.refused(ShowPuzzle, rules=rules, level=1, seed=1)
        assert (refusal.code, refusal.field) == (ErrorCode.INVALID_RULES, "rules")


async def test_neither_positions_nor_puzzles_are_stored(hall, ada):
    before = read_status(hall.place).contents
    await ada.analyse("classic", WRONG, bot="hard")
    await ada.show_puzzle(level=1, seed=1)
    assert read_status(hall.place).contents == before
