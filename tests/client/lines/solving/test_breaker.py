import os
from collections.abc import Callable

import pytest

from kit.terminal_user import TerminalUser
from mastermind_client.config.options import SolveOptions
from mastermind_client.lines.solving.breaker import BreakerDialogue
from mastermind_client.lines.terminal import InputEnded
from mastermind_client.messages.solving.notation import load_position, read_position
from mastermind_protocol.requests import MAX_GIVEN_TURNS
from mastermind_protocol.rules import DEFAULT, find_rules

Desks = Callable[..., TerminalUser]

CONTRADICTION = "RRGG 1b1w\nRRGG 0b1w\n"


@pytest.fixture
async def solver(new_desk):
    """A desk with a terminal, where a game by classic rules is helped."""
    return sit_down(new_desk)


def sit_down(new_desk: Desks, turns: str = "") -> TerminalUser:
    desk: TerminalUser = new_desk(person=True)
    given = read_position(turns, DEFAULT).turns
    desk.start(BreakerDialogue(desk.terminal, SolveOptions(turns=given)).run())
    return desk


async def tell(desk: TerminalUser, line: str, prompt: str) -> str:
    """Type a line, and return the output up to the next prompt."""
    desk.type(line)
    return await desk.until(prompt)


async def test_after_each_turn_the_number_of_codes_and_the_best_guesses_are_printed(solver):
    assert "\n1296 codes left.\nBest next guesses, by information:\n 1 " in await solver.until(
        "1: "
    )
    told = await tell(solver, "RRGG 1b1w", "Guess 2: ")
    assert " 1  R R G G  1 black, 1 white\n208 codes left.\n" in told
    assert told.count(" left") == 1
    assert told.count(" bits, ") == 5


async def test_the_key_pegs_have_the_names_of_the_rules(new_desk):
    desk: TerminalUser = new_desk(person=True)
    desk.start(BreakerDialogue(desk.terminal, SolveOptions(find_rules("bulls"))).run())
    assert "answer in bulls and cows: 0123 " in await desk.until("1: ")


async def test_an_answer_can_follow_its_guess(solver):
    await tell(solver, "r r g g", "Answer to R R G G: ")
    assert "no answer" in await tell(solver, "many", "Answer to R R G G: ")
    assert "208 codes left" in await tell(solver, "[X][O][ ][ ]", "Guess 2: ")


async def test_the_comments_of_a_pasted_game_are_skipped(solver):
    await tell(solver, "# mastermind solve --rules classic", "Guess 1: ")
    assert "no symbol" not in await tell(solver, "RRGG 1b1w", "Guess 2: ")


@pytest.mark.parametrize("line", ["", "undo"])
async def test_a_guess_without_its_answer_can_be_taken_back(solver, line):
    await tell(solver, "rrgg", "Answer to R R G G: ")
    await tell(solver, line, "Guess 1: ")


async def test_the_best_guesses_can_be_ranked_by_every_measure_and_taken(solver):
    await solver.until("Guess 1: ")
    assert "by expected size" in await tell(solver, "by", "Guess 1: ")
    assert "by worst case" in await tell(solver, "by worst", "Guess 1: ")
    assert "bits, size, worst, parts" in await tell(solver, "by luck", "Guess 1: ")
    await tell(solver, "take 3", "Answer to R G B Y: ")
    await tell(solver, "", "Guess 1: ")
    assert "no guess 9" in await tell(solver, "take 9", "Guess 1: ")


async def test_a_contradiction_is_explained_and_its_best_correction_taken_on_enter(new_desk):
    desk = sit_down(new_desk, CONTRADICTION)
    told = await desk.until("Guess 3: ")
    assert "No code fits" in told
    assert "guess 2 may be 1 black, 1 white: then 208 codes fit" in told
    assert "\n256 codes left." in await tell(desk, "", "Guess 3: ")
    await tell(desk, "undo", "Guess 3: ")
    assert "\n208 codes left." in await tell(desk, "take 2", "Guess 3: ")
    await tell(desk, "undo", "Guess 3: ")
    assert "no correction 9" in await tell(desk, "take 9", "Guess 3: ")


async def test_one_wrong_answer_may_not_be_the_only_one(new_desk):
    desk = sit_down(new_desk, "RRRR 4b0w\nGGGG 4b0w\nBBBB 4b0w")
    assert "changing one answer is not enough.\n" in await desk.until("Guess 4: ")
    await tell(desk, "", "Guess 4: ")


async def test_every_line_can_be_edited_inserted_and_deleted(new_desk):
    desk = sit_down(new_desk, "RRGG 1b1w\nBBYY 0b1w")
    await desk.until("Guess 3: ")
    assert " 1  R R G G  2 black, 0 white\n 2 " in await tell(desk, "edit 1 2b0w", "Guess 3: ")
    assert " 1  R G B B  2 black, 0 white\n 2 " in await tell(desk, "edit 1 RGBB 2b", "Guess 3: ")
    await tell(desk, "edit 2", "Guess 2: ")
    assert " 2  B B Y Y  0 black, 2 white\n" in await tell(desk, "0b2w", "Guess 3: ")
    await tell(desk, "edit 2", "Guess 2: ")
    await tell(desk, "", "Guess 3: ")
    told = await tell(desk, "insert 2 OOOO -", "Guess 4: ")
    assert " 2  O O O O  0 black, 0 white\n 3  B B Y Y" in told
    assert " 1  O O O O  0 black, 0 white\n 2 " in await tell(desk, "delete 1", "Guess 3: ")
    assert "no guess 7" in await tell(desk, "delete 7", "Guess 3: ")
    assert "no guess ?" in await tell(desk, "delete  ", "Guess 3: ")
    for _change in range(5):
        desk.type("undo")
    assert " 1  R R G G  1 black, 1 white\n 2  B B Y Y  0 black, 1 white\n" in await tell(
        desk, "undo", "nothing to undo"
    )


async def test_the_codes_that_fit_are_listed_by_pages(new_desk):
    desk = sit_down(new_desk, "RRGG 1b1w")
    await desk.until("Guess 2: ")
    told = await tell(desk, "codes 3", "Guess 2: ")
    assert "Codes 201 to 208 of 208:" in told
    assert "no such page" in await tell(desk, "codes 4", "Guess 2: ")
    assert "no such page" in await tell(desk, "codes 0", "Guess 2: ")
    assert "Place 4: " in await tell(desk, "known", "Guess 2: ")


async def test_the_last_codes_are_named_and_the_end_counts_the_guesses(new_desk):
    desk = sit_down(new_desk, "RGBY 2b2w\nRBGY 1b3w")
    assert "4 codes left: RGYB, RYBG, GRBY, BGRY.\n" in await desk.until("Guess 3: ")
    assert "1 code left. The code is R G Y B.\n" in await tell(desk, "GRBY 0b4w", "Guess 4: ")
    assert "You broke the code in 4 guesses." in await tell(desk, "rgyb 4b", "Guess 5: ")
    assert "1296 codes left" in await tell(desk, "new", "Guess 1: ")


async def test_other_rules_begin_a_new_game(solver):
    await solver.until("Guess 1: ")
    assert "\n27 codes left" in await tell(solver, "rules 3x3", "Guess 1: ")
    assert "'3x33'" in await tell(solver, "rules 3x33", "Guess 1: ")
    assert "It does not name the pegs" in await tell(solver, "rules", "Guess 1: ")
    told = await tell(solver, "rules 7x9", "Guess 1: ")
    assert "about 4,800,000 codes left" in told
    assert "codes are not listed" in await tell(solver, "codes", "Guess 1: ")
    assert "codes are not listed" in await tell(solver, "known", "Guess 1: ")


async def test_a_game_is_saved_and_loaded(solver, tmp_path):
    file, other = tmp_path / "game.txt", tmp_path / "notes.txt"
    other.write_text("my notes\n")
    await tell(solver, "RRGG 1b1w", "Guess 2: ")
    for action in ("save", "load"):
        assert f": {action} game.txt." in await tell(solver, action, "Guess 2: ")
    assert f"Saved: {file}." in await tell(solver, f"save {file}", "Guess 2: ")
    await tell(solver, "BBYY 0b1w", "Guess 3: ")
    assert "Saved" in await tell(solver, "save", "Guess 3: ")
    assert len(load_position(file).turns) == 2
    os.mkfifo(pipe := tmp_path / "pipe")
    for taken in (other, tmp_path, pipe, "/dev/null"):
        assert "is no saved game" in await tell(solver, f"save {taken}", "Guess 3: ")
    for wrong, told in (
        (tmp_path, f"{tmp_path} is no file.\n"),
        (pipe, "is no file"),
        ("a\0b", "This is no file"),
        (other, "line 1, column 1: "),
        (tmp_path / "absent", "No such file"),
        ("~nobody-here/game.txt", "No such file"),
    ):
        assert told in await tell(solver, f"load {wrong}", "Guess 3: ")
    await tell(solver, "new", "Guess 1: ")
    for load in (f"load {file}", "load"):
        assert " 2  B B Y Y  0 black, 1 white\n" in await tell(solver, load, "Guess 3: ")
    other.write_text("RGB 1b\n")
    await tell(solver, "rules 3x4", "Guess 1: ")
    assert " 1  R G B  1 black" in await tell(solver, f"load {other}", "Guess 2: ")


async def test_a_game_has_a_limited_number_of_guesses(new_desk):
    desk = sit_down(new_desk, "RRGG 1b1w\n" * MAX_GIVEN_TURNS)
    await desk.until("Guess 33: ")
    assert "At most 32 guesses." in await tell(desk, "RRGG 1b1w", "Guess 33: ")


async def test_the_help_lists_each_action_and_quit_ends(solver):
    await solver.until("Guess 1: ")
    told = await tell(solver, "?", "Guess 1: ")
    assert all(f"  {name}" in told for name in ("take", "insert", "save", "codes", "by"))
    solver.type("q")
    with pytest.raises(InputEnded):
        await solver.finish()
