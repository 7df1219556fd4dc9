from __future__ import annotations

from mastermind_protocol.events import Player
from mastermind_server.storage.database import Session
from mastermind_server.storage.records import ArchiveRow
from mastermind_server.storage.schema import archive
from mastermind_server.storage.statements.accounts import NewPlayer
from mastermind_server.storage.statements.profiles import Profile, RatedMatch, Record, read_profile
from mastermind_server.storage.store import Store
from server.storage.statements.rated import RULES, beat


def add_archived(session: Session, player: str, match: str, opponent: str) -> None:
    """Insert the archive row of a match."""
    row = ArchiveRow(
        player, match, 0, RULES, 2, True, "maker", opponent, False, True, "played", 9, 6, 4, [4]
    )
    session.connection.execute(archive.insert().values(row._asdict()))


async def read(
    store: Store, player: str, other: str | None = None, *, history: int = 60, matches: int = 9
) -> Profile:
    """Return a profile."""
    return await store.read(read_profile, player, other, history=history, matches=matches)


async def test_a_player_without_rated_matches_has_an_empty_profile(any_store):
    await any_store.add_player(NewPlayer(Player(id="A", name="Ada"), b"token", 0))

    found = await read(any_store, "A", "B")

    assert found == Profile("A", None, "Ada", [], [], [], Record(0, 0, 0))


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

    found = await read(any_store, "A", matches=2)

    assert [match.match for match in found.matches] == ["THIRDS", "SECOND"]
    before = found.matches[1].after
    assert found.matches[0] == RatedMatch("THIRDS", 2, RULES, "Bob", 1.0, 6, 4, before, own.rating)
    assert (await read(any_store, "A")).matches[2].before is None


async def test_the_record_is_that_of_the_player_who_asks(any_store):
    await beat(any_store, "A", "B", at=1, match="FIRSTS")
    await beat(any_store, "A", "B", at=2, match="SECOND")
    await beat(any_store, "A", "B", at=3, score=0.5, match="THIRDS")
    await beat(any_store, "C", "B", at=4, match="OTHERS")

    assert (await read(any_store, "B", "A")).record == Record(2, 1, 0)
    assert (await read(any_store, "A", "B")).record == Record(0, 1, 2)
    assert (await read(any_store, "A")).record == Record(0, 0, 0)
