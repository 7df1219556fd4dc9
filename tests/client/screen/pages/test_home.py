from functools import partial

import pytest

from client.screen.looks import LOOK, assert_fits, show
from kit.screen.golden import read_golden, read_text
from kit.screen.scenes import ADA, SERVER, SETTINGS, answer, answer_nothing
from kit.screen.stage import Stage, stage
from kit.screen.told import settle
from mastermind_client.config.options import OFFLINE, JoinOptions
from mastermind_client.config.settings import Settings
from mastermind_client.screen.kit.lines import Extent
from mastermind_client.screen.pages.entering import EnteringScreen
from mastermind_client.screen.pages.home import HomeScreen, draw_word
from mastermind_client.screen.places.running import Running, RunningEntry
from mastermind_protocol.messages import AnyMessage
from mastermind_protocol.requests import AnyRequest, Archive

NOWHERE = Settings(server="ws://127.0.0.1:1")


def over(shown: Stage) -> bool:
    return shown.running is not None and shown.running.done()


def reply(request: AnyRequest) -> AnyMessage:
    return answer_nothing(request) if isinstance(request, Archive) else answer(request)


@pytest.mark.parametrize("by_number", [True, False])
@pytest.mark.parametrize(
    ("number", "keys", "scene"),
    [
        (1, ["down"], "play"),
        (2, [], "invite"),
        (4, ["pagedown"], "find"),
        (5, ["pagedown"], "watch"),
        (6, ["right"], "archive-empty"),
        (7, [], "how-to-play"),
        (8, ["down", "down", "down"], "settings"),
    ],
)
async def test_every_screen_is_opened_by_its_number_and_by_the_arrows(
    number, keys, scene, by_number
):
    async with stage(settings=SETTINGS) as shown:
        for address in (SERVER, OFFLINE):
            settle(shown.app, address, ADA, reply)
        if by_number:
            shown.press(str(number))
        else:
            shown.press(*["down"] * (number - 1), "enter")
        await shown.until(
            lambda: not isinstance(shown.app.screen, HomeScreen) and not shown.app.busy
        )
        shown.press(*keys)
        await shown.until(lambda: read_text(shown.screen) == read_golden(scene))
        shown.press("escape")
        home = await shown.reaches(HomeScreen)
        assert home.form.selected.key == str(number)  # the one that was opened


async def test_how_to_play_is_first_for_whoever_has_not_finished_a_game():
    async with stage(settings=NOWHERE, introduction="all") as shown:
        await shown.until("► How to play")
        shown.press("1")
        await shown.until("One player hides a row of pegs")


async def test_ones_own_games_are_a_key_away():
    async with stage(settings=NOWHERE) as shown:
        shown.press("s")
        await shown.until("Your games")


async def test_the_end_is_asked_about_and_staying_is_the_first_answer():
    async with stage() as shown:
        shown.press("escape")
        await shown.until("End the program?")
        shown.press("enter")
        await shown.until(lambda: "End the program?" not in shown.text())

        shown.press("escape")
        await shown.until("End the program?")
        shown.press("down", "enter")
        await shown.until(lambda: over(shown))


async def test_matches_that_run_come_first_and_the_one_that_waits_for_us_is_selected(monkeypatch):
    gone: list[str] = []
    entries = [
        RunningEntry(
            opponent,
            code,
            standing,
            ("classic",),
            mine=mine,
            reached=True,
            act=partial(gone.append, code),
        )
        for opponent, code, standing, mine in (
            ("Ana", "X922X4", "your turn", True),
            ("Bob", "K7M2QX", "Bob thinks", False),
            ("Eve", "W4T9BN", "Eve thinks", False),
            ("Max", "H3KX7P", "Max thinks", False),
            ("Tom", "R9W2TD", "Tom thinks", False),
        )
    ]
    monkeypatch.setattr(Running, "entries", property(lambda _running: entries))
    async with stage() as shown:
        await shown.until("and 2 more")
        rows = [row.strip() for row in shown.text().split("\n")]
        begin = rows.index("Continue")
        assert rows[begin + 1] == "► Ana · X922X4          your turn · classic"
        assert rows[begin + 2] == "Bob · K7M2QX          Bob thinks · classic"
        assert "R9W2TD" not in shown.text()

        shown.press("down", "down", "down", "enter")
        await shown.until("R9W2TD")
        shown.press("home", "enter")
        await shown.until(lambda: gone == ["X922X4"])


async def test_a_line_of_a_friend_is_taken_whole_and_its_server_is_named():
    async with stage(settings=NOWHERE) as shown:
        shown.press("3")
        await shown.until("Code, or the whole line:")
        shown.type("\x1b[200~mastermind join k7m2qx --server ws://127.0.0.1:2\x1b[201~")
        shown.press("enter")
        await shown.reaches(EnteringScreen)
        await shown.until("On the server of that line: ws://127.0.0.1:2")
        assert isinstance(shown.app.screen, EnteringScreen)
        assert shown.app.screen.options == JoinOptions("K7M2QX", "ws://127.0.0.1:2")


async def test_a_code_that_is_none_is_named_with_what_is_allowed():
    async with stage(settings=NOWHERE) as shown:
        shown.press("3")
        await shown.until("Code, or the whole line:")
        shown.type("abc")
        shown.press("enter")
        await shown.until("'abc' is no match code: 6 of ")
        shown.press("c-u")
        shown.type("abc-def")
        shown.press("enter")
        await shown.reaches(EnteringScreen)


async def test_what_is_pasted_at_home_does_nothing():
    async with stage() as shown:
        shown.type("\x1b[200~8q\x1b[201~")
        shown.press("down")
        await shown.until("\u25ba Invite a friend")
        assert isinstance(shown.app.screen, HomeScreen)


@pytest.mark.parametrize("columns", [56, 60])
def test_the_word_is_as_large_as_there_is_room_for(columns):
    lines = draw_word(columns, LOOK)
    assert_fits(lines, Extent(columns, 3))
    assert len(lines) == (3 if columns == 60 else 2)
    assert "".join("".join(show(lines)).split()) == "MASTERMIND"
