"""The page of one's other computers, at a real server; each computer has a folder of its own."""

import re
from contextlib import AbstractAsyncContextManager

import pytest

from kit.clock import ManualClock
from kit.players import identities
from kit.screen.stage import Stage, stage
from mastermind_client.cli.process import make_context
from mastermind_client.config.settings import Settings
from mastermind_client.network import account
from mastermind_client.network.account import (
    log_out_elsewhere,
    offer_transfer,
    take_transfer,
)
from mastermind_client.network.session import Session
from mastermind_client.screen.pages.settings import ComputersScreen, SettingsScreen
from mastermind_client.screen.toolkit.overlays import Card
from mastermind_protocol.errors import Refused


@pytest.fixture
def at(data_folder, monkeypatch):
    """Go to a computer, by its name."""
    return lambda computer: monkeypatch.setenv("XDG_DATA_HOME", str(data_folder / computer))


@pytest.fixture
async def address(server, at):
    """The server's address, where Ada has played; she is at home."""
    at("home")
    with identities().claim(server.address) as identity:
        async with Session.connect(server.address, identity, "Ada"):
            return server.address


def open_page(address: str, clock: ManualClock | None = None) -> AbstractAsyncContextManager[Stage]:
    return stage(settings=Settings(server=address), opening=ComputersScreen, clock=clock)


def choose(shown: Stage, name: str) -> None:
    screen = shown.on(ComputersScreen)
    screen.view.select(name)
    shown.press("enter")


async def read_code(shown: Stage) -> str:
    await shown.until("To play as Ada elsewhere, type there within 5 minutes:")
    found = re.search(r"mastermind transfer (\w{8})", shown.text())
    assert found is not None
    return found[1]


async def test_the_settings_lead_to_the_page():
    async with stage(opening=SettingsScreen) as shown:
        shown.press("end", "enter")
        await shown.wait_for_screen(ComputersScreen)


async def test_a_shown_code_works_on_another_computer_and_disappears_when_it_expires(address, at):
    clock = ManualClock()
    async with open_page(address, clock) as shown:
        choose(shown, "offer")
        code = await read_code(shown)
        at("work")
        assert (await take_transfer(make_context(), address, code)).name == "Ada"
        clock.skip(300)
        await shown.until(lambda: "mastermind transfer" not in shown.text())


async def test_the_code_of_another_computer_makes_this_one_the_same_player(address, at):
    player, offered = await offer_transfer(make_context(), address)
    at("work")
    async with open_page(address) as shown:
        assert (await shown.app.connect(address)).me != player.id
        choose(shown, "take")
        shown.type("ABC")
        shown.press("enter")
        await shown.until("is no transfer code")
        shown.press("c-u")
        shown.type(offered.code.lower())
        shown.press("enter")
        await shown.until("You are now Ada on ws://")
        assert (await shown.app.connect(address)).me == player.id


async def test_logging_out_other_computers_asks_first(address, at):
    _, offered = await offer_transfer(make_context(), address)
    at("work")
    await take_transfer(make_context(), address, offered.code)
    at("home")
    async with open_page(address) as shown:
        choose(shown, "elsewhere")
        await shown.until("Log out elsewhere?")
        shown.press("down", "enter")
        await shown.until("Your other computers are logged out")
    assert (await offer_transfer(make_context(), address))[0].name == "Ada"
    at("work")
    (identity,) = identities().list_registered(address)
    with pytest.raises(Refused):
        async with Session.connect(address, identity):
            pass


async def test_home_stays_online_when_it_connects_during_a_logout_of_others(address, monkeypatch):
    async def log_out(context, server):
        await home.keep_open(server, "Ada")
        await log_out_elsewhere(context, server)
        await shown.until(lambda: shown.app.open_servers == [])

    monkeypatch.setattr(account, "log_out_elsewhere", log_out)
    async with open_page(address) as shown:
        home = shown.app.servers.home
        choose(shown, "elsewhere")
        await shown.until("Log out elsewhere?")
        shown.press("down", "enter")
        await shown.until("Your other computers are logged out")
        await home.keep_open(address, "Ada")
        assert shown.app.open_servers == [home.server]
        assert "You are not connected" not in shown.text()


async def test_logging_out_this_computer_asks_first(address):
    async with open_page(address) as shown:
        choose(shown, "here")
        await shown.until("lose this player for good")
        shown.press("escape")
        await shown.until(lambda: shown.app.find_overlay(Card) is None)
        assert identities().list_registered(address)
        choose(shown, "here")
        await shown.until("Log out here?")
        shown.press("down", "enter")
        await shown.until("This computer is logged out of")
        assert identities().list_registered(address) == []
        choose(shown, "offer")
        await shown.until("This computer has no player on")
