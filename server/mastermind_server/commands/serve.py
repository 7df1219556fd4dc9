"""The default command: run a server until a signal stops it."""

from __future__ import annotations

import argparse
import asyncio
import gc
import logging
import signal
import sys
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import platformdirs

from mastermind_server.commands.limits import add_limits_option, find_limits
from mastermind_server.commands.options import (
    add_database_option,
    add_option,
    find_database,
    make_choice_parser,
    read_days,
    read_downloads,
    read_drain_seconds,
    read_origins,
    read_port,
    read_proxies,
    read_public_url,
    read_switch,
)
from mastermind_server.commands.resources import (
    OPEN_FILES_SETTINGS,
    find_network_file_system,
    grow_descriptor_table,
    lower_connections,
)
from mastermind_server.limits import Limiter
from mastermind_server.monitoring.logs import (
    JSON,
    TEXT,
    JsonFormatter,
    LogFormatter,
    TextFormatter,
    log_to_stderr,
    quiet_libraries,
)
from mastermind_server.network.sockets.access import Access
from mastermind_server.network.sockets.certificates import Certificate, CertificateUnusable
from mastermind_server.network.web.files import read_web_files
from mastermind_server.network.web.pages import Pages
from mastermind_server.storage.records import ABANDONED_DAYS

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from mastermind_server.app import Server

_LOG = logging.getLogger(__name__)
_DEFAULT_DATABASE = "without --database FILE the matches are stored in your data folder, and"
SECONDS_UNTIL_KILLED = 10  # after a stop signal, an alarm ends the process; also Docker's default
SUMMARY = "serve Mastermind over the network"
THREAD_SWITCH_SECONDS = (
    0.0005  # the interpreter's switch interval: a busy thread delays the loop by this
)
# Collections are rare, because ended connections and matches leave no reference cycles. Each
# passes over all moves under way, so it must not begin whenever there are hundreds of them: after
# 5,000 new objects instead of 20,000, collections took 6 to 14 us of a move, now 2 to 5. A young
# collection stops the event loop for some 10 ms when moves are saturated, one of the second
# generation for 25 ms, a full one for 150 ms with 5,000 connections.
GC_THRESHOLDS = (20_000, 1, 600)


def add_serve_command(parser: argparse.ArgumentParser) -> None:
    """Add the options of a server, and the default `perform`: the function that runs a server."""
    add_option(parser, "--host", default="127.0.0.1", about="address to listen on")
    add_option(
        parser, "--port", parse=read_port, default=8765, about="port to listen on; 0 picks one"
    )
    add_database_option(parser)
    add_option(
        parser,
        "--drain",
        parse=read_drain_seconds,
        default=0.0,
        metavar="SECONDS",
        about="on a stop signal, start no new matches and let running ones continue for this time",
    )
    add_option(
        parser,
        "--abandon-after",
        parse=read_days,
        metavar="DAYS",
        default=ABANDONED_DAYS,
        about="end a match after this number of days without a move",
    )
    add_limits_option(parser)
    add_option(
        parser,
        "--tls-cert",
        parse=Path,
        metavar="FILE",
        about="certificate for TLS with its chain, in PEM; reloaded on SIGHUP",
    )
    add_option(
        parser,
        "--tls-key",
        parse=Path,
        metavar="FILE",
        about="private key of the certificate, in PEM, without a password",
    )
    add_option(
        parser,
        "--origins",
        parse=read_origins,
        metavar="ORIGIN,...",
        default=(),
        about="other web sites, such as https://example.org, whose pages may connect from a"
        " browser; none by default",
    )
    add_option(
        parser,
        "--public-url",
        parse=read_public_url,
        metavar="URL",
        about="address of the web page for players, such as https://example.org; by default the"
        " address that each player uses",
    )
    add_option(
        parser,
        "--no-web",
        nargs="?",
        const="yes",
        parse=read_switch,
        metavar="yes",
        default="no",
        about="answer browsers with no web page",
    )
    add_option(
        parser,
        "--downloads",
        parse=read_downloads,
        metavar="FOLDER",
        default=(),
        about="folder with the wheel of this version, which make wheel builds; the server offers it"
        " to players for download",
    )
    add_option(
        parser,
        "--trusted-proxies",
        parse=read_proxies,
        metavar="CIDR,...",
        default=(),
        about="networks or addresses of reverse proxies, whose X-Forwarded-For names the client's"
        " address; none is trusted by default",
    )
    add_option(
        parser,
        "--log-level",
        parse=make_choice_parser("DEBUG", "INFO", "WARNING", "ERROR"),
        metavar="LEVEL",
        default="INFO",
        about="lowest level that is logged on standard error, from DEBUG to ERROR",
    )
    add_option(
        parser,
        "--log-format",
        parse=make_choice_parser(TEXT, JSON),
        metavar="FORMAT",
        default=TEXT,
        about="format of the log: text, or json with one object a line",
    )
    add_option(
        parser,
        "--metrics-port",
        parse=read_port,
        metavar="PORT",
        about="port for /metrics, /healthz and /readyz; 0 picks one; closed by default",
    )
    add_option(
        parser,
        "--metrics-host",
        default="127.0.0.1",
        metavar="HOST",
        about="address to listen on for these; access needs no password",
    )
    parser.set_defaults(perform=_perform)


def new_event_loop() -> asyncio.AbstractEventLoop:
    """Return an event loop of uvloop, which is faster, or of asyncio if uvloop is missing."""
    try:
        import uvloop
    except ImportError:
        return asyncio.new_event_loop()
    return uvloop.new_event_loop()


def _perform(options: argparse.Namespace) -> None:
    """Run a server until SIGINT or SIGTERM.

    SIGHUP reloads the certificate. If there is no certificate, SIGHUP stops the server.
    """
    location, wanted = find_database(options), find_limits(options.limits)
    access = find_access(options)
    limits = lower_connections(wanted)
    grow_descriptor_table(limits)
    limiter = Limiter(limits)
    quiet_libraries()
    formatter: LogFormatter = JsonFormatter() if options.log_format == JSON else TextFormatter()
    with (
        log_to_stderr(options.log_level, formatter, limiter),
        asyncio.Runner(loop_factory=new_event_loop) as runner,
    ):
        if limits.connections < wanted.connections:
            _LOG.warning(
                "at most %d connections, not %d: the limit on open files (RLIMIT_NOFILE) is too"
                " low (%s)",
                limits.connections,
                wanted.connections,
                OPEN_FILES_SETTINGS,
            )
        runner.run(_serve(options, location, limiter, access, formatter))
    signal.alarm(0)


def find_access(options: argparse.Namespace) -> Access:
    """Return the TLS certificate, origins, proxies and web pages that the parsed options set.

    Raises CertificateUnusable. Raises ArgumentTypeError if only one of certificate and key is
    given.
    """
    certificate, key = options.tls_cert, options.tls_key
    if (certificate is None) is not (key is None):
        given, missing = ("--tls-cert", "--tls-key") if certificate else ("--tls-key", "--tls-cert")
        raise argparse.ArgumentTypeError(f"{given} is set without {missing}: TLS needs both")
    secure = certificate is not None
    pages = (
        None
        if options.no_web
        else Pages(read_web_files(), options.public_url, dict(options.downloads), secure=secure)
    )
    return Access(
        None if certificate is None else Certificate(certificate, key),
        options.origins,
        options.trusted_proxies,
        pages,
    )


async def _serve(
    options: argparse.Namespace,
    database: Path | str | None,
    limiter: Limiter,
    access: Access,
    formatter: LogFormatter,
) -> None:
    gc.set_threshold(*GC_THRESHOLDS)  # before the imports, whose objects stay
    # Imported here because SQLAlchemy takes long.
    from mastermind_server.app import listen, listens_everywhere, run_server

    sys.setswitchinterval(THREAD_SWITCH_SECONDS)
    stop, hurry = asyncio.Event(), asyncio.Event()

    def on_signal() -> None:
        if stop.is_set():
            hurry.set()
            return
        signal.alarm(SECONDS_UNTIL_KILLED)  # ends the process even if it hangs or is still starting
        stop.set()

    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, on_signal)
    if access.certificate is not None:
        loop.add_signal_handler(signal.SIGHUP, _reload, access.certificate)
    elif signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # as nohup sets it
        loop.add_signal_handler(signal.SIGHUP, on_signal)
    with listen(options.host, options.port) as listener:
        everywhere = listens_everywhere(listener)
        if database is None:
            database = _make_default_database(listener.getsockname()[1])
        if isinstance(database, Path) and (kind := find_network_file_system(database)):
            _LOG.warning(
                "%s is on a network file system (%s), where SQLite can fail or lose moves: use a"
                " local disk or PostgreSQL",
                database,
                kind,
            )
        async with (
            run_server(listener, database, limiter, options.abandon_after, access) as server,
            _serve_operator(options, server) as address,
        ):
            formatter.node = server.services.node
            # Excludes the present objects, which stay, from collections: 40 ms at least.
            gc.freeze()
            others = ", and on every other address of this machine" if everywhere else ""
            print(f"listening on {server.address}{others}", flush=True)
            if address is not None:
                print(f"metrics at {address}/metrics", flush=True)
            await stop.wait()
            server.services.readiness.draining = True
            server.downtime.begin_drain()
            await server.gateway.drain(options.drain, hurry=hurry)


@asynccontextmanager
async def _serve_operator(options: argparse.Namespace, server: Server) -> AsyncIterator[str | None]:
    """Serve /metrics, /healthz and /readyz within the block. Yield their http:// address.

    Without the option `--metrics-port`, serve nothing and yield None.
    """
    if options.metrics_port is None:
        yield None
        return
    from mastermind_server.app import listen
    from mastermind_server.operator_port.endpoints import open_operator_port

    listener = listen(options.metrics_host, options.metrics_port)
    async with open_operator_port(server, listener) as address:
        yield address


def _reload(certificate: Certificate) -> None:
    try:
        certificate.reload()
    except CertificateUnusable as error:
        _LOG.error("the certificate was not reloaded: %s", error)
    else:
        _LOG.info("the certificate was reloaded; new connections use it")
        certificate.warn()


def _make_default_database(port: int) -> Path:
    """Return the path of the default database file, and make its folder. Raises OSError.

    Each port has its own file.
    """
    try:
        folder = platformdirs.user_data_path("mastermind")
    except RuntimeError as error:
        raise OSError(f"{_DEFAULT_DATABASE} you have no home folder: set HOME") from error
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise OSError(f"{_DEFAULT_DATABASE} {folder} cannot be made: {error.strerror}") from error
    return folder / f"server-{port}.sqlite3"
