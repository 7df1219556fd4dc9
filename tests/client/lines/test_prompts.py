import pytest

from kit.people import SessionClient
from kit.terminal_user import TerminalUser
from mastermind_client.cli.process import settings_path
from mastermind_client.config.options import PlayOptions
from mastermind_client.config.settings import save
from mastermind_client.language import use_language
from mastermind_client.lines.player import LinePlayer
from mastermind_client.lines.prompts import ask_open_questions, parse_yes_no, parse_yes_no_letter
from mastermind_protocol.rules import PRESETS


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        *[("y", True), (" Y ", True), ("n", False), ("N", False), ("yes", None), ("", None)],
        *[("н", True), ("Υ", True), ("ｎ", False), ("Т", False), ("д", None)],
    ],
)
def test_a_letter_is_an_answer(typed, meant):
    assert parse_yes_no_letter(typed) is meant


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        *[("Yes", True), ("y", True), ("NO", False), ("n", False), ("maybe", None), ("", None)],
        *[("нуы", True), ("νο", False), ("ｙ", True)],
    ],
)
def test_a_word_is_an_answer(typed, meant):
    assert parse_yes_no(typed) is meant


@pytest.mark.parametrize("rules", ["classic", "mini"])
async def test_a_seed_leaves_no_question_about_the_seat(new_desk, rules):
    desk = new_desk(person=True)
    options = PlayOptions(PRESETS[rules], name="Ada", seed=1)
    assert await ask_open_questions(options, desk.terminal) == options
    assert desk.shown == ""


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("t", True), ("Tak", True), ("n", False), ("nie", False), ("y", True), ("no", False)],
)
def test_answers_may_be_in_the_readers_language_or_in_english(typed, meant):
    use_language("pl")
    assert parse_yes_no(typed) is meant


async def play(person: SessionClient, desk: TerminalUser, *lines: str) -> str:
    """Play a bot with a known code; return the output."""
    mirror = await person.session.open("mini", maker="random", breaker="me", seed=1)
    desk.play(LinePlayer, person.session, mirror)
    for line in lines:
        await desk.until("Guess ")
        desk.type(line)
    await desk.until("Play again? (Y/N) ")
    desk.type("n")
    await desk.finish()
    await desk.terminal.context.writer.flush()
    return desk.shown


async def test_unsaved_settings_do_not_end_the_game(bob, new_desk):
    save({"bell": False}, settings_path())
    settings_path().write_text("broken = [")
    shown = await play(bob, new_desk(person=True), "resign")
    assert "The settings cannot be kept: " in shown
