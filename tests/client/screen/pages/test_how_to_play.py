import pytest

from client.screen.looks import LOOK, assert_fits
from kit.screen.slate import Slate
from kit.screen.stage import stage
from mastermind_client.config.settings import Settings
from mastermind_client.language import LANGUAGES, use_language
from mastermind_client.screen.introduction import draw_how_to_play
from mastermind_client.screen.pages.how_to_play import HowToPlayScreen
from mastermind_client.screen.pages.matches.player import PlayerScreen
from mastermind_client.screen.toolkit.lines import Extent, Line, width
from mastermind_protocol.events import Seat
from mastermind_protocol.rules import PRESETS, find_rules

RULES = [*PRESETS.values(), find_rules("5x12/12"), find_rules("9x2/1")]
SMALLEST = Extent(60, 17)


def read(lines: list[Line]) -> str:
    return "\n".join("".join(fragment[1] for fragment in line) for line in lines)


@pytest.mark.parametrize("rules", RULES, ids=str)
@pytest.mark.parametrize("extent", [SMALLEST, Extent(80, 20), Extent(120, 36), Extent(300, 98)])
def test_the_page_and_its_example_fit(rules, extent):
    lines = draw_how_to_play(rules, LOOK, extent)
    assert len(lines) <= extent.rows
    assert max(width(line) for line in lines) <= extent.columns
    assert "the code" in read(lines)
    assert "checked" in read(lines)


def test_each_peg_of_the_guess_has_its_feedback_below():
    rows = read(draw_how_to_play(find_rules("classic"), LOOK, Extent(80, 20))).splitlines()
    (guess,) = (number for number, row in enumerate(rows) if "|  a guess" in row)
    letters = [rows[guess].index("G"), rows[guess].index("B"), rows[guess].index("Y")]
    assert [rows[guess + 2][column] for column in letters] == ["X", "o", "."]


@pytest.mark.parametrize("language", LANGUAGES)
async def test_a_small_window_scrolls_to_the_end(language):
    use_language(language)
    async with stage(60, 20, opening=HowToPlayScreen) as shown:
        screen = shown.on(HowToPlayScreen)
        screen.scroll(99)
        assert read(screen.draw(Extent(60, 18))).rstrip().endswith("╯")
        assert_fits(screen.draw(Extent(60, 18)), Extent(60, 18))


async def test_the_page_uses_the_last_rules():
    async with stage(settings=Settings(rules="mini"), opening=HowToPlayScreen) as shown:
        assert "The other player has 6 guesses to find it." in shown.text()


async def test_enter_starts_a_match_with_the_easiest_bot():
    async with stage(opening=Slate) as shown:
        shown.app.open(HowToPlayScreen(shown.app))
        shown.press("enter")
        screen = await shown.wait_for_screen(PlayerScreen)
        match = screen.mirror.state
        assert match.seat_of(screen.server.me) is Seat.BREAKER
        assert match.maker is not None
        assert match.maker.bot == "forgetful"
    assert shown.app.settings.opponent == "easy"  # the next form offers it again


async def test_the_page_keeps_its_lines_while_the_name_is_asked():
    async with stage(introduction="all", opening=HowToPlayScreen) as shown:
        before = shown.text().splitlines()
        shown.press("enter")
        await shown.until("Your name")
        assert shown.text().splitlines()[:-3] == before[:-3]
