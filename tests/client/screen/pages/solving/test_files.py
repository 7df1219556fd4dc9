import os

import pytest

from kit.matches import pegs
from kit.screen.stage import Stage
from mastermind_client.config.options import SolveOptions
from mastermind_client.messages.solving.notation import MAX_FILE_BYTES, read_position
from mastermind_client.screen.pages.home import HomeScreen
from mastermind_client.screen.pages.solving.draft import Draft
from mastermind_client.screen.pages.solving.files import paste
from mastermind_client.screen.pages.solving.page import SolveScreen
from mastermind_protocol.feedback import Feedback
from mastermind_protocol.match import Turn
from mastermind_protocol.rules import DEFAULT

TURNS = (Turn(pegs("1122"), Feedback(0, 2)), Turn(pegs("2344"), Feedback(1, 1)))
OPTIONS = SolveOptions(turns=TURNS)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The working folder: a whole path fills a line, which breaks messages at other places."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


async def give(shown: Stage, prompt: str, name: str) -> None:
    await shown.until(prompt)
    shown.press("c-u")
    shown.type(name)
    await shown.until(lambda: shown.terminal.read_line().endswith(name))
    shown.press("enter")


async def test_the_guesses_are_saved_and_then_leaving_asks_nothing(opened, folder):
    file = folder / "game.txt"
    async with opened(SolveOptions(turns=TURNS[:1])) as shown:
        shown.type("gbyy11")
        await shown.until("18 codes left")
        shown.press("s")
        await give(shown, "Save as: mastermind.txt", file.name)
        await shown.until("Saved:")
        assert read_position(file.read_text()) == (DEFAULT, TURNS)
        shown.press("escape")
        await shown.wait_for_screen(HomeScreen)


async def test_a_file_is_replaced_only_after_a_question(opened, folder):
    file = folder / "kept.txt"
    file.write_text("mine")
    async with opened(OPTIONS) as shown:
        shown.press("s")
        await give(shown, "Save as:", file.name)
        await shown.until("Replace kept.txt?")
        shown.press("enter")
        await shown.until(lambda: not shown.app.has_overlay)
        assert file.read_text() == "mine"
        shown.press("s")
        await give(shown, "Save as:", file.name)
        await shown.until("Replace kept.txt?")
        shown.press("down", "enter")
        await shown.until("Saved:")
        assert read_position(file.read_text()).turns == TURNS


async def test_a_file_is_loaded_and_undo_leads_back(opened, folder):
    file = folder / "game.txt"
    file.write_text("RRRR 1b\n")
    async with opened(OPTIONS) as shown:
        shown.press("f7")
        await give(shown, "Load from:", file.name)
        await shown.until(lambda: len(shown.on(SolveScreen).draft.turns) == 1)
        shown.press("u")
        await shown.until(lambda: shown.on(SolveScreen).draft.turns == TURNS)


async def test_a_file_that_cannot_be_read_is_refused_with_the_reason(opened, folder):
    (folder / "wrong.txt").write_text("RRGG 1b\nRRGX 1b\n")
    (folder / "large.txt").write_bytes(b"#" * (MAX_FILE_BYTES + 1))
    os.mkfifo(folder / "pipe")
    reasons = {
        "wrong.txt": "Line 2, column 4:",
        "large.txt": "too large",
        "none": "No such",
        "pipe": "is no file",
        "~nobody-has-this-name/game.txt": "No such",
    }
    async with opened(OPTIONS) as shown:
        for file, reason in reasons.items():
            shown.press("f7")
            await give(shown, "Load from:", file)
            await shown.until(reason)
        assert shown.on(SolveScreen).draft.turns == TURNS


def test_a_paste_that_is_too_large_is_refused():
    assert "too large" in paste(Draft.begin(DEFAULT), "R" * (MAX_FILE_BYTES + 1)).notice


async def test_a_player_on_another_computer_copies_instead(opened):
    async with opened(OPTIONS, local=False) as shown:
        shown.press("s")
        await shown.until("Copied")
        assert [read_position(text).turns for text in shown.copied()] == [TURNS]
