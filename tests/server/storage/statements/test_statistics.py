from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from mastermind_protocol.events import Seat
from mastermind_server.storage.records import ArchiveRow
from mastermind_server.storage.statements.statistics import (
    MatchSums,
    Opponent,
    read_archive_state,
    sum_archive,
)
from server.storage.builders import row
from server.storage.statements.archived import RULES, draw_rows, store_rows


def measures_bot(row: ArchiveRow) -> bool:
    """Return whether a match was one round in which a bot broke the player's code."""
    return row.rounds == 1 and row.bot and row.seat == Seat.MAKER


def count(rows: Sequence[ArchiveRow]) -> MatchSums:
    """Count matches, the oldest first, in a way of its own."""
    contests = [row for row in rows if not measures_bot(row)]
    measured = [row for row in rows if measures_bot(row) and row.how == "played"]
    results = [row.won for row in contests]
    streaks = [0]
    for won in results:
        streaks.append(streaks[-1] + 1 if won else 0)
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
    assert isinstance(found.total.advised, int)  # no equal float: the protocol has none
    assert found.rules == {
        name: count([row for row in last if row.rules == name]) for name in RULES
    }
    opponents = {Opponent(row.opponent, row.bot) for row in last}
    assert found.opponents == {
        opponent: count([row for row in last if Opponent(row.opponent, row.bot) == opponent])
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


async def test_each_match_among_the_last_ones_changes_the_state_of_the_archive(any_store):
    rows = draw_rows(9)
    states = [await any_store.read(read_archive_state, "A", 3)]
    for number in (0, 2, 8, 6, 4):  # the last two displace older ones, and are not the newest
        await store_rows(any_store, [rows[number], rows[0]._replace(player=f"B{number}")])
        states.append(await any_store.read(read_archive_state, "A", 3))
    assert len(set(states)) == len(states)

    await store_rows(any_store, [rows[1]._replace(match="OLDEST")])
    assert await any_store.read(read_archive_state, "A", 3) == states[-1]
