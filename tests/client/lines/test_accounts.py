"""`mastermind transfer` and `mastermind logout`, on two computers of one person."""

import re

import pytest

from kit.people import unreachable
from kit.players import identities
from mastermind_client.cli.process import make_context
from mastermind_client.config.options import LogoutOptions, TransferOptions
from mastermind_client.lines.accounts import log_out, transfer
from mastermind_client.messages.failures import describe_failure
from mastermind_client.net.session import Session
from mastermind_client.net.updates import Moved
from mastermind_protocol.errors import Refused

NOWHERE = "ws://127.0.0.1:9"


@pytest.fixture
def at(data_folder, monkeypatch):
    """Switch to a computer by name."""
    return lambda computer: monkeypatch.setenv("XDG_DATA_HOME", str(data_folder / computer))


@pytest.fixture
def address(server, at):
    """The server's address; the computer at home is active."""
    at("home")
    return server.address


async def play(address: str, name: str | None = "Ada") -> tuple[str, str]:
    """Return our id and name on a server."""
    with identities().claim(address) as identity:
        async with Session.connect(address, identity, name) as session:
            return session.player.id, session.player.name


async def open_match(address: str) -> str:
    with identities().claim(address) as identity:
        async with Session.connect(address, identity, "Ada") as session:
            return (await session.open("mini", maker="me", breaker="open")).code


async def show_code(address: str, capsys: pytest.CaptureFixture[str]) -> str:
    await transfer(make_context(), TransferOptions(address))
    told, line = capsys.readouterr().out.splitlines()
    assert told == "To play as Ada elsewhere, type there within 5 minutes:"
    found = re.fullmatch(rf"  mastermind transfer (\w{{8}}) --server {re.escape(address)}", line)
    assert found is not None
    return found[1]


async def test_a_transfer_keeps_the_unfinished_matches_of_the_earlier_player(address, at, capsys):
    await play(address)
    code = await show_code(address, capsys)
    at("work")
    theirs = await open_match(address)
    await transfer(make_context(), TransferOptions(address, code))
    settled = identities().list_settled(address)
    assert [identity.has_seat(theirs) for identity in settled] == [True, False]


async def test_a_transfer_code_is_shown_while_another_client_plays(address, capsys):
    await play(address)
    with identities().claim(address) as identity:
        async with Session.connect(address, identity, "Ada"):
            await show_code(address, capsys)


async def test_a_logout_everywhere_leaves_this_computer_with_a_new_token(address, at, capsys):
    ada = await play(address)
    code = await show_code(address, capsys)
    at("work")
    await transfer(make_context(), TransferOptions(address, code))
    at("home")
    (before,) = (identity.tokens for identity in identities().list_settled(address))
    capsys.readouterr()
    await log_out(make_context(), LogoutOptions(address, everywhere=True))
    told = capsys.readouterr().out
    assert told == f"Your other computers are logged out of {address}.\n"
    (after,) = (identity.tokens for identity in identities().list_settled(address))
    assert len(after) == 1
    assert after != before
    assert await play(address) == ada
    at("work")
    assert (await play(address))[0] != ada[0]


async def test_a_logged_out_client_is_notified_and_forgets_the_token(address, ada):
    async with Session.connect(address, ada.identity) as session:
        await session.log_out()
    with pytest.raises(Refused) as refused:
        await ada.wait_for_update(Moved)
    assert describe_failure(refused.value) == "You have been logged out here."
    assert ada.identity.tokens == ()


async def test_a_logout_from_an_absent_server_keeps_the_token():
    with identities().claim(NOWHERE) as identity:
        identity.keep("x" * 43)
    for everywhere in (False, True):
        with unreachable("cannot reach"):
            await log_out(make_context(), LogoutOptions(NOWHERE, everywhere=everywhere))
    (kept,) = identities().list_settled(NOWHERE)
    assert kept.tokens == ("x" * 43,)
