from __future__ import annotations

import asyncio

import pytest
from msgspec.structs import replace

from kit.matches import ADA, BOB
from kit.rated import start_rated
from mastermind_protocol.glicko import INITIAL_RATING, PROVISIONAL_DEVIATION, Rating
from mastermind_protocol.transitions import fold
from mastermind_server.storage.rating_rows import (
    NAME_KEPT_MILLISECONDS,
    LastRating,
    NameClaim,
    RatingRow,
    RatingsChanged,
    make_standing,
)
from mastermind_server.storage.records import make_projection
from mastermind_server.storage.rows import RowTaken
from mastermind_server.storage.statements.log import read_log
from mastermind_server.storage.statements.profiles import ProfileSize, read_profile
from mastermind_server.storage.statements.ratings import (
    append_rated,
    count_pair_matches,
    find_name_owner,
    read_last_ratings,
)
from mastermind_server.storage.store import Store
from server.storage.builders import row
from server.storage.statements.rated import DAY_MILLISECONDS, RULES, beat, make_rows

SIZE = ProfileSize(history=99, form=9, matches=9, games=9)


async def last_of(store: Store, player: str) -> LastRating:
    """Return the last rating of a player."""
    return (await store.read(read_last_ratings, RULES, [player]))[player]


async def test_a_newcomer_has_the_first_rating(any_store):
    found = await last_of(any_store, "A")

    assert found == LastRating(0, None, INITIAL_RATING, None)
    assert found.rating_at(DAY_MILLISECONDS) == INITIAL_RATING


async def test_a_rated_match_is_stored_with_its_log_row(any_store):
    rows = await beat(any_store, "A", "B", at=5)

    for expected in rows:
        found = await last_of(any_store, expected.player)
        assert (found.n, found.at, found.rating) == (1, 5, expected.after)
    assert [stored.version for stored in await any_store.read(read_log, "AAAAAA")] == [1]


async def test_a_rating_grows_uncertain_from_its_last_match(any_store):
    await beat(any_store, "A", "B", at=DAY_MILLISECONDS)
    found = await last_of(any_store, "A")

    assert found.rating_at(DAY_MILLISECONDS) == found.rating
    assert found.rating_at(100 * DAY_MILLISECONDS).deviation > found.rating.deviation


async def test_a_taken_number_stores_nothing_and_the_match_is_decided_again(any_store):
    late = await make_rows(any_store, "B", "C", match="LATEAA")
    await beat(any_store, "A", "B")

    with pytest.raises(RatingsChanged):
        await any_store.write_locking(append_rated, [row("LATEAA")], [], late)
    assert await any_store.read(read_log, "LATEAA") == []
    assert (await last_of(any_store, "C")).n == 0

    again = await make_rows(any_store, "B", "C", match="LATEAA")
    await any_store.write_locking(append_rated, [row("LATEAA")], [], again)
    assert (await last_of(any_store, "B")).n == 2


async def test_a_taken_version_leaves_the_ratings(any_store):
    await any_store.append(row("AAAAAA"))
    rows = await make_rows(any_store, "A", "B")

    with pytest.raises(RowTaken):
        await any_store.write_locking(append_rated, [row("AAAAAA")], [], rows)

    assert (await last_of(any_store, "A")).n == 0


async def test_nodes_that_finish_matches_of_the_same_players_at_once_rate_each_once(postgres_url):
    """Each match is tried again until it is stored: no deadlock, and no rating is lost."""
    stores = [await Store.open(postgres_url) for _ in range(2)]
    players = ["A", "B", "C", "D"]
    pairs = [(one, other) for one in players for other in players if one != other]

    async def finish(store: Store, number: int, winner: str, loser: str) -> None:
        match = f"M{number:05}"
        while True:
            rows = await make_rows(store, winner, loser, match=match)
            try:
                await store.write_locking(append_rated, [row(match)], [], rows)
            except RatingsChanged:
                continue
            return

    await asyncio.gather(
        *(finish(stores[number % 2], number, *pair) for number, pair in enumerate(pairs))
    )

    for player in players:
        profile = await stores[0].read(read_profile, player, None, None, SIZE)
        assert profile.standings[0].n == len(profile.history) == 6
    for store in stores:
        await store.close()


async def test_the_matches_of_a_pair_are_counted_by_day(any_store):
    for number, at in enumerate((0, DAY_MILLISECONDS, DAY_MILLISECONDS + 1)):
        await beat(any_store, "A", "B", at=at, match=f"M{number:05}")
    await beat(any_store, "A", "C", at=DAY_MILLISECONDS, match="OTHERS")

    assert await any_store.read(count_pair_matches, "A", "B", 0) == 2
    assert await any_store.read(count_pair_matches, "B", "A", DAY_MILLISECONDS) == 1
    assert await any_store.read(count_pair_matches, "B", "C", 0) == 0


@pytest.mark.parametrize("counts", [True, False])
async def test_a_running_match_of_a_pair_counts_if_it_will_change_ratings(any_store, counts):
    begun = fold(start_rated(counts=counts))
    await any_store.append(row("AAAAAA", 1), projections=[make_projection("AAAAAA", begun, 1, 0)])

    assert await any_store.read(count_pair_matches, ADA.id, BOB.id, 0) == counts


async def test_an_offered_rematch_of_a_pair_does_not_count_before_it_begins(any_store):
    opened, offering, _ = start_rated()
    opened = replace(opened, reserved=BOB.id, previous="BBBBBB")
    offered = make_projection("AAAAAA", fold((opened, offering)), 1, 0)
    await any_store.append(row("AAAAAA", 1), projections=[offered])

    assert await any_store.read(count_pair_matches, BOB.id, ADA.id, 0) == 0


async def test_the_first_rated_match_claims_a_name(any_store):
    assert await any_store.read(find_name_owner, "a", 0) is None

    await beat(any_store, "A", "B", at=9)

    assert await any_store.read(find_name_owner, "a", 9) == "A"


async def test_a_name_keeps_its_owner_for_a_year_after_the_last_match(any_store):
    await beat(any_store, "A", "B", at=9)

    async def claim(version: int, at: int) -> str | None:
        match = f"LATER{version}"
        rows = await make_rows(any_store, "C", "D", at=at, match=match)
        claims = [NameClaim("a", "C", "A")]
        await any_store.write_locking(append_rated, [row(match)], [], rows, claims)
        owner: str | None = await any_store.read(find_name_owner, "a", at)
        return owner

    assert await claim(2, 9 + NAME_KEPT_MILLISECONDS) == "A"
    assert await claim(3, 10 + NAME_KEPT_MILLISECONDS) == "C"


async def test_a_match_that_is_stored_after_a_later_one_does_not_shorten_the_claim(any_store):
    await beat(any_store, "A", "B", at=9, match="LATERA")
    await beat(any_store, "A", "C", at=5, match="EARLIE")

    assert await any_store.read(find_name_owner, "a", 9 + NAME_KEPT_MILLISECONDS) == "A"


async def test_a_name_that_nobody_used_for_a_year_is_free(any_store):
    await beat(any_store, "A", "B", at=0)

    assert await any_store.read(find_name_owner, "a", NAME_KEPT_MILLISECONDS) == "A"
    assert await any_store.read(find_name_owner, "a", NAME_KEPT_MILLISECONDS + 1) is None


async def test_sums_of_rated_matches(any_store):
    await beat(any_store, "A", "B", at=1, match="FIRSTS")
    await beat(any_store, "A", "B", at=2, score=0.5, match="SECOND")
    await beat(any_store, "B", "A", at=3, match="THIRDS")

    (standing,) = (await any_store.read(read_profile, "A", None, None, SIZE)).standings

    assert (standing.n, standing.at) == (3, 3)
    assert (standing.wins, standing.draws, standing.losses) == (1, 1, 1)
    assert (standing.rounds, standing.broken, standing.guesses, standing.luck) == (3, 2, 15, 0.75)
    assert standing.rating_at(3) == (await last_of(any_store, "A")).rating


async def test_luck_that_is_not_computed_once_is_not_summed(any_store):
    rows = [each._replace(luck=None) for each in await make_rows(any_store, "A", "B")]
    await any_store.write_locking(append_rated, [row()], [], rows)

    (standing,) = (await any_store.read(read_profile, "A", None, None, SIZE)).standings

    assert standing.luck is None


async def test_the_fewest_guesses_are_the_least_of_all_matches_with_a_broken_code(any_store):
    seen = []
    for n, fewest in enumerate((None, 5, 6, None, 4), 1):
        rows = [
            each._replace(fewest=fewest)
            for each in await make_rows(any_store, "A", "B", match=f"M{n:05}")
        ]
        await any_store.write_locking(append_rated, [row(f"M{n:05}")], [], rows)
        profile = await any_store.read(read_profile, "A", None, None, SIZE)
        seen.append(profile.standings[0].fewest)

    assert seen == [None, 5, 5, 5, 4]


async def test_established_opponents_and_the_best_rating_are_counted_once(any_store):
    known, other = (
        each._replace(established=True) for each in await make_rows(any_store, "A", "B")
    )
    sure = Rating(1700, 80, 0.06)
    for n, opponent, rating in ((1, "B", 1700.0), (2, "B", 1650.0), (3, "C", 1710.0)):
        mine = known._replace(n=n, at=n, opponent=opponent, rating=rating, deviation=sure.deviation)
        theirs = other._replace(n=n if opponent == "B" else 1, player=opponent)
        await any_store.write_locking(append_rated, [row("AAAAAA", n)], [], [mine, theirs])

    (standing,) = (await any_store.read(read_profile, "A", None, None, SIZE)).standings

    assert standing.opponents == 2
    assert (standing.best, standing.best_at) == (1710.0, 3)


async def test_a_provisional_rating_is_no_best_rating(any_store):
    rows = await make_rows(any_store, "A", "B")
    rows = [each._replace(deviation=PROVISIONAL_DEVIATION) for each in rows]
    await any_store.write_locking(append_rated, [row()], [], rows)

    (standing,) = (await any_store.read(read_profile, "A", None, None, SIZE)).standings

    assert standing.best is standing.best_at is None


async def test_an_established_opponent_counts_once_for_each_set_of_rules(any_store):
    played = [("mini", "B", 1), ("classic", "C", 1), ("classic", "B", 2), ("classic", "B", 3)]
    for number, (rules, opponent, n) in enumerate(played):
        match = f"M{number:05}"
        mine, _ = await make_rows(any_store, "A", opponent, match=match)
        mine = mine._replace(rules=rules, n=n, established=True)
        await any_store.write_locking(append_rated, [row(match)], [], [mine])

    profile = await any_store.read(read_profile, "A", None, None, SIZE)

    assert {each.rules: each.opponents for each in profile.standings} == {"mini": 1, "classic": 2}


async def test_a_standing_follows_from_all_ratings_of_the_player(any_store):
    """The check of all ratings computes it from the rows, and each match adds to the stored one."""
    known, other = await make_rows(any_store, "A", "B")
    rows: list[RatingRow] = []
    for n, (opponent, established, rating, deviation, score, luck, fewest) in enumerate(
        [
            ("B", False, 1600.0, 200.0, 1.0, 0.25, None),
            ("B", True, 1650.0, 109.0, 0.5, -0.1, 6),
            ("C", True, 1700.0, 100.0, 1.0, 0.3, 4),
            ("C", True, 1700.0, 90.0, 0.0, 0.7, 5),
            ("B", True, 1680.0, 80.0, 1.0, None, None),
        ],
        1,
    ):
        mine = known._replace(
            n=n, at=n, opponent=opponent, established=established, rating=rating,
            deviation=deviation, score=score, luck=luck, fewest=fewest, match=f"M{n:05}",
        )  # fmt: skip
        rows.append(mine)
        theirs = other._replace(player=f"{opponent}{n}", at=n, match=mine.match)
        await any_store.write_locking(append_rated, [row(mine.match)], [], [mine, theirs])

        (standing,) = (await any_store.read(read_profile, "A", None, None, SIZE)).standings
        assert standing == make_standing(rows)

    assert (standing.best, standing.best_at) == (1700.0, 3)
