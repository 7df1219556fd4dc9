"""Strike a PostgreSQL with a standby, which Patroni promotes, while three nodes serve matches."""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from statistics import median

import psycopg

from campaigns.chaos.storms import Storm, read_logs, serving_nodes, wait_for_moment
from campaigns.ledger import Fault, Flaw, Ledger, find_faults, find_untold
from campaigns.traffic import QUIET_SECONDS, Traffic, playing
from kit.matches import SeededRandom
from kit.patroni import TTL_SECONDS, Cluster, Member
from kit.processes import Server
from mastermind_server.storage.engines.postgresql import migrate_database

NODES = 3
AWAY_SECONDS = (0.5, 5.0)  # of a member that is struck, beyond the promotion if there is one
ETCD_AWAY_SECONDS = (1.0, 1.5 * TTL_SECONDS)  # sometimes longer than the leader's lock
LAG_SECONDS = 4.0  # of the asynchronous standby
TOLD_SECONDS = 30.0  # until players know what is lost
_SAMPLE_SECONDS = 0.02  # between two looks at the acknowledgements
_ACKNOWLEDGE = "SELECT pg_logical_emit_message(true, 'probe', '')"  # waits as a move does


class Pulse:
    """Measures `pause`, the longest time without an acknowledgement since `reset`, in seconds."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger, self._beaten = ledger, asyncio.Event()
        self.reset()

    def reset(self) -> None:
        """Begin to measure."""
        self.pause, self._count, self._at = 0.0, len(self._ledger.acknowledged), time.monotonic()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Measure during the block."""

        async def run() -> None:
            while True:
                now, count = time.monotonic(), len(self._ledger.acknowledged)
                if count > self._count:
                    self.pause = max(self.pause, now - self._at)
                    self._count, self._at = count, now
                    self._beaten.set()
                await asyncio.sleep(_SAMPLE_SECONDS)

        task = asyncio.create_task(run())
        try:
            yield
        finally:
            task.cancel()

    async def beat(self) -> None:
        """Wait for the next acknowledgement. Raises TimeoutError after QUIET_SECONDS."""
        self._beaten.clear()
        async with asyncio.timeout(QUIET_SECONDS):
            await self._beaten.wait()


class Failover:
    """Strikes on a cluster.

    `isolated` is the number of writes that a lone primary acknowledged, `unpromoted` that of the
    strikes without a promotion.
    """

    def __init__(self, cluster: Cluster, dice: SeededRandom) -> None:
        self._cluster, self._dice = cluster, dice
        self.isolated = self.unpromoted = 0

    async def kill_primary(self, primary: Member) -> None:
        """Kill the primary's machine, and start it again after the promotion."""
        primary.kill()
        await self._until_promoted(primary)
        await self._stay_away()
        primary.start()

    async def freeze_primary(self, primary: Member) -> None:
        """Stop the primary's machine until after the promotion: it wakes up as a primary."""
        primary.freeze()
        await self._until_promoted(primary)
        await self._stay_away()
        primary.thaw()

    async def freeze_patroni(self, primary: Member) -> None:
        """Stop the primary's Patroni: its PostgreSQL stays a primary beside the promoted one."""
        primary.freeze_patroni()
        await self._until_promoted(primary)
        await self._stay_away()
        primary.thaw()

    async def isolate_primary(self, primary: Member) -> None:
        """Cut the primary off from etcd and the standby, but not from the nodes."""
        self._cluster.cut_off(primary)
        probe = asyncio.create_task(asyncio.to_thread(_is_acknowledged, primary))
        await self._until_promoted(primary)
        await self._stay_away()
        self._cluster.restore()
        self.isolated += await probe

    async def switch_over(self, primary: Member) -> None:
        """Exchange the roles, as before maintenance."""
        await primary.ask("/switchover", {"leader": primary.name})
        await self._until_promoted(primary)

    async def kill_postgresql(self, primary: Member) -> None:
        """Kill the primary's PostgreSQL, which its Patroni starts again."""
        primary.kill_postgres()

    async def kill_standby(self, primary: Member) -> None:
        """Kill the standby's machine for some seconds."""
        standby = self._cluster.find_other(primary)
        standby.kill()
        await self._stay_away()
        standby.start()

    async def freeze_standby(self, primary: Member) -> None:
        """Stop the standby's machine for some seconds."""
        standby = self._cluster.find_other(primary)
        standby.freeze()
        await self._stay_away()
        standby.thaw()

    async def cut_apart(self, _: Member) -> None:
        """Cut the primary off from the standby for some seconds. Both reach etcd."""
        self._cluster.cut_apart()
        await self._stay_away()
        self._cluster.restore()

    async def kill_etcd(self, _: Member) -> None:
        """Kill etcd for some seconds."""
        self._cluster.signal_etcd(signal.SIGKILL)
        await asyncio.sleep(self._dice.uniform(*ETCD_AWAY_SECONDS))
        self._cluster.start_etcd()

    async def freeze_etcd(self, _: Member) -> None:
        """Stop etcd for some seconds."""
        self._cluster.signal_etcd(signal.SIGSTOP)
        await asyncio.sleep(self._dice.uniform(*ETCD_AWAY_SECONDS))
        self._cluster.signal_etcd(signal.SIGCONT)

    async def _until_promoted(self, primary: Member) -> None:
        try:
            await self._cluster.until_promoted(primary)
        except TimeoutError:
            self.unpromoted += 1

    async def _stay_away(self) -> None:
        await asyncio.sleep(self._dice.uniform(*AWAY_SECONDS))


_Strike = Callable[[Failover, Member], Awaitable[None]]
PROMOTIONS: dict[str, _Strike] = {
    "SIGKILL of the primary's machine": Failover.kill_primary,
    "SIGSTOP of the primary's machine": Failover.freeze_primary,
    "SIGSTOP of the primary's Patroni": Failover.freeze_patroni,
    "the primary cut off": Failover.isolate_primary,
    "switchover": Failover.switch_over,
}
OTHERS: dict[str, _Strike] = {
    "SIGKILL of the primary's PostgreSQL": Failover.kill_postgresql,
    "SIGKILL of the standby": Failover.kill_standby,
    "SIGSTOP of the standby": Failover.freeze_standby,
    "primary and standby cut apart": Failover.cut_apart,
    "SIGKILL of etcd": Failover.kill_etcd,
    "SIGSTOP of etcd": Failover.freeze_etcd,
}


async def strike_a_cluster(folder: Path, storm: Storm, *, seed: int, promotions: int) -> None:
    """Promote the standby `promotions` times during play, with another strike after each."""
    dice = SeededRandom(seed)
    pauses: dict[str, list[float]] = {}
    async with Cluster.running(_make_folder(folder, "cluster")) as cluster:
        pulse, failover = Pulse(storm.ledger), Failover(cluster, dice)
        async with playing_on(cluster, folder, storm, seed) as (traffic, nodes), pulse.running():
            stuck: list[Fault] = []
            for number in range(promotions):
                for strikes in (PROMOTIONS, OTHERS):
                    if storm.over or stuck:
                        break
                    name, strike = list(strikes.items())[number % len(strikes)]
                    await wait_for_moment(traffic, dice, storm)
                    pulse.reset()
                    try:
                        await strike(failover, await cluster.until_redundant())
                        await pulse.beat()
                        await cluster.until_redundant()
                        await pulse.beat()
                    except TimeoutError:
                        text = f"no move, or no synchronous standby, after {name} {number + 1}"
                        stuck.append(Fault(Flaw.STUCK, "", text))
                    pauses.setdefault(name, []).append(pulse.pause)
                    storm.count(name)
        storm.check(read_logs(cluster.libpq_url), nodes)
        storm.faults += stuck
    if failover.isolated:
        text = f"{failover.isolated} writes that a primary acknowledged alone"
        storm.faults.append(Fault(Flaw.LOST, "", text))
    if failover.unpromoted:
        text = f"no standby was promoted after {failover.unpromoted} strikes"
        storm.faults.append(Fault(Flaw.STUCK, "", text))
    storm.figures |= _describe_pauses(pauses)


async def lose_by_an_asynchronous_standby(folder: Path, storm: Storm, *, seed: int) -> None:
    """Promote an asynchronous standby that lags: it must lose moves, and players must be told."""
    control = Storm(storm.matches)
    async with Cluster.running(_make_folder(folder, "control"), synchronous=False) as cluster:
        async with playing_on(cluster, folder, control, seed) as (traffic, _):
            primary = await cluster.until_redundant()
            primary.lines[0].freeze()
            await asyncio.sleep(LAG_SECONDS)
            primary.kill()
            await cluster.until_promoted(primary)
            await asyncio.sleep(TOLD_SECONDS)
            left = {*control.ledger.left}  # a request that cannot be repeated has ended their play
            traffic.settle_seconds = 0.0  # rows are missing that players do not send again
        log = read_logs(cluster.libpq_url)
    faults = find_faults(control.ledger, log)
    told = len(control.ledger.undone)
    lost = sum(fault.flaw is Flaw.LOST for fault in faults)
    if not lost or not told:
        storm.faults.append(Fault(Flaw.UNTOLD, "", "the control lost nothing, or told nobody"))
    storm.faults += find_untold(control.ledger, log, left)
    storm.figures["control with an asynchronous standby: lost rows"] = f"{lost:,}"
    storm.figures["matches whose players were told, counted per player"] = f"{told:,}"


@asynccontextmanager
async def playing_on(
    cluster: Cluster, folder: Path, storm: Storm, seed: int
) -> AsyncIterator[tuple[Traffic, list[Server]]]:
    """Play matches at nodes on a cluster within the block; then finish them."""
    await asyncio.to_thread(migrate_database, cluster.url)
    async with (
        serving_nodes(folder, [cluster.url] * NODES) as (nodes, front),
        playing(storm.ledger, front.address, seed, storm.matches) as traffic,
    ):
        yield traffic, nodes


def _is_acknowledged(member: Member) -> bool:
    """Return whether the primary on a member acknowledges a write before it is demoted.

    Raises psycopg.Error if it cannot be asked.
    """
    with psycopg.connect(member.url, autocommit=True, connect_timeout=5) as driver:
        try:
            driver.execute(_ACKNOWLEDGE)
        except psycopg.Error:
            return False
        return True


def _describe_pauses(pauses: dict[str, list[float]]) -> dict[str, str]:
    """Return the figures of the times without an acknowledged move, by strike and in sum."""

    def describe(found: list[float]) -> str:
        return f"{median(found):.1f} s; {max(found):.1f} s"

    promoted = [pause for name in PROMOTIONS for pause in pauses.get(name, ())]
    figures = {f"no move: {name}": describe(found) for name, found in pauses.items()}
    if promoted:
        figures[f"no move: all {len(promoted)} promotions, median; worst"] = describe(promoted)
    return figures


def _make_folder(folder: Path, name: str) -> Path:
    folder.chmod(0o755)  # PostgreSQL runs as another user
    (folder / name).mkdir()
    return folder / name
