"""What is done unless another command is asked for: to serve, until a signal."""

from __future__ import annotations

import argparse
import asyncio
import fcntl
import gc
import logging
import os
import re
import resource
import signal
import sys
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import platformdirs

from mastermind_server.commands.limits import add_limits, find_limits
from mastermind_server.commands.options import add_option, add_place, find_place, read_choice
from mastermind_server.limits import Limiter
from mastermind_server.logs.log_lines import JSON, TEXT, JsonLines, Lines, TextLines
from mastermind_server.logs.logging_thread import keep_log, quiet_libraries
from mastermind_server.network.addresses import read_networks
from mastermind_server.network.sockets.access import Access, Certificate, CertificateUnusable
from mastermind_server.tuning import (
    ABANDONED_DAYS,
    COLLECTIONS,
    EXIT_SECONDS,
    MAX_DRAIN_SECONDS,
    SPARE_DESCRIPTORS,
    SWITCH_SECONDS,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from mastermind_server.app import Server
    from mastermind_server.limits import Limits
    from mastermind_server.network.addresses import Network

_LOG = logging.getLogger(__name__)
SUMMARY = "serve Mastermind over the network"
MAX_PORT = 65535
MAX_ABANDONED_DAYS = 3650  # ten years: for ever
_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://[a-z0-9.:\[\]-]+")  # as browsers write it


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what a server is told."""
    add_option(parser, "--host", default="127.0.0.1", about="address to listen on")
    add_option(
        parser, "--port", read=read_port, default=8765, about="port to listen on; 0 picks one"
    )
    add_place(parser)
    add_option(
        parser,
        "--drain",
        read=read_drain,
        default=0.0,
        metavar="SECONDS",
        about="let running matches go on for so long when told to stop, and begin none",
    )
    add_option(
        parser,
        "--abandon-after",
        read=read_days,
        metavar="DAYS",
        default=ABANDONED_DAYS,
        about="after so many days without a move a match is over",
    )
    add_limits(parser)
    add_option(
        parser,
        "--tls-cert",
        read=Path,
        metavar="FILE",
        about="certificate with its chain, in PEM, to serve by TLS; read again on SIGHUP",
    )
    add_option(
        parser,
        "--tls-key",
        read=Path,
        metavar="FILE",
        about="private key of that certificate, in PEM, without a password",
    )
    add_option(
        parser,
        "--origins",
        read=read_origins,
        metavar="ORIGIN,...",
        default=(),
        about="sites whose pages may connect in a browser, such as https://example.org: by default"
        " none may",
    )
    add_option(
        parser,
        "--trusted-proxies",
        read=read_proxies,
        metavar="CIDR,...",
        default=(),
        about="networks, or addresses, of the proxies in front, which tell in X-Forwarded-For whose"
        " address counts: by default none is believed",
    )
    add_option(
        parser,
        "--log-level",
        read=read_choice("DEBUG", "INFO", "WARNING", "ERROR"),
        metavar="LEVEL",
        default="INFO",
        about="what to log, on standard error, from DEBUG to ERROR",
    )
    add_option(
        parser,
        "--log-format",
        read=read_choice(TEXT, JSON),
        metavar="FORMAT",
        default=TEXT,
        about="how to log: as text, or as json, an object a line",
    )
    add_option(
        parser,
        "--metrics-port",
        read=read_port,
        metavar="PORT",
        about="port for /metrics, /healthz and /readyz; 0 picks one; none unless it is given",
    )
    add_option(
        parser,
        "--metrics-host",
        default="127.0.0.1",
        metavar="HOST",
        about="address to listen on for these: whoever reaches it needs no password",
    )


def perform(options: argparse.Namespace) -> None:
    """Serve until SIGINT or SIGTERM, or SIGHUP where there is no certificate.

    Raises OSError, such as DatabaseUnusable, and ArgumentTypeError.
    """
    place, limiter = find_place(options), Limiter(find_limits(options.limits))
    access = find_access(options)
    quiet_libraries()
    lines: Lines = JsonLines() if options.log_format == JSON else TextLines()
    with (
        keep_log(options.log_level, lines, limiter),
        asyncio.Runner(loop_factory=new_event_loop) as runner,
    ):
        runner.run(_serve(options, place, limiter, access, lines))
    signal.alarm(0)


def new_event_loop() -> asyncio.AbstractEventLoop:
    """Return a loop for a server: uvloop's where there is one, on which a move costs less."""
    try:
        import uvloop
    except ImportError:
        return asyncio.new_event_loop()
    return uvloop.new_event_loop()


def read_port(text: str) -> int:
    """Return the number of a port; raises ArgumentTypeError."""
    if not (text.isascii() and text.isdigit() and int(text) <= MAX_PORT):
        raise argparse.ArgumentTypeError(f"{text!r} is no port: 0 to {MAX_PORT}")
    return int(text)


def read_drain(text: str) -> float:
    """Return a number of seconds that there may be for a drain; raises ArgumentTypeError."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1
    if not 0 <= seconds <= MAX_DRAIN_SECONDS:
        raise argparse.ArgumentTypeError(f"{text!r} is no time: 0 to {MAX_DRAIN_SECONDS} seconds")
    return seconds


def read_days(text: str) -> int:
    """Return a number of days; raises ArgumentTypeError."""
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= MAX_ABANDONED_DAYS):
        raise argparse.ArgumentTypeError(
            f"{text!r} is no number of days: 1 to {MAX_ABANDONED_DAYS}"
        )
    return int(text)


def read_origins(text: str) -> tuple[str, ...]:
    """Return sites as browsers tell of them; raises ArgumentTypeError."""
    origins = tuple(origin for word in text.split(",") if (origin := word.strip()))
    for origin in origins:
        if not _ORIGIN.fullmatch(origin):
            raise argparse.ArgumentTypeError(
                f"{origin!r} is no origin: https://HOST or https://HOST:PORT, in small letters"
            )
    return origins


def read_proxies(text: str) -> tuple[Network, ...]:
    """Return the networks of proxies; raises ArgumentTypeError."""
    try:
        return read_networks(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{error}: such as 10.0.0.0/8,fd00::/8") from None


def find_access(options: argparse.Namespace) -> Access:
    """Return how clients may come in. Raises CertificateUnusable and ArgumentTypeError."""
    certificate, key = options.tls_cert, options.tls_key
    if (certificate is None) is not (key is None):
        given, missing = ("--tls-cert", "--tls-key") if certificate else ("--tls-key", "--tls-cert")
        raise argparse.ArgumentTypeError(f"there is {given} without {missing}: TLS needs both")
    return Access(
        None if certificate is None else Certificate(certificate, key),
        options.origins,
        options.trusted_proxies,
    )


async def _serve(
    options: argparse.Namespace,
    database: Path | str | None,
    limiter: Limiter,
    access: Access,
    lines: Lines,
) -> None:
    gc.set_threshold(*COLLECTIONS)  # from here on: what is imported stays
    # Late: SQLAlchemy takes long.
    from mastermind_server.app import listen, listens_everywhere, serving

    sys.setswitchinterval(SWITCH_SECONDS)
    stop, hurry = asyncio.Event(), asyncio.Event()

    def heed() -> None:
        if stop.is_set():
            hurry.set()
            return
        signal.alarm(EXIT_SECONDS)  # which ends the process, even one that hangs or still begins
        stop.set()

    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, heed)
    if access.certificate is not None:
        loop.add_signal_handler(signal.SIGHUP, _reload, access.certificate)
    elif signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # as by nohup
        loop.add_signal_handler(signal.SIGHUP, heed)
    limiter.limits = _fit_to_descriptors(limiter.limits)
    listener = listen(options.host, options.port)
    everywhere = listens_everywhere(listener)
    if database is None:
        database = _default_database(listener.getsockname()[1])
        database.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    async with (
        serving(listener, database, limiter, options.abandon_after, access) as server,
        _observing(options, server) as address,
    ):
        lines.node = server.services.node
        # What there is by now stays: no collection is to go through it, which takes 40 ms at least.
        gc.freeze()
        others = ", and on every other address of this machine" if everywhere else ""
        print(f"listening on {server.address}{others}", flush=True)
        if address is not None:
            print(f"metrics at {address}/metrics", flush=True)
        await stop.wait()
        server.services.readiness.drain()
        await server.gateway.drain(options.drain, hurry=hurry)


@asynccontextmanager
async def _observing(options: argparse.Namespace, server: Server) -> AsyncIterator[str | None]:
    """Open the operator's port, if one is given; yields its http:// address."""
    if options.metrics_port is None:
        yield None
        return
    from mastermind_server.app import listen
    from mastermind_server.monitoring.operator_port import monitoring

    async with monitoring(server, listen(options.metrics_host, options.metrics_port)) as address:
        yield address


def _reload(certificate: Certificate) -> None:
    try:
        certificate.reload()
    except CertificateUnusable as error:
        _LOG.error("the certificate stays as it was: %s", error)
    else:
        _LOG.info("the certificate is read again, for those who come from now on")


def _fit_to_descriptors(limits: Limits) -> Limits:
    """Make room for as many descriptors as may be; return for how many connections that is."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = limits.connections + SPARE_DESCRIPTORS
    if soft != resource.RLIM_INFINITY and soft < wanted:
        most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        soft = max(soft, most)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    if soft == resource.RLIM_INFINITY:
        soft = wanted
    _grow_descriptors(min(wanted, soft))
    room = max(1, min(limits.connections, soft - SPARE_DESCRIPTORS))
    return msgspec.structs.replace(limits, connections=room)


def _grow_descriptors(number: int) -> None:
    """Have the kernel's table of descriptors as long as it is ever needed, some 50 KiB.

    It grows twofold whenever it is full, and while it does Linux holds up a process that has
    threads for 5 to 15 ms: a crowd would do so to moves four times.
    """
    with Path(os.devnull).open("rb") as null:
        os.close(fcntl.fcntl(null, fcntl.F_DUPFD_CLOEXEC, number - 1))


def _default_database(port: int) -> Path:
    """Return the file of the server on this port: two servers never share one by accident."""
    return platformdirs.user_data_path("mastermind") / f"server-{port}.sqlite3"
