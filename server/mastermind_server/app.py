"""Starts and stops the parts of a server."""

from __future__ import annotations

import socket
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from ipaddress import ip_address
from random import SystemRandom
from typing import TYPE_CHECKING

from mastermind_protocol.errors import Reason
from mastermind_protocol.requests import GUEST
from mastermind_server.background import BackgroundTasks
from mastermind_server.bots.runner import BotRunner
from mastermind_server.clock import Clock
from mastermind_server.limits import Limiter
from mastermind_server.matches.bot_driver import BotDriver
from mastermind_server.matches.contests.day_checks import CLOCK_CHECK_SECONDS, DayChecks
from mastermind_server.matches.contests.days import Days
from mastermind_server.matches.contests.entries import Entries
from mastermind_server.matches.lobby.challenges import Challenges
from mastermind_server.matches.lobby.lobby import Lobby
from mastermind_server.matches.nodes.deadlines import DUE_POLL_SECONDS, Deadlines
from mastermind_server.matches.nodes.presence import Presence
from mastermind_server.matches.nodes.subscription import Subscription
from mastermind_server.matches.tables.tables import Tables
from mastermind_server.monitoring.logs import quiet_libraries
from mastermind_server.monitoring.overload import LoopLag
from mastermind_server.network.dispatcher import Dispatcher
from mastermind_server.network.gateway import Gateway
from mastermind_server.network.handlers import Handlers
from mastermind_server.network.operator_commands import OperatorCommands
from mastermind_server.network.rate_limits import RateLimit
from mastermind_server.network.sessions import Sessions
from mastermind_server.network.sockets.access import DEFAULT_ACCESS, Access
from mastermind_server.network.sockets.certificates import (
    CHECK_SECONDS as CERTIFICATE_CHECK_SECONDS,
)
from mastermind_server.network.web.files import read_web_files
from mastermind_server.network.web.pages import Pages
from mastermind_server.services import Services
from mastermind_server.storage.engines.database import DatabaseLocked as DatabaseLocked
from mastermind_server.storage.engines.database import DatabaseUnusable as DatabaseUnusable
from mastermind_server.storage.records import ABANDONED_DAYS
from mastermind_server.storage.store import Store
from mastermind_server.storage.threads import StorageFailed
from mastermind_server.timekeeping.downtime import CHECK_SECONDS, Downtime
from mastermind_server.timekeeping.flags import POLL_SECONDS, Flags
from mastermind_server.timekeeping.lease import Lease
from mastermind_server.timekeeping.time_of_day import TimeOfDay

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from mastermind_server.network.sockets.certificates import Certificate

# By address family: an address reserved for documentation (RFC 5737, RFC 3849), and loopback.
_PROBE_ADDRESSES: dict[int, tuple[str, str]] = {
    socket.AF_INET: ("192.0.2.1", "127.0.0.1"),
    socket.AF_INET6: ("2001:db8::1", "::1"),
}
_PROBE_PORT = 9
_ALL_ADDRESSES = "0.0.0.0"  # noqa: S104 - the player has asked for a server on the network
BACKLOG = 128  # sockets waiting to be accepted; beyond, clients retry after a second


@dataclass(frozen=True, slots=True)
class Server:
    """The parts of a running server. `address` is its URL, which begins with ws:// or wss://.

    `lag` measures the lag of the event loop. `certificate` is None without TLS.
    """

    address: str
    services: Services
    tables: Tables
    lobby: Lobby
    deadlines: Deadlines
    flags: Flags
    downtime: Downtime
    lease: Lease
    gateway: Gateway
    lag: LoopLag
    certificate: Certificate | None


@asynccontextmanager
async def run_server(
    listener: socket.socket,
    database: Path | str,
    limiter: Limiter | None = None,
    abandon_days: int = ABANDONED_DAYS,
    access: Access = DEFAULT_ACCESS,
) -> AsyncIterator[Server]:
    """Run a server on a listening socket within the block; yield its parts.

    `database` is the path of an SQLite file or the URL of a PostgreSQL database. `limiter` contains
    the limits; None means DEFAULT_LIMITS. A match ends after `abandon_days` days without a move.
    Closes the socket at the end. Raises DatabaseUnusable, or its subclass DatabaseLocked if another
    process uses the file.
    """
    async with AsyncExitStack() as stack:
        stack.callback(listener.close)
        store = await Store.open(database)
        stack.push_async_callback(store.close)
        random = SystemRandom()
        services = Services(
            store,
            BotRunner(random),
            random,
            limiter=limiter or Limiter(),
            abandon_days=abandon_days,
        )
        try:
            server = await stack.enter_async_context(run_parts(services, listener, access))
        except StorageFailed as error:
            raise DatabaseUnusable(error.explain()) from error
        yield server


@asynccontextmanager
async def run_parts(
    services: Services,
    listener: socket.socket,
    access: Access = DEFAULT_ACCESS,
    *,
    connection_clock: Clock | None = None,
    lag_clock: Clock | None = None,
) -> AsyncIterator[Server]:
    """Create the parts of a server around `services`, and run them within the block.

    `connection_clock` is the clock of connections and of the node's lease, by default that of
    `services`. `lag_clock` measures the lag and the pauses of the event loop, by default with real
    time. Raises StorageFailed.
    """

    def update_load(lag: float) -> None:
        services.load.update(lag, services.store.measure_waits())

    async with AsyncExitStack() as stack:
        stack.push_async_callback(services.bots.stop)
        tables = Tables(services)
        stack.callback(tables.cancel_timers)
        driver = BotDriver(tables, services)
        stack.push_async_callback(driver.stop)
        presence = Presence(tables, services)
        entries = Entries(Days(services, enabled=access.has_days), services)
        lobby = Lobby(tables, presence, services, entries)
        deadlines = Deadlines(tables, presence, services)
        sessions = Sessions(services.store)
        page = access.pages.page_url if access.pages else None
        background = BackgroundTasks(services.clock)
        challenges = Challenges(
            lobby, tables, services, sessions.find_peers, sessions.find_ids, deadlines.try_to_end,
            background,
            RateLimit(
                services.limiter, "challenges_received", services.clock.now,
                Reason.CHALLENGED_OFTEN,
            ),
        )  # fmt: skip
        handlers = Handlers(
            services, tables, lobby, presence, driver, sessions, challenges, entries, page,
            access.host,
        )  # fmt: skip
        clock = connection_clock or services.clock
        dispatcher = Dispatcher(services, handlers, clock)
        gateway = Gateway(dispatcher, services, clock, access)
        scheme = "ws" if access.certificate is None else "wss"
        address = f"{scheme}://{find_authority(listener)}"
        store, day_clock, pauses = services.store, services.clock, services.pauses
        loop_clock = lag_clock or Clock()
        downtime = Downtime(tables, store, day_clock, loop_clock, pauses, services.node, background)
        day_checks = DayChecks(services)
        lease = Lease(
            tables, store, downtime, TimeOfDay(day_clock, store, tables), services.readiness,
            services.node, address, day_clock, clock, background,
            count_connections=gateway.count_connections,
            connection_limit=services.limiter.limits.connections,
            write_presence=presence.write_all,
            expire_lobbies=presence.expire_lobbies,
            check_losses=day_checks.check_losses,
        )  # fmt: skip
        subscription = Subscription(
            tables, presence, services, background,
            sessions.check_tokens, challenges.handle_opened, lease.renew_unless_renewing,
        )  # fmt: skip
        stack.push_async_callback(lease.stop)
        stack.push_async_callback(presence.stop)
        stack.push_async_callback(background.stop)
        flags = Flags(
            tables, presence, store, day_clock, pauses, downtime, services.node, background
        )
        tables.watchers += [lease.on_change, flags.on_change]
        stack.callback(flags.cancel_timer)
        stack.callback(challenges.cancel_timer)
        pauses.start(loop_clock)
        stack.callback(pauses.stop)
        subscription.start()
        await lease.start()
        background.run_every(CHECK_SECONDS, downtime.check_suspension, "record a suspension")
        await flags.poll()
        await challenges.poll()
        background.run_every(POLL_SECONDS, flags.poll, "find clocks that run down")
        background.run_every(POLL_SECONDS, challenges.poll, "find challenges")
        await day_checks.check_clock()
        background.run_every(
            CLOCK_CHECK_SECONDS, day_checks.check_clock, "withdraw days of a wrong clock"
        )
        background.run_every(DUE_POLL_SECONDS, deadlines.end_due_matches, "end due matches")
        if (certificate := access.certificate) is not None:

            async def check_certificate() -> None:
                certificate.warn()

            certificate.warn()
            background.run_every(
                CERTIFICATE_CHECK_SECONDS, check_certificate, "check the certificate"
            )
        await OperatorCommands(gateway, tables, lobby.closer, services, background).start()
        gateway.start(listener)

        async def stop_gateway() -> None:
            # Before connections close: their players lose time from then on.
            presence.freeze()
            lease.begin_stop()
            downtime.begin_stop()
            await gateway.stop(first=downtime.list_movers())

        stack.push_async_callback(stop_gateway)
        lag = LoopLag(loop_clock, update_load)
        stack.callback(lag.stop)
        yield Server(
            address, services, tables, lobby, deadlines, flags, downtime, lease, gateway, lag,
            access.certificate,
        )  # fmt: skip


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens at `host` and `port`. Raises OSError.

    For port 0, the system chooses a free port.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, port), family=family, backlog=BACKLOG)
    except OSError as error:
        text = error.strerror or str(error)
        reason = text.partition(" (while")[0]  # Python repeats the address there
        raise OSError(f"cannot listen on {host}, port {port}: {reason}") from error
    # Connections inherit this option, without which two frames in a row arrive 40 ms apart. asyncio
    # sets it only on sockets that were created with the protocol number of TCP.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


def find_authority(listener: socket.socket) -> str:
    """Return the host and port of a listening socket, as a URL contains them.

    If the socket listens on all addresses, the host is one of the machine's addresses.
    """
    host, port = listener.getsockname()[:2]
    if listens_everywhere(listener):
        host = _find_own_host(listener.family)
    return f"{f'[{host}]' if ':' in host else host}:{port}"


def listens_everywhere(listener: socket.socket) -> bool:
    """Return whether a socket listens on all addresses of the machine."""
    return ip_address(listener.getsockname()[0]).is_unspecified


def _find_own_host(family: int) -> str:
    """Return the address from which this machine connects to others, or the loopback address.

    To find it, a datagram socket is connected. This sends nothing, but makes the system choose a
    source address.
    """
    outside, loopback = _PROBE_ADDRESSES[family]
    with socket.socket(family, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((outside, _PROBE_PORT))
        except OSError:
            return loopback
        host: str = probe.getsockname()[0]
        return host


@asynccontextmanager
async def run_embedded_server(
    database: Path, network_port: int | None = None, host: str = GUEST
) -> AsyncIterator[str]:
    """Run a server in this process within the block; yield its ws:// address.

    `database` is the path of an SQLite file, whose folder is created if it is missing. If
    `network_port` is None, the server listens on a free port of the loopback address. Otherwise it
    listens on all addresses, at this port or, if the port is taken, at a free one, serves the web
    page, and names its `host`, a player, to clients. Raises OSError, and DatabaseUnusable if the
    database cannot be used.
    """
    quiet_libraries()
    database.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    if network_port is None:
        listener, access = listen("127.0.0.1", 0), Access(has_days=False)
    else:
        listener = _listen_on_lan(network_port)
        access = Access(pages=Pages(read_web_files()), host=host, has_days=False)
    async with run_server(listener, database, access=access) as server:
        yield server.address


def _listen_on_lan(port: int) -> socket.socket:
    try:
        return listen(_ALL_ADDRESSES, port)
    except OSError:
        return listen(_ALL_ADDRESSES, 0)
