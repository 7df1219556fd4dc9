import asyncio
import contextlib
import fcntl
import json
import os
import re
import signal
import socket
import ssl
import sys
import threading
from argparse import ArgumentParser
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime, timedelta
from http.client import HTTPConnection
from pathlib import Path

import pytest

from kit.client import RawClient
from kit.matches import state_of
from kit.processes import free_port
from mastermind_protocol.errors import ErrorCode
from mastermind_protocol.messages import Error, Log
from mastermind_protocol.requests import Seek
from mastermind_server import cli
from mastermind_server.app import listen
from mastermind_server.commands import resources, serve
from mastermind_server.commands.options import MAX_DRAIN_SECONDS
from mastermind_server.commands.resources import MIN_CONNECTIONS, SPARE_DESCRIPTORS
from mastermind_server.limits import DEFAULT_LIMITS

COMMAND = str(Path(sys.executable).with_name("mastermind-server"))
PATIENCE = 20.0  # seconds for a process to start or to end


@pytest.fixture(autouse=True)
def _data_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


async def start(
    *options: str,
    errors: int = asyncio.subprocess.PIPE,
    command: Sequence[str] = (COMMAND,),
) -> Process:
    return await asyncio.create_subprocess_exec(
        *command, *options, stdout=asyncio.subprocess.PIPE, stderr=errors
    )


async def finish(process: Process) -> tuple[int | None, str, str]:
    """Wait for the end of a process; return its exit status, output and errors."""
    async with asyncio.timeout(PATIENCE):
        out, err = await process.communicate()
    return process.returncode, out.decode(), (err or b"").decode()


@contextlib.asynccontextmanager
async def running(
    *options: str,
    errors: int = asyncio.subprocess.PIPE,
    command: Sequence[str] = (COMMAND,),
) -> AsyncIterator[tuple[Process, str]]:
    """Start a server process, yield it and its address, and kill it after the block."""
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


def shown_certificate(address: str, trust: ssl.SSLContext) -> bytes:
    """Return the certificate of a new connection. Raises SSLError if it is not trusted."""
    port = int(address.rpartition(":")[2])
    with (
        socket.create_connection(("127.0.0.1", port)) as end,
        trust.wrap_socket(end, server_hostname="localhost") as line,
    ):
        certificate = line.getpeercert(binary_form=True)
        assert certificate is not None
        return certificate


async def test_a_server_starts_reloads_its_certificate_drains_and_stops(authority, tmp_path):
    pair, database = authority.issue(), tmp_path / "game.sqlite3"
    options = [f"--database={database}", "--port=0", "--metrics-port=0"]
    options += [f"--tls-cert={pair.certificate}", f"--tls-key={pair.key}"]
    options += [f"--drain={MAX_DRAIN_SECONDS}", "--log-format=JSON", "--log-level=info"]
    async with running(*options) as (process, address):
        log, out, trust = process.stderr, process.stdout, authority.trust()
        assert log is not None
        assert out is not None
        assert address.startswith("wss://127.0.0.1:")
        metrics = re.fullmatch(rb"metrics at http://(.+:\d+)/metrics\n", await out.readline())
        assert metrics is not None
        assert await asyncio.to_thread(ask, metrics[1].decode(), "/readyz") == b"ready\n"
        second = await finish(await start("--port=0", f"--database={database}"))
        error = f"mastermind-server: {database} is in use by another mastermind-server\n"
        assert second == (1, "", error)

        shown = [await asyncio.to_thread(shown_certificate, address, trust)]
        ada = await RawClient.connect(address, ssl=trust)
        await ada.hello("Ada")

        async def reload(text):
            process.send_signal(signal.SIGHUP)
            async with asyncio.timeout(PATIENCE):
                while text not in (line := (await log.readline()).decode()):
                    assert line
            shown.append(await asyncio.to_thread(shown_certificate, address, trust))

        soon = datetime.now(UTC) + timedelta(days=2)
        authority.issue(end=soon)  # into the same files
        await reload(f"{pair.certificate}: certificate 1 of 1 expires on {soon:%Y-%m-%d}")
        pair.certificate.write_text("half of a certi")
        await reload(
            f"was not reloaded: --tls-cert {pair.certificate}: the file contains no certificate"
        )
        assert shown[0] != shown[1] == shown[2]

        for _ in range(3):
            await ada.leave((await ada.seek("2x2")).match)
        process.terminate()
        while not isinstance(answer := await ada.ask(ada.new(Seek, rules="2x2")), Error):
            assert isinstance(answer, Log)
            await ada.leave(answer.match)
        assert answer.code == ErrorCode.RESTARTING
        process.terminate()  # it drains no longer
        assert await ada.closed() == (1012, "restarting; retry_after=0.000")
        status, rest, lines = await finish(process)
    assert (status, rest) == (0, "")
    logged = [json.loads(line) for line in lines.splitlines()]
    closed = [line for line in logged if "closed with 1012, 0 messages refused" in line["message"]]
    assert [(line["level"], len(line["node"])) for line in closed] == [("INFO", 16)]


def ask(authority: str, path: str) -> bytes:
    """Return the body of an HTTP answer."""
    asker = HTTPConnection(authority, timeout=PATIENCE)
    asker.request("GET", path)
    text = asker.getresponse().read()
    asker.close()
    return text


async def test_a_server_is_not_delayed_by_an_unread_log_or_an_ignored_hangup():
    reading, writing = os.pipe()
    fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 4096)  # the smallest there is
    nohup = ("env", "--ignore-signal=HUP", COMMAND)
    async with running("--port", "0", errors=writing, command=nohup) as (process, address):
        process.send_signal(signal.SIGHUP)
        for _ in range(60):  # each is some 100 bytes of log
            await (await RawClient.connect(address)).close()
        wire = await RawClient.connect(address)
        await wire.hello("Ada")
        assert state_of(await wire.open(maker="knuth", breaker="me")).players
        process.terminate()
        assert await wire.closed() == (1012, "restarting; retry_after=0.000")
        assert (await finish(process))[0] == 0
    os.close(writing)
    os.close(reading)


@pytest.mark.parametrize(
    ("arguments", "page"),
    [
        ([], "/"),
        (["--no-web", "no"], "/"),
        (["--no-web"], None),
        (["--public-url", "http://play.test:80"], "http://play.test:80/"),
    ],
)
def test_the_options_choose_the_page(arguments, page):
    parser = ArgumentParser()
    serve.add_serve_command(parser)
    pages = serve.find_access(parser.parse_args(arguments)).pages
    assert (pages.page_url if pages else None) == page


STUCK = """
import asyncio, sys, time
from mastermind_server import cli
from mastermind_server.commands import resources, serve
from mastermind_server.storage.store import Store

async def open(place):
    print("opening", flush=True)
    await asyncio.Event().wait()

async def close(self):
    time.sleep(1000)

setattr(Store, sys.argv[1], locals()[sys.argv[1]])
serve.SECONDS_UNTIL_KILLED = 1
sys.exit(cli.main(sys.argv[2:]))
"""


@pytest.mark.parametrize("part", ["open", "close"])
async def test_a_stuck_server_ends_in_time(tmp_path, part):
    script = tmp_path / "stuck.py"
    write(script, STUCK)
    process = await start("--port", "0", command=[sys.executable, str(script), part])
    assert process.stdout is not None
    async with asyncio.timeout(PATIENCE):
        assert await process.stdout.readline()
    process.terminate()
    assert (await finish(process))[0] == -signal.SIGALRM


SLEEPERS = """
import sys, threading
from mastermind_server import bots, cli
from mastermind_server.bots.consistent import ConsistentBot

class Sleeper(ConsistentBot):
    def __init__(self, name, max_codes_in_thread):
        self.name, self.max_codes_in_thread = name, max_codes_in_thread

    def choose(self, view, random):
        print("thinking", flush=True)
        threading.Event().wait()

sleepers = [Sleeper("light-sleeper", 10_000), Sleeper("heavy-sleeper", 0)]
bots.BOTS = {**bots.BOTS, **{bot.name: bot for bot in sleepers}}
if __name__ == "__main__":
    sys.exit(cli.main(sys.argv[1:]))
"""


async def test_a_stop_does_not_wait_for_bots(tmp_path):
    """Some bots never stop thinking, in threads and in a process; others are queued."""
    script = tmp_path / "sleepers.py"
    write(script, SLEEPERS)
    command = [sys.executable, str(script)]
    options = ("--port", "0", "--log-level", "error")  # a slow request is a warning
    async with running(*options, command=command) as (process, address):
        assert process.stdout is not None
        player = await RawClient.connect(address)
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
    """Run a command that fails; return its error, which is one line."""
    assert cli.main(list(options)) == 1
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    return err.removeprefix("mastermind-server: ").removesuffix("\n")


@pytest.mark.parametrize("options", [[], ["--port=0", "--metrics-"]], ids=["port", "metrics"])
def test_the_error_for_a_busy_port_names_it(options, tmp_path, capsys):
    with listen("127.0.0.1", 0) as taken:
        port = str(taken.getsockname()[1])
        *others, prefix = options or ["--"]
        database = tmp_path / "game.sqlite3"
        why = refusal(capsys, *others, f"{prefix}port={port}", f"--database={database}")
    assert why == f"cannot listen on 127.0.0.1, port {port}: Address already in use"
    assert options or names_in(tmp_path) == []


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (["--host", 64 * "x"], f"cannot listen on {64 * 'x'}, port 0: [^()]+"),
        (["--database", "FOLDER"], "FOLDER cannot be used: .+"),
        (["--database", "FOLDER/disk/game.sqlite3"], "FOLDER/disk/game.sqlite3 cannot be used: .+"),
        (
            ["--tls-cert", "FOLDER/none", "--tls-key", "FOLDER/none"],
            "--tls-cert FOLDER/none: No such file or directory",
        ),
    ],
)
def test_the_error_for_an_unusable_option_names_it(options, error, tmp_path, capsys):
    folder = str(tmp_path)
    why = refusal(capsys, "--port=0", *[each.replace("FOLDER", folder) for each in options])
    assert re.fullmatch(error.replace("FOLDER", re.escape(folder)), why)
    assert names_in(tmp_path) == []


async def test_descriptors_limit_the_number_of_connections():
    descriptors = SPARE_DESCRIPTORS + MIN_CONNECTIONS
    limited = ("sh", "-c", f'ulimit -n {descriptors} && exec "$0" "$@"', COMMAND)
    async with running("--port", "0", command=limited) as (process, address):
        assert process.stderr is not None
        warning = f"WARNING mastermind_server.commands.serve: at most {MIN_CONNECTIONS} connections"
        assert warning in (await process.stderr.readline()).decode()
        *_, last = [await RawClient.connect(address) for _ in range(MIN_CONNECTIONS + 1)]
        assert await last.closed() == (1013, "too many connections; retry_after=5.000")


def is_listening(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


async def test_a_server_whose_standard_streams_are_closed_serves_and_stops():
    port = free_port()
    closed = ("sh", "-c", 'exec "$0" "$@" <&- >&- 2>&-', COMMAND)
    process = await start("--port", str(port), command=closed)
    try:
        async with asyncio.timeout(PATIENCE):
            while not await asyncio.to_thread(is_listening, port):
                pass
        process.terminate()
        assert (await finish(process))[0] == 0
    finally:
        if process.returncode is None:
            process.kill()


def test_the_error_for_an_unusable_data_folder_names_it_and_the_option(
    tmp_path, monkeypatch, capsys
):
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "file"))
    assert refusal(capsys, "--port=0") == (
        "without --database FILE the matches are stored in your data folder, and"
        f" {tmp_path}/file/mastermind cannot be made: Not a directory"
    )


def test_the_error_of_a_user_without_a_home_folder_names_the_option(monkeypatch, capsys):
    for variable in ("HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr("pwd.getpwuid", {}.__getitem__)  # as in a container with --user
    assert refusal(capsys, "--port=0") == (
        "without --database FILE the matches are stored in your data folder, and you have no home"
        " folder: set HOME"
    )


def test_a_server_warns_of_a_database_on_a_network_share(tmp_path, monkeypatch, capfd):
    monkeypatch.setattr(resources, "NETWORK_FILE_SYSTEMS", {"proc"})
    assert cli.main(["--port=0", "--database=/proc/self/game.sqlite3"]) == 1
    warning, _ = capfd.readouterr().err.splitlines()
    assert "/proc/self/game.sqlite3 is on a network file system (proc), where" in warning
    for file in (tmp_path / "game.sqlite3", tmp_path / "none" / "game.sqlite3"):
        assert resources.find_network_file_system(file) is None


def read_status(process: Process) -> str:
    return Path(f"/proc/{process.pid}/status").read_text()


async def test_the_descriptor_table_of_a_server_has_its_full_size_from_the_start():
    async with running("--port", "0") as (process, _):
        (size,) = re.findall(r"(?m)^FDSize:\s+([0-9]+)$", read_status(process))
        assert int(size) >= DEFAULT_LIMITS.connections + SPARE_DESCRIPTORS


@pytest.mark.parametrize(
    ("host", "stop", "others"),
    [
        ("::1", signal.SIGTERM, ""),
        ("0.0.0.0", signal.SIGINT, ", and on every other address of this machine"),  # noqa: S104
        ("::", signal.SIGHUP, ", and on every other address of this machine"),
    ],
)
def test_a_server_prints_an_address_names_its_file_by_the_port_and_stops_by_a_signal(
    tmp_path, host, stop, others
):
    with listen("::1", 0) as free:
        port = free.getsockname()[1]
    signal.signal(stop, signal.default_int_handler)  # which the parent may ignore
    reading, writing = os.pipe()
    printed, answers = list[str](), list[bytes]()

    def ask_and_stop():
        with os.fdopen(reading, encoding="utf-8") as output:
            printed.append(output.readline())
        if found := re.match(r"listening on ws://(\S+:\d+)", printed[0]):
            answers.append(ask(found[1], "/healthz"))
            os.kill(os.getpid(), stop)

    guest = threading.Thread(target=ask_and_stop)
    guest.start()
    with os.fdopen(writing, "w", encoding="utf-8") as out, contextlib.redirect_stdout(out):
        assert cli.main(["--host", host, "--port", str(port)]) == 0
    guest.join()
    address = r"\[::1\]" if host == "::1" else r"(?!0\.0\.0\.0|\[::\])\S+"
    assert re.fullmatch(f"listening on ws://{address}:{port}{others}\n", printed[0])
    assert answers == [b"ok\n"]
    folder = tmp_path / "data" / "mastermind"
    assert list(folder.glob("*.sqlite3")) == [folder / f"server-{port}.sqlite3"]


@pytest.mark.parametrize("uvloop", [True, False])
def test_a_server_runs_on_uvloop_if_it_is_installed(monkeypatch, *, uvloop):
    if not uvloop:
        monkeypatch.setitem(sys.modules, "uvloop", None)
    loop = serve.new_event_loop()
    loop.close()
    assert isinstance(loop, asyncio.SelectorEventLoop) is not uvloop
