from __future__ import annotations

from collections.abc import Awaitable, Callable

import psycopg
import pytest
from psycopg.rows import TupleRow

from mastermind_protocol.events import Seat
from mastermind_protocol.match import Phase
from mastermind_server.storage.requests import Stamp
from mastermind_server.storage.schema import metadata
from mastermind_server.storage.statements.matchmaking import Terms, Wanted
from mastermind_server.storage.store import Store
from server.storage.builders import read_with

QUERIES: dict[str, Callable[[Store], Awaitable[object]]] = {
    "read_log": lambda store: store.read_log("AAAAAA", 3, 64),
    "find_request": lambda store: store.find_request("A", Stamp(1, b"")),
    "has_moved": lambda store: store.has_moved("A", "AAAAAA"),
    "has_ever_moved": lambda store: store.has_moved("A"),
    "list_gathering": lambda store: store.list_public(Phase.GATHERING, limit=9),
    "list_running": lambda store: store.list_public(Phase.SETTING, Phase.BREAKING, limit=9),
    "list_due": lambda store: store.list_due(9, limit=9),
    "list_archive": lambda store: store.list_archive("A", limit=9),
    "list_own": lambda store: store.list_running("A", search=9, limit=9),
    "read_chat": lambda store: store.read_chat("AAAAAA"),
    "find_said": lambda store: store.find_said("A", Stamp(1, b"")),
    "is_program": lambda store: store.is_program("A"),
    "find_player": lambda store: store.find_player(b"?"),
    "count_tokens": lambda store: store.count_tokens("A"),
    "find_tokens": lambda store: store.find_tokens([b"?", b"!"]),
}


@pytest.mark.parametrize("query", QUERIES)
async def test_every_query_uses_an_index(store, query):
    asked: list[str] = []

    def watch(session):
        session.driver.set_trace_callback(asked.append)

    def explain(session):
        driver = session.driver
        driver.set_trace_callback(None)
        (statement,) = asked
        return [step for *_, step in driver.execute(f"EXPLAIN QUERY PLAN {statement}")]

    await read_with(store, watch)
    await QUERIES[query](store)
    plan = await read_with(store, explain)
    tables = {*metadata.tables, "log_1"}
    assert tables.isdisjoint(step.split()[1] for step in plan if step.startswith("SCAN"))
    assert any("USING" in step for step in plan)


ON_MANY_NODES: dict[str, Callable[[Store], Awaitable[object]]] = {
    "find_newest": lambda store: store.find_newest(["AAAAAA", "BBBBBB"]),
    "find_attendances": lambda store: store.find_attendances(["AAAAAA", "BBBBBB"], "here"),
    "list_due": QUERIES["list_due"],
    "find_waiting": lambda store: store.find_waiting(
        Wanted(Terms("mini", 1, rated=False, program=False), Seat.MAKER), "here"
    ),
}


@pytest.mark.parametrize("query", ON_MANY_NODES)
async def test_the_periodic_queries_of_nodes_can_use_an_index(postgres_url, query):
    store, plan = await Store.open(postgres_url), list[str]()

    class Explaining(psycopg.Cursor[TupleRow]):
        def execute(self, query, *values, **more):
            super().execute(f"EXPLAIN {query}", *values)
            plan.extend(step for (step,) in self)
            return super().execute(query, *values, **more)

    def watch(session):
        session.driver.execute("SET enable_seqscan = off")  # the tables are small here
        session.driver.cursor_factory = Explaining

    await read_with(store, watch)
    await ON_MANY_NODES[query](store)
    await store.close()
    assert any("Index" in step for step in plan)
    assert not any("Seq Scan" in step for step in plan)
