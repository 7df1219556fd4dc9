"""The command `mastermind-server`: it serves, or lets bots play in the arena."""

from __future__ import annotations

import argparse
import asyncio
import gc
import resource
import signal
import sys
from importlib.metadata import version
from pathlib import Path
from typing import NoReturn

import platformdirs

from mastermind_protocol.errors import InvalidRules, Refused
from mastermind_server import arena_cli
from mastermind_server.limits import (
    COLLECTIONS,
    MAX_CONNECTIONS,
    SPARE_DESCRIPTORS,
    SWITCH_SECONDS,
)
from mastermind_server.logging_thread import keep_log, quiet_libraries

MAX_PORT = 65535
INTERRUPTED = 130  # what shells report of a program ended by Ctrl-C


class ServerParser(argparse.ArgumentParser):
    """One that says what is wrong first, and then where help is."""

    def error(self, message: str) -> NoReturn:
        """Tell what is wrong with the command line, and end with status 2."""
        self.exit(2, f"{self.prog}: error: {message}\nHelp: {self.prog} --help\n")


def main(arguments: list[str] | None = None) -> int:
    """Serve until interrupted, or do what else is asked for; returns the exit status."""
    given = sys.argv[1:] if arguments is None else arguments
    if given[:1] == ["arena"]:
        return _run_arena(given[1:])
    if given[:1] == ["migrate"]:
        return _migrate(given[1:])
    options = _parser().parse_args(given)
    quiet_libraries()
    try:
        with keep_log(options.log_level), asyncio.Runner(loop_factory=new_event_loop) as runner:
            runner.run(_serve(options.host, options.port, options.store or options.database))
    except OSError as error:
        print(f"mastermind-server: {error}", file=sys.stderr)
        return 1
    return 0


def new_event_loop() -> asyncio.AbstractEventLoop:
    """Return a loop for a server: uvloop's where there is one, on which a move costs less."""
    try:
        import uvloop
    except ImportError:
        return asyncio.new_event_loop()
    return uvloop.new_event_loop()


def _run_arena(arguments: list[str]) -> int:
    parser = ServerParser(
        prog="mastermind-server arena", description="Let bots break every code, or many."
    )
    arena_cli.add_arguments(parser)
    options = parser.parse_args(arguments)
    try:
        options.build(options)()
    except (InvalidRules, argparse.ArgumentTypeError) as error:
        parser.error(str(error))
    except Refused as refusal:
        print(f"mastermind-server: {refusal}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print()
        return INTERRUPTED
    return 0


def _migrate(arguments: list[str]) -> int:
    parser = ServerParser(
        prog="mastermind-server migrate",
        description="Make the tables of a database, or bring them up to this version.",
    )
    parser.add_argument("--store", required=True, metavar="URL", help="postgresql://...")
    url: str = parser.parse_args(arguments).store
    from mastermind_server.storage.postgresql import migrate_database

    try:
        migrate_database(url)
    except OSError as error:
        print(f"mastermind-server: {error}", file=sys.stderr)
        return 1
    print("the tables are this version's")
    return 0


async def _serve(host: str, port: int, database: Path | str | None) -> None:
    # Late: SQLAlchemy takes long.
    from mastermind_server.app import listen, listens_everywhere, serving

    sys.setswitchinterval(SWITCH_SECONDS)
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    room = _make_room()
    listener = listen(host, port)
    everywhere = listens_everywhere(listener)
    if database is None:
        database = _default_database(listener.getsockname()[1])
        database.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    async with serving(listener, database, room) as address:
        # What there is by now stays: to look through it again and again takes 100 ms each time.
        gc.collect()
        gc.freeze()
        gc.set_threshold(*COLLECTIONS)
        others = ", and on every other address of this machine" if everywhere else ""
        print(f"listening on {address}{others}", flush=True)
        await stop.wait()


def _make_room() -> int:
    """Raise the process's limit of descriptors; return how many connections it has room for."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MAX_CONNECTIONS + SPARE_DESCRIPTORS
    if soft != resource.RLIM_INFINITY and soft < wanted:
        most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        soft = max(soft, most)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    if soft == resource.RLIM_INFINITY:
        return MAX_CONNECTIONS
    return max(1, min(MAX_CONNECTIONS, soft - SPARE_DESCRIPTORS))


def _default_database(port: int) -> Path:
    """Return the file of the server on this port: two servers never share one by accident."""
    return platformdirs.user_data_path("mastermind") / f"server-{port}.sqlite3"


def _parser() -> argparse.ArgumentParser:
    parser = ServerParser(
        prog="mastermind-server",
        description="Serve Mastermind over the network.",
        epilog="mastermind-server arena lets bots break every code, or many: it has a --help too.",
    )
    parser.add_argument("--version", action="version", version=f"mastermind-server {_version()}")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (%(default)s)")
    parser.add_argument(
        "--port", type=_port, default=8765, help="port to listen on; 0 picks one (%(default)s)"
    )
    place = parser.add_mutually_exclusive_group()
    place.add_argument(
        "--store",
        metavar="URL",
        help="PostgreSQL database of many nodes (postgresql://...): all of them take any client",
    )
    place.add_argument(
        "--database",
        type=Path,
        metavar="FILE",
        help="SQLite file with all matches (by default one for each port, in your data folder)",
    )
    parser.add_argument(
        "--log-level",
        type=str.upper,
        choices=["DEBUG", "INFO", "WARNING", "ERROR"],
        default="INFO",
        help="what to log, on standard error (%(default)s)",
    )
    return parser


def _version() -> str:
    return version("networked-mastermind")


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) <= MAX_PORT):
        raise argparse.ArgumentTypeError(f"{text!r} is no port: 0 to {MAX_PORT}")
    return int(text)
