from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from client.screen.stage import stage
from mastermind_client.config.options import OFFLINE
from mastermind_client.screen.bot_choice import Roster
from mastermind_protocol.messages import KnownBot
from mastermind_protocol.rules import DEFAULT, Rules, find_rules

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from client.screen.stage import Stage

LARGE = find_rules("8x10/20")
BOTS = (
    KnownBot(name="forgetful", about="forgets", largest=10**9, aliases=("easy",)),
    KnownBot(name="knuth", about="wrote a paper", largest=5000),
    KnownBot(name="optimal", about="knows it all", largest=5000, aliases=("hard",)),
    KnownBot(name="devious", about="dodges", largest=0),
)


@pytest.fixture
async def shown() -> AsyncIterator[Stage]:
    async with stage() as running:
        yield running


@pytest.fixture
def roster(shown: Stage) -> Roster:
    roster = Roster(shown.app, "hard")
    roster.bots = BOTS
    return roster


@pytest.mark.parametrize(
    ("rules", "breaks", "fitting"),
    [
        (DEFAULT, False, ["forgetful", "knuth", "optimal", "devious"]),
        (DEFAULT, True, ["forgetful", "knuth", "optimal"]),
        (LARGE, True, ["forgetful"]),
        (LARGE, False, ["forgetful", "knuth", "optimal", "devious"]),
    ],
)
async def test_a_bot_that_breaks_codes_must_be_able_to_break_these(
    roster: Roster, rules: Rules, breaks: bool, fitting: list[str]
) -> None:
    found = roster.list_fitting(rules, breaks=breaks)
    assert [bot.name for bot in found] == fitting


async def test_where_the_bot_that_is_wanted_cannot_play_the_strongest_does(roster: Roster) -> None:
    roster.wanted = "devious"
    assert roster.find(DEFAULT, breaks=False) == "devious"
    assert roster.find(DEFAULT, breaks=True) == "hard"
    assert roster.find(LARGE, breaks=True) == "easy"
    assert roster.wanted == "devious"


async def test_a_bot_is_wanted_by_its_name_or_by_how_well_it_plays(roster: Roster) -> None:
    for wanted, found in (("optimal", "hard"), ("easy", "easy"), ("knuth", "knuth")):
        roster.wanted = wanted
        assert roster.find(DEFAULT, breaks=True) == found


async def test_each_bot_says_how_it_plays(roster: Roster) -> None:
    item = roster.ask_bot(DEFAULT, breaks=True)
    assert (item.value, item.about) == ("hard (optimal)", "knows it all")
    assert item.change is not None
    item.change(-1)
    item = roster.ask_bot(DEFAULT, breaks=True)
    assert (item.value, item.about) == ("knuth", "wrote a paper")


async def test_what_a_server_says_of_its_bots_moves_no_cursor(roster: Roster) -> None:
    roster.bots = (KnownBot(name="a\x1b[2J", about="b\x07", largest=10**9),)
    item = roster.ask_bot(DEFAULT, breaks=True)
    assert (item.value, item.about) == ("a?[2J", "b?")


async def test_where_no_bot_can_play_it_says_so(roster: Roster) -> None:
    roster.bots = BOTS[1:]
    assert roster.ask_bot(LARGE, breaks=True).about == "No bot here breaks codes of that size."


async def test_until_the_bots_are_known_the_one_that_is_wanted_can_be_played(shown: Stage) -> None:
    roster = Roster(shown.app, "hard")
    roster.ask(OFFLINE)
    item = roster.ask_bot(DEFAULT, breaks=True)
    assert (item.value, item.change) == ("hard", None)
    assert roster.find(DEFAULT, breaks=True) == "hard"
    await shown.until(lambda: bool(roster.bots))
    assert roster.ask_bot(DEFAULT, breaks=True).value == "hard (optimal)"


async def test_a_server_that_is_not_there_is_named(shown: Stage) -> None:
    roster = Roster(shown.app, "hard")
    roster.ask("ws://127.0.0.1:1")
    await shown.until(lambda: roster.error is not None)
    assert "nothing listens there" in roster.ask_bot(DEFAULT, breaks=True).about
    roster.ask(OFFLINE)
    assert roster.error is None
    await shown.until(lambda: bool(roster.bots))
