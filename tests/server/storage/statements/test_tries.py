from __future__ import annotations

from kit.days import DAY
from kit.tries import store_account, store_day, store_try
from mastermind_server.storage.statements.tries import (
    EndedTry,
    MonthRow,
    PlacedRow,
    StoredTry,
    TriedDays,
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

DAY_OF_RULES = (DAY, "classic")


async def test_a_try_is_found_by_its_day_rules_and_player(any_store):
    await any_store.write(store_try, "A", match="AAAAAA", counted=False)
    await any_store.write(store_try, "B", 4, 60, match="BBBBBB", ended=9)

    running, ended = [await any_store.read(find_try, *DAY_OF_RULES, each) for each in "AB"]

    assert running == StoredTry("A", "AAAAAA", False, None, None, None, None)
    assert running.as_ended() is None
    assert ended == StoredTry("B", "BBBBBB", True, 9, "broken", 4, 60_000)
    assert ended.as_ended() == EndedTry("B", 9, True, 4, 60_000)
    assert await any_store.read(find_try, DAY, "mini", "B") is None
    assert await any_store.read(find_try, DAY - 1, "classic", "B") is None


async def test_tries_are_counted_by_the_time_of_their_start(any_store):
    for player, started in (("A", 5), ("B", 7), ("C", 9)):
        await any_store.write(store_try, player, started=started, counted=player != "C")
    await any_store.write(store_try, "D", 4, started=7)
    await any_store.write(store_try, "A", rules="mini", started=7)

    assert await any_store.read(count_tries, *DAY_OF_RULES, 6, 9) == 2
    assert await any_store.read(count_unfinished, *DAY_OF_RULES) == (3, 2)


async def test_ended_tries_are_listed_by_time_or_by_result_after_a_key(any_store):
    rows = [
        EndedTry("C", 5, True, 4, 60),
        EndedTry("A", 7, False, 4, 60),
        EndedTry("B", 7, True, 3, 90),
    ]
    for row in rows:
        columns = row._asdict()
        await any_store.write(store_try, columns.pop("player"), columns.pop("guesses"), **columns)
    await any_store.write(store_try, "D")

    assert await any_store.read(list_endings, *DAY_OF_RULES, (0, ""), 9) == rows
    assert await any_store.read(list_endings, *DAY_OF_RULES, (5, "C"), 1) == rows[1:2]
    assert await any_store.read(list_endings, *DAY_OF_RULES, (7, "A"), 9) == rows[2:]
    counted = await any_store.read(list_results, *DAY_OF_RULES, (0, 0, ""), 9, counted=True)
    others = await any_store.read(list_results, *DAY_OF_RULES, (0, 0, ""), 9, counted=False)
    assert (counted, others) == ([rows[2], rows[0]], [rows[1]])
    assert (
        await any_store.read(list_results, *DAY_OF_RULES, (4, 60, "B"), 9, counted=True)
        == counted[1:]
    )


async def test_a_page_of_places_begins_with_a_result_and_has_counted_tries_of_accounts(any_store):
    for player in "ABCDEF":
        await any_store.write(store_account, player, f"Name {player}")
        guesses = {"A": 3, "F": None}.get(player, 4)
        await any_store.write(
            store_try, player, guesses, 60, counted=player != "C", match=player * 6
        )
    await any_store.write(store_try, "deleted", 4, 60)

    found = await any_store.read(list_placed, *DAY_OF_RULES, (4, 60_000), 1, 9)
    unfinished = await any_store.read(list_unfinished, *DAY_OF_RULES, 0, 9)

    assert found == [
        PlacedRow(player, None, f"Name {player}", player * 6, 4, 60_000) for player in "DE"
    ]
    assert unfinished == [PlacedRow("F", None, "Name F", "FFFFFF", None, None)]


async def test_tried_days_omit_withdrawn_and_unfinished_tries(any_store):
    def store_all(session):
        for day in range(100, 110):
            store_day(session, day, withdrawn=9 if day in (103, 107) else None)
        for day, guesses in ((101, 4), (103, 4), (104, 13), (105, None)):
            store_try(session, "A", guesses, day=day)
        for rules in ("mini", "eight"):
            store_day(session, 101, rules)
            store_try(session, "A", 2, day=101, rules=rules)
        store_day(session, 106, "mini", withdrawn=9)
        store_try(session, "B", 4, day=108)

    await any_store.write(store_all)

    assert await any_store.read(read_tried_days, "A", 108) == TriedDays(
        {101: 3, 104: 0}, [101, 102, 104, 105, 108]
    )
    assert await any_store.read(read_tried_days, "C", 108) == TriedDays({}, [])


async def test_a_month_has_its_days_with_a_code_and_the_own_tries(any_store):
    def store_all(session):
        for day in (DAY - 1, DAY, DAY + 9):
            store_day(session, day, revealed=9 if day < DAY else None)
        store_try(session, "A", 4, match="AAAAAA", luck=-0.5)
        store_try(session, "B", 4, day=DAY - 1)

    await any_store.write(store_all)
    today, before = await any_store.read(list_month, "classic", "A", DAY - 9, DAY)

    assert today == MonthRow(DAY, None, None, "AAAAAA", 4, -0.5)
    assert before == MonthRow(DAY - 1, 9, None, None, None, None)
