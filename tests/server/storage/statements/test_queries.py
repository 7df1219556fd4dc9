from __future__ import annotations

from collections.abc import Awaitable, Callable

import psycopg
import pytest
from psycopg.rows import TupleRow

from mastermind_protocol.events import Seat
from mastermind_protocol.match import Phase
from mastermind_server.storage.idempotency import RequestKey
from mastermind_server.storage.schema import metadata
from mastermind_server.storage.statements.accounts import (
    count_tokens,
    find_player,
    find_tokens,
    is_program,
)
from mastermind_server.storage.statements.challenges import read_named_players
from mastermind_server.storage.statements.leaderboard import (
    list_candidates,
    list_recent_players,
    read_leaderboard_rows,
)
from mastermind_server.storage.statements.lobby import (
    MatchSearch,
    SeekTerms,
    find_waiting,
    has_begun_match,
    list_lobbies_of_players,
)
from mastermind_server.storage.statements.log import (
    find_line,
    find_request,
    has_moved,
    read_chat,
    read_heads,
    read_log,
)
from mastermind_server.storage.statements.matches import (
    list_archive,
    list_due,
    list_public,
    list_public_archive,
    list_running,
)
from mastermind_server.storage.statements.people import (
    list_public_matches,
    list_refusing,
    read_people,
)
from mastermind_server.storage.statements.presence import find_presence
from mastermind_server.storage.statements.profiles import ProfileSize, read_profile
from mastermind_server.storage.statements.ratings import (
    count_pair_matches,
    find_name_owner,
    read_last_ratings,
)
from mastermind_server.storage.statements.statistics import sum_archive
from mastermind_server.storage.statements.tries import (
    count_tries,
    count_unfinished,
    find_try,
    list_endings,
    list_month,
    list_placed,
    list_results,
    list_unfinished,
    read_tried_days,
)
from mastermind_server.storage.store import Store

QUERIES: dict[str, Callable[[Store], Awaitable[object]]] = {
    "read_log": lambda store: store.read(read_log, "AAAAAA", 3, 64),
    "find_request": lambda store: store.read(find_request, "A", RequestKey(1, b"")),
    "has_moved": lambda store: store.read(has_moved, "A", "AAAAAA"),
    "has_ever_moved": lambda store: store.read(has_moved, "A"),
    "list_gathering": lambda store: store.read(list_public, [Phase.GATHERING], limit=9),
    "list_running": lambda store: store.read(list_public, [Phase.SETTING, Phase.BREAKING], limit=9),
    "list_due": lambda store: store.read(list_due, 9, limit=9),
    "list_archive": lambda store: store.read(list_archive, "A", limit=9),
    "list_own": lambda store: store.read(list_running, "A", searched=9, limit=9),
    "read_chat": lambda store: store.read(read_chat, "AAAAAA"),
    "find_said": lambda store: store.read(find_line, "A", RequestKey(1, b"")),
    "is_program": lambda store: store.read(is_program, "A"),
    "find_player": lambda store: store.read(find_player, b"?"),
    "count_tokens": lambda store: store.read(count_tokens, "A"),
    "find_tokens": lambda store: store.read(find_tokens, [b"?", b"!"]),
    "read_last_ratings": lambda store: store.read(read_last_ratings, "mini", ["A", "B"]),
    "count_pair_matches": lambda store: store.read(count_pair_matches, "A", "B", 0),
    "has_begun_match": lambda store: store.read(has_begun_match, "A", 0),
    "list_lobbies_of_players": lambda store: store.read(list_lobbies_of_players, ["A", "B"]),
    "find_name_owner": lambda store: store.read(find_name_owner, "ada", 0),
    "list_candidates": lambda store: store.read(list_candidates, "mini", after=(9, "A"), limit=9),
    "list_recent_players": lambda store: store.read(list_recent_players, "mini", 0, 9),
    "read_leaderboard_rows": lambda store: store.read(read_leaderboard_rows, "mini", ["A", "B"]),
    "read_profile": lambda store: store.read(
        read_profile, "A", "B", "mini", ProfileSize(9, 9, 9, 9)
    ),
    "read_named_players": lambda store: store.read(read_named_players, "A", "Bob", 0),
    "sum_archive": lambda store: store.read(sum_archive, "A", matches=9, rules=9, opponents=9),
    "read_people": lambda store: store.read(read_people, "A", searched=9, limit=9),
    "list_refusing": lambda store: store.read(list_refusing, ["A", "B"]),
    "list_public_matches": lambda store: store.read(list_public_matches, ["A", "B"]),
    "list_public_archive": lambda store: store.read(list_public_archive, "A", limit=9, searched=9),
    "find_try": lambda store: store.read(find_try, 1, "mini", "A"),
    "count_tries": lambda store: store.read(count_tries, 1, "mini", 0, 9),
    "count_unfinished": lambda store: store.read(count_unfinished, 1, "mini"),
    "list_endings": lambda store: store.read(list_endings, 1, "mini", (9, "A"), 9),
    "list_results": lambda store: store.read(list_results, 1, "mini", (9, 9, "A"), 9, counted=True),
    "list_placed": lambda store: store.read(list_placed, 1, "mini", (9, 9), 0, 9),
    "list_unfinished": lambda store: store.read(list_unfinished, 1, "mini", 0, 9),
    "read_tried_days": lambda store: store.read(read_tried_days, "A", 9),
    "list_month": lambda store: store.read(list_month, "mini", "A", 1, 9),
}


@pytest.mark.parametrize("query", QUERIES)
async def test_every_query_uses_an_index(store, query):
    asked: list[str] = []

    def watch(session):
        session.driver.set_trace_callback(asked.append)

    def explain(session):
        driver = session.driver
        driver.set_trace_callback(None)
        plans = [driver.execute(f"EXPLAIN QUERY PLAN {statement}") for statement in asked]
        return [[step for *_, step in plan] for plan in plans]

    await store.read(watch)
    await QUERIES[query](store)
    tables = {*metadata.tables, "log_1", "earlier"}
    plans = await store.read(explain)
    assert plans
    for plan in plans:
        assert tables.isdisjoint(step.split()[1] for step in plan if step.startswith("SCAN"))
        assert any("USING" in step for step in plan)


ON_MANY_NODES: dict[str, Callable[[Store], Awaitable[object]]] = {
    "find_newest": lambda store: store.read(read_heads, ["AAAAAA", "BBBBBB"]),
    "find_attendances": lambda store: store.read(find_presence, ["AAAAAA", "BBBBBB"], "here"),
    "list_due": QUERIES["list_due"],
    "list_candidates": QUERIES["list_candidates"],
    "read_leaderboard_rows": QUERIES["read_leaderboard_rows"],
    "find_waiting": lambda store: store.read(
        find_waiting,
        MatchSearch(SeekTerms("mini", 1, rated=False, program=False), Seat.MAKER),
        "here",
    ),
}


@pytest.mark.parametrize("query", ON_MANY_NODES)
async def test_the_frequent_queries_of_nodes_can_use_an_index(postgres_url, query):
    store, plan = await Store.open(postgres_url), list[str]()

    class Explaining(psycopg.Cursor[TupleRow]):
        def execute(self, query, *values, **more):
            super().execute(f"EXPLAIN {query}", *values)
            plan.extend(step for (step,) in self)
            return super().execute(query, *values, **more)

    def watch(session):
        session.driver.execute("SET enable_seqscan = off")  # the tables are small here
        session.driver.cursor_factory = Explaining

    await store.read(watch)
    await ON_MANY_NODES[query](store)
    await store.close()
    assert any("Index" in step for step in plan)
    assert not any("Seq Scan" in step for step in plan)
