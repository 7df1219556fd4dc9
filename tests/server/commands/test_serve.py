from __future__ import annotations

import asyncio
import contextlib
import fcntl
import json
import os
import re
import resource
import signal
import socket
import ssl
import sys
import threading
import time
from argparse import ArgumentTypeError
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Sequence
from http.client import HTTPConnection
from pathlib import Path

import pytest

from kit.certificates import Authority
from kit.client import Wire
from kit.matches import state_of
from mastermind_protocol.errors import ErrorCode
from mastermind_protocol.messages import Error, Log
from mastermind_protocol.requests import Seek
from mastermind_server import cli
from mastermind_server.app import listen
from mastermind_server.commands import serve
from mastermind_server.limits import USUAL
from mastermind_server.tuning import MAX_DRAIN_SECONDS, SPARE_DESCRIPTORS

COMMAND = str(Path(sys.executable).with_name("mastermind-server"))
PATIENCE = 20.0  # seconds for a process to start or to end


@pytest.fixture(autouse=True)
def _data_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


@pytest.fixture
def authority(tmp_path):
    return Authority(tmp_path)


async def start(
    *options: str,
    errors: int = asyncio.subprocess.PIPE,
    command: Sequence[str] = (COMMAND,),
) -> Process:
    return await asyncio.create_subprocess_exec(
        *command, *options, stdout=asyncio.subprocess.PIPE, stderr=errors
    )


async def finish(process: Process) -> tuple[int | None, str, str]:
    """Return exit status, output and errors of a process that ends."""
    async with asyncio.timeout(PATIENCE):
        out, err = await process.communicate()
    return process.returncode, out.decode(), (err or b"").decode()


@contextlib.asynccontextmanager
async def running(
    *options: str,
    errors: int = asyncio.subprocess.PIPE,
    command: Sequence[str] = (COMMAND,),
) -> AsyncIterator[tuple[Process, str]]:
    """A server process that listens, and its address; it is ended with the block."""
    process = await start(*options, errors=errors, command=command)
    try:
        assert process.stdout is not None
        async with asyncio.timeout(PATIENCE):
            line = (await process.stdout.readline()).decode()
        address = re.fullmatch(r"listening on (wss?://[^ ]+:\d+)\n", line)
        assert address is not None, line
        yield process, address[1]
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def names_in(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


async def play(address: str) -> str:
    wire = await Wire.connect(address)
    await wire.hello("Ada")
    log = await wire.open(maker="knuth", breaker="me")
    assert state_of(log).players
    await wire.close()
    return log.match


async def test_it_says_where_it_listens_and_sends_clients_away_to_come_back():
    async with running("--port", "0") as (process, address):
        assert address.startswith("ws://127.0.0.1:")
        wire = await Wire.connect(address)
        await wire.hello("Ada")
        process.terminate()
        assert await wire.closed() == (1012, "restarting; retry_after=0.000")
        status, out, log = await finish(process)
        assert (status, out) == (0, "")
        assert "connection 1: closed with 1012, 0 frames refused" in log


def shown_certificate(address: str, trust: ssl.SSLContext) -> bytes:
    """Return the certificate that newcomers are shown; raises SSLError if it is not trusted."""
    port = int(address.rpartition(":")[2])
    with (
        socket.create_connection(("127.0.0.1", port)) as end,
        trust.wrap_socket(end, server_hostname="localhost") as line,
    ):
        certificate = line.getpeercert(binary_form=True)
        assert certificate is not None
        return certificate


async def test_another_certificate_is_taken_on_sighup_and_nobody_loses_the_connection(authority):
    first = authority.issue()
    options = ("--port", "0", "--tls-cert", str(first.certificate), "--tls-key", str(first.key))
    async with running(*options) as (process, address):
        assert address.startswith("wss://127.0.0.1:")
        trust, log = authority.trust(), process.stderr
        assert log is not None
        shown = [await asyncio.to_thread(shown_certificate, address, trust)]
        ada = await Wire.connect(address, ssl=trust)
        await ada.hello("Ada")

        async def reload(told):
            process.send_signal(signal.SIGHUP)
            async with asyncio.timeout(PATIENCE):
                while told not in (line := (await log.readline()).decode()):
                    assert line
            shown.append(await asyncio.to_thread(shown_certificate, address, trust))

        authority.issue()  # into the same files
        await reload("the certificate is read again")
        first.certificate.write_text("half of a certi")
        await reload(f"stays as it was: {first.certificate}: there is no certificate in it")
        assert shown[0] != shown[1] == shown[2]
        assert (await ada.open(maker="me", breaker="open")).match
        await ada.close()


@pytest.mark.parametrize("given", ["--tls-cert", "--tls-key"])
async def test_tls_needs_a_certificate_and_its_key(given):
    status, _, errors = await finish(await start(given, "some.pem"))
    missing = "--tls-key" if given == "--tls-cert" else "--tls-cert"
    assert status == 2
    assert f"error: there is {given} without {missing}: TLS needs both\n" in errors


async def test_a_certificate_that_is_of_no_use_is_told_in_a_line(authority):
    certificate, key = authority.issue()
    key.unlink()
    process = await start("--tls-cert", str(certificate), "--tls-key", str(key))
    assert await finish(process) == (
        1,
        "",
        f"mastermind-server: {key}: No such file or directory\n",
    )


@pytest.mark.parametrize(
    ("text", "origins"),
    [
        ("https://example.org", ("https://example.org",)),
        ("http://localhost:8000, https://[::1]", ("http://localhost:8000", "https://[::1]")),
        ("", ()),
    ],
)
def test_origins_are_read(text, origins):
    assert serve.read_origins(text) == origins


@pytest.mark.parametrize(
    "text", ["example.org", "https://example.org/", "https://Example.org", "*"]
)
def test_what_no_browser_would_send_is_no_origin(text):
    with pytest.raises(ArgumentTypeError, match=re.escape(f"{text!r} is no origin: https://HOST")):
        serve.read_origins(text)


def test_a_slip_in_the_networks_of_proxies_is_named():
    with pytest.raises(ArgumentTypeError, match=re.escape("10.0.0.1/8 has host bits set")):
        serve.read_proxies("192.0.2.1,10.0.0.1/8")


async def test_it_drains_until_it_is_told_to_stop_again():
    nohup = ("env", "--ignore-signal=HUP", COMMAND)
    options = ("--port", "0", "--drain", str(MAX_DRAIN_SECONDS))
    async with running(*options, command=nohup) as (process, address):
        wire = await Wire.connect(address)
        await wire.hello("Ada")
        process.send_signal(signal.SIGHUP)  # which means nothing to it
        for _ in range(3):
            await wire.leave((await wire.seek("2x2")).match)
        process.terminate()
        while not isinstance(told := await wire.ask(wire.new(Seek, rules="2x2")), Error):
            assert isinstance(told, Log)
            await wire.leave(told.match)
        assert told.code == ErrorCode.RESTARTING
        process.terminate()
        assert await wire.closed() == (1012, "restarting; retry_after=0.000")
        assert (await finish(process))[0] == 0


STUCK = """
import asyncio, sys, time
from mastermind_server import cli
from mastermind_server.commands import serve
from mastermind_server.storage.store import Store

async def open(place):
    print("opening", flush=True)
    await asyncio.Event().wait()

async def close(self):
    time.sleep(1000)

setattr(Store, sys.argv[1], locals()[sys.argv[1]])
serve.EXIT_SECONDS = 1
sys.exit(cli.main(sys.argv[2:]))
"""


@pytest.mark.parametrize("part", ["open", "close"])
async def test_it_ends_in_time_whatever_holds_it(tmp_path, part):
    script = tmp_path / "stuck.py"
    write(script, STUCK)
    process = await start("--port", "0", command=[sys.executable, str(script), part])
    assert process.stdout is not None
    async with asyncio.timeout(PATIENCE):
        assert await process.stdout.readline()
    process.terminate()
    assert (await finish(process))[0] == -signal.SIGALRM


@pytest.mark.parametrize("seconds", ["", "-1", "5", "nan", "1s"])
def test_a_drain_that_could_not_end_in_time_is_refused(seconds, capsys):
    with pytest.raises(SystemExit):
        cli.main(["--drain", seconds])
    assert f"{seconds!r} is no time: 0 to 4 seconds" in capsys.readouterr().err


async def test_a_log_that_nobody_reads_holds_nothing_up():
    reading, writing = os.pipe()
    fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 4096)  # the smallest there is
    async with running("--port", "0", errors=writing) as (process, address):
        for _ in range(60):  # each is some 100 bytes of log
            await (await Wire.connect(address)).close()
        await play(address)
        process.terminate()
        assert (await finish(process))[0] == 0
    os.close(writing)
    os.close(reading)


SLEEPERS = """
import sys, threading
from mastermind_server import bots, cli
from mastermind_server.bots.consistent import Consistent

class Sleeper(Consistent):
    def __init__(self, name, light):
        self.name, self.light = name, light

    def choose(self, view, random):
        print("thinking", flush=True)
        threading.Event().wait()

sleepers = [Sleeper("light-sleeper", 10_000), Sleeper("heavy-sleeper", 0)]
bots.BOTS = {**bots.BOTS, **{bot.name: bot for bot in sleepers}}
if __name__ == "__main__":
    sys.exit(cli.main(sys.argv[1:]))
"""


async def test_a_stop_waits_for_nothing_that_is_thought_about(tmp_path):
    """Bots think for ever, in threads and in a process, and others wait for these."""
    script = tmp_path / "sleepers.py"
    write(script, SLEEPERS)
    command = [sys.executable, str(script)]
    options = ("--port", "0", "--log-level", "warning")
    async with running(*options, command=command) as (process, address):
        assert process.stdout is not None
        player = await Wire.connect(address)
        await player.hello("Ada")
        for bot in ["light-sleeper", "heavy-sleeper"] * 5:
            match = (await player.open(maker="me", breaker=bot)).match
            await player.set(match, "1234")
        for _ in range(3):  # two threads, and at least one process
            assert await process.stdout.readline() == b"thinking\n"
        process.terminate()
        assert await player.closed() == (1012, "restarting; retry_after=0.000")
        status, _, err = await finish(process)
        assert (status, err) == (0, "")


def write(path: Path, content: str) -> None:
    path.write_text(content)


def refusal(capsys: pytest.CaptureFixture[str], *options: str) -> str:
    """Return why the command does not serve, which it says in one line."""
    assert cli.main(list(options)) == 1
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    return err.removeprefix("mastermind-server: ").removesuffix("\n")


def test_a_busy_port_is_told_and_nothing_made(tmp_path, capsys):
    with listen("127.0.0.1", 0) as taken:
        port = str(taken.getsockname()[1])
        why = refusal(capsys, "--port", port)
    assert why == f"cannot listen on 127.0.0.1, port {port}: Address already in use"
    assert names_in(tmp_path) == []


def test_a_host_that_there_cannot_be_is_told(capsys):
    why = refusal(capsys, "--port", "0", "--host", 64 * "x")
    assert re.fullmatch(f"cannot listen on {64 * 'x'}, port 0: [^()]+", why)


@pytest.mark.parametrize("name", ["", "disk/game.sqlite3"])
def test_a_file_that_cannot_be_used_is_told_and_nothing_made(name, tmp_path, capsys):
    path = tmp_path / name
    why = refusal(capsys, "--port", "0", "--database", str(path))
    assert why.startswith(f"{path} cannot be used: ")
    assert names_in(tmp_path) == []


async def test_a_second_server_on_the_same_file_is_refused(tmp_path):
    database = str(tmp_path / "game.sqlite3")
    async with running("--port", "0", "--database", database) as (first, address):
        status, out, err = await finish(await start("--port", "0", "--database", database))
        assert (status, out) == (1, "")
        assert err == (f"mastermind-server: {database} is in use by another mastermind-server\n")
        await play(address)
        first.terminate()
        assert (await finish(first))[0] == 0


def test_the_default_file_is_the_ports_own(tmp_path):
    file = tmp_path / "data" / "mastermind" / "server-8765.sqlite3"
    assert serve._default_database(8765) == file


ALLOWED = [2 * USUAL.connections, 300, 100]  # a process can only lower its own
TELL_ROOM = f"""
import resource
from mastermind_server.commands import serve
from mastermind_server.limits import USUAL

for most in {ALLOWED}:
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    print(serve._fit_to_descriptors(USUAL).connections)
"""
TELL_TABLE = """
import re
from pathlib import Path
from mastermind_server.commands import serve
from mastermind_server.limits import USUAL

serve._fit_to_descriptors(USUAL)
print(re.search(r"FDSize:\\s+([0-9]+)", Path("/proc/self/status").read_text()).group(1))
"""


async def tell(program: str) -> list[int]:
    """Return the numbers that a process of its own prints."""
    _, allowed = resource.getrlimit(resource.RLIMIT_NOFILE)
    assert allowed >= ALLOWED[0], "this machine allows fewer descriptors"
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program, stdout=asyncio.subprocess.PIPE
    )
    out, _ = await process.communicate()
    return [int(number) for number in out.split()]


async def test_descriptors_are_kept_back_from_connections():
    assert await tell(TELL_ROOM) == [USUAL.connections, 300 - SPARE_DESCRIPTORS, 1]


async def test_a_crowd_does_not_make_the_table_of_descriptors_grow():
    (slots,) = await tell(TELL_TABLE)
    assert slots >= USUAL.connections + SPARE_DESCRIPTORS


def interrupt_when_it_serves(port: int, stop: signal.Signals) -> None:
    """Wait until somebody answers on the port, then send this process a signal."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        with contextlib.suppress(ConnectionRefusedError):
            asker = HTTPConnection("::1", port, timeout=PATIENCE)
            asker.request("GET", "/healthz")
            asker.getresponse().read()
            asker.close()
            break
    os.kill(os.getpid(), stop)


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])  # noqa: S104 - that is what is tested
def test_at_all_addresses_it_names_one_that_can_be_connected_to(host):
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    reading, writing = os.pipe()
    told: list[str] = []

    def come_and_end_it():
        with os.fdopen(reading, encoding="utf-8") as output:
            line = output.readline()
        if address := re.match(r"listening on ws://(\S+:\d+), ", line):
            with contextlib.suppress(OSError):
                asker = HTTPConnection(address[1], timeout=PATIENCE)
                asker.request("GET", "/healthz")
                asker.getresponse().read()
                asker.close()
                told.append(line)
        if line:
            os.kill(os.getpid(), signal.SIGTERM)

    guest = threading.Thread(target=come_and_end_it)
    guest.start()
    with os.fdopen(writing, "w", encoding="utf-8") as out, contextlib.redirect_stdout(out):
        assert cli.main(["--host", host, "--port", "0"]) == 0
    guest.join()
    (line,) = told
    assert line.endswith(", and on every other address of this machine\n")
    assert f"//{host}:" not in line.replace("[", "").replace("]", "")


@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_it_keeps_a_file_of_its_port_and_ends_when_it_is_told_to(tmp_path, capsys, stop):
    with listen("::1", 0) as free:
        port = free.getsockname()[1]
    signal.signal(stop, signal.default_int_handler)  # whatever these tests are run by ignores
    threading.Thread(target=interrupt_when_it_serves, args=(port, stop), daemon=True).start()
    assert cli.main(["--host", "::1", "--port", str(port)]) == 0
    assert capsys.readouterr().out == f"listening on ws://[::1]:{port}\n"
    folder = tmp_path / "data" / "mastermind"
    assert list(folder.glob("*.sqlite3")) == [folder / f"server-{port}.sqlite3"]


@pytest.mark.parametrize("uvloop", [True, False])
def test_a_server_runs_on_uvloop_where_there_is_one_and_else_on_pythons_own(monkeypatch, *, uvloop):
    if not uvloop:
        monkeypatch.setitem(sys.modules, "uvloop", None)
    loop = serve.new_event_loop()
    loop.close()
    assert isinstance(loop, asyncio.SelectorEventLoop) is not uvloop


async def test_the_operators_port_is_opened_if_it_is_given_and_told():
    async with running("--port", "0", "--metrics-port", "0") as (process, _):
        assert process.stdout is not None
        async with asyncio.timeout(PATIENCE):
            line = (await process.stdout.readline()).decode()
        told = re.fullmatch(r"metrics at http://(127\.0\.0\.1:\d+)/metrics\n", line)
        assert told is not None, line
        asker = HTTPConnection(told[1], timeout=PATIENCE)
        asker.request("GET", "/readyz")
        assert asker.getresponse().read() == b"ready\n"
        asker.close()
        process.terminate()
        assert await finish(process) == (0, "", "")


def test_a_busy_port_for_metrics_is_told(tmp_path, capsys):
    with listen("127.0.0.1", 0) as taken:
        port = str(taken.getsockname()[1])
        database = str(tmp_path / "game.sqlite3")
        why = refusal(capsys, "--port", "0", "--metrics-port", port, "--database", database)
    assert why == f"cannot listen on 127.0.0.1, port {port}: Address already in use"


async def test_the_log_may_be_json():
    options = ("--port", "0", "--log-format", "JSON", "--log-level", "debug")
    async with running(*options) as (process, address):
        await (await Wire.connect(address)).close()
        process.terminate()
        status, _, log = await finish(process)
    lines = [json.loads(line) for line in log.splitlines()]
    opened, closed = (line for line in lines if line["connection"] is not None)
    assert (status, opened["message"], opened["level"]) == (0, "connection 1: open", "DEBUG")
    assert closed["message"] == "connection 1: closed with 1000, 0 frames refused"
    assert len(closed["node"]) == 16
