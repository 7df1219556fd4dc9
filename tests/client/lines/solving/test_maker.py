import re
from collections.abc import Callable

import pytest

from kit.terminal_user import TerminalUser
from mastermind_client.config.options import SolveOptions
from mastermind_client.lines.solving.maker import MakerDialogue
from mastermind_client.lines.terminal import InputEnded
from mastermind_client.messages.solving.notation import read_position, write_feedback
from mastermind_protocol.code import parse_code
from mastermind_protocol.errors import Reason, Refused
from mastermind_protocol.feedback import score
from mastermind_protocol.requests import MAX_GIVEN_TURNS
from mastermind_protocol.rules import DEFAULT, find_rules

Desks = Callable[..., TerminalUser]


def sit_down(
    new_desk: Desks, turns: str = "", *, person: bool = True, bot: str = "easy"
) -> TerminalUser:
    desk: TerminalUser = new_desk(person=person)
    given = read_position(turns, DEFAULT).turns
    desk.start(MakerDialogue(desk.terminal, SolveOptions(bot=bot, turns=given)).run())
    return desk


async def answer_to(desk: TerminalUser, secret: str) -> str:
    """Return the right answer to the printed guess."""
    guess = re.findall(r"Guess \d+: ([A-Z ]+)\n", await desk.until("Your answer: "))[-1]
    secret_code, code = (parse_code(text, DEFAULT) for text in (secret, guess))
    return write_feedback(score(secret_code, code))


@pytest.mark.parametrize("bot", ["hard", "random"])
async def test_a_bot_breaks_a_code_that_it_never_sees(new_desk, bot):
    desk = sit_down(new_desk, bot=bot)
    number, answer = 0, ""
    while answer != "4b0w":
        number += 1
        desk.type(answer := await answer_to(desk, "OGGP"))
    told = await desk.until("Play again? (Y/N) ")
    assert f"{bot} broke the code in {number} guesses." in told
    desk.type("y")
    assert "Guess 1: " in await desk.until("Your answer: ")
    desk.type("quit")
    with pytest.raises(InputEnded):
        await desk.finish()


async def test_the_key_pegs_have_the_names_of_the_rules(new_desk):
    desk: TerminalUser = new_desk(person=True)
    desk.start(MakerDialogue(desk.terminal, SolveOptions(find_rules("bulls"), bot="easy")).run())
    assert "For 1 bull, 2 cows, type 1b2w or 12;" in await desk.until("Your answer: ")


async def test_no_other_game_ends_the_command(new_desk):
    desk = sit_down(new_desk, "RRGG 1b1w\nRGBY 4b0w")
    await desk.until("Play again? (Y/N) ")
    desk.type("perhaps")
    assert "Y or N" in await desk.until("Play again? (Y/N) ")
    desk.type("n")
    with pytest.raises(InputEnded):
        await desk.finish()


async def test_a_wrong_answer_is_found_and_corrected(new_desk):
    desk = sit_down(new_desk, "RRRR 1b0w\nGGGG 1b0w\nBBBB 1b0w\nYYYY 1b0w")
    await desk.until("Your answer: ")
    desk.type("0b0w")  # to a code of these colours
    told = await desk.until("Correction: ")
    assert re.search(
        r"No code fits\. Guess 5 may be \d black, \d white: then \d+ codes? fits?", told
    ) or ("Changing one answer is enough:\n 1  guess " in told)
    desk.type("well")
    assert "Press Enter to take " in await desk.until("Correction: ")
    desk.type("9")
    assert "no correction 9" in await desk.until("Correction: ")
    desk.type("")
    assert "Guess 6: " in await desk.until("Your answer: ")
    desk.type("undo")
    await desk.until("Correction: ")
    desk.type("take")
    await desk.until("Your answer: ")


async def test_an_answer_can_be_typed_again(new_desk):
    desk = sit_down(new_desk, "RRGG 1b1w\nBBYY 0b1w")
    await desk.until("Your answer: ")
    desk.type("edit 1 2b")
    assert " 1  R R G G  2 black, 0 white\n" in await desk.until("Your answer: ")
    desk.type("edit 2")
    await desk.until("Answer to guess 2: ")
    desk.type("3b1w")
    assert "cannot be" in await desk.until("Answer to guess 2: ")
    desk.type("0b2w")
    assert " 2  B B Y Y  0 black, 2 white\n" in await desk.until("Your answer: ")
    desk.type("edit 2")
    await desk.until("Answer to guess 2: ")
    desk.type("")
    await desk.until("Your answer: ")


@pytest.mark.parametrize("change", ["delete 2", "new", "rules mini"])
async def test_another_change_ends_the_edit_of_an_answer(new_desk, change):
    desk = sit_down(new_desk, "RRGG 1b1w\nBBYY 0b1w")
    await desk.until("Your answer: ")
    desk.type("edit 2")
    await desk.until("Answer to guess 2: ")
    desk.type(change)
    await desk.until("Your answer: ")


async def test_a_pipe_gives_the_answers_and_its_lines_are_printed(new_desk):
    desk = sit_down(new_desk, person=False)
    desk.type(await answer_to(desk, "RGBY"))
    assert re.search(r"Your answer: \db\dw\n 1  ", desk.shown + await desk.until("Guess 2: "))
    desk.end_input()
    with pytest.raises(InputEnded):
        await desk.finish()


async def test_an_unknown_bot_is_refused(new_desk):
    desk = sit_down(new_desk, bot="nobody")
    with pytest.raises(Refused) as refused:
        await desk.finish()
    assert refused.value.reason is Reason.UNKNOWN_BOT


async def test_every_size_can_be_played(new_desk):
    desk: TerminalUser = new_desk(person=True)
    options = SolveOptions(find_rules("8x10"), bot="easy")
    desk.start(MakerDialogue(desk.terminal, options).run())
    await desk.until("Your answer: ")
    desk.type("0b0w")
    await desk.until("Your answer: ")


async def test_a_bot_makes_no_more_guesses_than_a_game_can_have(new_desk):
    desk = sit_down(new_desk, "RRRR 0b0w\n" * MAX_GIVEN_TURNS)
    await desk.until("Your answer: ")
    desk.type("0b1w")
    assert "At most 32 guesses." in await desk.until("Your answer: ")
