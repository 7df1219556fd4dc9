from collections.abc import Callable

import pytest

from kit.terminal_user import TerminalUser
from mastermind_client import solver
from mastermind_client.config.options import PuzzleOptions
from mastermind_client.config.puzzle_record import RECORD_FILE, load_record
from mastermind_client.lines.solving.puzzle import PuzzleDialogue
from mastermind_client.lines.terminal import InputEnded
from mastermind_protocol.code import format_code
from mastermind_protocol.rules import PRESETS

Desks = Callable[..., TerminalUser]

MINI = PRESETS["mini"]


async def solve(seed: int) -> str:
    turns = await solver.make_puzzle(MINI, 1, seed)
    return format_code((await solver.analyse(MINI, turns)).codes[0], MINI)


def sit_down(new_desk: Desks, seed: int | None = 7, *, person: bool = True) -> TerminalUser:
    desk: TerminalUser = new_desk(person=person)
    desk.start(PuzzleDialogue(desk.terminal, PuzzleOptions(MINI, seed=seed)).run())
    return desk


async def test_a_wrong_answer_is_explained_and_the_right_one_counted(new_desk):
    desk = sit_down(new_desk)
    told = await desk.until("The code: ")
    assert "Puzzle 7, level 1, mini.\n 1  " in told
    assert "Exactly one code fits all" in told
    right = await solve(7)
    desk.type("rgx")
    assert "is no symbol of mini" in await desk.until("The code: ")
    wrong = "RRRR" if right != "RRRR" else "GGGG"
    desk.type(wrong)
    assert f"Wrong: if {' '.join(wrong)} were the code, " in await desk.until("The code: ")
    desk.type(right.lower())
    told = await desk.until("Another puzzle? (Y/N) ")
    assert f"Right: {' '.join(right)} is the only code that fits.\n1 puzzle solved; " in told
    assert "mastermind solve --puzzle --rules mini --level 1 --seed 7\n" in told
    assert load_record(desk.terminal.context.folder).streak == 0
    desk.type("y")
    assert "Puzzle " in await desk.until("The code: ")


async def test_giving_up_shows_the_code(new_desk):
    desk = sit_down(new_desk)
    await desk.until("The code: ")
    desk.type("resign")
    told = await desk.until("Another puzzle? (Y/N) ")
    assert f"The code is {' '.join(await solve(7))}." in told
    desk.type("maybe", "board", "share", "help", "rules")
    await desk.until("Please answer Y or N.")
    await desk.until("Exactly one code fits")
    await desk.until("A friend gets this puzzle by: ")
    await desk.until("give this puzzle up")
    await desk.until("It does not name the pegs")
    desk.type("n")
    with pytest.raises(InputEnded):
        await desk.finish()


async def test_puzzles_without_a_number_differ(new_desk, monkeypatch):
    seeds = iter((1, 2))
    monkeypatch.setattr(solver, "draw_seed", lambda: next(seeds))
    desk = sit_down(new_desk, seed=None)
    assert "Puzzle 1, " in await desk.until("The code: ")
    desk.type("next")
    assert "Puzzle 2, " in await desk.until("The code: ")


async def test_puzzles_are_solved_in_a_pipe(new_desk):
    desk = sit_down(new_desk, person=False)
    desk.type(await solve(7))
    desk.end_input()
    with pytest.raises(InputEnded):
        await desk.finish()
    assert "Right: " in desk.shown


async def test_a_broken_record_stops_no_puzzle(new_desk):
    desk = sit_down(new_desk)
    folder = desk.terminal.context.folder
    folder.mkdir(parents=True)
    (folder / RECORD_FILE).write_text("?")
    desk.type(await solve(7))
    assert "it is no record of puzzles" in await desk.until("Another puzzle? (Y/N) ")
