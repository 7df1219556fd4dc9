import pytest

from kit.screen.seats import find
from kit.screen.slate import Slate
from kit.screen.stage import ENVIRON, stage
from mastermind_client.config.settings import Settings
from mastermind_client.screen.kit.mouse import is_report

OTHERS = ["\x1b[31m", "\x1b[1;31M", "\x1b[<1;2;3;4M", "\x1b[M\x7f!!"]
CLICKS, MOVEMENTS = "\x1b[?1000{}", "\x1b[?1003{}"


@pytest.mark.parametrize(
    "report", ["\x1b[<0;12;5M", "\x1b[<64;300;99m", "\x1b[0;1;1M", "\x1b[M !!"]
)
@pytest.mark.parametrize("other", OTHERS)
def test_mouse_reports_are_told_from_other_sequences(report, other):
    assert is_report(report)
    assert not is_report(other)


async def test_unknown_sequences_are_ignored():
    async with stage() as shown:
        await shown.until("Play a bot")
        for other in (*OTHERS, "\x1b[<99;1;1M"):
            shown.type(other)
        shown.press("?")
        await shown.until("Help")
        shown.press("escape")
        await shown.until(lambda: "Help" not in shown.text())
        shown.click(*find(shown, "Settings"))
        await shown.until("Palette")


async def test_the_app_enables_click_reports_and_no_motion_reports():
    async with stage(opening=Slate) as shown:
        assert CLICKS.format("h") in shown.glass.written
        assert MOVEMENTS.format("h") not in shown.glass.written
    assert shown.glass.written.rindex(CLICKS.format("l")) > shown.glass.written.rindex(
        CLICKS.format("h")
    )


async def test_mouse_reports_are_off_by_setting_and_over_ssh():
    far = {**ENVIRON, "SSH_CONNECTION": "::1 1 ::1 22"}
    async with stage(opening=Slate, settings=Settings(mouse="off")) as off:
        pass
    async with stage(opening=Slate, environ=far) as away:
        pass
    assert CLICKS.format("h") not in off.glass.written + away.glass.written


async def test_f5_toggles_the_mouse():
    async with stage(opening=Slate) as shown:
        shown.press("f5")
        await shown.until("The mouse selects text again.")
        assert shown.glass.written.count(CLICKS.format("l")) == 1
        shown.press("f5")
        await shown.until("The mouse plays.")
        assert shown.glass.written.count(CLICKS.format("h")) == 2


async def test_the_mouse_setting_applies_at_once():
    async with stage(opening=Slate) as shown:
        shown.app.change(mouse="on")
        shown.app.change(mouse="off")
        await shown.until(lambda: CLICKS.format("l") in shown.glass.written)
        shown.app.change(mouse="on")
        await shown.until(lambda: shown.glass.written.count(CLICKS.format("h")) == 2)
