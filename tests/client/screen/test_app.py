import asyncio

import pytest

from kit.clock import ManualClock
from kit.screen.scripted import settle
from kit.screen.slate import REASON, Slate, ask, open_another, rows, slate_of
from kit.screen.stage import stage
from mastermind_client.cli.process import settings_path
from mastermind_client.config.options import OFFLINE
from mastermind_client.config.settings import Settings, load
from mastermind_client.network.failures import Cause, ServerUnreachable
from mastermind_client.network.updates import Announced
from mastermind_client.screen import app
from mastermind_client.screen.screen import Trouble
from mastermind_client.screen.theme.tiles import draw_small
from mastermind_client.screen.toolkit.lines import text
from mastermind_client.screen.toolkit.overlays import Card
from mastermind_client.screen.toolkit.status_bar import IMPORTANT_SECONDS
from mastermind_protocol.errors import ErrorCode, Refused
from mastermind_protocol.events import Player


async def test_help_and_questions_close_with_their_screen(shown):
    open_another(shown.app)
    shown.press("f1")
    await shown.until("Help")
    shown.app.back()
    await shown.until(lambda: "Help" not in shown.text())
    ask(shown.app)
    open_another(shown.app)
    assert shown.app.find_overlay(Card) is None


async def test_quitting_waits_for_screens_that_are_closing(monkeypatch):
    monkeypatch.setattr(app, "LEAVE_SECONDS", 1000.0)
    answered, parted = asyncio.Event(), asyncio.Event()

    class Polite(Slate):
        async def on_close(self) -> None:
            await answered.wait()
            parted.set()

    async with stage(opening=Slate) as shown:
        shown.app.open(Polite(shown.app, "polite slate"))
        shown.press("escape", "c-q")
        await shown.until(lambda: not shown.terminal.application.is_running)
        assert not parted.is_set()
        answered.set()
        await shown.ended()
        assert parted.is_set()


# Notices.


async def test_a_notice_disappears_after_four_seconds_and_an_error_at_the_next_key():
    clock = ManualClock()
    async with stage(opening=Slate, clock=clock) as shown:
        shown.app.notify("The match begins.")
        await shown.until("The match begins.")
        shown.press("left")
        await shown.until(lambda: slate_of(shown.app).done == ["left"])
        clock.skip(3.9)
        shown.app.notify("Bob is here.")
        await shown.until("Bob is here.")
        clock.skip(3.9)
        assert "Bob is here." in shown.text()
        clock.skip(0.1)
        await shown.until(lambda: "Bob is here." not in shown.text())

        shown.app.show_error("No 7 here.")
        clock.skip(1000.0)
        await shown.until("No 7 here.")
        shown.press("left")
        await shown.until(lambda: "No 7 here." not in shown.text())


async def test_an_announcement_stays_longer_than_a_notice():
    clock = ManualClock()
    async with stage(opening=Slate, clock=clock) as shown:
        place = settle(shown.app, OFFLINE, Player("P1", "Ada"))
        said = "We restart at midnight: your matches are kept."
        shown.app._on_update(place, Announced(said, None))
        await shown.until(said)
        clock.skip(IMPORTANT_SECONDS - 1)
        assert said in shown.text()
        clock.skip(1)
        await shown.until(lambda: said not in shown.text())


async def test_a_screen_can_choose_the_row_of_notices():
    async with stage(60, 20, opening=Slate) as shown:
        slate = slate_of(shown.app)
        slate.has_notice_row, slate.notice_up = True, 2
        slate.lines = [text(f"row {number}") for number in range(19)]
        shown.app.redraw()
        await shown.until("row 18")
        assert rows(shown)[17:19] == ["row 17", "row 18"]

        shown.app.notify("Bob is here.")

        await shown.until("Bob is here.")
        assert rows(shown)[17:19] == ["Bob is here.", "row 18"]


async def test_a_connection_banner_replaces_the_title(shown):
    slate = slate_of(shown.app)
    slate.lines = [text("The title"), text("The rest")]
    slate.trouble = Trouble(("Connection lost.",), "The line is cut.")
    shown.app.redraw()
    await shown.until("Connection lost.")

    assert rows(shown)[:2] == [" Connection lost.", "The rest"]
    assert rows(shown)[-2] == "The line is cut."

    slate.trouble = Trouble(("The line is cut. Trying again (2).",), "The line is cut.")
    shown.app.redraw()
    await shown.until("Trying again (2).")
    assert shown.text().count("The line is cut.") == 1
    slate.trouble = Trouble(("Connection lost.",), "The line is cut " + "at its end " * 9)
    shown.app.redraw()

    await shown.until(lambda: rows(shown)[-2] == "")


async def test_a_long_error_takes_several_rows():
    async with stage(60, 20, opening=Slate) as shown:
        slate_of(shown.app).lines = [text(f"row {number}") for number in range(18)]
        shown.app.show_error(REASON)
        await shown.until("and that is why.")

        assert "row 15" in rows(shown)[15]
        assert " ".join(REASON.split()) == " ".join(" ".join(rows(shown)[16:19]).split())
        assert "? help" in rows(shown)[19]
        shown.press("left")
        await shown.until("row 17")


@pytest.mark.parametrize("cancelled", [True, False])
async def test_a_background_task_shows_a_notice_until_it_ends(shown, cancelled):
    go = asyncio.Event()
    work = shown.app.spawn(go.wait(), "Thinking ...")
    await shown.until("Thinking ...")
    if cancelled:
        work.cancel()
    else:
        go.set()
    await shown.until(lambda: "Thinking ..." not in shown.text())
    assert not shown.app.busy


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (Refused.with_message(ErrorCode.SEAT_TAKEN, "the seat is taken"), "The seat is taken."),
        (ServerUnreachable(Cause.NO_GREETING, server="ws://h"), "Ws://h did not answer our"),
        (OSError("the disk is full"), "The disk is full"),
    ],
)
async def test_a_failed_task_shows_the_reason(shown, error, told):
    async def work() -> None:
        raise error

    shown.app.spawn(work(), "Trying ...")

    await shown.until(told)
    assert shown.running is not None
    assert not shown.running.done()


# The end.


async def test_quitting_cancels_tasks_and_closes_every_screen(shown):
    below, above = slate_of(shown.app), open_another(shown.app)
    stopped = asyncio.Event()

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()

    shown.app.spawn(work())
    await shown.until("This is the other slate.")

    shown.press("c-q")

    await shown.ended()
    assert stopped.is_set()
    assert below.lived == above.lived == ["shown", "parted"]


# Settings.


async def test_a_changed_setting_applies_at_once_and_is_saved(shown):
    shown.app.change_settings(palette="mono", name="Ala")
    slate_of(shown.app).lines = [draw_small("red", shown.app.look)]
    shown.app.redraw()
    await shown.until("(R)")
    assert shown.app.settings == Settings(palette="mono", name="Ala", pace=0, introduction="none")
    await shown.until(settings_path().exists)
    assert load(settings_path()).settings == Settings(palette="mono", name="Ala")
    shown.app.change_settings(language="pl")
    await shown.until(lambda: "? help" not in rows(shown)[-1])
    shown.app.change_settings(language="en")
    await shown.until("? help")


async def test_a_setting_that_cannot_be_saved_still_applies(shown):
    settings_path().mkdir(parents=True)
    shown.app.change_settings(name="Ala")
    await shown.until("The settings cannot be kept:")
    assert shown.app.settings.name == "Ala"


# Keys of the app.


async def test_ctrl_l_redraws_the_screen(shown):
    shown.screen.reset()  # another program wrote over it
    shown.press("c-l")
    await shown.until("This is the slate.")


async def test_the_apps_keys_work_on_every_screen(shown):
    slate_of(shown.app).keys = ()
    shown.press("f1")
    await shown.until("this help")
    shown.press("escape", "c-q")
    await shown.ended()


async def test_the_hints_name_the_active_keys(shown):
    def are(words: str) -> bool:
        return " ".join(rows(shown)[-1].split()) == words

    assert are("← left Enter send letters write Esc back ? help F10 quit")
    slate_of(shown.app).allowed = False
    shown.app.redraw()
    await shown.until(lambda: are("← left Esc back ? help F10 quit"))
    ask(shown.app)
    await shown.until(lambda: are("Enter do it ↑↓ choose Esc leave it F10 quit"))
