from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from itertools import groupby

from mastermind_protocol.events import Seat
from mastermind_server.storage.database import Session
from mastermind_server.storage.records import ArchiveRow
from mastermind_server.storage.schema import archive
from mastermind_server.storage.statements.statistics import MatchSums, Opponent, sum_archive
from mastermind_server.storage.store import Store
from server.storage.builders import row

RULES = ("classic", "mini")
NAMES = ("Bob", "Eve", "hard")


def draw_rows(number: int) -> list[ArchiveRow]:
    """Return matches of the player A, the oldest first. Each two of them end at the same time."""
    draw = random.Random(number)  # noqa: S311 - test data
    return [
        ArchiveRow(
            player="A", match=f"M{n:05}", at=n // 2, rules=draw.choice(RULES),
            rounds=draw.choice((1, 2, 4)), rated=False, seat=draw.choice(list(Seat)),
            opponent=draw.choice(NAMES), bot=draw.random() < 0.5,
            won=draw.choice((True, True, False, None)), how=draw.choice(("played", "left")),
            guesses=draw.randrange(9), mine=6, theirs=4,
            tries=[draw.randrange(5) for _ in range(draw.randrange(2))],
        )
        for n in range(number)
    ]  # fmt: skip


async def store_rows(store: Store, rows: Sequence[ArchiveRow]) -> None:
    """Insert rows of the archive."""

    def insert(session: Session) -> None:
        values = [row._asdict() for row in rows]
        session.connection.execute(archive.insert(), values)

    await store.write(insert)


def measures_bot(row: ArchiveRow) -> bool:
    """Return whether a match was one round in which a bot broke the player's code."""
    return row.rounds == 1 and row.bot and row.seat == Seat.MAKER


def count(rows: Sequence[ArchiveRow]) -> MatchSums:
    """Count matches, the oldest first, in a way of its own."""
    contests = [row for row in rows if not measures_bot(row)]
    measured = [row for row in rows if measures_bot(row) and row.how == "played"]
    results = [row.won for row in contests]
    streaks = [len(list(run)) if won else 0 for won, run in groupby(results)]
    return MatchSums(
        matches=len(rows), wins=results.count(True), draws=results.count(None),
        losses=results.count(False), measured=len(measured),
        measured_guesses=sum(row.guesses for row in measured),
        streak=streaks[-1], longest=max(streaks), last=rows[-1].at, match=rows[-1].match,
        tries=Counter(guesses for row in rows for guesses in row.tries),
        advised=sum(
            (row.rounds + (row.seat == Seat.BREAKER)) // 2 - len(row.tries)
            for row in rows if row.how == "played"
        ),
    )  # fmt: skip


async def test_the_sums_count_the_last_matches_in_total_by_rules_and_by_opponent(any_store):
    rows = draw_rows(60)
    await store_rows(any_store, [*rows, rows[0]._replace(player="B")])

    found = await any_store.read(sum_archive, "A", matches=50, rules=9, opponents=9)

    last = rows[-50:]
    assert found.total == count(last)
    assert found.rules == {
        name: count([row for row in last if row.rules == name]) for name in RULES
    }
    opponents = {Opponent(row.opponent, row.bot) for row in last}
    assert found.opponents == {
        opponent: count([row for row in last if (row.opponent, row.bot) == opponent])
        for opponent in opponents
    }


async def test_the_rules_and_opponents_with_the_most_matches_come_first(any_store):
    await store_rows(any_store, draw_rows(60))

    found = await any_store.read(sum_archive, "A", matches=60, rules=9, opponents=9)
    fewer = await any_store.read(sum_archive, "A", matches=60, rules=1, opponents=2)

    for groups in (found.rules, found.opponents):
        order = [(sums.matches, sums.last) for sums in groups.values()]
        assert order == sorted(order, reverse=True)
    assert list(fewer.rules) == list(found.rules)[:1]
    assert list(fewer.opponents.items()) == list(found.opponents.items())[:2]


async def test_the_first_rows_of_the_last_match_against_each_opponent_are_returned(any_store):
    (archived,) = draw_rows(1)
    await store_rows(any_store, [archived])
    for version in (1, 2, 3):
        await any_store.append(row(archived.match, version))

    found = await any_store.read(sum_archive, "A", matches=9, rules=9, opponents=9)

    opening = [stored.events for stored in (row(archived.match, 1), row(archived.match, 2))]
    assert found.openings == {archived.match: opening}


async def test_a_player_without_a_match_has_no_sums(any_store):
    found = await any_store.read(sum_archive, "A", matches=9, rules=9, opponents=9)

    assert (found.total, found.rules, found.opponents, found.openings) == (MatchSums(), {}, {}, {})
