from __future__ import annotations

import asyncio
import itertools

import pytest
import sqlalchemy as sa

from kit.client import RawClient
from kit.matches import SeededRandom
from kit.rated import SECRET, start_rated, store_ranked, store_rated
from kit.server import GameServer
from mastermind_protocol.codec import encode_events
from mastermind_protocol.errors import ErrorCode
from mastermind_protocol.events import Finished, Opened, Player, Rated, Unrated
from mastermind_protocol.glicko import INITIAL_RATING, age, rate
from mastermind_protocol.messages import MAX_RANKED_PLAYERS, Happened
from mastermind_protocol.requests import Join, Open, ShowProfile
from mastermind_protocol.transitions import fold
from mastermind_server.commands.status import read_status
from mastermind_server.matches.ratings import MAX_PAIR_MATCHES
from mastermind_server.storage.engines.database import Session
from mastermind_server.storage.rating_rows import DAY_MILLISECONDS
from mastermind_server.storage.records import make_projection
from mastermind_server.storage.rows import LogRow
from mastermind_server.storage.schema import standings
from mastermind_server.storage.statements.ratings import find_name_owner

NAMED = "Ada of the leaderboard"


def typed(code: tuple[int, ...]) -> str:
    """Return a code as players type it."""
    return "".join(str(colour + 1) for colour in code)


async def begin(hall: GameServer, first: RawClient, second: RawClient, code: str) -> None:
    """Store a rated match before its first secret, which both follow."""
    events = start_rated(first.player, second.player)
    now = hall.services.clock.unix_milliseconds()
    row = LogRow(code, 1, now, encode_events(events), first.id)
    await hall.store.append(row, projections=[make_projection(code, fold(events), 1, now)])
    await first.follow(code)
    await second.follow(code)


async def finish(first: RawClient, second: RawClient, code: str) -> Happened:
    """Play a match of two rounds that `first` wins. Return its last row."""
    await first.set(code, typed(SECRET))
    await second.guess(code, "5566")
    await second.guess(code, typed(SECRET))
    await second.set(code, typed(SECRET))
    return await first.guess(code, typed(SECRET))


async def test_the_last_row_of_a_rated_match_changes_both_ratings(hall, ada, bob):
    await begin(hall, ada, bob, "RATEDA")

    last = await finish(ada, bob, "RATEDA")

    rated = last.events[-1]
    assert isinstance(last.events[-2], Finished)
    assert isinstance(rated, Rated)
    assert {player.player: player.after for player in rated.players} == {
        ada.id: rate(INITIAL_RATING, [(INITIAL_RATING, 1.0)]),
        bob.id: rate(INITIAL_RATING, [(INITIAL_RATING, 0.0)]),
    }
    profile = await ada.profile()
    (record,) = profile.records
    assert (record.matches, record.wins, record.guesses, record.fewest) == (1, 1, 1.0, 1)
    assert record.less_luck is not None
    assert record.less_luck > 4
    assert [match.match for match in profile.matches] == ["RATEDA"]
    assert profile.history == (record.rating.rating,)
    assert await hall.command("ratings", "--check") == 0


async def test_rated_matches_are_counted_in_metrics_and_status(hall, ada, bob):
    await begin(hall, ada, bob, "RATEDA")
    await finish(ada, bob, "RATEDA")
    await begin(hall, ada, bob, "RATEDB")
    await bob.leave("RATEDB")  # which closes it, before its first guess

    assert hall.store.measure().rated_matches == 1
    contents = read_status(hall.place).contents
    assert contents is not None
    assert (contents.rated_matches, contents.rated_players) == (1, 2)


async def test_ratings_change_once_if_both_matches_of_a_player_end_at_once(hall, ada, bob, eve):
    for code, other in (("RATEDA", bob), ("RATEDB", eve)):
        await begin(hall, ada, other, code)
    for code, other in (("RATEDA", bob), ("RATEDB", eve)):
        await ada.set(code, typed(SECRET))
        await other.guess(code, typed(SECRET))
        await other.set(code, typed(SECRET))

    await asyncio.gather(bob.leave("RATEDA"), eve.leave("RATEDB"))

    (record,) = (await ada.profile()).records
    assert (record.matches, record.wins) == (2, 2)
    assert await hall.command("ratings", "--check") == 0


@pytest.mark.promise("rating-once")
async def test_nodes_that_end_matches_of_one_player_at_once_rate_each_once(start_node):
    """Each end needs the rating that the other changes: the node that is later decides again."""
    here, there = await start_node(), await start_node()
    ada, bob = await here.meet("Ada"), await here.meet("Bob")
    away, eve = await there.connect(ada.ids), await there.meet("Eve")
    await away.hello(token=ada.token)
    for number in range(4):
        ends = []
        for hall, mine, other in ((here, ada, bob), (there, away, eve)):
            code = f"MATCH{number + 2}" if hall is here else f"STHER{number + 2}"
            await begin(hall, mine, other, code)
            await mine.set(code, typed(SECRET))
            await other.guess(code, "5566")
            ends.append(other.leave(code))
        await asyncio.gather(*ends)

    (record,) = (await ada.profile()).records
    assert (record.matches, record.wins) == (8, 8)
    assert await here.command("ratings", "--check") == 0


async def test_a_profile_is_found_by_id_and_by_name_and_has_my_record(hall):
    ada, bob = await hall.meet(NAMED), await hall.meet("Bob")
    await begin(hall, ada, bob, "RATEDA")
    await finish(ada, bob, "RATEDA")

    by_id = await bob.profile(player=ada.id)
    by_name = await bob.profile(name=NAMED.upper())

    assert by_id.name == by_name.name == NAMED
    assert by_id.player == by_name.player == ada.id
    assert by_id.against == (0, 0, 1)
    assert by_id.met == by_id.matches[0].at
    assert by_id.matches[0].opponent == "Bob"
    assert by_id.matches[0].change == pytest.approx(162.3, abs=0.1)


async def test_a_profile_by_other_rules_has_their_history_and_place(hall, ada, bob):
    now = hall.services.clock.unix_milliseconds()
    for rules, code in (("mini", "MATCHA"), ("classic", "MATCHB")):
        await hall.store.write(store_rated, code, ada.player, bob.player, at=now, rules=rules)

    found, mini = await ada.profile(), await ada.profile(rules="mini")

    assert (found.rules, [match.match for match in found.matches]) == ("classic", ["MATCHB"])
    assert (mini.rules, [match.match for match in mini.matches]) == ("mini", ["MATCHA"])
    assert (mini.form, len(mini.history), mini.place, mini.total) == ((1, 0, 0), 1, None, 0)
    assert mini.records == found.records
    assert mini.games == 2
    refused = await ada.refused(ShowProfile, rules="nonsense")
    assert (refused.code, refused.field) == (ErrorCode.INVALID_RULES, "rules")


async def test_a_shown_rating_is_that_of_now(hall, ada, bob):
    """It has become less certain since the last match."""
    past = hall.services.clock.unix_milliseconds() - 300 * DAY_MILLISECONDS
    ending = await hall.store.write(store_rated, "RATEDA", ada.player, bob.player, at=past)
    (after,) = (row.after for row in ending.rows if row.player == ada.id)

    (record,) = (await ada.profile()).records
    own = (await ada.leaderboard()).own

    assert own is not None
    expected = age(after, 300).deviation
    assert expected > after.deviation + 5
    for shown in (record, own.record):
        assert shown.rating.deviation == pytest.approx(expected, abs=0.1)


async def test_a_profile_has_the_day_of_the_account_and_no_time_of_day(hall, ada):
    since = (await ada.profile()).since

    assert since is not None
    assert since % DAY_MILLISECONDS == 0
    assert 0 <= hall.services.clock.unix_milliseconds() - since < DAY_MILLISECONDS


@pytest.mark.promise("private-matches")
async def test_other_players_get_no_code_of_a_private_match(hall, ada, bob):
    eve = await hall.meet("Eve")
    await hall.store.write(store_rated, "HYDDEN", ada.player, bob.player)
    await hall.store.write(store_rated, "SHAWED", ada.player, bob.player, public=True)

    seen = {
        who: [match.match for match in (await who.profile(player=ada.id)).matches]
        for who in (ada, bob, eve)
    }

    assert seen == {ada: ["SHAWED", "HYDDEN"], bob: ["SHAWED", "HYDDEN"], eve: ["SHAWED", None]}
    listed = await eve.archive(player=ada.id)
    assert [(match.match, match.opponent) for match in listed.matches] == [("SHAWED", "Bob")]
    assert (await eve.archive(player="nobody")).matches == ()


async def test_a_player_without_rated_matches_has_an_empty_profile_for_itself(ada, bob):
    assert (await ada.profile()).records == ()
    for whose in ({"player": bob.id}, {"player": "nobody"}, {"name": "Nobody"}):
        refused = await ada.refused(ShowProfile, **whose)
        assert refused.code == ErrorCode.UNKNOWN_PLAYER


async def test_a_profile_is_asked_for_by_id_or_by_name(ada):
    refused = await ada.refused(ShowProfile, player=ada.id, name="Ada")

    assert (refused.code, refused.field) == (ErrorCode.INVALID_MESSAGE, "name")


async def test_the_leaderboard_has_pages_and_my_own_row(hall, ada):
    now = hall.services.clock.unix_milliseconds()
    chosen = SeededRandom(1).sample(range(1400, 1900), MAX_RANKED_PLAYERS + 2)

    def fill(session):
        for number, rating in enumerate(chosen):
            player = ada.id if number == 0 else f"player-{number}"
            session.connection.execute(
                standings.insert().values(
                    player=player, rules="classic", n=10, at=now, rating=rating, deviation=80,
                    volatility=0.06, wins=5, draws=0, losses=5, rounds=10, broken=10, guesses=47,
                    luck=1, opponents=3,
                )
            )  # fmt: skip

    await hall.store.write(fill)

    first = await ada.leaderboard()
    second = await ada.leaderboard(after=MAX_RANKED_PLAYERS)

    order = [player.record.rating.rating for player in (*first.players, *second.players)]
    assert order == sorted(chosen, reverse=True)
    assert (first.more, second.more, first.total) == (True, False, MAX_RANKED_PLAYERS + 2)
    assert first.own is not None
    assert first.own.place == second.own.place == order.index(chosen[0]) + 1
    assert (first.own.record.guesses, first.own.record.less_luck) == (4.7, 4.6)
    assert first.own.name.startswith("Ada-")
    profile = await ada.profile()
    assert (profile.place, profile.total) == (first.own.place, first.total)


async def test_players_without_a_place_follow_those_with_one(hall, ada, bob):
    await begin(hall, ada, bob, "RATEDA")
    await finish(ada, bob, "RATEDA")
    found = await ada.leaderboard()
    assert found.players == ()
    assert [(each.player, each.place) for each in found.unplaced] == [
        (ada.id, None),
        (bob.id, None),
    ]
    assert found.own == found.unplaced[0]


async def test_a_page_and_a_place_cost_the_same_with_any_number_of_players(hall, ada):
    """The cost is the number of steps of the database's virtual machine."""
    now, steps = hall.services.clock.unix_milliseconds(), itertools.count()
    costs: dict[int, list[int]] = {}

    def count_steps(session: Session) -> None:
        session.driver.set_progress_handler(lambda: next(steps) < 0, 1)

    for rules, size in (("mini", 500), ("classic", 5_000)):
        await hall.store.write(store_ranked, rules, size, now, ada.id)
        assert (await ada.leaderboard(rules)).total == size
        await hall.store.read(count_steps)
        began = next(steps)
        for after in (0, size // 2, size - MAX_RANKED_PLAYERS):
            page = await ada.leaderboard(rules, after)
            assert [player.place for player in page.players][::24] == [after + 1, after + 25]
            costs.setdefault(size, []).append(next(steps) - began)
        profile = await ada.profile(rules=rules)
        assert (profile.total, profile.place) == (size, page.own.place if page.own else 0)
        costs[size].append(next(steps) - began)
    assert costs[5_000] == pytest.approx(costs[500], rel=0.05)


async def test_a_leaderboard_has_the_mean_guesses_of_the_bot_with_a_complete_tree(ada):
    assert (await ada.leaderboard()).bot == 4.34
    assert (await ada.leaderboard("6x9")).bot is None


async def test_a_page_omits_deleted_players_and_has_no_gap(hall, ada):
    now = hall.services.clock.unix_milliseconds()
    await hall.store.write(store_ranked, "mini", MAX_RANKED_PLAYERS + 2, now)
    before = await ada.leaderboard("mini")
    gone = before.players[3].player
    deletion = sa.delete(standings).where(standings.c.player == gone)
    await hall.store.write(lambda session: session.connection.execute(deletion))

    first = await ada.leaderboard("mini")
    second = await ada.leaderboard("mini", after=len(first.players))

    places = [player.place for player in (*first.players, *second.players)]
    assert places == list(range(1, MAX_RANKED_PLAYERS + 2))
    assert gone not in [player.player for player in first.players]
    assert (first.more, second.more, second.total) == (True, False, MAX_RANKED_PLAYERS + 1)


async def test_an_empty_leaderboard_has_no_own_row(ada):
    found = await ada.leaderboard("mini")

    assert (found.players, found.own, found.total, found.more) == ((), None, 0, False)


@pytest.mark.promise("owned-names")
async def test_a_name_that_another_player_owns_is_refused_in_rated_matches(hall, ada, bob):
    await begin(hall, ada, bob, "RATEDA")
    await finish(ada, bob, "RATEDA")
    double = await hall.meet("ADA")
    options = {"rules": "classic", "rounds": 2, "maker": "me", "breaker": "open", "rated": True}

    refused = await double.refused(Open, **options, clock="5+3")

    assert (refused.code, refused.field) == (ErrorCode.INVALID_NAME, "rated")
    assert "choose another" in refused.message
    open_match = (await bob.open(**options, clock="5+3")).match
    refused = await double.refused(Join, match=open_match)
    assert refused.code == ErrorCode.INVALID_NAME
    await ada.join(open_match)


async def test_players_of_a_rated_match_see_both_ratings_before_it(hall, ada, bob):
    await begin(hall, ada, bob, "RATEDA")
    await finish(ada, bob, "RATEDA")
    options = {"rules": "classic", "rounds": 2, "maker": "me", "breaker": "open", "rated": True}
    match = (await bob.open(**options, clock="5+3")).match

    log = await ada.join(match)

    ratings = {
        event.player.id: event.rating
        for row in log.rows
        for event in row.events
        if not isinstance(event, Opened)
    }
    assert ratings[ada.id] == rate(INITIAL_RATING, [(INITIAL_RATING, 1.0)])
    assert ratings[bob.id] == rate(INITIAL_RATING, [(INITIAL_RATING, 0.0)])


@pytest.mark.promise("rated-pair")
async def test_the_seventh_match_of_a_pair_in_a_day_opens_as_not_rated(hall, ada, bob):
    now = hall.services.clock.unix_milliseconds()

    def play_six(session):
        pair = (ada.player, bob.player)
        store_rated(session, "LASTAA", *pair, at=now - DAY_MILLISECONDS - 60_000)
        for number in range(MAX_PAIR_MATCHES - 1):
            store_rated(session, f"MATCH{number}", *pair, at=now - 1000)

    await hall.store.write(play_six)
    options = {"rules": "classic", "rounds": 2, "maker": "me", "breaker": "open", "rated": True}
    sixth, seventh = [(await ada.open(**options, clock="5+3")).match for _ in range(2)]

    counted, not_counted = await bob.join(sixth), await bob.join(seventh)

    assert not any(isinstance(event, Unrated) for event in counted.rows[-1].events)
    assert not_counted.rows[-1].events[-1] == Unrated(why="pair")


@pytest.mark.promise("changed-computer")
async def test_a_transfer_to_another_computer_keeps_rating_and_name(hall, ada, bob):
    await begin(hall, ada, bob, "RATEDA")
    await finish(ada, bob, "RATEDA")
    before = await ada.profile()
    code = (await ada.transfer()).code

    elsewhere = await hall.connect(ada.ids)
    await elsewhere.hello(transfer=code)

    after = await elsewhere.profile()
    assert (after.player, after.records, after.name) == (
        before.player, before.records, before.name,
    )  # fmt: skip
    now = hall.services.clock.unix_milliseconds()
    assert await hall.store.read(find_name_owner, "ada", now) == ada.id


@pytest.mark.promise("new-identities")
async def test_who_beats_new_identities_alone_is_not_on_the_leaderboard(hall, ada):
    now = hall.services.clock.unix_milliseconds()

    def beat_them(session):
        for number in range(12):
            fresh = Player(id=f"fresh-{number}", name=f"Fresh {number}")
            store_rated(session, f"{200002 + number}".replace("0", "A"), ada.player, fresh, at=now)

    await hall.store.write(beat_them)

    own = (await ada.leaderboard()).own
    assert own is not None
    assert (own.record.wins, own.place) == (12, None)
