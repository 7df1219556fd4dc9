import pytest

from kit.screen.stage import stage
from mastermind_client.config.options import OFFLINE
from mastermind_client.screen.forms.bot_choice import BotChoice
from mastermind_protocol.messages import KnownBot
from mastermind_protocol.rules import DEFAULT, find_rules

LARGE = find_rules("8x10/20")
BOTS = (
    KnownBot(name="forgetful", about="forgets", largest=10**9, aliases=("easy",)),
    KnownBot(name="knuth", about="wrote a paper", largest=5000),
    KnownBot(
        name="optimal", about="knows it all", largest=5000, aliases=("hard",), hides="in corners"
    ),
    KnownBot(name="devious", about="dodges", largest=0),
)


@pytest.fixture
async def shown():
    async with stage() as running:
        yield running


@pytest.fixture
def choice(shown):
    choice = BotChoice(shown.app, "hard")
    choice.bots = BOTS
    return choice


@pytest.mark.parametrize(
    ("rules", "bot_breaks", "fitting"),
    [
        (DEFAULT, False, ["forgetful", "knuth", "optimal", "devious"]),
        (DEFAULT, True, ["forgetful", "knuth", "optimal"]),
        (LARGE, True, ["forgetful"]),
        (LARGE, False, ["forgetful", "knuth", "optimal", "devious"]),
    ],
)
async def test_only_bots_that_can_play_the_rules_are_listed(choice, rules, bot_breaks, fitting):
    found = choice.list_fitting_bots(rules, bot_breaks=bot_breaks)
    assert [bot.name for bot in found] == fitting


async def test_the_strongest_bot_replaces_one_that_cannot_play(choice):
    choice.wanted_name = "devious"
    assert choice.find_name(DEFAULT, bot_breaks=False) == "devious"
    assert choice.find_name(DEFAULT, bot_breaks=True) == "hard"
    assert choice.find_name(LARGE, bot_breaks=True) == "easy"
    assert choice.wanted_name == "devious"


async def test_a_bot_is_chosen_by_name_or_alias(choice):
    for wanted, found in (("optimal", "hard"), ("easy", "easy"), ("knuth", "knuth")):
        choice.wanted_name = wanted
        assert choice.find_name(DEFAULT, bot_breaks=True) == found


async def test_each_bot_has_a_description(choice):
    item = choice.make_item(DEFAULT, bot_breaks=True)
    assert item.value == "hard"
    assert describe(choice).startswith("knows it all ")
    assert item.change is not None
    item.change(-1)
    item = choice.make_item(DEFAULT, bot_breaks=True)
    assert item.value == "knuth"
    assert describe(choice) == "wrote a paper In classic it needs 4.5 guesses on average."


async def test_the_item_says_that_no_bot_can_play(choice):
    choice.bots = BOTS[1:]
    assert (
        choice.make_item(LARGE, bot_breaks=True).about == "No bot here breaks codes of that size."
    )


async def test_the_wanted_bot_can_be_played_before_the_list_arrives(shown):
    choice = BotChoice(shown.app, "hard")
    choice.load(OFFLINE)
    item = choice.make_item(DEFAULT, bot_breaks=True)
    assert (item.value, item.change) == ("hard", None)
    assert choice.find_name(DEFAULT, bot_breaks=True) == "hard"
    await shown.until(lambda: bool(choice.bots))
    assert choice.make_item(DEFAULT, bot_breaks=True).value == "hard"


async def test_an_unreachable_server_is_named(shown):
    choice = BotChoice(shown.app, "hard")
    choice.load("ws://127.0.0.1:1")
    await shown.until(lambda: choice.error is not None)
    assert "nothing listens there" in choice.make_item(DEFAULT, bot_breaks=True).about
    choice.load(OFFLINE)
    assert choice.error is None
    await shown.until(lambda: bool(choice.bots))


async def test_dots_show_the_strength_of_a_bot(choice):
    dots = []
    for bot in choice.list_fitting_bots(DEFAULT, bot_breaks=True):
        choice.wanted_name = bot.name
        dots.append(choice.make_item(DEFAULT, bot_breaks=True).about)
    assert dots == sorted(dots)
    assert set(dots) <= {"●" * number for number in range(1, 5)}
    assert dots == ["●", "●●●", "●●●●"]
    choice.bots = tuple(
        KnownBot(name=f"bot {number}", about="", largest=5000) for number in range(8)
    )
    choice.wanted_name = "bot 1"
    assert choice.make_item(DEFAULT, bot_breaks=True).about == "●●"  # only the weakest has one


async def test_a_bot_is_described_in_both_seats_by_its_measured_guesses(choice):
    measured = "In classic it needs 4.3 guesses on average, and costs hard 4.5."
    assert choice.make_item(DEFAULT, bot_breaks=False).about == "hard needs 4.5 guesses"
    assert describe(choice, bot_breaks=False) == f"in corners {measured} knows it all"
    assert describe(choice).startswith(f"knows it all {measured} in corners")
    choice.wanted_name = "devious"
    assert choice.make_item(DEFAULT, bot_breaks=False).about == "no fixed code"
    assert describe(choice, bot_breaks=False) == "dodges"


def describe(choice: BotChoice, *, bot_breaks: bool = True) -> str:
    """Return the description of the selected bot."""
    bot = choice.choose_fitting_bot(DEFAULT, bot_breaks=bot_breaks)
    assert bot is not None
    return choice.describe(bot, DEFAULT, bot_breaks=bot_breaks)
