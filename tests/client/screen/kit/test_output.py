from __future__ import annotations

from client.screen.slate import Slate
from client.screen.stage import ENVIRON, stage
from mastermind_client.config.settings import Settings

CLICKS, MOVEMENTS = "\x1b[?1000{}", "\x1b[?1003{}"


async def test_the_terminal_is_asked_for_clicks_but_not_for_every_movement_of_the_mouse() -> None:
    async with stage(opening=Slate) as shown:
        assert CLICKS.format("h") in shown.glass.written
        assert MOVEMENTS.format("h") not in shown.glass.written

    assert shown.glass.written.rindex(CLICKS.format("l")) > shown.glass.written.rindex(
        CLICKS.format("h")
    )


async def test_the_mouse_is_the_terminals_own_where_it_is_off_or_far_away() -> None:
    far = {**ENVIRON, "SSH_CONNECTION": "::1 1 ::1 22"}
    async with stage(opening=Slate, settings=Settings(mouse="off")) as off:
        pass
    async with stage(opening=Slate, environ=far) as away:
        pass

    assert CLICKS.format("h") not in off.glass.written + away.glass.written


async def test_a_changed_setting_of_the_mouse_holds_at_once() -> None:
    async with stage(opening=Slate) as shown:
        shown.app.change(mouse="on")
        shown.app.change(mouse="off")
        await shown.until(lambda: CLICKS.format("l") in shown.glass.written)

        shown.app.change(mouse="on")
        await shown.until(lambda: shown.glass.written.count(CLICKS.format("h")) == 2)


async def test_the_mouse_is_given_back_and_taken_by_a_key() -> None:
    async with stage(opening=Slate) as shown:
        shown.press("f5")
        await shown.until("The mouse selects text again.")
        assert shown.glass.written.count(CLICKS.format("l")) == 1
        shown.press("f5")
        await shown.until("The mouse plays.")

        assert shown.glass.written.count(CLICKS.format("h")) == 2
