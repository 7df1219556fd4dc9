"""Run honest matches and hostile clients on one server, and check matches, log and memory."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from campaigns.chaos.storms import read_log
from campaigns.fuzz.growth import (
    GROWTH_BYTES,
    MIB,
    Sample,
    find_growth,
    list_tenths,
    measure_slopes,
)
from campaigns.fuzz.payloads import Tape
from campaigns.fuzz.strangers import Stranger
from campaigns.fuzz.tally import Tally
from campaigns.ledger import Ledger, find_disordered, find_faults
from campaigns.traffic import playing
from kit.matches import SeededRandom
from kit.processes import SERVER, Server, free_port, read_memory, serving
from kit.server import Operator
from mastermind_protocol.codec import encode
from mastermind_protocol.requests import Open
from mastermind_server.limits import DEFAULT_LIMITS, Limits, Rate
from mastermind_server.storage.rows import LogRow

_ANY = Rate(burst=10**9, per_second=10**9)
WIDE = msgspec.structs.replace(
    DEFAULT_LIMITS,
    **dict.fromkeys(
        (
            *(
                "sockets_of_address",
                "frames",
                "bytes",
                "bad_frames",
                "request_cost",
                "request_cost_of_address",
            ),
            *("moves_of_address", "query_ms", "query_ms_of_address"),
            *("new_players", "transfers", "wrong_transfers", "wrong_codes"),
            *("wrong_codes_of_address", "rows", "rows_of_address", "chat", "chat_of_address"),
        ),
        _ANY,
    ),
    # Expensive requests are limited below the defaults: repeating them finds no new faults.
    openings=Rate(burst=30, per_second=0.1),
    advice=Rate(burst=10, per_second=0.02),
    reviews=Rate(burst=10, per_second=0.02),
)
"""Limits so wide that hostile frames reach the deepest layers of the server."""


class TapedLedger(Ledger):
    """Records the requests of honest players, and gives acknowledged ones to the attackers."""

    def __init__(self, tape: Tape) -> None:
        super().__init__()
        self._tape = tape

    def acknowledge(self, player: str, request: int, match: str, version: int | None) -> None:
        """Record that the server has acknowledged a request."""
        super().acknowledge(player, request, match, version)
        asked = self.asked[player, request]
        self._tape.requests.append(encode(asked))
        if not isinstance(asked, Open):  # a stranger could take its free seat
            self._tape.matches.append(match)


@dataclass
class Campaign:
    """Attackers that send at least `frames` hostile frames while honest players play `matches`.

    The attack also continues until the server has refused with each code in `refusals`, because
    early frames may miss the honest players' matches. It ends after `minutes` at the latest.
    """

    frames: int
    strangers: int = 48
    matches: int = 8
    seed: int = 1
    minutes: float = 30.0
    refusals: frozenset[str] = frozenset()
    growth: int = GROWTH_BYTES
    tally: Tally = field(default_factory=Tally)
    finished: int = 0
    strange: int = 0  # matches that strangers opened
    taken: int = 0  # frames, from the server's own metrics
    peak: int = 0
    samples: list[Sample] = field(default_factory=list)  # one for each connection of a stranger
    seconds: float = 0.0
    faults: list[str] = field(default_factory=list)

    async def run(self, folder: Path, limits: Limits, *, program: tuple[str, ...] = SERVER) -> None:
        """Start `program` with these limits, attack it, and record figures and faults."""
        database, file = folder / "matches.sqlite3", folder / "limits.toml"
        file.write_text(write_limits(limits), "utf-8")
        tape, began = Tape(), time.monotonic()
        ledger = TapedLedger(tape)
        metrics = free_port()
        options = (f"--limits={file}", "--log-level=WARNING", f"--metrics-port={metrics}")
        server = Server.on(f"--database={database}", folder / "node.log", *options, program=program)
        async with serving(server) as node:
            with suppress(ChildProcessError):  # the server has ended
                async with playing(ledger, node.address, self.seed, self.matches):
                    await self._attack(node, tape, began + 60 * self.minutes)
                    counted = await Operator(f"http://127.0.0.1:{metrics}").metrics()
                    self.taken = round(counted["mastermind_frames_total{direction=in}"])
                self.peak = read_memory(node.pid, peak=True)
            if (status := await asyncio.to_thread(node.terminate)) != 0:
                self.faults.append(f"the server ended: its status is {status}")
        self.seconds = time.monotonic() - began
        with closing(sqlite3.connect(database)) as connection:
            self._judge(ledger, read_log(connection), node)

    async def _attack(self, node: Server, tape: Tape, deadline: float) -> None:
        """Run all strangers to the end. Raises ChildProcessError if the server ends before."""
        tally = self.tally

        ended = asyncio.Event()

        def is_over() -> bool:
            try:
                memory = read_memory(node.pid)
            except ChildProcessError:
                ended.set()
            else:
                self.samples.append(Sample(tally.frames, tally.handshakes.total(), memory))
            done = tally.frames >= self.frames and self.refusals <= tally.errors.keys()
            return done or time.monotonic() > deadline or ended.is_set()

        async with asyncio.TaskGroup() as group:
            for number in range(self.strangers):
                address = f"127.1.{number // 250}.{number % 250 + 1}"
                dice = SeededRandom(f"{self.seed} {number}")
                stranger = Stranger(node.port, address, dice, tape, tally)
                group.create_task(stranger.attack(is_over))
        if ended.is_set():
            raise ChildProcessError

    def list_figures(self) -> dict[str, str]:
        """Return the figures of the report, in order."""
        tally = self.tally
        first, *later = (sample.memory / MIB for sample in list_tenths(self.samples))
        a_frame, a_connection = measure_slopes(self.samples)
        return {
            "frames sent": f"{tally.frames:,}",
            "frames received by the server, honest ones included": f"{self.taken:,}",
            **{f"frames sent: {kind}": f"{number:,}" for kind, number in tally.sent.most_common()},
            **{f"handshakes: {kind}": f"{n:,}" for kind, n in tally.handshakes.most_common()},
            "answers": f"{tally.answers:,}",
            **{f"errors {code}": f"{number:,}" for code, number in tally.errors.most_common()},
            **{f"closed: {how}": f"{number:,}" for how, number in tally.closings.most_common()},
            "memory at start, peak": f"{first:.0f}, {self.peak / MIB:.0f} MiB",
            "growth in MiB after each tenth": ", ".join(f"{n - first:.1f}" for n in later),
            "bytes grown per frame, connection, last half": f"{a_frame:.0f}, {a_connection:.0f}",
            "honest matches finished": f"{self.finished:,}",
            "strangers' matches checked": f"{self.strange:,}",
            "seconds": f"{self.seconds:.0f}",
        }

    def _judge(self, ledger: Ledger, log: list[LogRow], node: Server) -> None:
        players = {player for player, _ in ledger.asked}
        honest = {row.match for row in log if row.version == 1 and row.player in players}
        strange: dict[str, list[LogRow]] = {}
        for row in log:
            if row.match not in honest:
                strange.setdefault(row.match, []).append(row)
        found = find_faults(ledger, (row for row in log if row.match in honest))
        self.finished, self.strange = len(honest), len(strange)
        self.faults += [str(fault) for fault in (*found, *find_disordered(strange))]
        self.faults += [f"the server has logged: {line}" for line in node.find_errors()]
        self.faults += [f"{times} times {what}" for what, times in self.tally.faults.items()]
        if not self.finished:
            self.faults.append("no honest match was played")
        self.faults += find_growth(self.samples, self.growth)


def write_limits(limits: Limits) -> str:
    """Return `limits` in the format of the operator's limits file."""
    lines = []
    for name in Limits.__struct_fields__:
        value = getattr(limits, name)
        if isinstance(value, Rate):
            value = f"{{burst = {value.burst}, per_second = {value.per_second}}}"
        lines.append(f"{name} = {value}\n")
    return "".join(lines)
