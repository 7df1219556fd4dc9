"""Two PostgreSQL servers that Patroni promotes, with etcd: machines that a campaign can strike.

Each member reaches etcd and the other member through proxies, which can cut it off. Clients reach
its PostgreSQL directly.
"""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import shutil
import signal
import subprocess
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, closing, suppress
from pathlib import Path
from typing import Any

from kit.postgres import find_owner, find_programs, list_children
from kit.processes import free_port
from kit.proxy import Proxy

TTL_SECONDS = 10  # of the leader's lock in etcd; a standby is promoted when it has expired
LOOP_SECONDS = 2  # between two looks at etcd
RETRY_SECONDS = 4  # for a failed request; LOOP_SECONDS and twice this are at most TTL_SECONDS
_PATIENCE = 120.0  # seconds until a role is taken, far more than it needs
_ANSWER_SECONDS = 2.0  # for Patroni's answer
_POLL_SECONDS = 0.1


class PatroniMissing(Exception):
    """Patroni, etcd or PostgreSQL is not installed."""


class Member:
    """A machine with PostgreSQL and Patroni. `lines` are the proxies that others reach it by."""

    def __init__(self, name: str, folder: Path, program: str) -> None:
        self.name, self.folder, self._program = name, folder, program
        self.port, self.api_port = free_port(), free_port()
        self.lines: list[Proxy] = []
        self._patroni: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """The URL of the database on this member."""
        return f"postgresql://postgres@127.0.0.1:{self.port}/postgres"

    def start(self) -> None:
        """Run Patroni, which starts PostgreSQL."""
        with (self.folder / "log").open("ab") as log:
            self._patroni = subprocess.Popen(
                [self._program, self.folder / "patroni.yml"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/",
                env={**os.environ, "HOME": str(self.folder)}, start_new_session=True,
                **find_owner(),
            )  # fmt: skip

    def kill(self) -> None:
        """Kill all processes, as a power failure does."""
        self.freeze()
        for pid in self._list_processes():
            _send(pid, signal.SIGKILL)
        if self._patroni is not None:
            self._patroni.wait()

    def kill_postgres(self) -> None:
        """Kill PostgreSQL with its sessions. Patroni stays."""
        processes = list(_list_family(self._postmaster))
        for sign in (signal.SIGSTOP, signal.SIGKILL):  # the stopped one forks no new sessions
            for pid in processes:
                _send(pid, sign)

    def freeze(self) -> None:
        """Stop all processes until `thaw`."""
        for _ in range(2):  # the second time finds what the first processes forked meanwhile
            for pid in self._list_processes():
                _send(pid, signal.SIGSTOP)

    def freeze_patroni(self) -> None:
        """Stop Patroni until `thaw`. PostgreSQL accepts writes, without the leader's lock."""
        assert self._patroni is not None
        _send(self._patroni.pid, signal.SIGSTOP)

    def thaw(self) -> None:
        """Let stopped processes continue."""
        for pid in self._list_processes():
            _send(pid, signal.SIGCONT)

    async def ask(self, path: str, body: dict[str, str] | None = None) -> dict[str, Any]:
        """Return the answer of Patroni's interface. Raises OSError without one."""
        return await asyncio.to_thread(self._ask, path, body)

    def _ask(self, path: str, body: dict[str, str] | None) -> dict[str, Any]:
        # A request with a body is answered when it is done.
        seconds = _ANSWER_SECONDS if body is None else _PATIENCE
        connection = http.client.HTTPConnection("127.0.0.1", self.api_port, timeout=seconds)
        with closing(connection):
            try:
                connection.request("GET" if body is None else "POST", path, json.dumps(body or {}))
                text = connection.getresponse().read()
                return json.loads(text) if text.startswith(b"{") else {}
            except (http.client.HTTPException, ValueError) as error:
                raise OSError(str(error)) from error

    @property
    def _postmaster(self) -> int | None:
        """The id of the running postmaster. A stale file may name another program's process."""
        data = self.folder / "data"
        with suppress(OSError, ValueError):
            pid = int((data / "postmaster.pid").read_text().partition("\n")[0])
            if Path(f"/proc/{pid}/cwd").readlink() == data:
                return pid
        return None

    def _list_processes(self) -> list[int]:
        patroni = self._patroni
        running = None if patroni is None or patroni.poll() is not None else patroni.pid
        roots = (running, self._postmaster)
        return [pid for root in roots for pid in _list_family(root)]


class Cluster:
    """The running members of a cluster, and its etcd."""

    def __init__(self, folder: Path, program: str, *, synchronous: bool) -> None:
        self.folder, self._program, self._synchronous = folder, program, synchronous
        self.members: list[Member] = []
        self.doors: dict[Member, Proxy] = {}  # of each member to etcd
        self._etcd_port, self._peer_port = free_port(), free_port()
        self._etcd: subprocess.Popen[bytes] | None = None

    @classmethod
    @asynccontextmanager
    async def running(cls, folder: Path, *, synchronous: bool = True) -> AsyncIterator[Cluster]:
        """Run a primary and a standby for the duration of the block.

        Raises PatroniMissing.
        """
        programs, etcd, patroni = find_programs(), shutil.which("etcd"), shutil.which("patroni")
        if programs is None or etcd is None or patroni is None:
            raise PatroniMissing("apt-get install patroni etcd-server python3-etcd postgresql")
        _give(folder)
        cluster = cls(folder, etcd, synchronous=synchronous)
        async with AsyncExitStack() as stack:
            stack.callback(cluster._end)
            cluster.start_etcd()
            for name in ("db1", "db2"):
                place = folder / name
                place.mkdir()
                _give(place)
                member = Member(name, place, patroni)
                member.lines = [
                    await stack.enter_async_context(Proxy.to(port))
                    for port in (member.port, member.api_port)
                ]
                door = await stack.enter_async_context(Proxy.to(cluster._etcd_port))
                cluster.doors[member] = door
                settings = cluster._write_settings(member, programs)
                (place / "patroni.yml").write_text(json.dumps(settings))  # JSON is YAML
                cluster.members.append(member)
                member.start()
                await cluster._until_roles(cluster.members[:1], {"leader"})
            await cluster.until_redundant()
            yield cluster

    @property
    def url(self) -> str:
        """The URL of the database on all members."""
        hosts = ",".join(f"127.0.0.1:{member.port}" for member in self.members)
        return f"postgresql://postgres@{hosts}/postgres"

    @property
    def libpq_url(self) -> str:
        """The same URL for libpq, which looks for the primary only if told so."""
        return f"{self.url}?target_session_attrs=read-write"

    def find_other(self, member: Member) -> Member:
        """Return the other member."""
        return next(each for each in self.members if each is not member)

    def start_etcd(self) -> None:
        """Run etcd."""
        place, own = self.folder / "etcd", f"http://127.0.0.1:{self._etcd_port}"
        peers = f"http://127.0.0.1:{self._peer_port}"
        with (self.folder / "etcd.log").open("ab") as log:
            self._etcd = subprocess.Popen(
                [
                    self._program, f"--data-dir={place}", f"--listen-client-urls={own}",
                    f"--advertise-client-urls={own}", f"--listen-peer-urls={peers}",
                    f"--initial-advertise-peer-urls={peers}", f"--initial-cluster=default={peers}",
                    "--enable-v2",
                ],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/",
                start_new_session=True, **find_owner(),
            )  # fmt: skip

    def signal_etcd(self, sign: signal.Signals) -> None:
        """Send a signal to etcd. After a SIGKILL, wait for its end."""
        assert self._etcd is not None
        self._etcd.send_signal(sign)
        if sign is signal.SIGKILL:
            self._etcd.wait()

    def cut_off(self, member: Member) -> None:
        """Hold all data between a member and etcd, and between it and the other member."""
        self.doors[member].freeze()
        self.cut_apart()

    def cut_apart(self) -> None:
        """Hold all data between the members. Both reach etcd."""
        for line in self._list_lines():
            line.freeze()

    def restore(self) -> None:
        """End all cuts. Connections that were cut are lost, and new ones work."""
        for proxy in (*self._list_lines(), *self.doors.values()):
            proxy.cut()
            proxy.restore()

    async def until_redundant(self) -> Member:
        """Wait until a standby could be promoted without a loss. Return the primary."""
        if self._synchronous:
            return await self._until_roles(self.members, {"leader", "sync_standby"})
        primary = await self._until_roles(self.members, {"leader", "replica"})
        async with asyncio.timeout(_PATIENCE):  # a replica may have connected to nobody yet
            while not await _has_standby(primary):  # noqa: ASYNC110 - other processes change it
                await asyncio.sleep(_POLL_SECONDS)
        return primary

    async def until_promoted(self, former: Member) -> Member:
        """Wait until another member than `former` is the primary, and return it."""
        others = [each for each in self.members if each is not former]
        return await self._until_roles(others, {"leader"})

    async def _until_roles(self, members: Sequence[Member], roles: set[str]) -> Member:
        """Wait until running `members` have exactly `roles`. Return the primary."""
        async with asyncio.timeout(_PATIENCE):
            while True:
                found = await self._read_roles(members)
                if set(found.values()) == roles and len(found) == len(members):
                    return next(each for each in members if found[each.name] == "leader")
                await asyncio.sleep(_POLL_SECONDS)

    async def _read_roles(self, members: Sequence[Member]) -> dict[str, str]:
        """Return the roles of those `members` that run, as one of them knows it."""
        names = {member.name for member in members}
        for member in members:
            with suppress(OSError):
                found = await member.ask("/cluster")
                return {
                    each["name"]: each["role"]
                    for each in found.get("members", ())
                    if each["name"] in names and each["state"] in ("running", "streaming")
                }
        return {}

    def _list_lines(self) -> list[Proxy]:
        return [line for member in self.members for line in member.lines]

    def _end(self) -> None:
        for member in self.members:
            member.kill()
        if self._etcd is not None:
            self._etcd.kill()
            self._etcd.wait()

    def _write_settings(self, member: Member, programs: Path) -> dict[str, Any]:
        """Return Patroni's settings for a member."""
        line, api_line = member.lines
        trusted = ["local all all trust", "host all all 127.0.0.1/32 trust"]
        return {
            "scope": "mastermind",
            "name": member.name,
            "restapi": {
                "listen": f"127.0.0.1:{member.api_port}",
                "connect_address": f"127.0.0.1:{api_line.port}",
            },
            # Not etcd3: in Debian 12's Patroni 3.0.2 a primary that was stopped takes the lock back
            # by it, from the promoted one, whose moves are then lost. The proxy is only used if
            # Patroni does not look for etcd's own address.
            "etcd": {"hosts": [f"127.0.0.1:{self.doors[member].port}"], "use_proxies": True},
            "bootstrap": {
                "dcs": {
                    "ttl": TTL_SECONDS,
                    "loop_wait": LOOP_SECONDS,
                    "retry_timeout": RETRY_SECONDS,
                    "synchronous_mode": self._synchronous,
                    "failsafe_mode": True,
                    "postgresql": {
                        "use_pg_rewind": True,
                        "parameters": {
                            "max_connections": 100,
                            "shared_buffers": "32MB",
                            "authentication_timeout": 10,  # a demotion waits for such clients
                        },
                    },
                },
                "initdb": [{"encoding": "UTF8"}, "data-checksums", "no-locale"],
            },
            "postgresql": {
                "listen": f"127.0.0.1:{member.port}",
                "connect_address": f"127.0.0.1:{line.port}",
                "data_dir": str(member.folder / "data"),
                "bin_dir": str(programs),
                "pgpass": str(member.folder / "pgpass"),
                "parameters": {"unix_socket_directories": str(member.folder)},
                "pg_hba": [*trusted, "host replication all 127.0.0.1/32 trust"],
                "authentication": {
                    "superuser": {"username": "postgres"},
                    "replication": {"username": "replicator"},
                },
            },
        }


def _give(folder: Path) -> None:
    """Make a folder one of the user that runs PostgreSQL."""
    folder.chmod(0o755)
    if owner := find_owner():
        shutil.chown(folder, owner["user"])


async def _has_standby(primary: Member) -> bool:
    """Return whether a standby receives the WAL of a primary."""
    with suppress(OSError):
        standbys = (await primary.ask("/patroni")).get("replication", ())
        return any(each["state"] == "streaming" for each in standbys)
    return False


def _list_family(root: int | None) -> Iterator[int]:
    """Yield the id of a process and of all its descendants."""
    if root is None:
        return
    yield root
    for child in list_children(root):
        yield from _list_family(child)


def _send(pid: int, sign: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, sign)
