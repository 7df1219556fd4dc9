import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta

import pytest
from websockets.asyncio.server import serve

from kit.certificates import Authority, Pair
from kit.people import PATIENCE, unreachable
from kit.proxy import SPOKEN
from kit.server import GameServer
from mastermind_client.context import DEFAULT_NETWORK, Network
from mastermind_client.messages.failures import explain_failure
from mastermind_client.network.connection.line import (
    find_tls_context,
    make_tls_context,
    open_connection,
)
from mastermind_client.network.failures import CertificatesUnreadable
from mastermind_client.network.players.identity import Identity
from mastermind_client.network.session import Session
from mastermind_client.network.updates import Reconnected
from mastermind_server.network.sockets.access import Access
from mastermind_server.network.sockets.certificates import Certificate


async def test_a_pong_is_data():
    async with serve(
        lambda peer: peer.wait_closed(), "127.0.0.1", 0, subprotocols=SPOKEN
    ) as server:
        port = server.sockets[0].getsockname()[1]
        websocket = await open_connection(f"ws://127.0.0.1:{port}", DEFAULT_NETWORK, PATIENCE)
        arrived = asyncio.Event()
        websocket.on_data = arrived.set
        websocket.send_ping()
        async with asyncio.timeout(PATIENCE):
            await arrived.wait()
        await websocket.close()
        websocket.send_ping()  # too late: nothing is sent


# Certificates.

NOW = datetime.now(UTC)
DAY = timedelta(days=1)
ALERT = b"\x15\x03\x03\x00\x02\x02\x28"  # TLS's own: the handshake has failed


@pytest.fixture(autouse=True)
def _nobody_is_trusted_yet():
    make_tls_context.cache_clear()


@pytest.fixture
def authority(tmp_path):
    return Authority(tmp_path)


async def restart(server: GameServer, pair: Pair) -> str:
    """Restart the server with TLS; return its address at localhost."""
    await server.stop()
    await server.start(access=Access(Certificate(*pair)))
    return server.address.replace("127.0.0.1", "localhost")


@asynccontextmanager
async def answering(what: bytes | Pair) -> AsyncIterator[str]:
    """Listen, with a certificate or with a fixed answer; yield the address."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if isinstance(what, bytes) and await reader.read(1024):
            writer.write(what)
        writer.close()

    context = None
    if isinstance(what, Pair):
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(*what)
    server = await asyncio.start_server(answer, "127.0.0.1", 0, ssl=context)
    async with server:
        yield f"localhost:{server.sockets[0].getsockname()[1]}"


async def fails_over(address: str, words: str, network: Network = DEFAULT_NETWORK) -> None:
    """Check that no session can be opened at an address, and the reason."""
    with unreachable(words):
        async with Session.connect(address, Identity(), network=network):
            pass


async def test_a_certificate_in_a_file_is_trusted_after_a_renewal(server, people, authority):
    address = await restart(server, authority.issue())
    ada = await people.meet("Ada", address, network=Network(str(authority.file)))
    assert await ada.session.list_bots()
    await restart(server, authority.issue("renewed"))
    await ada.wait_for_update(Reconnected)


async def test_a_certificate_of_the_system_is_trusted(server, people, authority, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
    await people.meet("Ada", await restart(server, authority.issue()))


async def test_a_file_is_trusted_in_addition_to_the_system(server, people, authority, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
    alone = authority.issue_self_signed()
    network = Network(str(alone.certificate))
    for pair in (authority.issue(), alone):
        await people.meet("Ada", await restart(server, pair), network=network)


@pytest.mark.parametrize(
    ("issue", "host", "words"),
    [
        (Authority.issue_self_signed, "localhost",
         "is self-signed: .* contains it with --c"),
        (lambda authority: authority.issue("other", "example.org"), "localhost",
         "is for another address"),
        (lambda authority: authority.issue("other", "127.0.0.2"), "127.0.0.1",
         "is for another address"),
        (lambda authority: authority.issue(begin=NOW - 2 * DAY, end=NOW - DAY), "localhost",
         "has expired"),
        (lambda authority: authority.issue(begin=NOW + DAY, end=NOW + 2 * DAY), "localhost",
         "not valid yet"),
    ],
    ids=["self-signed", "another host", "another address", "expired", "not yet valid"],
)  # fmt: skip
async def test_an_invalid_certificate_is_explained(authority, issue, host, words):
    network = Network(str(authority.file))
    async with answering(issue(authority)) as place:
        address = f"wss://{place}".replace("localhost", host)
        await fails_over(
            address, f"^cannot reach {address}: the server's certificate .*{words}", network
        )


@pytest.mark.promise("certificate")
async def test_an_unknown_authority_is_refused(authority):
    async with answering(authority.issue()) as place:
        words = "signed by an authority unknown to this computer: .*with --cafile$"
        await fails_over(f"wss://{place}", words)


async def test_a_server_without_tls_is_recognised(server):
    words = "that server does not speak TLS: without it, by ws://"
    await fails_over(server.address.replace("ws:", "wss:"), words)


async def test_a_server_that_refuses_our_tls_is_quoted():
    async with answering(ALERT) as place:
        await fails_over(f"wss://{place}", "TLS failed: .*handshake failure")


async def test_a_server_with_tls_only_is_recognised(server, authority):
    address = await restart(server, authority.issue())
    words = "that server speaks only TLS: use wss:// instead of ws://$"
    await fails_over(address.replace("wss:", "ws:"), words)


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n",
        (
            b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n<title>400 The plain HTTP"
            b" request was sent to HTTPS port</title>"
        ),
    ],
    ids=["Caddy", "nginx"],
)
async def test_a_proxy_with_tls_only_is_recognised(answer):
    async with answering(answer) as place:
        await fails_over(f"ws://{place}", "that server speaks only TLS")


def test_only_tls_needs_a_context():
    assert find_tls_context("ws://localhost") is None
    assert (context := find_tls_context("wss://localhost")) is not None
    assert find_tls_context("wss://example.org") is context
    assert context.verify_mode is ssl.CERT_REQUIRED
    assert context.check_hostname


def test_a_file_without_certificates_is_refused(tmp_path):
    text = tmp_path / "text.pem"
    text.write_text("hello")
    for file, told in (
        (tmp_path / "none.pem", "No such file or directory"),
        (tmp_path, "Is a directory"),
        (text, "there is no certificate in it, in PEM"),
    ):
        with pytest.raises(CertificatesUnreadable) as refused:
            make_tls_context(str(file))
        assert explain_failure(refused.value) == f"--cafile {file}: {told}"
