from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from client.screen.stage import Stage, stage
from mastermind_client.config.settings import Settings
from mastermind_client.screen.pages.match import MatchScreen
from mastermind_client.screen.pages.play import PlayScreen
from mastermind_client.words.refusals import describe_refusal
from mastermind_protocol.errors import InvalidRules
from mastermind_protocol.events import Seat
from mastermind_protocol.rules import find_rules

if TYPE_CHECKING:
    from client.people import RestartableServer


def form_of(shown: Stage) -> PlayScreen:
    screen = shown.app.screen
    assert isinstance(screen, PlayScreen)
    return screen


async def play(shown: Stage) -> MatchScreen:
    shown.press("home", "enter")
    await shown.until(lambda: isinstance(shown.app.screen, MatchScreen))
    screen = shown.app.screen
    assert isinstance(screen, MatchScreen)
    return screen


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (120, 40)])
async def test_as_it_stands_what_was_played_last_is_played_again(size: tuple[int, int]) -> None:
    settings = Settings(rules="mini", opponent="easy")
    async with stage(*size, settings=settings, opening=PlayScreen) as shown:
        await shown.until("easy (forgetful)")
        match = (await play(shown)).mirror.state
        assert match.rules.name == "mini"
        assert match.maker is not None
        assert match.maker.bot == "forgetful"


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (120, 40)])
async def test_all_of_why_rules_cannot_be_is_told(size: tuple[int, int]) -> None:
    async with stage(*size, opening=PlayScreen) as shown:
        form_of(shown).form.select("rules")
        shown.press("enter")
        await shown.until("Rules: classic")
        shown.press("c-u")
        shown.type("4x13")
        shown.press("enter")
        await shown.until("names no rules")
        with pytest.raises(InvalidRules) as refused:
            find_rules("4x13")
        told = " ".join(shown.text().split())
        assert " ".join(describe_refusal(refused.value).split()) in told
        assert "Rules: 4x13" in told


async def test_every_answer_of_the_form_is_that_of_the_match() -> None:
    async with stage(opening=PlayScreen) as shown:
        await shown.until("hard (optimal)")
        shown.press("down", "left")
        await shown.until("optimal-5")
        shown.press("down", "right", "right", "down", "right", "down", "right", "right")
        await shown.until("more points win")
        screen = await play(shown)
        match = screen.mirror.state
        assert screen.place.offline
        assert (match.rules.name, match.opened.rounds) == ("mini", 3)
        assert match.seat_of(screen.place.me) is Seat.MAKER
        assert match.breaker is not None
        assert match.breaker.bot == "optimal-5"
        assert (shown.app.settings.rules, shown.app.settings.opponent) == ("mini", "optimal-5")


async def test_the_one_that_only_makes_codes_is_there_while_we_break_them() -> None:
    async with stage(settings=Settings(opponent="devious"), opening=PlayScreen) as shown:
        await shown.until("Bot           devious")
        form_of(shown).form.select("seat")
        shown.press("right")
        await shown.until("hard (optimal)")
        shown.press("right")
        await shown.until("Bot           devious")


async def test_a_game_on_the_server_may_be_public(server: RestartableServer) -> None:
    settings = Settings(server=server.address)
    async with stage(settings=settings, opening=PlayScreen) as shown:
        await shown.until("hard (optimal)")
        assert "Public" not in shown.text()
        form_of(shown).form.select("place")
        shown.press("right")
        await shown.until("hard (optimal)")
        shown.press("down", "right")
        await shown.until("in the list of matches to watch")
        screen = await play(shown)
        assert screen.place.address == server.address
        assert screen.mirror.state.opened.public


async def test_where_there_is_no_server_the_form_says_so_and_offline_is_still_there() -> None:
    async with stage(settings=Settings(server="ws://127.0.0.1:1"), opening=PlayScreen) as shown:
        form_of(shown).form.select("place")
        shown.press("right")
        form_of(shown).form.select("place")
        await shown.until("ws://127.0.0.1:1")
        form_of(shown).form.select("bot")
        shown.app.redraw()
        await shown.until("nothing listens there")
        form_of(shown).form.select("place")
        shown.press("right")
        await shown.until("here, offline")
        assert (await play(shown)).place.offline


async def test_a_size_of_ones_own_is_played() -> None:
    async with stage(60, 20, opening=PlayScreen) as shown:
        await shown.until("hard (optimal)")
        form_of(shown).form.select("rules")
        shown.press("left", "down", "right", "right")
        await shown.until("6x6/12: 6 pegs, 6 colours, 12 guesses.")
        assert (await play(shown)).mirror.state.rules.name == "6x6/12"


async def test_the_help_explains_the_rules_that_are_chosen() -> None:
    async with stage(120, 40, opening=PlayScreen) as shown:
        form_of(shown).form.select("rules")
        shown.press("right", "right", "?")
        await shown.until("mini: 4 pegs, 6 colours, 6 guesses.")
        assert "The codemaker hides a code" in shown.text()
