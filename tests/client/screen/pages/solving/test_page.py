import asyncio

from kit.clock import ManualClock
from kit.matches import pegs
from kit.screen.stage import Stage
from mastermind_client import solver
from mastermind_client.config.options import SolveOptions
from mastermind_client.screen.pages.home import HomeScreen
from mastermind_client.screen.pages.solving.analyst import SLOW_SECONDS
from mastermind_client.screen.pages.solving.page import SolveScreen
from mastermind_protocol.feedback import Feedback
from mastermind_protocol.match import Turn
from mastermind_protocol.messages import GuessMeasures
from mastermind_protocol.rules import find_rules

KNUTH = (  # the example of D. E. Knuth, "The computer as Master Mind", 1977: the code is 3632
    Turn(pegs("1122"), Feedback(1, 0)),
    Turn(pegs("1344"), Feedback(0, 1)),
    Turn(pegs("3526"), Feedback(1, 2)),
    Turn(pegs("1462"), Feedback(1, 1)),
)
KNUTH_OPTIONS = SolveOptions(find_rules("knuth"), turns=KNUTH)


async def test_a_game_is_solved_by_typing_guesses_and_answers(opened):
    async with opened(SolveOptions(find_rules("knuth"))) as shown:
        await shown.until("1296 codes left")
        shown.type("112210")
        await shown.until("256 codes left")
        shown.type("134401")
        await shown.until("44 codes left")
        shown.type("352612")
        await shown.until("7 codes left")
        shown.type("146211")
        await shown.until("1 code left")
        shown.press("f3")
        shown.type("40")
        await shown.until("It is 3 6 3 2, found with 5 guesses.")


async def test_the_best_guess_is_taken_and_the_next_one_at_the_next_key(opened):
    async with opened(SolveOptions(turns=KNUTH[:2])) as shown:
        first, second = (guess.code for guess in best_guesses(shown)[:2])
        shown.press("f3")
        await shown.until(lambda: shown.on(SolveScreen).draft.entry.code == first)
        shown.press("f3")
        await shown.until(lambda: shown.on(SolveScreen).draft.entry.code == second)


def best_guesses(shown: Stage) -> tuple[GuessMeasures, ...]:
    analysis = shown.on(SolveScreen).scene.analysis
    assert analysis is not None
    return analysis.guesses


async def test_f2_ranks_the_guesses_by_the_next_measure(opened):
    async with opened(KNUTH_OPTIONS) as shown:
        await shown.until("by information")
        shown.press("f2", "f2")
        await shown.until("by worst case")
        await shown.until("at most 1 left")


async def test_a_contradiction_names_the_answer_to_change_and_enter_changes_it(opened):
    wrong = Turn(pegs("1122"), Feedback(3, 0))
    async with opened(SolveOptions(turns=(*KNUTH[:2], wrong))) as shown:
        await shown.until("No code fits  Enter takes the change")
        corrections = shown.on(SolveScreen).scene.analysis.corrections
        at = corrections[0].turn
        await shown.until(f"✗ {at} ")
        shown.press("tab")
        await shown.until(f"✗ {corrections[1].turn} ")
        shown.press("enter")
        await shown.until(f"{corrections[1].left} codes left")
        shown.press("u")
        await shown.until("No code fits  Enter")


async def test_a_contradiction_of_several_answers_has_no_correction(opened):
    lies = [Turn(pegs(code), Feedback(4, 0)) for code in ("1111", "2222", "3333")]
    async with opened(SolveOptions(turns=(*lies, Turn(pegs("4444"), Feedback(0, 0))))) as shown:
        await shown.until("changing one")
        await shown.until("u takes back, e edits.")


async def test_tab_lists_the_codes_page_by_page(opened):
    async with opened(SolveOptions()) as shown:
        shown.press("tab")
        await shown.until("Codes 1 to 54 of 1296")
        shown.press("pagedown", "pagedown")
        await shown.until("Codes 109 to 162 of 1296")
        shown.press("pageup")
        await shown.until("Codes 55 to 108 of 1296")
        shown.press("escape")
        await shown.until("Your guesses and their answers")


async def test_a_board_with_more_guesses_than_rows_scrolls_to_the_filled_row(opened):
    turns = KNUTH[:1] * 30
    async with opened(SolveOptions(turns=turns), 60, 20) as shown:
        await shown.until("►31")
        assert "  20 " not in shown.text()
        shown.press(*["up"] * 25)
        await shown.until("► 6")
        assert "  30 " not in shown.text()
        shown.press("escape")
        await shown.until("►31")


async def test_the_board_scrolls_to_the_guess_whose_answer_may_be_wrong(opened):
    lie = Turn(pegs("1122"), Feedback(4, 0))
    async with opened(SolveOptions(turns=(lie, *KNUTH * 5)), 60, 20) as shown:
        await shown.until("✗ 1 ")
        assert "►22" not in shown.text()
        await shown.until("↓11 ")
        shown.type("1")
        await shown.until(lambda: shown.on(SolveScreen).draft.has_pegs)
        shown.press("e")
        await shown.until("►21")


async def test_the_row_is_clicked_and_the_wheel_goes_to_another_line(opened):
    async with opened(SolveOptions(turns=KNUTH[:2])) as shown:
        await shown.until("► 3")
        row = next(number for number, line in enumerate(shown.text().split("\n")) if "► 3" in line)
        shown.click(shown.text().split("\n")[row].index("Y▌"), row)
        await shown.until(lambda: shown.on(SolveScreen).draft.entry.pegs[0] == 3)
        shown.wheel(-1)
        await shown.until("► 2")


async def test_pasted_lines_replace_all_and_a_single_line_is_added(opened):
    async with opened(SolveOptions(turns=KNUTH)) as shown:
        paste(shown, "# mastermind solve --rules 3x4\rRGB 1b1w\rRRG: 1,0\r")  # as xterm does
        await shown.until("helper · 3x4")
        paste(shown, "YYY -")
        await shown.until("► 4")
        paste(shown, "RGB 9b\nRRG 10\n")
        await shown.until("Line 1, column 5: 9 black")
        assert len(shown.on(SolveScreen).draft.turns) == 3


def paste(shown: Stage, text: str) -> None:
    shown.type(f"\x1b[200~{text}\x1b[201~")


async def test_a_bot_guesses_a_code_in_the_head_of_the_user(opened):
    async with opened(SolveOptions(find_rules("2x3"), bot="hard")) as shown:
        await shown.until("helper · 2x3 · hard guesses")
        await shown.until("black _")
        shown.type("01")
        await shown.until("► 2")
        await shown.until("black _")
        shown.type("20")
        await shown.until("found with 2 guesses")


async def test_a_wrong_answer_to_a_bot_is_found_and_corrected(opened):
    async with opened(SolveOptions(find_rules("2x2"), bot="hard")) as shown:
        await shown.until("black _")
        shown.type("00")  # then the other colour is on both pegs
        await shown.until("1 code left")
        await shown.until("► 2")
        await shown.until("black _")
        shown.type("00")
        await shown.until("No code fits  Enter")
        shown.press("tab", "enter")
        await shown.until("1 code left")


async def test_a_bot_that_does_not_exist_is_an_error_that_stays(opened):
    async with opened(SolveOptions(bot="nobody-knows")) as shown:
        await shown.until(lambda: not shown.app.busy)
        await shown.until("nobody-knows")


async def test_other_rules_are_chosen_in_a_form(opened):
    async with opened(SolveOptions(turns=KNUTH)) as shown:
        shown.press("f4")
        await shown.until("A code is hidden elsewhere.")
        shown.press("down", "right", "down", "right")
        await shown.until("You hide a code in your head.")
        await shown.until(lambda: not shown.app.busy)
        shown.press("enter")
        await shown.until("helper · thirteen · hard guesses")
        await shown.until("black _")
        assert shown.on(SolveScreen).draft.turns == ()


async def test_leaving_asks_only_if_guesses_would_be_lost(opened):
    async with opened(SolveOptions()) as shown:
        shown.type("rrgg02")
        await shown.until("► 2")
        await shown.until(lambda: not shown.app.busy)
        for key in ("c-c", "f10", "escape"):
            shown.press(key)
            await shown.until("Leave the helper?")
            shown.press("escape")
            await shown.until(lambda: not shown.app.has_overlay)
        shown.press("f6", "escape")
        await shown.wait_for_screen(HomeScreen)


async def test_the_key_that_ends_the_client_asks_for_guesses_once(opened):
    async with opened(SolveOptions()) as shown:
        shown.type("rrgg02")
        await shown.until("► 2")
        shown.press("c-c")
        await shown.until("Leave the helper?")
        shown.press("c-c")
        await shown.ended()


async def test_home_opens_the_helper_by_the_last_rules(opened):
    async with opened(SolveOptions()) as shown:
        shown.press("escape")
        await shown.wait_for_screen(HomeScreen)
        shown.press("h")
        await shown.until("helper · classic")


async def test_estimates_are_shown_for_too_many_codes_and_say_so(opened):
    async with opened(SolveOptions(find_rules("7x8"))) as shown:
        await shown.until("codes left")
        await shown.until("1,000,000 codes")
        shown.press("tab")
        await shown.until("Guess 1")


async def test_a_newer_position_replaces_the_older_one_and_escape_stops_a_long_search(
    opened, monkeypatch
):
    asked: list[asyncio.Event] = []
    cancelled: list[asyncio.Event] = []
    analyse = solver.analyse

    async def analyse_later(rules, turns, *args, **terms):
        may_answer = asyncio.Event()
        asked.append(may_answer)
        try:
            await may_answer.wait()
        except asyncio.CancelledError:
            cancelled.append(may_answer)
            raise
        return await analyse(rules, turns, *args, **terms)

    clock = ManualClock()
    async with opened(SolveOptions(turns=KNUTH), clock=clock) as shown:
        monkeypatch.setattr(solver, "analyse", analyse_later)
        shown.press("f6")
        await shown.until(lambda: len(asked) == 1)
        assert "Esc stops" not in shown.text()
        clock.skip(SLOW_SECONDS)
        await shown.until("Esc stops")
        shown.type("112210")
        await shown.until(lambda: len(asked) == 2)
        await shown.until(lambda: cancelled == asked[:1])
        clock.skip(SLOW_SECONDS)
        await shown.until("Esc stops")
        shown.press("escape")
        await shown.until("Stopped.")
        await shown.until(lambda: cancelled == asked[:2])
        shown.press("f2")
        await shown.until(lambda: len(asked) == 3)
        asked[2].set()
        await shown.until("256 codes left")
