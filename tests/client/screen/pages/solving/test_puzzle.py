import asyncio

import pytest

from kit.matches import pegs
from kit.screen.scenes import ADA, SERVER, SETTINGS, answer_nothing
from kit.screen.scripted import settle
from mastermind_client import solver
from mastermind_client.cli.process import make_context
from mastermind_client.config.options import PuzzleOptions
from mastermind_client.config.puzzle_record import PuzzleRecord, load_record
from mastermind_client.screen.pages.home import HomeScreen
from mastermind_client.screen.pages.solving.puzzle import PuzzleScreen
from mastermind_client.screen.pages.solving.puzzle_drawing import PuzzleState
from mastermind_protocol.feedback import score
from mastermind_protocol.match import Turn
from mastermind_protocol.rules import find_rules

CODE = pegs("3632")
GUESSES = ("1122", "1344", "3526", "1462")  # Knuth's example, 1977: they leave only the code
TURNS = tuple(Turn(pegs(guess), score(CODE, pegs(guess))) for guess in GUESSES)


@pytest.fixture(autouse=True)
def _known_puzzles(monkeypatch):
    async def make_puzzle(_rules, _level, _seed):
        return TURNS

    monkeypatch.setattr(solver, "make_puzzle", make_puzzle)


def record() -> PuzzleRecord:
    return load_record(make_context({}).folder)


async def test_an_answer_is_checked_by_all_answers_and_counted_once(opened):
    async with opened(PuzzleOptions(seed=7)) as shown:
        await shown.until("number 7")
        shown.type("rrgg")
        shown.press("enter")
        await shown.until("Wrong: if R R G G")
        await shown.until("✗ 1")
        shown.type("3632")
        shown.press("enter")
        await shown.until("Right: B P B G")
        await shown.until(lambda: not shown.app.busy)
        assert (record().solved, record().streak) == (1, 0)


async def test_the_streak_counts_puzzles_with_the_first_answer(opened):
    async with opened(PuzzleOptions(seed=7)) as shown:
        for _puzzle in range(2):
            shown.type("3632")
            shown.press("enter")
            await shown.until("Right: B P B G")
            await shown.until(lambda: not shown.app.busy)
            shown.press("enter")
            await shown.until("Type the one code that fits")
            await shown.until(lambda: not shown.app.busy)
        assert (record().solved, record().streak) == (2, 2)
        assert shown.on(PuzzleScreen).scene.options.seed != 7


async def test_giving_up_shows_the_code_after_a_question_and_ends_the_streak(opened):
    async with opened(PuzzleOptions(seed=7)) as shown:
        shown.press("f6")
        await shown.until("Give the puzzle up?")
        shown.press("down", "enter")
        await shown.until("The code is B P B G.")
        await shown.until(lambda: not shown.app.busy)
        assert record().solved == 0


async def test_a_right_answer_precedes_the_code_of_a_puzzle_given_up(opened, monkeypatch):
    found, analyse = asyncio.Event(), solver.analyse

    async def analyse_later(*position, **terms):
        await found.wait()
        return await analyse(*position, **terms)

    monkeypatch.setattr(solver, "analyse", analyse_later)
    async with opened(PuzzleOptions(seed=7)) as shown:
        shown.press("f6")
        await shown.until("Give the puzzle up?")
        shown.press("down", "enter")
        await shown.until(lambda: not shown.app.has_overlay)
        shown.type("3632")
        shown.press("enter")
        await shown.until("Right: B P B G")
        found.set()
        await shown.until(lambda: not shown.app.busy)
        assert shown.on(PuzzleScreen).scene.state is PuzzleState.SOLVED


async def test_a_puzzle_is_shared_as_its_command(opened):
    async with opened(PuzzleOptions(level=2, seed=8812)) as shown:
        shown.press("s")
        await shown.until("Copied: mastermind solve --puzzle --level 2 --seed 8812")
        assert shown.copied() == ["mastermind solve --puzzle --level 2 --seed 8812"]


@pytest.mark.parametrize("page", ["https://play.example.org/", "/"])
async def test_a_puzzle_is_shared_with_its_link_if_the_server_has_a_page(opened, page):
    async with opened(PuzzleOptions(level=2, seed=8812), settings=SETTINGS) as shown:
        server = settle(shown.app, SERVER, ADA, answer_nothing)
        server.session.receiver.page_url = page
        shown.press("s")
        await shown.until("Copied:")
        _command, link = shown.copied()[0].split("\n")
        assert link == "https://play.example.org/#puzzle/classic/2/8812"


async def test_another_level_and_another_number_are_chosen(opened):
    async with opened(PuzzleOptions(seed=7)) as shown:
        shown.press("f2")
        await shown.until("level 2")
        shown.press("f4")
        await shown.until("the same puzzle for everyone")
        shown.press("end", "5")
        await shown.until("Number: 5")
        shown.type("x")
        shown.press("enter")
        await shown.until("is no number of a puzzle")
        shown.press("backspace", "enter")
        await shown.until(lambda: not shown.app.has_overlay)
        shown.press("enter")
        await shown.until("number 5")


async def test_rules_with_too_many_codes_have_no_puzzles(opened, monkeypatch):
    async def refuse(_rules, _level, _seed):
        find_rules("99x99")  # raises the same error

    monkeypatch.setattr(solver, "make_puzzle", refuse)
    async with opened(PuzzleOptions(find_rules("9x12"))) as shown:
        await shown.until("F4 chooses other rules.")
        shown.press("escape")
        await shown.wait_for_screen(HomeScreen)


async def test_home_opens_puzzles(opened):
    async with opened(PuzzleOptions(seed=7)) as shown:
        shown.press("escape")
        await shown.wait_for_screen(HomeScreen)
        shown.press("z")
        await shown.until("Type the one code that fits")
