"""Page requests on real sockets. test_pages has the responses, test_limits the limits."""

import asyncio
import gzip
import socket

import pytest
from websockets.exceptions import InvalidStatus

from kit.client import PATIENCE, RawClient
from kit.clock import ManualClock
from kit.frames import HANDSHAKE, feed, send_raw
from kit.pages import PAGES, WEB, WEB_PROXIED, PageSocket, make_request
from kit.server import GameServer
from mastermind_protocol.messages import Terms
from mastermind_server.limits import DEFAULT_LIMITS, Limits, Rate
from mastermind_server.network.sockets.access import DEFAULT_ACCESS, Access
from mastermind_server.network.sockets.connection import Connection
from mastermind_server.network.sockets.http_stage import HttpStage
from mastermind_server.network.sockets.scheduler import PAGES_INTERVAL
from mastermind_server.network.sockets.websocket_stage import WebSocketStage
from mastermind_server.network.web.files import WebFiles
from mastermind_server.network.web.pages import Pages


@pytest.fixture
async def web(idle_hall):
    await idle_hall.start(access=WEB)
    return idle_hall


async def connect_from(hall: GameServer, origin: str) -> RawClient:
    host = hall.address.removeprefix("ws://")
    return await hall.connect(origin=origin.replace("HOST", host))


async def read_terms(hall: GameServer) -> Terms:
    terms = (await (await hall.connect()).hello("Ann")).terms
    assert terms is not None
    return terms


async def test_a_page_its_files_and_a_handshake_use_one_socket(web):
    page = await PageSocket.open(web)
    first = await page.get("/")
    assert (first.status, first.headers["content-encoding"]) == (200, "gzip")
    assert "connection" not in first.headers
    text = gzip.decompress(first.body).decode()
    assert "http://game.test/" in text
    assert (await page.get("/", "HEAD")).headers["content-length"] == str(len(first.body))
    assert (await page.get("/", If_None_Match=first.headers["etag"])).status == 304
    assert (await page.get("/none")).status == 404
    assert (await page.get("/healthz?")).body == b"ok\n"  # which ends the connection, as before
    assert await page.ended()
    page.close()
    page = await PageSocket.open(web)
    await page.get("/")
    page.writer.write(HANDSHAKE)
    assert (await page.read()).status == 101
    page.close()


@pytest.mark.parametrize(
    "request_", [make_request("/", Connection="close"), make_request("/", version="1.0")]
)
async def test_a_client_may_end_the_connection(web, request_):
    page = await PageSocket.open(web)
    page.writer.write(request_)
    answer = await page.read()
    assert (answer.status, answer.headers["connection"]) == (200, "close")
    assert await page.ended()
    page.close()


async def test_a_server_that_drains_ends_the_connections_of_browsers(web):
    page = await PageSocket.open(web)
    assert (await page.get("/")).status == 200
    web.services.readiness.draining = True
    answer = await page.get("/")
    assert (answer.status, answer.headers["connection"]) == (200, "close")
    assert await page.ended()
    page.close()


async def test_a_request_may_arrive_in_pieces_and_before_the_end_of_the_stream(web):
    page = await PageSocket.open(web)
    for piece in (b"GET /K7M2QX HT", b"TP/1.1\r\nHost: a\r", b"\n\r\n"):
        page.writer.write(piece)
        await page.writer.drain()
    page.writer.write_eof()
    assert (await page.read()).status == 200
    assert await page.ended()
    page.close()


@pytest.mark.parametrize("draining", [False, True])
@pytest.mark.parametrize("access", [WEB, DEFAULT_ACCESS], ids=["page", "no page"])
@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS"])
async def test_a_check_of_haproxy_asks_whether_the_server_takes_clients(
    idle_hall, access, method, draining
):
    await idle_hall.start(access=access)
    idle_hall.services.readiness.draining = draining
    head, _, body = (await send_raw(idle_hall, f"{method} / HTTP/1.0\r\n\r\n".encode())).partition(
        "\r\n\r\n"
    )
    assert head.startswith("HTTP/1.1 503 " if draining else "HTTP/1.1 200 ")
    assert "\r\nConnection: close" in head
    assert body == ("" if method == "HEAD" else "restarting\n" if draining else "ok\n")


@pytest.mark.parametrize("access", [WEB, DEFAULT_ACCESS], ids=["page", "no page"])
@pytest.mark.parametrize("path", ["/readyz", "/READYZ?x"])
async def test_the_clients_port_names_the_port_that_has_readyz(idle_hall, access, path):
    await idle_hall.start(access=access)
    answer = await send_raw(idle_hall, make_request(path))
    assert answer.startswith("HTTP/1.1 404 ")
    assert answer.endswith("\r\n\r\nthe metrics port has /readyz\n")


async def test_a_second_request_before_the_answer_ends_the_connection(web):
    page = await PageSocket.open(web)
    page.writer.write(make_request("/") * 2)
    assert await page.ended()
    page.close()


@pytest.mark.promise("page-preview")
async def test_a_secret_changes_nothing_in_the_page_of_its_match(web):
    ada, _, match = await web.begin_match()
    page = await PageSocket.open(web)
    before = await page.get(f"/{match}")
    await ada.set(match, "1234")
    assert (await page.get(f"/{match}")).body == before.body
    page.close()


@pytest.mark.promise("page-preview")
async def test_the_page_of_a_lobby_names_who_invites_and_takes_no_seat(web):
    bob = await web.meet("<b>Bob")
    match = (await bob.open(rules="mini", maker="me", breaker="open")).match
    page = await PageSocket.open(web)
    text = gzip.decompress((await page.get(f"/{match}?x")).body).decode()
    assert "<title>&lt;b&gt;Bob invites you to mini</title>" in text
    assert len((await (await web.meet("Ann")).join(match)).rows) == 2  # opened, and joined
    page.close()


async def test_a_page_that_cannot_be_described_ends_the_connection(web, monkeypatch, caplog):
    monkeypatch.delattr("mastermind_server.network.web.previews.find_record")
    page = await PageSocket.open(web)
    page.writer.write(make_request("/K7M2QX"))
    assert await page.ended()
    assert "handling a message failed" in caplog.text
    page.close()
    await web.until_connections(0)


@pytest.mark.promise("origin")
@pytest.mark.parametrize(
    ("access", "origin", "allowed"),
    [
        (WEB, "http://HOST", True),
        (WEB, "https://HOST", True),  # TLS ends at a proxy
        (WEB, "http://evil.test", False),
        (WEB, "http://HOST.evil.test", False),
        (WEB, "null", False),
        (DEFAULT_ACCESS, "http://HOST", False),
        (Access(origins=("http://other.test",), pages=PAGES), "http://other.test", True),
    ],
)
async def test_the_pages_own_origin_may_connect(idle_hall, access, origin, allowed):
    await idle_hall.start(access=access)
    if allowed:
        await (await connect_from(idle_hall, origin)).hello("Ann")
        return
    with pytest.raises(InvalidStatus) as refused:
        await connect_from(idle_hall, origin)
    assert refused.value.response.status_code == 403


async def test_a_server_without_the_page_answers_browsers_as_before(hall):
    page = await PageSocket.open(hall)
    assert (await page.get("/")).status == 426
    assert (await read_terms(hall)).page is None
    page.close()


@pytest.mark.parametrize(
    ("target", "method", "status"),
    [
        ("http://one.test", "GET", 200),
        ("http://one.test/healthz", "HEAD", 200),
        ("http://one.test/none", "GET", 404),
        ("http://u@one.test/", "GET", 400),
        ("http:///", "GET", 400),
        ("one.test:80", "GET", 404),
        ("*", "OPTIONS", 405),
        ("http://one.test/ReadyZ?x", "GET", 404),
        ("one.test:80", "CONNECT", 405),
    ],
)
async def test_a_target_may_be_absolute(web, target, method, status):
    page = await PageSocket.open(web)
    assert (await page.get(target, method)).status == status
    page.close()


@pytest.mark.promise("origin")
@pytest.mark.parametrize(
    ("target", "origin", "status"),
    [
        (b"http://one.test/", b"http://one.test", 101),
        (b"http://one.test/", b"http://localhost", 403),  # the value of Host, which is ignored
        (b"http:///", b"null", 403),
    ],
)
async def test_the_own_origin_is_that_of_an_absolute_target(web, target, origin, status):
    page = await PageSocket.open(web)
    sent = HANDSHAKE.replace(b"GET / ", b"GET %b " % target)
    page.writer.write(sent.replace(b"\r\n\r\n", b"\r\nOrigin: %b\r\n\r\n" % origin))
    assert (await page.read()).status == status
    page.close()


@pytest.mark.parametrize("url", [None, "https://play.test/"])
async def test_the_welcome_names_the_page(idle_hall, url):
    await idle_hall.start(
        access=Access(pages=Pages(WebFiles({"index.html": b"", "icon.svg": b""}), url))
    )
    assert (await read_terms(idle_hall)).page == (url or "/")


async def test_each_request_of_a_proxy_counts_for_its_client(idle_hall):
    await idle_hall.start(access=WEB_PROXIED, limits=Limits(connections_per_address=1))
    page = await PageSocket.open(idle_hall)
    for client in ("203.0.113.1", "203.0.113.2"):
        answer = await page.get("/", X_Forwarded_For=client, X_Forwarded_Proto="https")
        assert "https://game.test/" in gzip.decompress(answer.body).decode()
        ann = await idle_hall.connect(additional_headers={"X-Forwarded-For": client})
        await ann.hello("Ann")  # the idle socket counts for no client
    page.close()


async def test_an_idle_connection_is_closed_without_counting(idle_hall):
    clock = ManualClock()
    await idle_hall.start(access=WEB, connection_clock=clock)
    page, half = await PageSocket.open(idle_hall), await PageSocket.open(idle_hall)
    met = idle_hall.services.limiter.exceeded
    for each in (page, half):
        assert (await each.get("/none")).status == 404
    half.writer.write(b"GET /")
    clock.skip(DEFAULT_LIMITS.handshake_seconds - 0.1)
    assert (await page.get("/none")).status == 404  # which starts the time again
    clock.skip(0.1)
    assert await half.ended()
    assert (await page.get("/none")).status == 404
    clock.skip(DEFAULT_LIMITS.handshake_seconds)
    assert await page.ended()
    assert not met["handshake_seconds"]
    for each in (page, half):
        each.close()
    clock.run_all_timers()


BIG = Pages(WebFiles({"index.html": b"", "icon.svg": b"", "big.png": bytes(2**21)}))


class SlowBrowser:
    """A browser with small buffers, which requests a large file."""

    def __init__(self) -> None:
        ours, self.socket = socket.socketpair()
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        self.socket.setblocking(False)
        self._ours = ours

    async def connect(self, hall: GameServer) -> Connection:
        loop = asyncio.get_running_loop()
        _, connection = await loop.create_connection(
            hall.server.gateway.make_connection, sock=self._ours
        )
        return connection

    async def ask(self, hall: GameServer, **headers: str) -> None:
        feed(await self.connect(hall), make_request("/s/0/big.png", **headers))

    async def read(self, count: int) -> int:
        """Read `count` bytes, or up to the end; return their number."""
        loop, size = asyncio.get_running_loop(), 0
        async with asyncio.timeout(PATIENCE):
            while size < count:
                data = await loop.sock_recv(self.socket, count - size)
                if not data:
                    break
                size += len(data)
        return size


@pytest.mark.promise("slow-page")
@pytest.mark.parametrize("connection", ["keep-alive", "close"])
async def test_a_slow_browser_is_cut_off_when_it_stops_reading(idle_hall, connection):
    clock = ManualClock()
    limits = Limits(send_buffer_bytes=2**22, unread_bytes=2**22)
    await idle_hall.start(access=Access(pages=BIG), limits=limits, connection_clock=clock)
    slow, met = SlowBrowser(), idle_hall.services.limiter.exceeded
    await slow.ask(idle_hall, Connection=connection)
    for _ in range(3):
        assert await slow.read(2**18) == 2**18
        clock.skip(DEFAULT_LIMITS.handshake_seconds)
    assert not met["handshake_seconds"]
    for _ in range(2):  # the first shows what the last read made room for
        await asyncio.sleep(0)
        clock.skip(DEFAULT_LIMITS.handshake_seconds)
    assert met["handshake_seconds"] == 1
    await idle_hall.until_connections(0)
    slow.socket.close()
    clock.run_all_timers()


async def test_a_slow_browser_receives_everything(idle_hall):
    clock = ManualClock()
    await idle_hall.start(access=Access(pages=BIG), connection_clock=clock)
    slow = SlowBrowser()
    await slow.ask(idle_hall, Connection="close")
    assert await slow.read(2**20) == 2**20
    clock.skip(DEFAULT_LIMITS.handshake_seconds)
    assert 2**20 < await slow.read(2**22) < 2**20 + 1000
    slow.socket.close()
    clock.run_all_timers()


async def test_a_request_that_waits_for_its_page_does_not_time_out(idle_hall):
    clock = ManualClock()
    limits = Limits(page_requests=Rate(burst=1, per_second=0.1))
    await idle_hall.start(access=WEB, limits=limits, connection_clock=clock)
    browsers = SlowBrowser(), SlowBrowser()
    first, second = [await browser.connect(idle_hall) for browser in browsers]
    feed(first, make_request("/none"))
    clock.skip(1)  # this iteration of the loop has no time left
    feed(second, make_request("/none"))
    clock.skip(DEFAULT_LIMITS.handshake_seconds - 1)
    for _ in range(2):  # the request is queued, and then the timeout
        await asyncio.sleep(0)
    clock.skip(PAGES_INTERVAL)
    assert await browsers[1].read(20) == 20
    for browser in browsers:
        browser.socket.close()
    clock.run_all_timers()


@pytest.mark.parametrize("kind", [Connection, HttpStage, WebSocketStage])
def test_connections_have_no_dict_which_a_broadcast_would_look_up(kind):
    assert all("__slots__" in vars(each) for each in kind.__mro__[:-1])
