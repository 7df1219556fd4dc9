import pytest

from kit.screen.slate import REASON, Slate, ask_name, rows, slate_of
from kit.screen.stage import stage
from mastermind_client.screen.app import SMALLEST
from mastermind_client.screen.kit.forms import LinePrompt
from mastermind_client.screen.kit.terminal import ESCAPE_SECONDS


async def test_enter_gives_the_line_that_was_typed(shown):
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


@pytest.mark.parametrize("typed", ["Eve", "\x1b[200~Eve\x1b[201~"])
async def test_what_is_typed_or_pasted_takes_the_place_of_what_stood_there(shown, typed):
    taken: list[str] = []
    ask_name(shown.app, taken, begin="Al")
    await shown.until("Name: Al")

    shown.type(typed)
    shown.press("enter")

    await shown.until(lambda: taken == ["Eve"])


async def test_what_was_begun_by_typing_goes_on(shown):
    taken: list[str] = []
    shown.app.prompt(LinePrompt("Name:", lambda words: taken.append(words), "E", begun=True))
    shown.type("ve")
    shown.press("enter")

    await shown.until(lambda: taken == ["Eve"])


@pytest.mark.parametrize("key", ["escape", "c-c"])
async def test_a_line_is_given_up(shown, key):
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


async def test_why_a_line_cannot_be_is_told_and_it_is_kept(shown):
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


async def test_a_line_that_is_too_long_is_kept_and_told_the_limit(shown):
    taken: list[str] = []
    ask_name(shown.app, taken, limit=5)
    shown.type("Alexandra")
    shown.press("enter")
    await shown.until("That has 9 characters, and 5 are the most.")

    shown.press("backspace", "backspace", "backspace", "backspace", "enter")
    await shown.until(lambda: taken == ["Alexa"])


async def test_what_cannot_be_shown_is_no_part_of_a_line(shown):
    taken: list[str] = []
    ask_name(shown.app, taken)

    shown.type("\x1b[200~  A\x1b[31mB\tC\x07\x1b[201~")
    shown.press("enter")

    await shown.until(lambda: bool(taken))
    assert taken == ["A [31mB C"]


@pytest.mark.parametrize(
    ("chord", "line"), [("\x1bb", "one !two"), ("\x1bx", "one two!"), ("\x1b5", "one two!!!!!")]
)
async def test_alt_with_another_key_gives_up_no_line(shown, chord, line):
    taken: list[str] = []
    ask_name(shown.app, taken)
    shown.type("one two")
    await shown.until("Name: one two")

    shown.type(chord + "!")
    await shown.until(f"Name: {line}")
    shown.press("enter")

    await shown.until(lambda: taken == [line])
    assert slate_of(shown.app).done == []


async def test_esc_alone_is_not_waited_for_longer_than_a_terminal_may_take(shown):
    application = shown.terminal.application
    assert application.timeoutlen == application.ttimeoutlen == ESCAPE_SECONDS  # of a whole second
    ask_name(shown.app, [])
    await shown.until("Name:")

    shown.press("escape")

    await shown.until(lambda: shown.app.line_prompt is None)


async def test_all_of_why_a_line_cannot_be_is_told():
    async with stage(*SMALLEST, opening=Slate) as shown:
        shown.app.prompt(LinePrompt("Name:", lambda _words: REASON, explanation=("1 for Ala",)))
        shown.press("x", "enter")
        await shown.until("and that is why.")

        told = " ".join(" ".join(rows(shown)).split())
        assert " ".join(REASON.split()) in told
        assert "1 for Ala" in shown.text()
        assert "Esc cancel" in rows(shown)[-1]
        assert "Name: x" in rows(shown)[-2]
        assert "This is the slate." in shown.text()


async def test_one_line_can_lead_to_the_next(shown):
    taken: list[str] = []
    shown.app.prompt(LinePrompt("Who:", lambda _words: ask_name(shown.app, taken)))
    shown.press("x", "enter")
    await shown.until("Name:")

    shown.press("y", "enter")

    await shown.until(lambda: taken == ["y"])


async def test_f10_ends_the_program_from_a_line_that_is_typed_too(shown):
    ask_name(shown.app, [], begin="Al")
    await shown.until("Name: Al")

    shown.press("f10")

    await shown.ended()
