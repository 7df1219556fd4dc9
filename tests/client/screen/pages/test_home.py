from __future__ import annotations

import pytest

from client.screen.looks import LOOK, assert_fits, show
from client.screen.stage import Stage, stage
from mastermind_client.config.settings import Settings
from mastermind_client.screen.kit.lines import Extent
from mastermind_client.screen.pages.entering import EnteringScreen
from mastermind_client.screen.pages.home import HomeScreen, draw_game

NOWHERE = Settings(server="ws://127.0.0.1:1")
ITEMS = (
    "Play a bot",
    "Invite a friend",
    "Join by code",
    "Find an opponent",
    "Watch a match",
    "Review a past match",
    "Settings",
    "Quit",
)


def over(shown: Stage) -> bool:
    return shown.running is not None and shown.running.done()


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (120, 40), (300, 102)])
async def test_all_that_can_be_done_is_there_with_what_it_is(size: tuple[int, int]) -> None:
    async with stage(*size) as shown:
        for item in ITEMS:
            assert item in shown.text()
        assert "You get a code to send them." in shown.text()


@pytest.mark.parametrize("keys", ["number", "letter", "down"])
@pytest.mark.parametrize(
    ("number", "letter", "told"),
    [
        (1, "p", "Play it like this."),
        (2, "I", "your friend joins by"),
        (4, "f", "Waiting for an opponent now"),
        (5, "W", "Being played now"),
        (6, "r", "Your matches that are over"),
        (7, "s", "Kept in"),
    ],
)
async def test_every_screen_is_opened_by_number_by_letter_and_by_the_arrows(
    number: int, letter: str, told: str, keys: str
) -> None:
    async with stage(settings=NOWHERE) as shown:
        match keys:
            case "number":
                shown.press(str(number))
            case "letter":
                shown.press(letter)
            case _:
                shown.press(*["down"] * (number - 1), "enter")
        await shown.until(told)
        shown.press("escape")
        await shown.until(lambda: isinstance(shown.app.screen, HomeScreen))


async def test_esc_at_home_asks_before_it_ends_the_program() -> None:
    async with stage() as shown:
        shown.press("escape")
        await shown.until("End the program?")
        shown.press("enter")
        await shown.until(lambda: "End the program?" not in shown.text())
        shown.press("escape")
        await shown.until("End the program?")
        shown.press("down", "enter")
        await shown.until(lambda: over(shown))


@pytest.mark.parametrize("key", ["8", "q"])
async def test_the_program_is_left_from_home(key: str) -> None:
    async with stage() as shown:
        shown.press(key)
        await shown.until(lambda: over(shown))


async def test_a_code_that_is_none_is_named_with_what_is_allowed() -> None:
    async with stage(settings=NOWHERE) as shown:
        shown.press("3")
        await shown.until("Match code:")
        shown.type("abc")
        shown.press("enter")
        await shown.until("'abc' is no match code: 6 of ")
        shown.press("c-u")
        shown.type("abc-def")
        shown.press("enter")
        await shown.until(lambda: isinstance(shown.app.screen, EnteringScreen))


async def test_what_is_pasted_at_home_does_nothing() -> None:
    async with stage() as shown:
        shown.type("\x1b[200~8q\x1b[201~")
        shown.press("down")
        await shown.until("\u25ba 2  Invite a friend")
        assert isinstance(shown.app.screen, HomeScreen)


def test_the_game_that_is_drawn_is_a_real_one() -> None:
    assert show(draw_game(LOOK)) == [
        "     ############",
        "      R  R  G  G   oo..",
        "      G  B  Y  Y   Xo..",
        "      G  O  B  P   XXo.",
    ]
    assert_fits(draw_game(LOOK), Extent(60, 4))
