from functools import partial
from typing import Any

import pytest

from kit.matches import pegs
from kit.screen.stage import Stage, stage
from mastermind_client.config.options import OFFLINE
from mastermind_client.config.settings import Settings
from mastermind_client.screen.kit.forms import Form
from mastermind_client.screen.pages.match import MatchScreen
from mastermind_client.screen.pages.opening import OpeningScreen
from mastermind_client.screen.pages.waiting import WaitingScreen
from mastermind_client.screen.screen import MenuPage
from mastermind_client.words.refusals import describe_refusal
from mastermind_protocol.errors import InvalidRules
from mastermind_protocol.events import Seat
from mastermind_protocol.match import Phase
from mastermind_protocol.rules import find_rules

PLAY, INVITE, BOTS = (
    partial(OpeningScreen, page=page) for page in (MenuPage.PLAY, MenuPage.INVITE, MenuPage.BOTS)
)
SIZES = [(60, 20), (80, 24), (120, 40)]


def form_of(shown: Stage) -> Form:
    return shown.on(OpeningScreen).form


async def start(shown: Stage) -> Any:
    """Open the match of the form, and return its screen."""
    shown.press("home", "enter")
    await shown.until(lambda: isinstance(shown.app.screen, MatchScreen | WaitingScreen))
    return shown.app.screen


# Against a bot.


async def test_as_it_stands_what_was_played_last_is_played_again():
    settings = Settings(rules="mini", opponent="easy")
    async with stage(settings=settings, opening=PLAY) as shown:
        await shown.until("easy hides a code")
        match = (await start(shown)).mirror.state
        assert match.rules.name == "mini"
        assert match.maker is not None
        assert match.maker.bot == "forgetful"


@pytest.mark.parametrize("size", SIZES)
async def test_all_of_why_rules_cannot_be_is_told(size):
    async with stage(*size, opening=PLAY) as shown:
        form_of(shown).select("rules")
        shown.press("f2")
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


async def test_every_answer_is_that_of_a_game_against_a_bot():
    async with stage(opening=PLAY) as shown:
        await shown.until("●●●●")
        shown.press("down", "left")
        await shown.until("optimal-5")
        shown.press("down", "right", "right", "down", "right", "down", "right", "right")
        await shown.until("3 rounds, the seats change.")
        screen = await start(shown)
        match = screen.mirror.state
        assert screen.place.address == OFFLINE
        assert (match.rules.name, match.opened.rounds) == ("mini", 3)
        assert match.seat_of(screen.place.me) is Seat.MAKER
        assert match.breaker is not None
        assert match.breaker.bot == "optimal-5"
        assert (shown.app.settings.rules, shown.app.settings.opponent) == ("mini", "optimal-5")


async def test_the_one_that_only_makes_codes_is_there_while_we_break_them():
    async with stage(settings=Settings(opponent="devious"), opening=PLAY) as shown:
        await shown.until("Opponent      devious")
        form_of(shown).select("seat")
        shown.press("right")
        await shown.until("●●●●")
        shown.press("right")
        await shown.until("Opponent      devious")


async def test_a_game_on_the_server_may_be_public(server):
    settings = Settings(server=server.address)
    async with stage(settings=settings, opening=PLAY) as shown:
        await shown.until("●●●●")
        assert "Public" not in shown.text()
        form_of(shown).select("place")
        shown.press("right")
        await shown.until("●●●●")
        shown.press("down", "right")
        await shown.until("listed for all to watch")
        screen = await start(shown)
        assert screen.place.address == server.address
        assert screen.mirror.state.opened.public


async def test_where_there_is_no_server_the_form_says_so_and_offline_is_still_there():
    async with stage(settings=Settings(server="ws://127.0.0.1:1"), opening=PLAY) as shown:
        form_of(shown).select("place")
        shown.press("right")
        form_of(shown).select("place")
        await shown.until("ws://127.0.0.1:1")
        form_of(shown).select("bot")
        shown.app.redraw()
        await shown.until("nothing listens there")
        form_of(shown).select("place")
        shown.press("right")
        await shown.until("offline, for review")
        assert (await start(shown)).place.address == OFFLINE


async def test_a_size_of_ones_own_is_played():
    async with stage(60, 20, opening=PLAY) as shown:
        await shown.until("●●●●")
        form_of(shown).select("rules")
        shown.press("left", "down", "right", "right")
        await shown.until("6 pegs, 6 colours, 12 guesses")
        assert (await start(shown)).mirror.state.rules.name == "6x6/12"


async def test_the_help_explains_the_rules_that_are_chosen():
    async with stage(120, 40, opening=PLAY) as shown:
        form_of(shown).select("rules")
        shown.press("right", "right", "?")
        await shown.until("The other has 6 guesses to find it.")
        shown.press("?")
        await shown.until("mini: 4 pegs, 6 colours, 6 guesses.")


# With a friend.


async def test_a_friend_is_invited_to_what_was_played_last(server):
    settings = Settings(server=server.address, rules="lab")
    async with stage(settings=settings, opening=INVITE) as shown:
        assert "Server" in shown.text()
        screen = await start(shown)
        match = screen.mirror.state
        assert match.rules.name == "lab"
        assert match.seat_of(screen.place.me) is Seat.BREAKER
        assert not match.opened.public
        await shown.until(screen.mirror.code)


async def test_every_answer_is_that_of_a_game_with_a_friend(server):
    settings = Settings(server=server.address)
    async with stage(settings=settings, opening=INVITE) as shown:
        shown.press("down", "right", "down", "right", "down", "right", "down", "right")
        await shown.until("unaided: no advice")
        screen = await start(shown)
        match = screen.mirror.state
        assert (match.rules.name, match.opened.rounds, match.opened.rated) == ("thirteen", 2, True)
        assert match.seat_of(screen.place.me) is Seat.MAKER


async def test_the_server_can_be_another_one(server):
    settings = Settings(server="ws://127.0.0.1:1")
    async with stage(settings=settings, opening=INVITE) as shown:
        shown.press("end")
        shown.type(server.address)
        await shown.until("Server: ws")
        shown.press("enter")
        await shown.until(server.address)
        assert (await start(shown)).place.address == server.address


# Between two bots.


async def test_a_bot_breaks_the_code_that_is_typed():
    async with stage(opening=BOTS) as shown:
        await shown.until("●●●●")
        form_of(shown).select("secret")
        shown.type("1x34")
        shown.press("enter")
        await shown.until("Peg 2: 'x' is no colour of knuth; allowed: ")
        shown.press("c-u")
        shown.type("1234")
        shown.press("enter")
        await shown.until("1 2 3 4")
        screen = await start(shown)
        await shown.until(lambda: screen.mirror.state.phase is Phase.FINISHED)
        assert screen.mirror.state.played[0].secret == pegs("1234")


async def test_a_secret_of_other_rules_is_forgotten_and_can_be_taken_back():
    async with stage(opening=BOTS) as shown:
        form = form_of(shown)
        form.select("secret")
        shown.type("1234")
        shown.press("enter")
        await shown.until("1 2 3 4")
        form.select("rules")
        shown.press("right")
        await shown.until("drawn by chance.")
        shown.press("left")
        await shown.until("1 2 3 4")
        form.select("secret")
        shown.press("f2", "c-u", "enter")
        await shown.until("drawn by chance.")
