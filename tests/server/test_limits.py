"""Each limit holds at its number and is counted, and other clients are still served.

Each field of `Limits` has a row here; a field without a row fails.
"""

import asyncio
import contextlib
import itertools
import logging
import os
import re
from collections.abc import Awaitable, Callable, Iterator
from enum import Enum
from typing import Any, NamedTuple

import pytest
from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.frames import CloseCode

from kit.client import PATIENCE, PeerStub, RawClient
from kit.clock import ManualClock, is_debt
from kit.frames import HANDSHAKE, SlowReader, feed, request
from kit.pages import WEB, WEB_PROXIED, PageSocket, make_request
from kit.server import PROXIED, GameServer
from mastermind_protocol.codec import encode
from mastermind_protocol.errors import ErrorCode, Reason, Refused
from mastermind_protocol.events import Player
from mastermind_protocol.messages import AnyMessage, Chat, Done, Error, Log, Transferable
from mastermind_protocol.requests import (
    Advise,
    Challenge,
    Follow,
    Hello,
    ListMatches,
    ListOwn,
    Open,
    Ping,
    Request,
    Review,
    Say,
    Transfer,
)
from mastermind_server import cli
from mastermind_server.bots import worker_functions
from mastermind_server.limits import (
    DEFAULT_LIMITS,
    FORMER_NAMES,
    LIMIT_NAMES,
    UNCOUNTED_LIMITS,
    Limiter,
    Limits,
    Rate,
    read_limits,
)
from mastermind_server.matches import bot_driver
from mastermind_server.matches.analysis import AnalysisQueue
from mastermind_server.monitoring.logs import LogWriter
from mastermind_server.network.handlers import PEER_LIMITS
from mastermind_server.network.rate_limits import RequestCostLimits
from mastermind_server.network.routes import LIST_COST, ROUTES
from mastermind_server.network.sockets.access import DEFAULT_ACCESS, Access
from mastermind_server.network.sockets.scheduler import PAGES_INTERVAL

RATE = Rate(burst=2, per_second=0.5)
HOME, ELSEWHERE, FAR = "203.0.113.1", "198.51.100.1", "192.0.2.1"
SITE = [f"2001:db8:1:{network}::1" for network in range(3)]
OTHER_SITE = "2001:db8:2::1"


class Scene:
    """A server behind a proxy, with clients at any address.

    `clock` is the clock of its connections, `hall.clock` that of its requests.
    """

    def __init__(self, hall: GameServer) -> None:
        self.hall, self.clock = hall, ManualClock()
        self.numbers = itertools.count(222222)
        self.match = ""  # that another player has opened
        self._rival: RawClient | None = None
        self.others: list[RawClient] = []  # more connections of the client that meets a limit

    async def start(self, **limits: Any) -> Limiter:
        return await self.start_with(PROXIED, **limits)

    async def start_with(self, access: Access, /, **limits: Any) -> Limiter:
        await self.hall.start(limits=Limits(**limits), access=access, connection_clock=self.clock)
        return self.hall.services.limiter

    async def connect(self, address: str, ids: Iterator[int] | None = None) -> RawClient:
        return await self.hall.connect(ids, additional_headers={"X-Forwarded-For": address})

    async def meet(self, address: str, again: RawClient | None = None) -> RawClient:
        """Return the connection of a new player, or another one of a player."""
        wire = await self.connect(address, again.ids if again else None)
        await wire.hello(token=again.token if again else None)
        return wire

    async def find_rival(self) -> RawClient:
        """Return a player at another address, the same each time."""
        if self._rival is None:
            self._rival = await self.meet("192.0.2.251")
        return self._rival

    async def offer(self) -> RawClient:
        """Open a match by a new player at another address; return that player."""
        host = await self.meet(f"192.0.2.{next(self.numbers) % 250}")
        self.match = (await host.open(rules="mini")).match
        return host


@pytest.fixture
async def scene(idle_hall, monkeypatch):
    monkeypatch.setattr(bot_driver, "BOTS_ONLY_AT_ONCE", 0)  # two bots do not end their match
    monkeypatch.setattr(worker_functions, "run_timed", lambda work: (work(), 0.1))  # of a core
    scene = Scene(idle_hall)
    yield scene
    scene.clock.run_all_timers()


def make_limiter(**limits: Any) -> Limiter:
    return Limiter(Limits(**limits))


ROWS: dict[str, Callable[[Scene, str], Awaitable[Limiter]]] = {}


def row(*names: str) -> Callable[[Any], Any]:
    """Register a function that meets these limits; it returns the limiter that counts."""

    def register(meet: Callable[[Scene, str], Awaitable[Limiter]]) -> Any:
        ROWS.update(dict.fromkeys(names, meet))
        return meet

    return register


@pytest.mark.promise(
    "socket-count",
    "socket-rate",
    "ipv6-48",
    "handshake",
    "log-size",
    "log-warnings",
    "no-hello",
    "page-loads",
    "match-codes",
    "new-players",
    "cost",
    "cost-of-moves",
    "analysis",
    "slow-reader",
    "slow-readers",
    "chat-rate",
    "challenge-rate",
)
@pytest.mark.parametrize("name", LIMIT_NAMES)
async def test_a_limit_holds_at_its_number_is_counted_and_affects_no_other_client(scene, name):
    assert name in ROWS, "this limit has no row"
    limiter = await ROWS[name](scene, name)
    met = {each for each, count in limiter.exceeded.items() if count}
    assert met == {name} - UNCOUNTED_LIMITS
    assert (
        set(limiter.exceeded) == set(LIMIT_NAMES) - UNCOUNTED_LIMITS
    )  # the metric shows no other limits


# Requests that are refused.


class Client:
    """A client at an address. It connects as a new player, or as the player of another one."""

    def __init__(self, scene: Scene, address: str, player: "Client | None" = None) -> None:
        self.scene, self.address, self._player = scene, address, player
        self._wire: RawClient | None = None

    async def wire(self) -> RawClient:
        """Return its connection, which is made when it is first used."""
        if self._wire is None:
            again = await self._player.wire() if self._player else None
            self._wire = await self.scene.meet(self.address, again)
        return self._wire

    async def ask(self, kind: type[Any], **fields: Any) -> AnyMessage:
        wire = await self.wire()
        return await wire.ask(wire.new(kind, **fields))


class Scope(Enum):
    """The clients that a limit counts together with a client at HOME."""

    CONNECTION, PLAYER, ADDRESS, MATCH = range(4)

    def split(self, client: Client) -> tuple[list[Client], list[Client]]:
        """Return other clients that are counted with this one, and others that are not."""
        others = [
            Client(client.scene, HOME, client),
            Client(client.scene, HOME),
            Client(client.scene, ELSEWHERE),
        ]
        return others[: self.value], others[self.value :]


class Row(NamedTuple):
    """A limit on requests: `allowed` of them are served, and the next is refused.

    Time makes room again, or `free` where the limit is no rate. Below the limit the request is
    served, or fails for the reason `answer`.
    """

    scope: Scope
    reason: Reason
    ask: Callable[[Client], Awaitable[AnyMessage]]
    free: Callable[[Client], Awaitable[object]] | None = None
    at: int | Rate = RATE
    allowed: int = 2
    answer: Reason | None = None


async def open_match(client: Client) -> AnyMessage:
    return await client.ask(Open, rules="mini", maker="me", breaker="open")


async def challenge(client: Client) -> AnyMessage:
    other = await client.scene.meet(f"192.0.2.{next(client.scene.numbers) % 250}")
    return await client.ask(Challenge, player=other.id, rules="mini")


async def challenge_rival(client: Client) -> AnyMessage:
    """Challenge the same player as all other clients do."""
    rival = await client.scene.find_rival()
    return await client.ask(Challenge, player=rival.id, rules="mini")


async def challenge_rival_as_another(client: Client) -> AnyMessage:
    """Challenge the same player by one player more."""
    rival = await client.scene.find_rival()
    wire = await client.scene.meet(client.address)
    client.scene.others.append(wire)
    return await wire.ask(wire.new(Challenge, player=rival.id, rules="mini"))


async def interrupt_rival(client: Client) -> AnyMessage:
    """Challenge the same player by one player more, and take the challenge back."""
    answer = await challenge_rival_as_another(client)
    if isinstance(answer, Log):
        await client.scene.others[-1].leave(answer.match)
    return answer


async def take_challenge_back(client: Client) -> None:
    wire = client.scene.others[0]
    await wire.leave(next(iter(wire.matches)))


async def open_show(client: Client) -> AnyMessage:
    return await client.ask(Open, rules="mini", maker="random", breaker="random")


async def follow_match(client: Client) -> AnyMessage:
    await client.scene.offer()
    return await client.ask(Follow, match=client.scene.match)


async def leave_match(client: Client) -> None:
    wire = await client.wire()
    await wire.leave(next(iter(wire.matches)))


async def unfollow_match(client: Client) -> None:
    wire = await client.wire()
    await wire.unfollow(next(iter(wire.matches)))


async def watch(client: Client) -> AnyMessage:
    """Follow the scene's match by one connection more."""
    if not client.scene.match:
        await client.scene.offer()
    wire = await client.scene.meet(client.address)
    client.scene.others.append(wire)
    return await wire.ask(wire.new(Follow, match=client.scene.match))


async def stop_watching(client: Client) -> None:
    await client.scene.others[0].unfollow(client.scene.match)


async def come_as_new_player(client: Client) -> AnyMessage:
    wire = await client.scene.connect(client.address)
    return await wire.ask(wire.new(Hello))


async def ask_for_transfer(client: Client) -> AnyMessage:
    return await client.ask(Transfer)


async def use_another_computer(client: Client) -> AnyMessage:
    code = await ask_for_transfer(client)
    if isinstance(code, Transferable):
        ids = (await client.wire()).ids
        client.scene.others.append(await client.scene.connect(client.address, ids))
        await client.scene.others[-1].hello(transfer=code.code)
    return code


async def log_out_there(client: Client) -> None:
    await client.scene.others[0].log_out()


async def try_transfer_code(client: Client) -> AnyMessage:
    wire = await client.scene.connect(client.address)
    return await wire.ask(wire.new(Hello, transfer=_make_code(client.scene, 8)))


async def try_match_code(client: Client) -> AnyMessage:
    return await client.ask(Follow, match=_make_code(client.scene, 6))


def _make_code(scene: Scene, length: int) -> str:
    digits = f"{next(scene.numbers):0{length}}"
    return digits.translate(str.maketrans("01", "XY"))


async def say(client: Client) -> AnyMessage:
    wire = await client.wire()
    if not client.scene.match:
        await client.scene.offer()
    if client.scene.match not in wire.matches:
        await wire.follow(client.scene.match)
    return await client.ask(Say, match=client.scene.match, phrase=1)


async def advise(client: Client) -> AnyMessage:
    wire = await client.wire()
    if not wire.matches:
        await wire.wait_for_turn(
            (await wire.open(maker="random", breaker="me", rules="mini")).match
        )
    return await client.ask(Advise, match=next(iter(wire.matches)))


async def list_own(client: Client) -> AnyMessage:
    client.scene.hall.store.timer = itertools.count(0, 0.125).__next__
    return await client.ask(ListOwn)


async def review(client: Client) -> AnyMessage:
    if not client.scene.match:
        host = await client.scene.offer()
        guest = await client.scene.meet(ELSEWHERE)
        await guest.join(client.scene.match)
        await host.set(client.scene.match, "1234")
        await guest.resign(client.scene.match)
    return await client.ask(Review, match=client.scene.match)


ONE = Rate(burst=1, per_second=0.5)  # a row; a match takes many, on account
QUERY = Rate(burst=125, per_second=0.5)  # milliseconds: each query takes as many here
THOUGHT = Rate(burst=100, per_second=0.5)  # milliseconds: advice takes as many here
ASKED: dict[type[Any], Callable[[Client], Awaitable[AnyMessage]]] = {
    Challenge: challenge,
    Open: open_match,
    Transfer: ask_for_transfer,
    Say: say,
    Advise: advise,
    Review: review,
}


def list_taken() -> Iterator[tuple[str, Row]]:
    """Yield a row for each limit that a request takes a token of, in its route."""
    for kind, ask in ASKED.items():
        for name in ROUTES[kind].charged_limits:
            for scope, limit in (Scope.PLAYER, name), (Scope.ADDRESS, f"{name}_of_address"):
                if limit in LIMIT_NAMES:
                    yield limit, Row(scope, PEER_LIMITS[name], ask)


REFUSED = {
    **dict(list_taken()),
    "followed": Row(Scope.CONNECTION, Reason.TOO_MANY_FOLLOWED, follow_match, unfollow_match, 2),
    "rows_followed_of_address": Row(
        Scope.ADDRESS, Reason.ADDRESS_FOLLOWS_MUCH, follow_match, unfollow_match, 2
    ),
    "bot_matches_of_address": Row(
        Scope.ADDRESS, Reason.ADDRESS_HAS_SHOWS, open_show, unfollow_match, 2
    ),
    "spectators": Row(Scope.MATCH, Reason.TOO_MANY_WATCHERS, watch, stop_watching, 2),
    "new_players": Row(Scope.ADDRESS, Reason.TOO_MANY_PLAYERS, come_as_new_player, allowed=1),
    "tokens": Row(Scope.PLAYER, Reason.TOO_MANY_TOKENS, use_another_computer, log_out_there, 3),
    "wrong_transfers": Row(
        Scope.ADDRESS, Reason.WRONG_TRANSFERS, try_transfer_code, answer=Reason.UNKNOWN_TRANSFER
    ),
    "challenges_to_player": Row(
        Scope.MATCH, Reason.IS_CHALLENGED, challenge_rival_as_another, take_challenge_back, 2
    ),
    "challenges_received": Row(Scope.MATCH, Reason.CHALLENGED_OFTEN, interrupt_rival),
    "challenges_of_pair": Row(
        Scope.PLAYER, Reason.CHALLENGED_ALREADY, challenge_rival, leave_match, 2
    ),
    "lobbies": Row(Scope.PLAYER, Reason.TOO_MANY_LOBBIES, open_match, leave_match, 2),
    "lobbies_of_address": Row(
        Scope.ADDRESS, Reason.ADDRESS_HAS_LOBBIES, open_match, leave_match, 2
    ),
    "wrong_codes": Row(
        Scope.PLAYER, Reason.WRONG_CODES, try_match_code, answer=Reason.UNKNOWN_MATCH
    ),
    "wrong_codes_of_address": Row(
        Scope.ADDRESS, Reason.WRONG_CODES, try_match_code, answer=Reason.UNKNOWN_MATCH
    ),
    "rows": Row(Scope.PLAYER, Reason.TOO_MANY_ROWS, open_match, at=ONE, allowed=1),
    "rows_of_address": Row(Scope.ADDRESS, Reason.TOO_MANY_ROWS, open_match, at=ONE, allowed=1),
    "query_ms": Row(Scope.PLAYER, Reason.TOO_MANY_REQUESTS, list_own, at=QUERY, allowed=1),
    "query_ms_of_address": Row(
        Scope.ADDRESS, Reason.TOO_MANY_REQUESTS, list_own, at=QUERY, allowed=1
    ),
    "analysis_ms": Row(Scope.PLAYER, Reason.TOO_MUCH_THOUGHT, advise, at=THOUGHT, allowed=1),
    "analysis_ms_of_address": Row(
        Scope.ADDRESS, Reason.TOO_MUCH_THOUGHT, advise, at=THOUGHT, allowed=1
    ),
}


def reason_of(answer: AnyMessage) -> str | None:
    """Return the reason of an error, or None for another answer."""
    return str((answer.details or {})["reason"]) if isinstance(answer, Error) else None


@row(*REFUSED)
async def refuse_requests(scene: Scene, name: str) -> Limiter:
    limit = REFUSED[name]
    limiter, clock = await scene.start(**{name: limit.at}), scene.hall.clock
    refused, served = limit.reason.key, limit.answer.key if limit.answer else None
    eve = Client(scene, HOME)
    await eve.wire()
    for _ in range(limit.allowed):
        assert reason_of(await limit.ask(eve)) == served
    before = limiter.exceeded[name]  # once, where what was served is on account
    answer = await limit.ask(eve)
    assert reason_of(answer) == refused
    assert isinstance(answer, Error)
    rate = limit.at if isinstance(limit.at, Rate) else None
    assert answer.limit == (rate.burst if rate else limit.at)
    together, apart = limit.scope.split(eve)
    assert [reason_of(await limit.ask(each)) for each in together] == [refused] * len(together)
    assert limiter.exceeded[name] == before + 1 + len(together)
    assert [reason_of(await limit.ask(each)) for each in apart] == [served] * len(apart)
    assert isinstance(await eve.ask(Ping), Done)  # the connection is kept
    if rate is None:
        assert answer.retry_after is None
        assert limit.free is not None
        await limit.free(eve)
    else:
        assert answer.retry_after is not None
        clock.skip(answer.retry_after - 0.001)
        assert reason_of(await limit.ask(eve)) == refused
        clock.skip(0.001)
    assert reason_of(await limit.ask(eve)) == served
    return limiter


@row("analyses", "analyses_of_address", "analyses_of_player")
async def fill_waiting_line(_: Scene, name: str) -> Limiter:
    limiter = make_limiter(**{name: 2})
    queue, full = AnalysisQueue(limiter), asyncio.Event()

    async def wait(number: int) -> None:
        """Wait in the queue until it is full, as the player or at the address under test."""
        player = "eve" if name == "analyses_of_player" or number == 0 else f"P{number}"
        peer = PeerStub(Player(id=player, name=player))
        peer.address = HOME if name != "analyses" else f"192.0.2.{number}"
        async with queue.enter(peer, player):
            await full.wait()

    waiting = [asyncio.create_task(wait(number)) for number in range(2)]
    await asyncio.sleep(0)
    with pytest.raises(Refused) as refused:
        await wait(2)
    assert (refused.value.reason, refused.value.limit) == (Reason.TOO_MANY_ANALYSES, 2)
    assert refused.value.retry_after is not None
    other = PeerStub(Player(id="bob", name="Bob"))
    other.address = HOME if name == "analyses_of_player" else ELSEWHERE
    if name != "analyses":
        async with queue.enter(other, "bob"):
            pass
    full.set()
    await asyncio.gather(*waiting)
    await wait(2)
    return limiter


@row("transfer_seconds")
async def use_transfer_codes(scene: Scene, name: str) -> Limiter:
    limiter = await scene.start(**{name: 60.0})
    eve = await scene.meet(HOME)
    for seconds, reason in ((30, None), (60, Reason.UNKNOWN_TRANSFER.key)):
        given = await eve.transfer()
        assert given.seconds == 60
        scene.hall.clock.skip(seconds)
        other = await scene.connect(ELSEWHERE)
        assert reason_of(await other.ask(other.new(Hello, transfer=given.code))) == reason
    return limiter


@row("chat_lines")
async def fill_rooms(scene: Scene, name: str) -> Limiter:
    limiter = await scene.start(**{name: 2})
    host, eve, bob = await scene.offer(), await scene.meet(HOME), await scene.meet(HOME)
    await host.say(scene.match, "kept")  # in the players' room, which has its own
    await eve.follow(scene.match)
    for text in ("forgotten", "first", "second"):
        await eve.say(scene.match, text)
    await bob.follow(scene.match)
    told = [line.text for line in (await bob.until(Chat)).lines]
    assert told == ["kept", "first", "second"]
    return limiter


# Requests and frames that are delayed.

PACED = {
    "request_cost": (Scope.PLAYER, LIST_COST),
    "request_cost_of_address": (Scope.ADDRESS, LIST_COST),
    "moves_of_address": (Scope.ADDRESS, 1),
}


@row(*PACED)
async def ask_too_much(_: Scene, name: str) -> Limiter:
    scope, cost = PACED[name]
    limiter = make_limiter(**{name: Rate(burst=2 * cost, per_second=0.5)})
    work = RequestCostLimits(limiter, ManualClock().now)

    def reserve(peer: PeerStub, request: Request) -> float:
        return work.reserve(peer, ROUTES[type(request)].cost)

    dear, cheap = ListMatches(id=1, what="waiting"), Ping(id=1)
    request, other = (cheap, dear) if cost == 1 else (dear, cheap)

    def peer(player: str, address: str = HOME) -> PeerStub:
        made = PeerStub(Player(id=player, name=player))
        made.address = address
        return made

    eve = [peer("eve")] * 2 if scope is Scope.PLAYER else [peer("eve"), peer("bob")]
    assert [reserve(each, request) for each in eve] == [0, 0]
    late = peer("eve", ELSEWHERE) if scope is Scope.PLAYER else peer("zoe")
    assert reserve(late, request) == pytest.approx(cost / 0.5)
    assert limiter.exceeded[name] == 1
    spared = peer("bob") if scope is Scope.PLAYER else peer("eve", ELSEWHERE)
    assert reserve(spared, request) == 0
    if scope is Scope.ADDRESS:  # moves wait for no lists
        assert reserve(late, other) == 0
        stranger = peer("")
        stranger.player = None  # before its hello
        assert reserve(stranger, request) == pytest.approx(2 * cost / 0.5)
    return limiter


@row("frames", "bytes")
async def send_too_much(scene: Scene, name: str) -> Limiter:
    rate = Rate(burst=5, per_second=2) if name == "frames" else Rate(burst=4096, per_second=1000)
    limiter = await scene.start(**{name: rate})
    eve, bob = await scene.meet(HOME), await scene.meet(HOME)
    sent = encode(Ping(id=7)) if name == "frames" else b"\xc4\xff" + bytes(800)
    for _ in range(8):
        await eve.send(sent)
    debt = await scene.clock.until(is_debt)
    assert limiter.exceeded[name] == 1
    assert (await bob.list("waiting")).matches == ()
    assert len(eve.frames) == 1  # the welcome
    scene.clock.skip(debt.seconds)
    paying = asyncio.create_task(pay(scene.clock))
    for _ in range(8):  # none is lost
        assert isinstance(await eve.next(), Done if name == "frames" else Error)
    paying.cancel()
    return limiter


async def pay(clock: ManualClock) -> None:
    """Skip all waiting times of a client."""
    while True:
        clock.skip((await clock.until(is_debt)).seconds)


# Connections that are refused or closed.

CROWDS = {  # three addresses, the last refused, and one with room
    "connections": ([HOME, ELSEWHERE, FAR], None),
    "connections_per_address": ([HOME] * 3, ELSEWHERE),
    "connections_per_site": (SITE, OTHER_SITE),
}


@row(*CROWDS)
async def connect_too_often(scene: Scene, name: str) -> Limiter:
    limiter = await scene.start(**{name: 2})
    addresses, apart = CROWDS[name]
    ada, bob = [await scene.meet(address) for address in addresses[:2]]
    refused = await scene.connect(addresses[2])
    why = "too many connections; retry_after=5.000"
    assert await refused.closed() == (CloseCode.TRY_AGAIN_LATER, why)
    (told,) = refused.unread()
    assert isinstance(told, Error)
    assert (told.code, told.id, told.limit, told.retry_after) == (ErrorCode.TOO_MANY, None, 2, 5.0)
    assert limiter.exceeded[name] == 1
    if apart:
        await (await scene.meet(apart)).close()
    assert (await bob.list("waiting")).matches == ()
    await ada.close()
    await scene.hall.until_connections(1)
    await scene.meet(addresses[2])
    return limiter


ARRIVALS = {
    "sockets_of_address": ([HOME] * 3, ELSEWHERE),
    "sockets_of_site": (SITE, OTHER_SITE),
    "handshakes": ([HOME, ELSEWHERE, FAR], None),
}


@row(*ARRIVALS)
async def arrive_too_fast(scene: Scene, name: str) -> Limiter:
    limiter = await scene.start(**{name: Rate(burst=2, per_second=1)})
    addresses, apart = ARRIVALS[name]
    ada, _ = [await scene.meet(address) for address in addresses[:2]]
    with pytest.raises((ConnectionClosed, InvalidHandshake, OSError)):
        await scene.connect(addresses[2])
    assert limiter.exceeded[name] == 1
    if apart:
        await scene.meet(apart)
    assert (await ada.list("waiting")).matches == ()
    scene.clock.skip(1)
    await scene.meet(addresses[2])
    return limiter


@row("pending_connections", "pending_connections_per_address")
async def wait_in_silence(scene: Scene, name: str) -> Limiter:
    limiter = await scene.start(**{name: 2})
    ada = await scene.meet(HOME)
    silent = [await scene.connect(HOME) for _ in range(2)]
    if name == "pending_connections_per_address":
        await (await scene.connect(ELSEWHERE)).hello()
    silent.append(await scene.connect(HOME))
    oldest, *newer = silent
    why = "no hello in time; retry_after=5.000"
    assert await oldest.closed() == (CloseCode.TRY_AGAIN_LATER, why)
    (told,) = oldest.unread()
    assert isinstance(told, Error)
    assert (told.code, told.limit, told.retry_after) == (ErrorCode.TOO_MANY, 2, 5.0)
    for each in newer:
        await each.hello()
    assert (await ada.list("waiting")).matches == ()
    return limiter


@row("handshake_seconds")
async def shake_hands_too_slowly(scene: Scene, name: str) -> Limiter:
    limiter = await scene.start(**{name: 3.0})
    ada = await scene.meet(HOME)
    reader, writer = await scene.hall.open_socket(HANDSHAKE[:20])
    await scene.clock.until(lambda timer: timer.seconds == 3)
    scene.clock.skip(2.9)
    assert not limiter.exceeded[name]
    scene.clock.skip(0.1)
    async with asyncio.timeout(PATIENCE):
        with contextlib.suppress(ConnectionResetError):
            assert await reader.read() == b""
    writer.close()
    assert (await ada.list("waiting")).matches == ()
    return limiter


@row("hello_seconds")
async def say_no_hello(scene: Scene, name: str) -> Limiter:
    limiter = await scene.start(**{name: 3.0})
    ada, silent = await scene.meet(HOME), await scene.connect(HOME)
    await silent.send(b"")  # a wrong frame is not a hello
    assert isinstance(await silent.next(), Error)
    scene.clock.skip(2.9)
    assert not limiter.exceeded[name]
    scene.clock.skip(0.1)
    assert await silent.closed() == (CloseCode.POLICY_VIOLATION, "no hello")
    assert (await ada.list("waiting")).matches == ()
    return limiter


@row("ping_seconds")
async def send_no_pong(scene: Scene, name: str) -> Limiter:
    limiter = await scene.start(**{name: 3.0})
    ada, bob = await scene.meet(HOME), await scene.meet(HOME)
    ada.websocket.transport.pause_reading()
    scene.clock.skip(DEFAULT_LIMITS.hello_seconds)  # both are sent a ping
    await bob.list("waiting")  # behind his pong
    scene.clock.skip(2.9)
    assert not limiter.exceeded[name]
    scene.clock.skip(0.1)
    ada.websocket.transport.resume_reading()
    assert await ada.closed() == (CloseCode.INTERNAL_ERROR, "no pong in time")
    assert (await bob.list("waiting")).matches == ()
    return limiter


LONG = b"x" * 1000  # with the rest of a handshake over 1024 bytes, in two reads


@row("handshake_bytes")
async def send_a_long_handshake(scene: Scene, name: str) -> Limiter:
    limiter = await scene.start(**{name: 1024})
    ada = await scene.meet(HOME)
    for line in (64, 1025):  # many lines, and a long one
        cookies = (b"Cookie: " + b"x" * line + b"\r\n") * (1024 // line + 1)
        reader, writer = await scene.hall.open_socket(HANDSHAKE[:-2] + cookies)
        async with asyncio.timeout(PATIENCE):
            assert (await reader.readline()).startswith(b"HTTP/1.1 431")
        writer.close()
    assert limiter.exceeded[name] == 2
    assert (await ada.list("waiting")).matches == ()
    reader, writer = await scene.hall.open_socket(HANDSHAKE[:-2] + b"Cookie: %b\r\n\r\n" % LONG)
    async with asyncio.timeout(PATIENCE):  # it is complete when the limit is exceeded
        assert (await reader.readline()).startswith(b"HTTP/1.1 431")
    writer.close()
    assert limiter.exceeded[name] == 3
    return limiter


@row("frame_bytes")
async def send_a_long_frame(scene: Scene, name: str) -> Limiter:
    limiter = await scene.start(**{name: 1500})
    ada, bob = await scene.meet(HOME), await scene.meet(HOME)
    await ada.send(bytes(1500))
    refusal = await ada.next()
    assert isinstance(refusal, Error)
    assert refusal.code == ErrorCode.FRAME_TOO_LARGE
    await ada.send(bytes(1501))
    assert (await ada.closed())[0] == CloseCode.MESSAGE_TOO_BIG
    assert (await bob.list("waiting")).matches == ()
    return limiter


@row("bad_frames")
async def send_bad_frames(scene: Scene, name: str) -> Limiter:
    limiter = await scene.start(**{name: RATE})
    ada, bob = await scene.meet(HOME), await scene.meet(HOME)
    for _ in range(2):
        await ada.send(b"\xc1")
        assert reason_of(await ada.next()) == Reason.NOT_MSGPACK.key
    scene.clock.skip(2)
    for _ in range(9):  # credit for one; the server ignores the rest after the second
        await ada.send(b"\xc1")
    assert await ada.closed() == (CloseCode.POLICY_VIOLATION, "too many bad frames")
    assert len(ada.unread()) == 2
    assert (await bob.list("waiting")).matches == ()
    return limiter


# Browsers.


@row("sockets")
async def open_sockets_too_fast(scene: Scene, name: str) -> Limiter:
    limiter = await scene.start_with(DEFAULT_ACCESS, **{name: Rate(burst=2, per_second=1)})
    ada, _ = await scene.hall.meet("Ada"), await scene.hall.meet("Bob")
    with pytest.raises((ConnectionClosed, InvalidHandshake, OSError)):
        await scene.hall.connect()
    assert (await ada.list("waiting")).matches == ()
    scene.clock.skip(1)
    await scene.hall.meet("Eve")
    return limiter


@row("page_requests")
async def request_pages_too_fast(scene: Scene, name: str) -> Limiter:
    limiter = await scene.start_with(WEB_PROXIED, **{name: RATE})
    ada, page = await scene.meet(HOME), await PageSocket.open(scene.hall)
    for _ in range(2):
        assert (await page.get("/", X_Forwarded_For=HOME)).status == 200
    page.writer.write(make_request("/", X_Forwarded_For=HOME))
    await scene.clock.until(lambda timer: timer.seconds == PAGES_INTERVAL)
    assert (await ada.list("waiting")).matches == ()
    scene.clock.skip(PAGES_INTERVAL)
    assert (await page.read()).status == 200
    page.close()
    return limiter


@row("idle_pages", "idle_pages_per_address")
async def keep_page_sockets(scene: Scene, name: str) -> Limiter:
    limiter = await scene.start_with(WEB, **{name: 2})
    ada = await scene.hall.meet("Ada")
    pages = [await PageSocket.open(scene.hall) for _ in range(3)]
    for number in (0, 1, 0, 2):
        assert (await pages[number].get("/")).status == 200
    assert await pages[1].ended()  # unused for the longest time
    for page in (pages[0], pages[2]):
        assert (await page.get("/")).status == 200
    assert (await ada.list("waiting")).matches == ()
    for page in pages:
        page.close()
    return limiter


# Clients that do not read.

LOG = bytes(40 * 1024)


@row("unread_bytes")
async def read_late(scene: Scene, name: str) -> Limiter:
    limiter = await scene.start(**{name: 32 * 1024})
    ada, slow = await scene.meet(HOME), await SlowReader().connect(scene.hall)
    slow.connection.push(LOG)
    feed(slow.connection, request(1))
    assert slow.connection.worker is None  # the request waits
    assert (await ada.list("waiting")).matches == ()
    await slow.read(len(LOG) + 20)  # and is answered then
    slow.close()
    return limiter


@row("send_buffer_bytes")
async def never_read(scene: Scene, name: str) -> Limiter:
    limiter = await scene.start(**{name: 64 * 1024, "unread_bytes": 128 * 1024})
    slow, other = [await SlowReader().connect(scene.hall) for _ in range(2)]
    for each in (slow, other):
        each.connection.push(LOG)
        assert each.connection.open
    slow.connection.push(LOG)
    assert [each.connection.open for each in (slow, other)] == [False, True]
    for each in (slow, other):
        each.close()
    return limiter


@row("send_buffer_bytes_in_all")
async def never_read_together(scene: Scene, name: str) -> Limiter:
    limiter = await scene.start(**{name: 96 * 1024})
    clients = [await SlowReader().connect(scene.hall) for _ in range(3)]
    for each in clients[:2]:
        each.connection.push(LOG)
    clients[0].connection.push(bytes(1024))
    await asyncio.sleep(0)
    assert [each.connection.open for each in clients] == [True, True, True]
    clients[2].connection.push(LOG)
    await asyncio.sleep(0)
    assert [each.connection.open for each in clients] == [False, True, True]  # behind the longest
    for each in clients:
        each.close()
    return limiter


# The log.


def write_log(limiter: Limiter, *records: tuple[int, int], full: bool = False) -> str:
    """Log records, each with a second and a level; return the lines that were written."""
    reading, writing = os.pipe()
    os.set_blocking(writing, not full)
    filled = 0
    while full:
        try:
            filled += os.write(writing, b"\n" * 4096)
        except BlockingIOError:
            break
    os.set_blocking(writing, True)
    writer = LogWriter(writing, limiter)
    for second, level in records:
        record = logging.LogRecord("server", level, __file__, 0, f"{second}", None, None)
        record.created = second + 0.5
        writer.handle(record)
    with os.fdopen(reading) as lines:
        if full:
            lines.read(filled)
        writer.close()
        os.close(writing)
        return lines.read()


@row("log_lines")
async def log_many_lines(_: Scene, name: str) -> Limiter:
    limiter = make_limiter(**{name: 3})
    records = [*[(1, logging.INFO)] * 10, (1, logging.ERROR), (2, logging.INFO)]
    text = await asyncio.to_thread(write_log, limiter, *records)
    written = [line for line in text.splitlines() if line.isdigit()]
    assert written == ["1", "1", "1", "1", "2"]  # another level, and the next second, have theirs
    assert count_dropped(text) == limiter.exceeded[name] == 7
    return limiter


@row("log_bytes")
async def log_where_nobody_reads(_: Scene, name: str) -> Limiter:
    limiter = make_limiter(**{name: 1024})
    records = [(10**300, logging.INFO)] * 10  # 1,024 bytes hold three
    text = await asyncio.to_thread(write_log, limiter, *records, full=True)
    assert text.count("1" + "0" * 300) == 3
    assert count_dropped(text) == limiter.exceeded[name] == 7
    return limiter


def count_dropped(text: str) -> int:
    return sum(map(int, re.findall(r"(\d+) lines of the log were dropped", text)))


# The file and the environment.


@pytest.mark.parametrize(
    ("file", "environment", "limits"),
    [
        ("", {"HOME": "/root"}, DEFAULT_LIMITS),
        (
            "connections = 50\nopenings = { burst = 3, per_second = 0.5 }\n",
            {},
            Limits(connections=50, openings=Rate(burst=3, per_second=0.5)),
        ),
        (
            "connections = 50",
            {
                "MASTERMIND_LIMIT_CONNECTIONS": "7",
                "MASTERMIND_LIMIT_CHAT": "{burst = 1, per_second = 0.1}",
            },
            Limits(connections=7, chat=Rate(burst=1, per_second=0.1)),
        ),
    ],
)
def test_a_variable_overrides_the_file_which_overrides_the_default(file, environment, limits):
    assert read_limits(file, environment) == limits


def test_former_names_set_the_renamed_limits(capsys, monkeypatch, tmp_path):
    assert set(FORMER_NAMES.values()) < set(LIMIT_NAMES)
    file = tmp_path / "limits.toml"
    file.write_text("watchers = 5\nnewcomers = 5\n")
    monkeypatch.setenv("MASTERMIND_LIMIT_NEWCOMERS", "6")
    assert cli.main(["limits", "--limits", str(file)]) == 0
    printed = capsys.readouterr().out
    assert "\nspectators = 5  # file\n" in printed
    assert "\npending_connections = 6  # environment\n" in printed


@pytest.mark.parametrize(
    ("file", "environment", "error"),
    [
        ("conections = 5", {}, "unknown limit 'conections'; the limits are connections, "),
        ("", {"MASTERMIND_LIMIT_TEA": "5"}, "unknown limit 'tea'; "),
        ("connections = 'many'", {}, "Expected `int`, got `str` - at `connections`"),
        ("connections = -1", {}, "Expected `int` >= 0 - at `connections`"),
        ("chat = 5", {}, "Expected `object`, got `int` - at `chat`"),
        ("chat = {burst = 5}", {}, "missing required field `per_second` - at `chat`"),
        ("chat = {burst = 0, per_second = 1}", {}, "Expected `int` >= 1 - at `chat.burst`"),
        ("ping_seconds = inf", {}, "Expected `float` <= 86400.0 - at `ping_seconds`"),
        ("ping_seconds = nan", {}, "Expected `float` > 0.0 - at `ping_seconds`"),
        ("chat = {burst = 1, per_second = inf}", {}, "<= 1000000000.0 - at `chat.per_second`"),
        (f"chat = {{burst = {10**10}, per_second = 1}}", {}, "<= 1000000000 - at `chat.burst`"),
        ("connections =", {}, "the file of --limits is not valid TOML: Invalid value"),
        (
            "",
            {"MASTERMIND_LIMIT_CHAT": "lots"},
            "MASTERMIND_LIMIT_CHAT is not valid TOML: Invalid value",
        ),
    ],
)
def test_the_error_for_a_wrong_limit_names_it(file, environment, error):
    with pytest.raises(ValueError, match=r"^") as raised:
        read_limits(file, environment)
    assert error in str(raised.value)


def test_the_command_prints_each_limit_in_the_format_of_the_file_with_its_origin(
    tmp_path, capsys, monkeypatch
):
    file = tmp_path / "limits.toml"
    file.write_text("connections = 5000\ntokens = 2\nchat = { burst = 1, per_second = 0.1 }\n")
    monkeypatch.setenv("MASTERMIND_LIMIT_TOKENS", "3")
    assert cli.main(["limits", "--limits", str(file)]) == 0
    printed = capsys.readouterr().out
    for line in (
        "connections = 5000  # file",  # as usual, and yet by the file
        "tokens = 3  # environment",
        "chat = { burst = 1, per_second = 0.1 }  # file",
        "hello_seconds = 10.0  # default",
    ):
        assert f"{line}\n" in printed
    assert read_limits(printed, {}) == Limits(tokens=3, chat=Rate(burst=1, per_second=0.1))
