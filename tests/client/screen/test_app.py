from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from client.screen.slate import Slate, slate_of
from client.screen.stage import stage
from mastermind_client.config.settings import Settings
from mastermind_client.config.settings_file import settings_path
from mastermind_client.language import use_language
from mastermind_client.net.failures import Cause, ServerUnreachable
from mastermind_client.screen import app
from mastermind_client.screen.app import END_KEYS, SMALLEST
from mastermind_client.screen.kit.forms import LONGEST_LINE, LinePrompt
from mastermind_client.screen.kit.keys import Key
from mastermind_client.screen.kit.lines import text
from mastermind_client.screen.kit.terminal import ESCAPE_SECONDS
from mastermind_protocol.errors import ErrorCode, Refused

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from client.screen.stage import Stage
    from mastermind_client.screen.app import App


@pytest.fixture
async def shown() -> AsyncIterator[Stage]:
    async with stage(opening=Slate) as shown:
        yield shown


def rows(shown: Stage) -> list[str]:
    return shown.text().split("\n")


def open_another(app: App, name: str = "other slate") -> Slate:
    slate = Slate(app, name)
    app.open(slate)
    return slate


# The stack of screens.


async def test_the_screen_on_top_is_seen_and_what_is_below_comes_back(shown: Stage) -> None:
    below = slate_of(shown.app)
    above = open_another(shown.app)
    await shown.until("This is the other slate.")
    assert "This is the slate." not in shown.text()

    shown.press("escape")

    await shown.until("This is the slate.")
    await shown.until(lambda: above.lived == ["shown", "parted"])
    assert below.lived == ["shown", "shown"]


async def test_a_screen_can_take_the_place_of_the_one_on_top(shown: Stage) -> None:
    above = open_another(shown.app)
    shown.app.replace(Slate(shown.app, "third slate"), above)
    await shown.until("This is the third slate.")
    await shown.until(lambda: above.lived == ["shown", "parted"])

    shown.press("escape")
    await shown.until("This is the slate.")


async def test_a_screen_can_take_the_place_of_one_further_down(shown: Stage) -> None:
    below = open_another(shown.app, "waiting slate")
    above = open_another(shown.app, "slate that looks back")
    new = Slate(shown.app, "new slate")

    shown.app.replace(new, below)

    await shown.until(lambda: below.lived == ["shown", "parted"])
    await shown.until("This is the slate that looks back.")
    assert (above.lived, new.lived) == (["shown"], [])
    shown.press("escape")
    await shown.until("This is the new slate.")
    assert new.lived == ["shown"]


async def test_a_screen_that_is_gone_is_not_replaced(shown: Stage) -> None:
    gone = open_another(shown.app)
    await shown.until("This is the other slate.")
    shown.press("escape")
    await shown.until("This is the slate.")
    new = Slate(shown.app, "new slate")

    shown.app.replace(new, gone)

    await shown.until(lambda: new.lived == ["parted"])
    assert slate_of(shown.app).name == "slate"


async def test_what_lies_over_a_screen_goes_with_it(shown: Stage) -> None:
    open_another(shown.app)
    shown.press("f1")
    await shown.until("Help")
    shown.app.back()
    await shown.until(lambda: "Help" not in shown.text())

    shown.app.ask("Really?", lambda: None)
    open_another(shown.app)
    assert not shown.app.question


async def test_going_back_from_the_last_screen_ends_the_program(shown: Stage) -> None:
    slate = slate_of(shown.app)

    shown.press("escape")

    await shown.ended()
    assert slate.lived == ["shown", "parted"]


async def test_whoever_quits_at_once_has_still_said_good_bye(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
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


# The help.


async def test_a_key_that_is_added_to_a_table_is_in_the_help(shown: Stage) -> None:
    slate = slate_of(shown.app)
    slate.keys = (*slate.keys, Key(("f9",), "dance", slate.note("danced"), short="dance"))
    shown.press("f9", "?")

    await shown.until("Help")
    assert slate.done == ["danced"]
    assert any("F9" in row and "dance" in row for row in rows(shown))
    assert any("Left Home" in row and "go to the left" in row for row in rows(shown))
    assert any("? F1" in row and "this help" in row for row in rows(shown))


@pytest.mark.parametrize("key", ["escape", "?", "f1", "enter"])
async def test_the_help_is_closed_by_the_keys_that_it_names(shown: Stage, key: str) -> None:
    shown.press("f1")
    await shown.until("Help")
    assert "Esc close" in rows(shown)[-1]

    shown.press(key)

    await shown.until(lambda: "Help" not in shown.text())
    assert not shown.app.helping
    shown.press("left")
    await shown.until(lambda: slate_of(shown.app).done == ["left"])


async def test_keys_do_not_reach_the_screen_below_the_help(shown: Stage) -> None:
    shown.press("f1", "left", "x", "f2", "escape", "space")

    await shown.until(lambda: slate_of(shown.app).done == ["room"])


async def test_a_long_help_is_scrolled_by_keys_and_by_the_wheel(shown: Stage) -> None:
    slate = slate_of(shown.app)
    slate.keys = tuple(
        Key((f"f{number}",), f"do number {number}", slate.note("")) for number in range(11, 24)
    ) + tuple(Key((letter,), f"do letter {letter}", slate.note("")) for letter in "abcdefghij")
    shown.press("f1")
    await shown.until("do number 11")
    assert "this help" not in shown.text()

    shown.press("pagedown", "pagedown")
    await shown.until("this help")
    assert "do number 11" not in shown.text()
    shown.press("up")
    await shown.until("do number 11")

    for _turn in range(30):
        shown.wheel(1)
    await shown.until("end the program")
    assert slate.scrolled == []
    for _turn in range(30):
        shown.wheel(-1)
    await shown.until("do number 11")


async def test_the_help_goes_back_at_once_however_far_it_was_scrolled_on(shown: Stage) -> None:
    slate_of(shown.app).keys = tuple(
        Key((letter,), f"do letter {letter}", lambda: None) for letter in "abcdefghijklmnopqrstuvwx"
    )
    shown.press("f1")
    await shown.until("do letter a")
    for _turn in range(40):
        shown.wheel(1)
    await shown.until("end the program")
    last = shown.text()

    shown.wheel(-1)

    await shown.until(lambda: shown.text() != last)


@pytest.mark.parametrize("key", ["f10", "c-c", "c-q"])
async def test_the_program_ends_from_its_help_too(shown: Stage, key: str) -> None:
    shown.press("f1")
    await shown.until("Help")
    assert "F10 quit" in rows(shown)[-1]

    shown.press(key)

    await shown.ended()


async def test_ending_from_the_help_asks_first_in_a_match(shown: Stage) -> None:
    slate_of(shown.app).playing = True
    shown.press("f1", "f10")
    await shown.until("Leave the match, and lose it? (Y/N)")

    shown.press("y")

    await shown.ended()


# Questions.


@pytest.mark.parametrize("key", ["y", "Y"])
async def test_what_is_agreed_to_is_done(shown: Stage, key: str) -> None:
    agreed: list[str] = []
    shown.app.ask("Burn the board?", lambda: agreed.append("burnt"))
    await shown.until("Burn the board? (Y/N)")

    shown.press(key)

    await shown.until(lambda: agreed == ["burnt"])
    await shown.until(lambda: "Burn the board?" not in shown.text())


@pytest.mark.parametrize("key", ["n", "x", "enter", "escape", "left", "f1", "c-q", "space"])
async def test_any_other_key_is_a_no_and_nothing_else(shown: Stage, key: str) -> None:
    agreed: list[str] = []
    shown.app.ask("Burn the board?", lambda: agreed.append("burnt"))
    await shown.until("Burn the board?")

    shown.press(key)

    await shown.until(lambda: "Burn the board?" not in shown.text())
    assert agreed == slate_of(shown.app).done == []
    assert not shown.app.helping
    shown.press("left")
    await shown.until(lambda: slate_of(shown.app).done == ["left"])


async def test_a_question_is_not_answered_by_moving_the_mouse(shown: Stage) -> None:
    shown.app.ask("Burn the board?", lambda: None)
    await shown.until("Burn the board?")

    shown.type("\x1b[<35;10;10M")  # the pointer moves, with no button
    shown.wheel(1)
    await shown.until(lambda: slate_of(shown.app).scrolled == [1])

    assert shown.app.question


async def test_the_letter_of_the_question_itself_agrees_in_every_language(shown: Stage) -> None:
    agreed: list[str] = []
    use_language("pl")
    shown.app.ask("Spalić planszę?", lambda: agreed.append("yes"))
    await shown.until("Spalić planszę? (T/N)")

    shown.press("t")

    await shown.until(lambda: agreed == ["yes"])


@pytest.mark.parametrize("key", END_KEYS)
async def test_the_keys_that_end_the_program_do_so_when_pressed_again(
    shown: Stage, key: str
) -> None:
    slate_of(shown.app).playing = True
    shown.press(key)
    await shown.until("Leave the match, and lose it? (Y/N)")

    shown.press(key)

    await shown.ended()


async def test_no_screen_is_on_top_when_the_program_has_ended(shown: Stage) -> None:
    slate = slate_of(shown.app)
    assert shown.app.shows(slate)

    shown.press("f10")
    await shown.ended()

    assert not shown.app.shows(slate)


async def test_f10_ends_the_program_from_a_line_that_is_typed_too(shown: Stage) -> None:
    ask_name(shown.app, [], begin="Al")
    await shown.until("Name: Al")

    shown.press("f10")

    await shown.ended()


# A line that is typed.


def ask_name(app: App, taken: list[str], *, begin: str = "", limit: int = LONGEST_LINE) -> None:
    def accept(words: str) -> str | None:
        if words == "Bob":
            return "Bob is taken."
        taken.append(words)
        return None

    app.prompt(LinePrompt("Name:", accept, begin, limit, ("1 for Ala", "2 for Ola")))


async def test_enter_gives_the_line_that_was_typed(shown: Stage) -> None:
    taken: list[str] = []
    ask_name(shown.app, taken, begin="Al")
    await shown.until("Name: Al")
    assert "1 for Ala" in shown.text()

    shown.type("ice?")
    await shown.until("Name: Alice?")
    shown.press("enter")

    await shown.until(lambda: taken == ["Alice?"])
    await shown.until(lambda: "Name:" not in shown.text())
    assert slate_of(shown.app).done == []
    shown.press("left")
    await shown.until(lambda: slate_of(shown.app).done == ["left"])


@pytest.mark.parametrize("key", ["escape", "c-c"])
async def test_a_line_is_given_up(shown: Stage, key: str) -> None:
    taken: list[str] = []
    ask_name(shown.app, taken)
    shown.type("Alice")
    await shown.until("Name: Alice")
    assert "Esc cancel" in rows(shown)[-2]

    shown.press(key)

    await shown.until(lambda: "Name:" not in shown.text())
    assert taken == []
    ask_name(shown.app, taken)
    await shown.until("Name:")
    assert "Alice" not in shown.text()


async def test_why_a_line_cannot_be_is_told_and_it_is_kept(shown: Stage) -> None:
    taken: list[str] = []
    ask_name(shown.app, taken)
    shown.type("Bob")
    shown.press("enter")
    await shown.until("Bob is taken.")
    assert "Name: Bob" in shown.text()

    shown.type("a")
    await shown.until("Name: Boba")
    assert "Bob is taken." not in shown.text()
    shown.press("enter")
    await shown.until(lambda: taken == ["Boba"])


async def test_a_line_that_is_too_long_is_kept_and_told_the_limit(shown: Stage) -> None:
    taken: list[str] = []
    ask_name(shown.app, taken, limit=5)
    shown.type("Alexandra")
    shown.press("enter")
    await shown.until("That has 9 characters, and 5 are the most.")

    shown.press("backspace", "backspace", "backspace", "backspace", "enter")
    await shown.until(lambda: taken == ["Alexa"])


async def test_what_cannot_be_shown_is_no_part_of_a_line(shown: Stage) -> None:
    taken: list[str] = []
    ask_name(shown.app, taken)

    shown.type("\x1b[200~  A\x1b[31mB\tC\x07\x1b[201~")
    shown.press("enter")

    await shown.until(lambda: bool(taken))
    assert taken == ["A [31mB C"]


@pytest.mark.parametrize(
    ("chord", "line"), [("\x1bb", "one !two"), ("\x1bx", "one two!"), ("\x1b5", "one two!!!!!")]
)
async def test_alt_with_another_key_gives_up_no_line(shown: Stage, chord: str, line: str) -> None:
    taken: list[str] = []
    ask_name(shown.app, taken)
    shown.type("one two")
    await shown.until("Name: one two")

    shown.type(chord + "!")
    await shown.until(f"Name: {line}")
    shown.press("enter")

    await shown.until(lambda: taken == [line])
    assert slate_of(shown.app).done == []


async def test_esc_alone_is_not_waited_for_longer_than_a_terminal_may_take(shown: Stage) -> None:
    application = shown.terminal.application
    assert application.timeoutlen == application.ttimeoutlen == ESCAPE_SECONDS  # of a whole second
    ask_name(shown.app, [])
    await shown.until("Name:")

    shown.press("escape")

    await shown.until(lambda: shown.app.line_prompt is None)


REASON = "No such name can be taken here, " * 4 + "and that is why."


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (120, 40)])
async def test_all_of_why_a_line_cannot_be_is_told(size: tuple[int, int]) -> None:
    async with stage(*size, opening=Slate) as shown:
        shown.app.prompt(LinePrompt("Name:", lambda _words: REASON, explanation=("1 for Ala",)))
        shown.press("x", "enter")
        await shown.until("and that is why.")

        told = " ".join(" ".join(rows(shown)).split())
        assert " ".join(REASON.split()) in told
        assert "1 for Ala" in shown.text()
        assert "Esc cancel" in rows(shown)[-2]
        assert "Name: x" in rows(shown)[-1]
        assert "This is the slate." in shown.text()


async def test_one_line_can_lead_to_the_next(shown: Stage) -> None:
    taken: list[str] = []
    shown.app.prompt(LinePrompt("Who:", lambda _words: ask_name(shown.app, taken)))
    shown.press("x", "enter")
    await shown.until("Name:")

    shown.press("y", "enter")

    await shown.until(lambda: taken == ["y"])


# What is told.


async def test_what_is_told_goes_with_the_next_key(shown: Stage) -> None:
    shown.app.notify("The match begins.")
    await shown.until("The match begins.")

    shown.press("left")

    await shown.until(lambda: "The match begins." not in shown.text())


async def test_what_is_told_takes_as_many_rows_as_it_needs() -> None:
    async with stage(60, 20, opening=Slate) as shown:
        slate_of(shown.app).lines = [text(f"row {number}") for number in range(18)]
        shown.app.show_error(REASON)
        await shown.until("and that is why.")

        assert "row 15" in rows(shown)[15]
        assert " ".join(REASON.split()) == " ".join(" ".join(rows(shown)[16:19]).split())
        assert "? help" in rows(shown)[19]
        shown.press("left")
        await shown.until("row 17")


async def test_what_is_told_for_good_is_told_after_the_end_too(shown: Stage) -> None:
    class Polite(Slate):
        async def on_close(self) -> None:
            self.app.notify("A seat is kept for you.", lasting=True)

    shown.app.open(Polite(shown.app))
    shown.press("escape")
    await shown.until("A seat is kept for you.")
    assert shown.app.farewell == ""  # it has been seen

    shown.app.open(Polite(shown.app))
    shown.press("c-q")
    await shown.ended()
    assert shown.app.farewell == "A seat is kept for you."


async def test_what_takes_time_is_shown_until_it_is_done(shown: Stage) -> None:
    go = asyncio.Event()

    async def work() -> None:
        await go.wait()

    shown.app.spawn(work(), "Thinking ...")
    await shown.until("Thinking ...")
    go.set()
    await shown.until(lambda: "Thinking ..." not in shown.text())


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (Refused(ErrorCode.SEAT_TAKEN, "the seat is taken"), "The seat is taken."),
        (ServerUnreachable(Cause.NO_GREETING, server="ws://h"), "Ws://h did not answer our"),
        (OSError("the disk is full"), "The disk is full"),
    ],
)
async def test_why_something_could_not_be_done_is_told(
    shown: Stage, error: Exception, told: str
) -> None:
    async def work() -> None:
        raise error

    shown.app.spawn(work(), "Trying ...")

    await shown.until(told)
    assert shown.running is not None
    assert not shown.running.done()


async def test_what_is_given_up_is_shown_no_more(shown: Stage) -> None:
    work = shown.app.spawn(asyncio.Event().wait(), "Thinking ...")  # type: ignore[arg-type]
    await shown.until("Thinking ...")

    work.cancel()

    await shown.until(lambda: "Thinking ..." not in shown.text())
    assert not shown.app.busy


# The mouse.


@pytest.mark.parametrize("over", ["a line", "a question", "the help"])
async def test_nothing_below_what_lies_over_a_screen_can_be_clicked_on(
    shown: Stage, over: str
) -> None:
    slate = slate_of(shown.app)
    slate.lines = [[("", "press me", slate.note("clicked"))]]
    if over == "a line":
        ask_name(shown.app, [])
        await shown.until("Name:")
    elif over == "a question":
        shown.app.ask("Really?", lambda: None)
        await shown.until("Really?")
    else:
        shown.press("f1")
        await shown.until("Help")
        shown.resize(200, 60)  # so that the screen is seen beside it
    await shown.until("press me")

    shown.click(2, 0)
    shown.wheel(1)  # which comes after it
    await shown.until(lambda: slate.scrolled == [1] or over == "the help")
    shown.press("escape")
    await shown.until("Left left")
    shown.press("left")

    await shown.until(lambda: "left" in slate.done)
    assert slate.done == ["left"]


# The end.


async def test_ending_the_program_asks_first_in_a_match(shown: Stage) -> None:
    slate_of(shown.app).playing = True
    open_another(shown.app)
    shown.press("c-q")
    await shown.until("Leave the match, and lose it? (Y/N)")
    shown.press("n")
    await shown.until(lambda: "Leave the match" not in shown.text())

    shown.press("f10", "y")

    await shown.ended()


@pytest.mark.parametrize("key", ["f10", "c-c", "c-q"])
async def test_the_program_ends_at_once_where_nothing_is_lost(shown: Stage, key: str) -> None:
    shown.press(key)

    await shown.ended()


async def test_the_end_stops_what_goes_on_and_parts_from_every_screen(shown: Stage) -> None:
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


# Sizes.


async def test_a_screen_is_told_the_room_it_has() -> None:
    async with stage(*SMALLEST, opening=Slate) as shown:
        assert slate_of(shown.app).extents[-1] == (60, 18)
        shown.resize(120, 40)
        await shown.until(lambda: slate_of(shown.app).extents[-1] == (120, 38))


async def test_more_than_there_is_room_for_never_pushes_the_hints_out() -> None:
    async with stage(60, 20, opening=Slate) as shown:
        slate_of(shown.app).lines = [text("x" * 200)] * 50
        shown.app.redraw()
        await shown.until("x" * 60)

        assert rows(shown)[17] == "x" * 60
        assert "? help" in rows(shown)[-1]
        assert len(rows(shown)) == 20


@pytest.mark.parametrize(("columns", "lines"), [(59, 20), (60, 19), (20, 5), (7, 3), (1, 1)])
async def test_a_window_that_is_too_small_says_so_and_comes_back(columns: int, lines: int) -> None:
    async with stage(opening=Slate) as shown:
        shown.resize(columns, lines)
        await shown.until(lambda: "This is the slate." not in shown.text())
        if columns >= 20:
            said = " ".join(shown.text().split())
            told = f"This window is too small: it is {columns} x {lines}, and 60 x 20 are needed."
            assert said == told

        shown.resize(60, 20)
        await shown.until("This is the slate.")


async def draw_anew(shown: Stage) -> None:
    """Press the key that works everywhere, and wait for what it does: what came before is read."""
    written = len(shown.glass.written)
    shown.press("c-l")
    await shown.until(lambda: len(shown.glass.written) > written)


async def test_no_key_acts_in_a_window_that_is_too_small(shown: Stage) -> None:
    slate = slate_of(shown.app)
    shown.resize(40, 10)
    await shown.until("too small")

    shown.press("left", "enter", "x", "f1")
    shown.type("\x1b[200~1122\x1b[201~")
    shown.wheel(1)
    shown.press("escape")
    await draw_anew(shown)
    shown.resize(80, 24)
    await shown.until("This is the slate.")
    shown.press("left")

    await shown.until(lambda: slate.done == ["left"])
    assert slate.scrolled == []
    assert not shown.app.helping


async def test_nothing_is_typed_in_a_window_that_is_too_small(shown: Stage) -> None:
    taken: list[str] = []
    ask_name(shown.app, taken, begin="Al")
    shown.resize(59, 20)
    await shown.until("too small")
    shown.press("i", "c", "e", "enter", "backspace", "escape")
    await draw_anew(shown)
    shown.resize(80, 24)
    await shown.until("This is the slate.")

    shown.press("enter")

    await shown.until(lambda: taken == ["Al"])


@pytest.mark.parametrize("key", ["f10", "c-c", "c-q"])
async def test_the_program_can_be_ended_in_a_window_that_is_too_small(
    shown: Stage, key: str
) -> None:
    slate_of(shown.app).playing = True
    shown.resize(40, 10)
    await shown.until("too small")
    shown.press(key)
    await shown.until("Leave the match, and lose it? (Y/N)")
    shown.press("n")
    await shown.until(lambda: "Leave the match" not in shown.text())

    shown.press(key)
    await shown.until("Leave the match, and lose it? (Y/N)")
    shown.press("y")

    await shown.ended()


async def test_a_question_that_nobody_can_see_is_not_answered(shown: Stage) -> None:
    agreed: list[str] = []
    shown.app.ask("Burn the board?", lambda: agreed.append("burnt"))
    shown.resize(20, 4)
    await shown.until("it is 20 x 4")
    shown.press("y", "n")
    await draw_anew(shown)
    shown.resize(80, 24)
    await shown.until("Burn the board? (Y/N)")
    assert agreed == []

    shown.press("y")

    await shown.until(lambda: agreed == ["burnt"])


async def test_a_line_can_be_typed_in_the_smallest_window_too() -> None:
    async with stage(*SMALLEST, opening=Slate) as shown:
        ask_name(shown.app, [])
        await shown.until("Name:")
        assert "This is the slate." in shown.text()
        assert slate_of(shown.app).extents[-1] == (60, 17)

        shown.resize(60, 19)
        await shown.until("it is 60 x 19")


# Settings.


async def test_a_setting_holds_at_once_and_is_kept(shown: Stage) -> None:
    slate_of(shown.app).lines = [shown.app.look.peg("red", "R")]
    shown.app.change(palette="mono", name="Ala")
    slate_of(shown.app).lines = [shown.app.look.peg("red", "R")]
    shown.app.redraw()

    await shown.until("(R)")

    assert shown.app.settings == Settings(palette="mono", name="Ala")
    assert 'palette = "mono"' in settings_path().read_text()


async def test_a_setting_that_cannot_be_kept_holds_all_the_same(shown: Stage) -> None:
    settings_path().mkdir(parents=True)

    shown.app.change(name="Ala")

    await shown.until("The settings cannot be kept:")
    assert shown.app.settings.name == "Ala"


async def test_another_language_holds_at_once(shown: Stage) -> None:
    shown.app.change(language="pl")
    await shown.until(lambda: "? help" not in rows(shown)[-1])

    shown.app.change(language="en")
    await shown.until("? help")


# Keys of the app.


async def test_the_mouse_is_given_back_and_taken_again(shown: Stage) -> None:
    shown.press("f5")
    await shown.until("The mouse selects text again.")
    shown.press("f5")
    await shown.until("The mouse plays.")


async def test_the_screen_is_drawn_anew_when_asked_to(shown: Stage) -> None:
    shown.screen.reset()  # somebody else wrote over it
    shown.press("c-l")

    await shown.until("This is the slate.")


async def test_the_keys_of_the_app_work_where_a_screen_has_none(shown: Stage) -> None:
    slate_of(shown.app).keys = ()
    shown.press("f1")
    await shown.until("this help")
    shown.press("escape", "c-q")
    await shown.ended()


async def test_the_hints_name_the_keys_that_work_now(shown: Stage) -> None:
    assert rows(shown)[-1] == "Left left  Enter send  letters write  Esc back  ? help  F10 quit"
    slate_of(shown.app).allowed = False
    shown.app.redraw()
    await shown.until(lambda: rows(shown)[-1] == "Left left  Esc back  ? help  F10 quit")
    shown.app.ask("Really?", lambda: None)
    await shown.until(lambda: rows(shown)[-1] == "Y yes  N no")
