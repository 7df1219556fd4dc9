from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta

import pytest

from kit.certificates import Authority, Pair
from kit.people import unreachable
from kit.server import RestartableServer
from mastermind_client.net import trust as trusted
from mastermind_client.net.failures import CertificatesUnreadable
from mastermind_client.net.identity import Identity
from mastermind_client.net.session import Session
from mastermind_client.net.trust import find_context, trust
from mastermind_client.net.updates import Reconnected
from mastermind_client.words.failures import explain_failure
from mastermind_server.network.sockets.access import Access, Certificate

NOW = datetime.now(UTC)
DAY = timedelta(days=1)
ALERT = b"\x15\x03\x03\x00\x02\x02\x28"  # TLS's own: the handshake has failed


@pytest.fixture(autouse=True)
def _nobody_is_trusted_yet(monkeypatch):
    monkeypatch.setattr(trusted, "_context", None)


@pytest.fixture
def authority(tmp_path):
    return Authority(tmp_path)


async def restart(server: RestartableServer, pair: Pair) -> str:
    """Have the server come by TLS; return its address by the name of this machine."""
    await server.stop()
    await server.start(access=Access(Certificate(*pair)))
    return server.address.replace("127.0.0.1", "localhost")


@asynccontextmanager
async def answering(what: bytes | Pair) -> AsyncIterator[str]:
    """Something that listens: with a certificate, or with an answer to whatever comes."""

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


async def test_a_server_whose_certificate_is_in_a_file_is_trusted_and_found_again(
    server, people, authority
):
    address = await restart(server, authority.issue())
    trust(str(authority.file))
    ada = await people.meet("Ada", address)
    assert await ada.session.list_bots()
    await restart(server, authority.issue("renewed"))
    await ada.hear(Reconnected)


async def test_what_the_system_trusts_is_trusted(server, people, authority, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
    await people.meet("Ada", await restart(server, authority.issue()))


async def test_a_file_is_trusted_beside_the_system(server, people, authority, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
    alone = authority.issue_self_signed()
    trust(str(alone.certificate))
    for pair in (authority.issue(), alone):
        await people.meet("Ada", await restart(server, pair))


@pytest.mark.parametrize(
    ("issue", "words"),
    [
        (Authority.issue_self_signed, "signed by nobody but itself: .* name a file with it by --c"),
        (lambda authority: authority.issue("other", "example.org"), "is for another address"),
        (lambda authority: authority.issue(begin=NOW - 2 * DAY, end=NOW - DAY), "has expired"),
        (lambda authority: authority.issue(begin=NOW + DAY, end=NOW + 2 * DAY), "not valid yet"),
    ],
    ids=["self-signed", "another host", "expired", "not yet valid"],
)
async def test_a_certificate_that_is_not_right_is_told_in_a_sentence(authority, issue, words):
    trust(str(authority.file))
    async with answering(issue(authority)) as place:
        with unreachable(f"^cannot reach wss://{place}: the server's certificate .*{words}"):
            async with Session.connect(f"wss://{place}", Identity()):
                pass


async def test_a_certificate_of_an_address_is_for_no_other_address(authority):
    trust(str(authority.file))
    async with answering(authority.issue("other", "127.0.0.2")) as place:
        with unreachable("is for another address"):
            async with Session.connect(
                f"wss://{place}".replace("localhost", "127.0.0.1"), Identity()
            ):
                pass


async def test_who_signed_a_certificate_has_to_be_known(authority):
    async with answering(authority.issue()) as place:
        with unreachable("signed by somebody whom this computer does not know: .*by --cafile$"):
            async with Session.connect(f"wss://{place}", Identity()):
                pass


async def test_a_server_without_tls_is_told_apart(server):
    with unreachable("what answers there does not speak TLS: without it, by ws://"):
        async with Session.connect(server.address.replace("ws:", "wss:"), Identity()):
            pass


async def test_a_server_that_refuses_our_tls_is_quoted():
    async with answering(ALERT) as place:
        with unreachable("TLS failed: .*handshake failure"):
            async with Session.connect(f"wss://{place}", Identity()):
                pass


async def test_a_server_with_tls_only_is_told_apart(server, authority):
    address = await restart(server, authority.issue())
    with unreachable("what answers there speaks TLS only: use wss:// in place of ws://$"):
        async with Session.connect(address.replace("wss:", "ws:"), Identity()):
            pass


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
async def test_so_is_a_proxy(answer):
    async with answering(answer) as place:
        with unreachable("what answers there speaks TLS only"):
            async with Session.connect(f"ws://{place}", Identity()):
                pass


def test_without_tls_nobody_has_to_be_trusted():
    assert find_context("ws://localhost") is None
    assert (context := find_context("wss://localhost")) is not None
    assert find_context("wss://example.org") is context
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
            trust(str(file))
        assert explain_failure(refused.value) == f"{file}: {told}"
