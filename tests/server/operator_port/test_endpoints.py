import asyncio
import itertools
import re
import shutil
import socket
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest
import sqlalchemy as sa
from psycopg.conninfo import conninfo_to_dict

from kit.client import PATIENCE
from kit.clock import LateClock
from kit.days import DAY, begin_day
from kit.faults import full_disk
from kit.server import watching
from mastermind_protocol.days import DAY_RULES
from mastermind_protocol.messages import Happened
from mastermind_protocol.requests import Follow, Resign
from mastermind_server.limits import DEFAULT_LIMITS
from mastermind_server.monitoring.overload import LAGS_KEPT, Level
from mastermind_server.network.sockets.connection import Stage
from mastermind_server.operator_port import endpoints
from mastermind_server.storage import notices
from mastermind_server.storage.rows import LogRow
from mastermind_server.storage.threads import StorageFailed


@contextmanager
def database_full(url: str) -> Iterator[None]:
    """Make PostgreSQL refuse to renew leases, as when its disk is full."""
    with psycopg.connect(url, autocommit=True) as driver:
        driver.execute(
            "CREATE FUNCTION fill() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
            " RAISE EXCEPTION 'no space left' USING ERRCODE = 'disk_full'; END $$"
        )
        driver.execute("CREATE TRIGGER full_disk BEFORE UPDATE ON nodes EXECUTE FUNCTION fill()")
        try:
            yield
        finally:
            driver.execute("DROP FUNCTION fill CASCADE")


@contextmanager
def database_closed(url: str) -> Iterator[None]:
    """Make PostgreSQL refuse new connections, as when it has too many."""
    with psycopg.connect(url, autocommit=True, dbname="postgres") as driver:
        alter = f"ALTER DATABASE {sa.make_url(url).database} ALLOW_CONNECTIONS"
        driver.execute(f"{alter} false".encode())
        try:
            yield
        finally:
            driver.execute(f"{alter} true".encode())


async def test_the_operators_port_answers_only_its_three_paths(hall):
    async with watching(hall) as operator:
        assert await operator.get("/healthz") == (200, "ok\n")
        assert await operator.get("/readyz") == (200, "ready\n")
        assert await operator.get("/readyz?verbose") == (200, "ready\n")
        assert await operator.get("http://localhost/readyz") == (200, "ready\n")
        status, text = await operator.get("/metric")
        assert (status, text) == (404, "use /healthz, /readyz or /metrics\n")


@pytest.mark.parametrize("method", ["GET", "OPTIONS"])
async def test_the_operators_port_answers_the_checks_of_haproxy(hall, method):
    async with watching(hall) as operator:
        answer = await operator.request(method, "/readyz", "1.0")
        assert answer.startswith("HTTP/1.1 200 ")
        assert answer.endswith("\r\n\r\nready\n")
        hall.services.readiness.draining = True
        assert (await operator.request(method, "/readyz", "1.0")).startswith("HTTP/1.1 503 ")


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/metrics", "/metric"])
async def test_a_response_to_head_has_no_body(hall, path):
    async with watching(hall) as operator:
        got = await operator.request("GET", path)
        head, _, body = (await operator.request("HEAD", path)).partition("\r\n\r\n")
    assert head.splitlines()[0] == got.splitlines()[0]
    assert re.search(r"^Content-Length: [1-9]", head, re.MULTILINE)
    assert body == ""


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
async def test_the_operators_port_refuses_other_methods(hall, method):
    async with watching(hall) as operator:
        answer = await operator.request(method, "/metrics")
    assert answer.startswith("HTTP/1.1 405 ")
    assert "\r\nAllow: GET, HEAD, OPTIONS\r\n" in answer
    assert answer.endswith("\r\n\r\nuse GET or HEAD\n")


async def test_a_draining_node_is_not_ready(hall):
    async with watching(hall) as operator:
        assert (await operator.metrics())["mastermind_draining"] == 0
        hall.services.readiness.draining = True
        assert await operator.get("/readyz") == (503, "draining: the server is about to stop\n")
        assert await operator.get("/healthz") == (200, "ok\n")
        assert (await operator.metrics())["mastermind_draining"] == 1


async def test_a_node_with_a_late_loop_is_not_ready(idle_hall):
    clock = LateClock(2.0)
    await idle_hall.start(lag_clock=clock)
    async with watching(idle_hall) as operator:
        await clock.until(LAGS_KEPT + 1)
        assert await operator.get("/readyz") == (503, "the event loop is 2.0 s late\n")
        assert (await operator.metrics())["mastermind_load{queue=event_loop}"] == Level.OVERLOADED


async def test_a_node_with_a_slow_or_closed_store_is_not_ready(hall, monkeypatch):
    async with watching(hall) as operator:
        with monkeypatch.context() as patch:
            patch.setattr(endpoints, "READY_STORE_SECONDS", 0.0)
            late = "the store does not answer in 0 s\n"
            assert await operator.get("/readyz") == (503, late)
        assert (await operator.get("/readyz"))[0] == 200
        await hall.store.close()
        closed = "the database cannot be used: the server could not read its database\n"
        assert await operator.get("/readyz") == (503, closed)


async def test_an_internal_error_of_the_port_is_logged(hall, monkeypatch, caplog):
    async with watching(hall) as operator:
        monkeypatch.delattr(type(hall.store), "measure")
        assert await operator.get("/metrics") == (500, "internal error: see the log\n")
        assert await operator.get("/healthz") == (200, "ok\n")
    (logged,) = (record for record in caplog.records if "operator_port" in record.name)
    assert logged.getMessage() == "request for /metrics failed"
    assert logged.exc_info is not None


async def test_a_silent_connection_to_the_port_delays_no_stop(hall):
    hall.limit(handshake_seconds=3600.0)
    with socket.socket() as silent:
        async with asyncio.timeout(PATIENCE), watching(hall) as operator:
            host, _, port = operator.authority.partition(":")
            silent.connect((host, int(port)))
            assert await operator.get("/healthz") == (200, "ok\n")  # after the silent one


async def test_a_node_with_a_full_disk_is_not_ready(hall, monkeypatch):
    free = shutil.disk_usage(hall.database.parent).free
    async with watching(hall) as operator:
        with monkeypatch.context() as patch:
            patch.setattr(endpoints, "RESERVED_DISK_BYTES", 2 * free)
            status, text = await operator.get("/readyz")
        assert status == 503
        assert re.fullmatch(r"the disk is full: \d+ MiB are left, of \d+ kept\n", text)
        assert (await operator.get("/readyz"))[0] == 200


async def test_a_node_whose_database_cannot_write_is_not_ready(start_node):
    hall = await start_node()
    async with watching(hall) as operator:
        assert await operator.get("/readyz") == (200, "ready\n")
        with database_full(str(hall.place)), pytest.raises(StorageFailed):
            await hall.server.lease.renew()
        unsaved = "the database cannot be used: no space left\n"
        assert await operator.get("/readyz") == (503, unsaved)
        await hall.server.lease.renew()
        assert await operator.get("/readyz") == (200, "ready\n")


async def test_a_node_that_cannot_connect_to_write_moves_is_not_ready(start_node):
    hall = await start_node()
    async with watching(hall) as operator:
        with database_closed(str(hall.place)):
            with pytest.raises(StorageFailed) as failed:  # as players get it
                await hall.store.append(LogRow("AAAAAA", 1, 0, b"\x90", "A", None, None))
            for _ in range(2):
                status, text = await operator.get("/readyz")
                assert status == 503
                assert text.startswith("the database cannot be used: connection failed: ")
                assert text.endswith("is not currently accepting connections\n")
        assert failed.value.message == "the server could not save this, and nothing was done"
        assert failed.value.details == {"reason": "not_saved"}
        assert await operator.get("/readyz") == (200, "ready\n")


async def test_metrics_count_requests_and_failures(hall):
    ada, bob = await hall.meet("Ada"), await hall.meet("Bob")
    async with watching(hall) as operator:
        before = await operator.metrics()
        match = (await ada.open(maker="me", breaker="open")).match
        await bob.join(match)
        await ada.set(match, "1234")
        await bob.guess(match, "1111")
        await ada.refused(Follow, match="AAAAAA")
        with full_disk():
            await bob.refused(Resign, match=match)
        against_bot = (await ada.open(maker="me", breaker="random", rules="2x2")).match
        known = (await ada.set(against_bot, "11")).v
        await ada.until(
            Happened, lambda message: message.match == against_bot and message.v > known
        )
        after = await operator.metrics()
    assert before["mastermind_connections{stage=player}"] == 2
    assert before["mastermind_connections_limit"] == DEFAULT_LIMITS.connections
    assert before["mastermind_matches_loaded"] == 0
    assert after["mastermind_matches_loaded"] == after["mastermind_matches_followed"] == 2
    assert (
        6 <= after["mastermind_moves_total"] <= hall.store.measure().rows
    )  # the bot still guesses
    assert after["mastermind_append_seconds_bucket{le=+Inf}"] > after["mastermind_moves_total"]
    assert after["mastermind_store_failures_total"] == 1
    assert after["mastermind_refusals_total{code=unknown_match,reason=unknown_match}"] == 1
    assert after["mastermind_refusals_total{code=storage_failed,reason=not_saved}"] == 1
    assert after["mastermind_thinking_seconds_count{work=choose}"] >= 1
    assert after["mastermind_frames_total{direction=in}"] >= 8
    assert after["mastermind_notify_seconds_count"] == 0
    assert after["mastermind_request_seconds_count{op=guess}"] == 1
    assert after["mastermind_request_seconds_count{op=hello}"] == 2
    (cost,) = [after[name] for name in after if name.startswith("mastermind_address_cost_total")]
    assert cost >= 8
    assert after["process_open_fds"] > 0


async def test_synchronous_standbys_are_counted_if_the_store_has_several_hosts(
    start_node, postgres_url
):
    settings = conninfo_to_dict(postgres_url)
    two = {
        "host": f"{settings['host']},{settings['host']}",
        "port": f"{settings.get('port', 5432)}",
    }
    twice = sa.make_url(postgres_url).update_query_dict(two).render_as_string(hide_password=False)
    for url, counted in ((postgres_url, None), (twice, 0)):
        async with watching(await start_node(url)) as operator:
            metrics = await operator.metrics()
        assert metrics.get("mastermind_synchronous_standbys") == counted


async def test_traffic_of_closed_connections_remains_counted(hall):
    ada = await hall.meet("Ada")
    gateway = hall.server.gateway
    before = gateway.measure_traffic()
    await ada.close()
    await hall.stop()
    after = gateway.measure_traffic()
    assert (before.connections, after.connections) == ({Stage.PLAYER: 1}, {})
    assert after.received == before.received + 1  # the closing
    assert after.sent >= before.sent >= 1


async def test_tries_that_begin_and_end_here_are_counted_by_rules(hall, ada, bob):
    await begin_day(hall, "classic", "mini")
    match = (await ada.enter(DAY)).match
    await ada.enter(DAY)  # continued
    await ada.resign(match)
    await ada.enter(DAY, "mini")
    await bob.enter(DAY, "mini")
    async with watching(hall) as operator:
        found = await operator.metrics()
    tries = {name: n for name, n in found.items() if name.startswith("mastermind_tries_total")}
    assert {name.partition("{")[2]: count for name, count in tries.items() if count} == {
        "event=begun,rules=classic}": 1, "event=ended,rules=classic}": 1,
        "event=begun,rules=mini}": 2,
    }  # fmt: skip
    assert len(tries) == 2 * len(DAY_RULES)


@pytest.mark.promise("metrics")
async def test_metrics_contain_no_player_match_or_address(hall):
    ada = await hall.meet("Adalbert")
    match = (await ada.open(maker="random", breaker="me")).match
    await ada.guess(match, "1234")
    async with watching(hall) as operator:
        _, text = await operator.get("/metrics")
    for private in ("Adalbert", match, ada.id, "127.0.0.1", str(hall.database)):
        assert private not in text


async def test_the_time_of_notifications_is_measured(start_node, monkeypatch):
    # Notices before it subscribes are lost.
    monkeypatch.setattr(notices, "NOTIFY_SAMPLE_SECONDS", 0)
    hall = await start_node()
    hall.store.interests.add("AAAAAA")
    async with watching(hall) as operator, asyncio.timeout(PATIENCE):
        for version in itertools.count(1):
            await hall.store.append(LogRow("AAAAAA", version, 0, b"\x90", "A", None, None))
            if (await operator.metrics())["mastermind_notify_seconds_count"]:
                break
