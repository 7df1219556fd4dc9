from __future__ import annotations

from mastermind_protocol.events import Player
from mastermind_server.storage.engines.database import Session
from mastermind_server.storage.records import ArchiveRow, MatchRecord
from mastermind_server.storage.schema import archive, matches
from mastermind_server.storage.statements.accounts import NewPlayer
from mastermind_server.storage.statements.profiles import (
    Profile,
    ProfileSize,
    RatedMatch,
    Results,
    read_profile,
)
from mastermind_server.storage.statements.ratings import append_rated
from mastermind_server.storage.store import Store
from server.storage.builders import row
from server.storage.statements.rated import RULES, beat, make_rows


def add_archived(
    session: Session, player: str, match: str, opponent: str, *, public: bool = True
) -> None:
    """Insert the row of a match in lists, and its row in the archive."""
    record = MatchRecord(match, RULES, 2, public, "finished", player, opponent, 0, rated=True)
    session.connection.execute(matches.insert().values(record._asdict()))
    row = ArchiveRow(
        player, match, 0, RULES, 2, True, "maker", opponent, False, True, "played", 9, 6, 4, [4]
    )
    session.connection.execute(archive.insert().values(row._asdict()))


def add_result(session: Session, player: str, other: str, at: int, *, won: bool | None) -> None:
    """Insert the row of a match that was not rated in the archive of a player."""
    row = ArchiveRow(
        player, f"M{at:05}", at, RULES, 2, False, "maker", other, False, won, "played", 9, 6, 4,
        [4], opponent_id=other,
    )  # fmt: skip
    session.connection.execute(archive.insert().values(row._asdict()))


async def read(
    store: Store,
    player: str,
    other: str | None = None,
    rules: str | None = None,
    *,
    history: int = 60,
    form: int = 30,
    shown: int = 9,
    games: int = 99,
) -> Profile:
    """Return a profile."""
    size = ProfileSize(history, form, shown, games)
    return await store.read(read_profile, player, other, rules, size)


async def test_a_player_without_rated_matches_has_an_empty_profile(any_store):
    await any_store.add_player(NewPlayer(Player(id="A", name="Ada"), b"token", 7))

    found = await read(any_store, "A", "B")

    none = Results(0, 0, 0)
    assert found == Profile("A", None, "Ada", 7, [], None, [], none, [], 0, none, None)


async def test_a_profile_has_the_last_ratings_from_old_to_new(any_store):
    rows = [
        await beat(any_store, "A", "B", at=number, match=f"M{number:05}") for number in range(5)
    ]

    found = await read(any_store, "A", history=3)

    assert found.history == [own.rating for own, _ in rows[2:]]
    assert found.standings[0].n == 5
    assert (found.name, found.account) == ("A", None)


async def test_a_profile_has_the_last_matches_from_new_to_old(any_store):
    for number, match in enumerate(("FIRSTS", "SECOND", "THIRDS")):
        (own, _) = await beat(any_store, "A", "B", at=number, match=match)
        await any_store.write(add_archived, "A", match, "Bob")

    found = await read(any_store, "A", shown=2)

    assert [match.match for match in found.matches] == ["THIRDS", "SECOND"]
    before = found.matches[1].after
    assert found.matches[0] == RatedMatch(
        "THIRDS", "B", True, 2, RULES, "Bob", 1.0, 6, 4, before, own.rating
    )
    assert (await read(any_store, "A")).matches[2].before is None


async def test_the_rating_before_a_match_is_by_the_same_rules(any_store):
    first, _ = await beat(any_store, "A", "B", match="FIRSTS")
    second, theirs = await make_rows(any_store, "A", "B", match="OTHERS")
    others = [each._replace(rules="mini", n=1, rating=9.0) for each in (second, theirs)]
    await any_store.write_locking(append_rated, [row("OTHERS")], [], others)
    await beat(any_store, "A", "B", match="SECOND")
    for match in ("FIRSTS", "OTHERS", "SECOND"):
        await any_store.write(add_archived, "A", match, "Bob")

    found = await read(any_store, "A", rules=RULES)

    assert [match.before for match in found.matches] == [first.rating, None]


async def test_the_record_is_that_of_the_player_who_asks(any_store):
    for at, (winner, loser, won) in enumerate(
        (("A", "B", True), ("A", "B", True), ("A", "B", None), ("C", "B", True)), start=1
    ):
        await any_store.write(add_result, winner, loser, at, won=won)
        await any_store.write(add_result, loser, winner, at, won=won and False)

    for player, other, record, met in (
        ("B", "A", Results(2, 1, 0), 3),
        ("A", "B", Results(0, 1, 2), 3),
        ("A", None, Results(0, 0, 0), None),
    ):
        found = await read(any_store, player, other)
        assert (found.record, found.met) == (record, met)


async def test_the_form_counts_the_last_results(any_store):
    for number, score in enumerate((0.0, 0.0, 1.0, 0.5, 1.0)):
        await beat(any_store, "A", "B", at=number, score=score, match=f"M{number:05}")

    assert (await read(any_store, "A", form=3)).form == Results(2, 1, 0)
    assert (await read(any_store, "B", form=9)).form == Results(2, 1, 2)


async def test_history_form_and_matches_are_by_the_wanted_rules(any_store):
    await beat(any_store, "A", "B", match="FIRSTS")
    await any_store.write(add_archived, "A", "FIRSTS", "Bob")

    other = await read(any_store, "A", rules="mini")

    assert (other.rules, other.history, other.form, other.matches) == (
        "mini", [], Results(0, 0, 0), [],
    )  # fmt: skip
    assert [standing.rules for standing in other.standings] == [RULES]


async def test_a_profile_counts_finished_matches_up_to_a_number(any_store):
    for number in range(4):
        await any_store.write(add_archived, "A", f"M{number:05}", "Bob")

    assert (await read(any_store, "A")).games == 4
    assert (await read(any_store, "A", games=3)).games == 3
