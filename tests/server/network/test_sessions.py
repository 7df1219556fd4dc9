"""Tokens are revoked, and issued to another computer by a code; revoked clients are closed."""

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.frames import CloseCode

from kit.client import PATIENCE, RawClient
from kit.server import GameServer
from kit.store import WatchedStore
from mastermind_protocol.errors import ErrorCode, Reason
from mastermind_protocol.events import MATCH_CODE_ALPHABET
from mastermind_protocol.messages import Error
from mastermind_protocol.requests import TRANSFER_CODE_LENGTH, Hello
from mastermind_server.limits import Limits, Rate
from mastermind_server.matches.nodes.subscription import TOKEN_POLL_SECONDS
from mastermind_server.storage.engines.database import Database
from mastermind_server.storage.statements.accounts import find_player, find_tokens
from mastermind_server.storage.threads import StorageFailed
from server.matches.nodes.stores import Deaf


async def assert_logged_out(wire: RawClient) -> None:
    """Wait until a connection is logged out and closed."""
    told = await wire.until(Error)
    assert (told.id, told.code) == (None, ErrorCode.LOGGED_OUT)
    with pytest.raises(ConnectionClosed) as closed:
        await wire.next()
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == CloseCode.POLICY_VIOLATION
    assert closed.value.rcvd.reason == "logged out"


async def add_computer(
    hall: GameServer, wire: RawClient, at: GameServer | None = None
) -> RawClient:
    """Return a connection of the same player from another computer, with a token of its own."""
    code = (await wire.transfer()).code
    other = await (at or hall).connect(wire.ids)
    await other.hello(transfer=code)
    return other


async def is_token_valid(hall: GameServer, token: str | None) -> bool:
    wire = await hall.connect()
    answer = await wire.ask(wire.new(Hello, token=token))
    await wire.close()
    return getattr(answer, "code", None) != ErrorCode.UNKNOWN_TOKEN


async def test_a_logout_voids_the_token_and_closes_its_connections(hall, ada):
    again = await hall.connect_again(ada)
    await ada.log_out()
    for wire in (ada, again):
        await assert_logged_out(wire)
    assert not await is_token_valid(hall, ada.token)


async def test_a_player_logged_out_on_one_computer_plays_on_at_another(hall, ada, bob, match):
    elsewhere = await add_computer(hall, ada)
    await ada.log_out()
    await assert_logged_out(ada)
    await elsewhere.join(match)
    await elsewhere.set(match, "1234")
    assert (await bob.guess(match, "1234")).v == 4


async def test_a_logout_of_the_others_spares_the_own_connection_and_other_players(hall, ada, bob):
    again, elsewhere = await hall.connect_again(ada), await add_computer(hall, ada)
    code = (await ada.transfer()).code
    await elsewhere.log_out(others=True)
    for wire in (ada, again):
        await assert_logged_out(wire)
    assert not await is_token_valid(hall, ada.token)
    stranger = await hall.connect()
    assert (await stranger.refused(Hello, transfer=code)).code == ErrorCode.UNKNOWN_TRANSFER
    assert await is_token_valid(hall, elsewhere.token)
    await elsewhere.open()
    await bob.open()


async def test_a_transfer_code_gives_another_computer_its_own_token_for_the_player(hall, ada):
    given = await ada.transfer()
    assert len(given.code) == TRANSFER_CODE_LENGTH
    assert set(given.code) <= set(MATCH_CODE_ALPHABET)
    assert given.seconds == 300
    other = await hall.connect()
    welcome = await other.hello(transfer=given.code)
    assert welcome.player == ada.player
    assert welcome.token not in (None, ada.token)
    assert await is_token_valid(hall, ada.token)
    assert await is_token_valid(hall, welcome.token)


@pytest.mark.parametrize("why", ["wrong", "used", "replaced"])
async def test_an_invalid_transfer_code_is_refused(hall, ada, why):
    code = (await ada.transfer()).code
    match why:
        case "wrong":
            code = code[:-1] + ("A" if code[-1] != "A" else "B")
        case "used":
            await (await hall.connect()).hello(transfer=code)
        case "replaced":
            await ada.transfer()
    wire = await hall.connect()
    refusal = await wire.refused(Hello, transfer=code)
    assert (refusal.code, refusal.field) == (ErrorCode.UNKNOWN_TRANSFER, "transfer")
    assert code not in repr(refusal)
    await wire.hello("Eve")


async def test_a_hello_with_both_token_and_transfer_code_is_refused(hall, ada):
    code = (await ada.transfer()).code
    refusal = await (await hall.connect()).refused(Hello, transfer=code, token=ada.token)
    assert (refusal.code, refusal.field) == (ErrorCode.INVALID_MESSAGE, "transfer")


@pytest.mark.promise("transfer-codes")
async def test_wrong_transfer_codes_at_the_same_time_are_limited(idle_hall):
    limits = Limits(wrong_transfers=Rate(burst=3, per_second=0.5))
    await idle_hall.start(limits=limits)
    guessers = [await idle_hall.connect() for _ in range(5)]
    guesses = (each.refused(Hello, transfer=f"2222222{n}") for n, each in enumerate(guessers, 2))
    told = Counter(refusal.code for refusal in await asyncio.gather(*guesses))
    assert told == {ErrorCode.UNKNOWN_TRANSFER: 3, ErrorCode.RATE_LIMITED: 2}


class SlowStore(WatchedStore):
    """A store that returns a player when the test allows it."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self.go_on = asyncio.Event()
        self.go_on.set()
        self.found = asyncio.Event()

    async def after(self, statement: Callable[..., object], _: Any) -> None:
        if statement is find_player:
            self.found.set()
            await self.go_on.wait()


async def test_a_hello_during_the_revocation_of_its_token_is_closed(idle_hall):
    await idle_hall.start(store=SlowStore)
    store = idle_hall.store
    assert isinstance(store, SlowStore)
    ada = await idle_hall.meet("Ada")
    late = await idle_hall.connect()
    store.go_on.clear()
    hello = asyncio.create_task(late.ask(late.new(Hello, token=ada.token)))
    async with asyncio.timeout(PATIENCE):
        await store.found.wait()
    await ada.log_out()
    await assert_logged_out(ada)
    store.go_on.set()
    with pytest.raises(ConnectionClosed):
        await hello


@pytest.mark.promise("logout")
async def test_transfer_codes_and_logouts_work_across_nodes(start_node):
    here, there = await start_node(), await start_node()
    ada = await here.meet("Ada")
    again, elsewhere = await there.connect_again(ada), await add_computer(here, ada, there)
    await elsewhere.log_out(others=True)
    for wire in (ada, again):
        await assert_logged_out(wire)
    await elsewhere.open()


async def test_a_node_without_notifications_finds_void_tokens_by_polling(start_node):
    here, there = await start_node(), await start_node(store=Deaf)
    ada = await here.meet("Ada")
    again = await there.connect_again(ada)
    await ada.log_out()
    await assert_logged_out(ada)
    there.clock.skip(TOKEN_POLL_SECONDS)
    await assert_logged_out(again)


class FailingStore(WatchedStore):
    """A store that cannot read tokens."""

    async def before(self, statement: Callable[..., object], _: tuple[Any, ...]) -> None:
        if statement is find_tokens:
            raise StorageFailed(Reason.NOT_READ, retry_after=1.0)


@pytest.mark.promise("logout-without-store")
async def test_all_connections_of_a_player_are_closed_when_tokens_cannot_be_read(
    idle_hall,
):
    await idle_hall.start(store=FailingStore)
    ada, bob = await idle_hall.meet("Ada"), await idle_hall.meet("Bob")
    again, elsewhere = (
        await idle_hall.connect_again(ada),
        await add_computer(idle_hall, ada),
    )
    await ada.log_out()
    for wire in (ada, again, elsewhere):
        code, _ = await wire.closed()
        assert code == CloseCode.INTERNAL_ERROR
    assert not await is_token_valid(idle_hall, ada.token)
    await idle_hall.connect_again(elsewhere)
    await bob.open()
