import pytest

from kit.screen.slate import REASON, Slate, ask_name, rows, slate_of
from kit.screen.stage import stage
from mastermind_client.screen.screen import LEAST_LINE_ROW, LINE_PROMPT_GAP
from mastermind_client.screen.toolkit.lines import text
from mastermind_client.screen.toolkit.overlays import LinePrompt
from mastermind_client.screen.toolkit.terminal import ESCAPE_SECONDS
from mastermind_client.screen.window import SMALLEST_WINDOW


async def test_enter_submits_the_typed_line(shown):
    taken: list[str] = []
    ask_name(shown.app, taken, begin="Al")
    await shown.until("Name: Al")
    assert "1 for Ala" in shown.text()

    shown.press("end")
    shown.type("ice?")
    await shown.until("Name: Alice?")
    shown.press("enter")

    await shown.until(lambda: taken == ["Alice?"])
    await shown.until(lambda: "Name:" not in shown.text())
    assert slate_of(shown.app).done == []
    shown.press("left")
    await shown.until(lambda: slate_of(shown.app).done == ["left"])


@pytest.mark.parametrize(
    ("typed", "begun", "line"),
    [
        ("Eve", False, "Eve"),
        ("\x1b[200~Eve\x1b[201~", False, "Eve"),
        ("\x1b[200~Eve\r\nor Zoë\n\x1b[201~", False, "Eve or Zoë"),
        ("ice", True, "Alice"),
        ("ice\x1b[1;5P\x1b[I\x1bz\x1bb\x1b[1;3DM", True, "MAlice"),  # Alt-B, Alt-Left: a word back
    ],
)
async def test_typed_or_pasted_text_replaces_the_initial_text_unless_it_is_begun(
    shown, typed, begun, line
):
    taken: list[str] = []
    shown.app.prompt(LinePrompt("Name:", lambda words: taken.append(words), "Al", begun=begun))
    await shown.until("Name: Al")
    shown.type(typed)
    shown.press("enter")
    await shown.until(lambda: taken == [line])


@pytest.mark.parametrize("key", ["escape", "c-c"])
async def test_esc_cancels_a_prompt(shown, key):
    application = shown.terminal.application
    assert application.timeoutlen == application.ttimeoutlen == ESCAPE_SECONDS  # of a whole second
    taken: list[str] = []
    ask_name(shown.app, taken)
    shown.type("Alice")
    await shown.until("Name: Alice")
    assert "Esc cancel" in rows(shown)[-1]
    shown.press(key)
    await shown.until(lambda: "Name:" not in shown.text())
    assert taken == []
    ask_name(shown.app, taken)
    await shown.until("Name:")
    assert "Alice" not in shown.text()


async def test_a_refused_line_shows_the_reason_and_stays(shown):
    taken: list[str] = []
    ask_name(shown.app, taken, limit=5)
    shown.type("Alexandra")
    shown.press("enter")
    await shown.until("That has 9 characters, and 5 are the most.")
    shown.press("c-u", "B", "o", "b", "enter")
    await shown.until("Bob is taken.")
    assert "Name: Bob" in shown.text()
    shown.type("a")
    await shown.until("Name: Boba")
    assert "Bob is taken." not in shown.text()
    shown.press("enter")
    await shown.until(lambda: taken == ["Boba"])


async def test_control_characters_are_removed_from_a_line(shown):
    taken: list[str] = []
    ask_name(shown.app, taken)
    shown.type("\x1b[200~  A\x1b[31mB\tC\x07\x1b[201~")
    shown.press("enter")
    await shown.until(lambda: bool(taken))
    assert taken == ["A [31mB C"]


@pytest.mark.parametrize(
    ("chord", "line"), [("\x1bb", "one !two"), ("\x1bx", "one two!"), ("\x1b5", "one two!!!!!")]
)
async def test_alt_combinations_do_not_cancel_a_prompt(shown, chord, line):
    taken: list[str] = []
    ask_name(shown.app, taken)
    shown.type("one two")
    await shown.until("Name: one two")

    shown.type(chord + "!")
    await shown.until(f"Name: {line}")
    shown.press("enter")

    await shown.until(lambda: taken == [line])
    assert slate_of(shown.app).done == []


async def test_a_long_reason_is_shown_whole():
    async with stage(*SMALLEST_WINDOW, opening=Slate) as shown:
        shown.app.prompt(LinePrompt("Name:", lambda _words: REASON, explanation=("1 for Ala",)))
        shown.press("x", "enter")
        await shown.until("and that is why.")

        told = " ".join(" ".join(rows(shown)).split())
        assert " ".join(REASON.split()) in told
        assert "1 for Ala" in shown.text()
        assert "Esc cancel" in rows(shown)[-1]
        assert "Name: x" in rows(shown)[-2]
        assert "This is the slate." in shown.text()


async def test_a_line_that_is_too_long_is_reported_while_it_is_typed(shown):
    shown.app.prompt(LinePrompt("Name:", lambda _words: None, limit=3, explanation=("1 for Ala",)))
    await shown.until("1 for Ala")
    shown.type("four")
    await shown.until("That has 4 characters, and 3 are the most.")
    shown.press("backspace")
    await shown.until("1 for Ala")


async def test_a_prompt_can_open_another_prompt(shown):
    taken: list[str] = []
    shown.app.prompt(LinePrompt("Who:", lambda _words: ask_name(shown.app, taken)))
    shown.press("x", "enter")
    await shown.until("Name:")
    shown.press("y", "enter")
    await shown.until(lambda: taken == ["y"])


async def test_f10_ends_the_program_from_a_prompt(shown):
    ask_name(shown.app, [], begin="Al")
    await shown.until("Name: Al")
    shown.press("f10")
    await shown.ended()


@pytest.mark.parametrize(("drawn", "row"), [(1, LEAST_LINE_ROW), (30, 29 + LINE_PROMPT_GAP)])
async def test_in_a_tall_window_the_line_is_near_the_last_text(drawn, row):
    async with stage(rows=50, opening=Slate) as shown:
        slate_of(shown.app).lines = [text("A line.")] * drawn
        ask_name(shown.app, [], limit=5)
        shown.type("Alexandra\r")
        await shown.until("9 characters")
        assert [line.strip() for line in rows(shown)[row - 1 : row + 1]] == [
            "That has 9 characters, and 5 are the most.", "Name: Alexandra",
        ]  # fmt: skip
