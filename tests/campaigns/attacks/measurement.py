"""The effect of an attack on honest players and on the server, in rounds with a new server each.

The attacker uses only idle CPU time, as if it ran on another machine.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from statistics import quantiles
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TYPE_CHECKING

from campaigns.attacks.attack import ATTACKS, CONTROL
from campaigns.attacks.attacker import attacking
from campaigns.attacks.honest import MATCHES, Honest, Wait
from kit.processes import Server, free_port, read_cpu, read_memory, serving
from kit.server import Operator

if TYPE_CHECKING:
    from collections.abc import Iterable

    from campaigns.attacks.databases import AttackedDatabases

ROUNDS = 3  # a stalled disk delays all matches of one round
SETTLING, CALM, ATTACKED = 1.0, 5.5, 5.5  # seconds of a round; the first are not measured
MOST_SLOWED = 3.0  # times the 99th percentile before the attack
MOST_DISTURBED = 1.5  # times, by the control: more would hide the effect of attacks
MOST_SHOWN = 3  # limits and reasons in the report
MOST_LOGGED = 1024.0  # KiB per round
_COUNTED = re.compile(r"mastermind_(?:limited_total\{limit|refusals_total\{reason)=(\w+)\}")


@dataclass(slots=True)
class Measurement:
    """The figures of all rounds of an attack; memory and log are the maximum."""

    name: str
    calm: list[Wait] = field(default_factory=list)
    attacked: list[Wait] = field(default_factory=list)
    busy: float = 0.0  # CPU seconds of the server
    waited: float = 0.0  # seconds that the server and the honest players waited for a core
    seconds: float = 0.0
    grown: float = 0.0  # MiB
    logged: float = 0.0  # KiB
    done: int = 0  # sockets and messages: the minimum of a round
    refused: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    @property
    def ratio(self) -> float:
        """The latency of honest players during the attack, divided by that before it."""
        before, during = ([wait.seconds for wait in waits] for waits in (self.calm, self.attacked))
        return find_p99(during) / find_p99(before)

    def list_figures(self) -> dict[str, str]:
        """Return the figures of the report by name, in order."""
        calm, attacked = self.calm, self.attacked
        refused = (f"`{what}` {times:,}" for what, times in self.refused.most_common(MOST_SHOWN))
        return {
            "before, ms": f"{find_p99(wait.seconds for wait in calm):.1f}",
            "during, ms": f"{find_p99(wait.seconds for wait in attacked):.1f}",
            "ratio": f"{self.ratio:.1f}",
            "work, ms": " to ".join(
                f"{find_p99(wait.work for wait in waits):.1f}" for waits in (calm, attacked)
            ),
            "waited, %": f"{100 * self.waited / self.seconds:.0f}",
            "CPU, %": f"{100 * self.busy / self.seconds:.0f}",
            "memory, MiB": f"{self.grown:.0f}",
            "log, KiB": f"{self.logged:.0f}",
            "done": f"{self.done:,}",
            "refused most": ", ".join(refused) or "-",
        }

    def judge(self) -> list[str]:
        """Return the exceeded limits and the failures of honest players."""
        attack = ATTACKS[self.name]
        slowed = MOST_DISTURBED if self.name == CONTROL else MOST_SLOWED
        bounds = {
            f"slower by more than {slowed}": self.ratio > slowed,
            f"more than {attack.grown:.0f} MiB": self.grown > attack.grown,
            f"more than {MOST_LOGGED:.0f} KiB of log": self.logged > MOST_LOGGED,
            f"done less than {attack.least}": self.done < attack.least,
        }
        return [bound for bound, broken in bounds.items() if broken] + self.faults


def find_p99(times: Iterable[float]) -> float:
    """Return the 99th percentile in milliseconds."""
    return quantiles(times, n=100)[-1] * 1e3


async def measure(name: str, databases: AttackedDatabases) -> Measurement:
    """Return the effect of an attack on servers that start with copies of a database."""
    found = Measurement(name)
    for _ in range(ROUNDS):
        with TemporaryDirectory() as place:
            store = await databases.copy(Path(place), postgresql=ATTACKS[name].postgresql)
            os.sync()  # a later flush would delay moves by 5 ms and more
            await _play_round(found, Path(place), store)
    return found


async def _play_round(found: Measurement, folder: Path, store: str) -> None:
    metrics, log = free_port(), folder / "log"
    started = Server.on(store, log, f"--metrics-port={metrics}")
    operator = Operator(f"http://127.0.0.1:{metrics}")
    async with (
        serving(started) as server,
        attacking(found.name, server.address) as attacker,
        asyncio.TaskGroup() as group,
    ):
        pid = server.pid
        honest = Honest(server.address, pid)
        await honest.enter()
        playing = [group.create_task(honest.play(number)) for number in range(MATCHES)]
        logged, refused = log.stat().st_size, await _count_refusals(operator)
        await asyncio.sleep(SETTLING)  # serving the metrics takes some milliseconds
        honest.begin()
        await asyncio.sleep(CALM)
        found.calm += honest.waits
        memory, cpu, waited = _reset_peak(pid), read_cpu(pid), _read_waits(pid)
        began = perf_counter()
        await attacker.begin()
        honest.begin()
        await asyncio.sleep(ATTACKED)
        found.attacked += honest.waits
        found.seconds += perf_counter() - began
        found.busy += read_cpu(pid) - cpu
        found.waited += _read_waits(pid) - waited
        if (possible := ATTACKS[found.name].possible) and not await possible(honest):
            honest.faults.append(f"impossible during the attack: {possible.__name__}")
        found.grown = max(found.grown, (read_memory(pid, peak=True) - memory) / 2**20)
        found.logged = max(found.logged, (log.stat().st_size - logged) / 1024)
        if (done := await attacker.end()) is None:
            honest.faults.append("the attacker has failed")
        found.done = min(found.done or done or 0, done or 0)
        found.refused += await _count_refusals(operator) - refused
        found.faults += honest.faults
        for task in playing:
            task.cancel()


async def _count_refusals(operator: Operator) -> Counter[str]:
    """Return the counts of reached limits and of refusals, by limit and by reason."""
    metrics = (await operator.metrics()).items()
    counted = {name: int(value) for name, value in metrics if _COUNTED.fullmatch(name)}
    return Counter({_COUNTED.sub(r"\1", name): count for name, count in counted.items()})


def _reset_peak(server: int) -> int:
    """Return the memory of the server in bytes, and measure the peak from now on."""
    Path(f"/proc/{server}/clear_refs").write_text("5", "ascii")
    return read_memory(server)


def _read_waits(server: int) -> float:
    """Return the seconds that the server and this process have waited for a core."""
    texts = [Path(f"/proc/{pid}/schedstat").read_text("ascii") for pid in (server, os.getpid())]
    return sum(int(text.split()[1]) for text in texts) / 1e9
