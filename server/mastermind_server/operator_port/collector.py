"""The metrics of a server for Prometheus, collected from its parts on each request.

Names and labels contain nothing about matches, players or secrets. Labels have a few fixed values,
except for keyed hashes of a few addresses.
"""

from __future__ import annotations

from importlib.metadata import version
from math import isinf
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    InfoMetricFamily,
)
from prometheus_client.process_collector import ProcessCollector
from prometheus_client.registry import Collector

from mastermind_protocol.days import DAY_RULES
from mastermind_server.network.sockets.connection import Stage

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from prometheus_client.core import Metric

    from mastermind_server.app import Server
    from mastermind_server.monitoring.usage import Histogram
    from mastermind_server.network.gateway import Traffic


def make_registry(server: Server) -> CollectorRegistry:
    """Return a registry of the metrics of a server and of its process."""
    registry = CollectorRegistry()
    registry.register(ServerCollector(server))
    ProcessCollector(registry=registry)
    return registry


class ServerCollector(Collector):
    """Reads the counters of a server, without locks.

    `collect` must run on the server's event loop.
    """

    def __init__(self, server: Server) -> None:
        self._server = server

    def describe(self) -> Iterable[Metric]:
        """Return no metrics, so that `collect` does not run on registration."""
        return ()

    def collect(self) -> Iterator[Metric]:
        """Yield all metrics."""
        yield InfoMetricFamily(
            "mastermind_server",
            "This server.",
            {"version": version("networked-mastermind"), "node": self._server.services.node},
        )
        draining = self._server.services.readiness.draining
        yield _make_gauge(
            "draining", "Whether the node drains and takes no new clients, 1 or 0.", draining
        )
        about = "The earliest end of a certificate in the TLS chain, in seconds since 1970."
        certificate = self._server.certificate
        expiry = None if certificate is None else certificate.expiry  # None makes no sample
        yield _make_gauge("certificate_expiry_timestamp_seconds", about, expiry)
        yield from self._collect_matches()
        yield from self._collect_clocks()
        yield from _collect_traffic(self._server.gateway.measure_traffic())
        most = self._server.services.limiter.limits.connections
        yield _make_gauge("connections_limit", "The greatest number of connections.", most)
        yield self._collect_limits()
        bans, now = self._server.services.bans, self._server.services.clock.unix_milliseconds()
        yield _make_gauge("bans", "Present bans of players and networks.", bans.count(now))
        yield _make_counter("banned_sockets", "Sockets that a ban closed.", bans.rejected_sockets)
        yield from self._collect_store()
        yield from self._collect_bots()
        lag = "Lag of the event loop, measured four times a second."
        yield _make_histogram("loop_lag_seconds", lag, self._server.lag.histogram)
        yield self._collect_load()

    def _collect_matches(self) -> Iterator[Metric]:
        tables = self._server.tables
        used = tables.list_used()
        yield _make_gauge("matches_loaded", "Matches in memory.", len(tables))
        followed = sum(bool(table.followers) for table in used)
        yield _make_gauge("matches_followed", "Matches with followers at this node.", followed)

    def _collect_clocks(self) -> Iterator[Metric]:
        about = "Time from the end of a player's time until it was in the log."
        yield _make_histogram("flag_delay_seconds", about, self._server.flags.delays)
        about = "Time of pauses and outages of servers that was given back to players."
        yield _make_counter(
            "given_back_seconds", about, self._server.services.pauses.given_back_seconds
        )

    def _collect_limits(self) -> Metric:
        met = CounterMetricFamily("mastermind_limited", "Refusals by a limit.", labels=["limit"])
        for name, times in self._server.services.limiter.exceeded.items():
            met.add_metric([name], times)
        return met

    def _collect_load(self) -> Metric:
        about = "Load of queues: 0 refuses nothing, 1 new matches and lists, 2 all but moves."
        load = GaugeMetricFamily("mastermind_load", about, labels=["queue"])
        for queue, level in self._server.services.load.levels.items():
            load.add_metric([queue], level)
        return load

    def _collect_store(self) -> Iterator[Metric]:
        found = self._server.services.store.measure()
        yield _make_counter("moves", "Rows appended to logs: moves and other events.",
                     found.rows)  # fmt: skip
        about = "Matches that changed ratings, ended by this node."
        yield _make_counter("rated_matches", about, found.rated_matches)
        yield _make_counter("store_failures", "Failed reads and writes of the database.",
                     found.failures)  # fmt: skip
        standbys = self._server.services.store.standbys
        about = "Standbys that have each commit; absent where none is expected or can be seen."
        value = standbys.synchronous if standbys is not None and standbys.expected else None
        yield _make_gauge("synchronous_standbys", about, value)
        about = "Tries at codes of days that have begun or ended at this node."
        tries = CounterMetricFamily("mastermind_tries", about, labels=["rules", "event"])
        for rules in DAY_RULES:
            for event in ("begun", "ended"):
                tries.add_metric([rules, event], self._server.services.tries[rules, event])
        yield tries
        for name, about, times in (
            ("append", "Time from a request to write until the commit.", found.write),
            ("read", "Time from a client's query until its result.", found.read),
            ("lookup", "Time from a lookup for matches and leases until its result.", found.lookup),
            ("notify", "Time from a commit until nodes receive its notice; sampled.", found.notify),
        ):
            yield _make_histogram(f"{name}_seconds", about, times)

    def _collect_bots(self) -> Iterator[Metric]:
        bots = self._server.services.bots
        yield _make_gauge("thinking", "Pending moves of bots, and analyses.", bots.pending)
        about = "Time of moves of bots and analyses, including the wait for a worker."
        yield _make_histograms("thinking_seconds", about, "work", bots.delays)


def _collect_traffic(traffic: Traffic) -> Iterator[Metric]:
    connections = GaugeMetricFamily(
        "mastermind_connections", "Connections by stage.", labels=["stage"]
    )
    for stage in Stage:
        connections.add_metric([stage], traffic.connections[stage])
    yield connections
    frames = CounterMetricFamily(
        "mastermind_frames", "Received frames, and sent messages.", labels=["direction"]
    )
    frames.add_metric(["in"], traffic.received)
    frames.add_metric(["out"], traffic.sent)
    yield frames
    refusals = CounterMetricFamily(
        "mastermind_refusals", "Refused requests by reason.", labels=["code", "reason"]
    )
    for reason, times in traffic.refusals.items():
        if reason is not None:
            refusals.add_metric([reason.code, reason.key], times)
    yield refusals
    violations = CounterMetricFamily(
        "mastermind_violations",
        "Connections that the server closed for a violation of the protocol.",
        labels=["code"],
    )
    for code, times in traffic.violations.items():
        violations.add_metric([str(code)], times)
    yield violations
    about = "Time from the start of a request to its answer, by kind."
    yield _make_histograms("request_seconds", about, "op", traffic.durations)
    costs = CounterMetricFamily(
        "mastermind_address_cost",
        "Cost of requests in moves, of the addresses with the highest cost.",
        labels=["address"],
    )
    for address, cost in traffic.costs:
        costs.add_metric([address], cost)
    yield costs


def _make_gauge(name: str, about: str, value: float | None) -> Metric:
    return GaugeMetricFamily(f"mastermind_{name}", about, value)


def _make_counter(name: str, about: str, value: float) -> Metric:
    return CounterMetricFamily(f"mastermind_{name}", about, value)


def _make_histogram(name: str, about: str, times: Histogram) -> Metric:
    return HistogramMetricFamily(f"mastermind_{name}", about, _make_buckets(times), times.total)


def _make_histograms(name: str, about: str, label: str, found: Mapping[str, Histogram]) -> Metric:
    family = HistogramMetricFamily(f"mastermind_{name}", about, labels=[label])
    for value, times in found.items():
        family.add_metric([value], _make_buckets(times), times.total)
    return family


def _make_buckets(times: Histogram) -> list[tuple[str, float]]:
    return [
        ("+Inf" if isinf(bound) else f"{bound:g}", count)
        for bound, count in times.cumulative_buckets
    ]
