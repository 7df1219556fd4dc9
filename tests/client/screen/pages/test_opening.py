from functools import partial
from typing import Any

from kit.matches import pegs
from kit.screen.stage import Stage, stage
from mastermind_client.config.options import OFFLINE
from mastermind_client.config.settings import Settings
from mastermind_client.screen.pages.matches.match import MatchScreen
from mastermind_client.screen.pages.matches.waiting import WaitingScreen
from mastermind_client.screen.pages.opening import OpeningScreen
from mastermind_client.screen.screen import MenuPage
from mastermind_client.screen.toolkit.list_view import ListView
from mastermind_protocol.events import Seat
from mastermind_protocol.match import Phase

PLAY, INVITE, BOTS = (
    partial(OpeningScreen, page=page) for page in (MenuPage.PLAY, MenuPage.INVITE, MenuPage.BOTS)
)


def form_of(shown: Stage) -> ListView:
    return shown.on(OpeningScreen).view


async def start(shown: Stage) -> Any:
    """Open the match of the form, and return its screen."""
    shown.press("home", "enter")
    await shown.until(lambda: isinstance(shown.app.screen, MatchScreen | WaitingScreen))
    return shown.app.screen


# Against a bot.


async def test_the_form_starts_with_the_last_rules_and_opponent():
    settings = Settings(rules="mini", opponent="easy")
    async with stage(settings=settings, opening=PLAY) as shown:
        await shown.until("easy hides a code")
        match = (await start(shown)).mirror.state
        assert match.rules.name == "mini"
        assert match.maker is not None
        assert match.maker.bot == "forgetful"


async def test_every_answer_applies_to_a_match_with_a_bot():
    async with stage(opening=PLAY) as shown:
        await shown.until("hard needs 4.5 guesses")
        shown.press("down", "left")
        await shown.until("optimal-5")
        shown.press("down", "right", "right", "down", "right", "down", "right")
        await shown.until("3 rounds, the seats change.")
        screen = await start(shown)
        match = screen.mirror.state
        assert screen.server.address == OFFLINE
        assert (match.rules.name, match.opened.rounds) == ("mini", 3)
        assert match.seat_of(screen.server.me) is Seat.MAKER
        assert match.breaker is not None
        assert match.breaker.bot == "optimal-5"
        assert (shown.app.settings.rules, shown.app.settings.opponent) == ("classic", "optimal-5")
        shown.press(*"rgob", "enter")
        await shown.until(lambda: shown.app.settings.rules == "mini")  # with the first guess


async def test_a_match_with_a_bot_on_the_server_can_be_public(server):
    settings = Settings(server=server.address)
    async with stage(settings=settings, opening=PLAY) as shown:
        await shown.until("hard needs 4.5 guesses")
        assert "Public" not in shown.text()
        form_of(shown).select("place")
        shown.press("right")
        await shown.until("hard needs 4.5 guesses")
        shown.press("down", "right")
        await shown.until("listed for all to watch")
        screen = await start(shown)
        assert screen.server.address == server.address
        assert screen.mirror.state.opened.public


async def test_the_help_explains_the_chosen_rules():
    async with stage(120, 40, opening=PLAY) as shown:
        form_of(shown).select("rules")
        shown.press("right", "right", "?")
        await shown.until("mini: 4 pegs, 6 colours, 6 guesses.")
        shown.press("?")
        await shown.until("The other player has 6 guesses to find it.")


# With a friend.


async def test_an_invitation_starts_with_the_last_rules_and_takes_another_server(server):
    settings = Settings(server="ws://127.0.0.1:1", rules="lab")
    async with stage(settings=settings, opening=INVITE) as shown:
        shown.press("end")
        shown.type(server.address)
        await shown.until("Server: ws")
        shown.press("enter")
        await shown.until(server.address)
        screen = await start(shown)
        match = screen.mirror.state
        assert screen.server.address == server.address
        assert match.rules.name == "lab"
        assert match.seat_of(screen.server.me) is Seat.BREAKER
        assert not match.opened.public
        await shown.until(screen.mirror.code)


async def test_every_answer_applies_to_a_match_with_a_friend(server):
    settings = Settings(server=server.address)
    async with stage(settings=settings, opening=INVITE) as shown:
        shown.press("down", "right", "down", "right", "down", "right", "right")
        shown.press("down", "right", "down", "right")
        await shown.until("unaided: no advice")
        assert "5 min, and 3 s a guess" in shown.text()
        screen = await start(shown)
        match = screen.mirror.state
        assert (match.rules.name, match.opened.rounds, match.opened.rated) == ("thirteen", 4, True)
        assert match.opened.clock == "5+3"
        assert match.seat_of(screen.server.me) is Seat.MAKER


# Between two bots.


async def test_a_bot_breaks_the_typed_code():
    async with stage(opening=BOTS) as shown:
        await shown.until("●●●●")
        form_of(shown).select("secret")
        shown.type("1x34")
        shown.press("enter")
        await shown.until("Peg 2: 'x' is no symbol of knuth; allowed: ")
        shown.press("c-u")
        shown.type("1234")
        shown.press("enter")
        await shown.until("1 2 3 4")
        screen = await start(shown)
        await shown.until(lambda: screen.mirror.state.phase is Phase.FINISHED)
        assert screen.mirror.state.played[0].secret == pegs("1234")


async def test_other_rules_hide_the_typed_secret_and_an_empty_one_removes_it():
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
