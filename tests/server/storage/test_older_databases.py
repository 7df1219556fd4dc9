"""Databases of older versions are migrated with their matches and players."""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa
from alembic import command

from kit.client import RawClient
from mastermind_server.storage.schema import matches, migrate, tokens
from mastermind_server.storage.store import LogRow, Store
from server.storage.test_schema import configure


def make_first_database(path: Path, newer: Path) -> None:
    """Make a database as the first migration does, with the matches and players of another."""
    engine = sa.create_engine(f"sqlite:///{path}")
    with engine.connect() as connection:
        connection.exec_driver_sql("ATTACH ? AS source", (str(newer),))
        command.upgrade(configure(connection), "0001")
        connection.exec_driver_sql(
            "CREATE TEMP VIEW _tokens AS SELECT player, digest AS token FROM source.tokens"
        )
        sources = {
            "log": "source.log",
            "matches": "source.matches",
            "players": "source.players JOIN _tokens ON player = id",
        }
        for table, source in sources.items():
            names = ", ".join(
                column["name"] for column in sa.inspect(connection).get_columns(table)
            )
            copied = f"INSERT INTO {table} ({names}) SELECT {names} FROM {source}"  # noqa: S608
            connection.exec_driver_sql(copied)
        connection.commit()
    engine.dispose()


async def play(maker: RawClient, breaker: RawClient) -> str:
    """Play a match of one round, which the codebreaker wins; return its code."""
    match = (await maker.open(rules="mini")).match
    await breaker.join(match)
    await maker.set(match, "1234")
    await breaker.guess(match, "1234")
    return match


async def finish_matches(ada: RawClient, bob: RawClient, program: RawClient) -> None:
    """Play matches to each kind of end."""
    rematched = await play(ada, bob)
    await ada.rematch(rematched)
    await bob.leave(rematched)
    left = (await ada.open(rounds=2)).match
    await bob.join(left)
    await ada.set(left, "1234")
    await bob.guess(left, "4321")
    await ada.leave(left)
    await ada.leave((await ada.open()).match)
    longer = (await ada.open(rules="mini", rounds=3, rated=True)).match
    await bob.join(longer)
    for maker, breaker in ((ada, bob), (bob, ada), (ada, bob)):
        await maker.set(longer, "1234")
        await breaker.guess(longer, "6666")
        await breaker.guess(longer, "1234")
    drawn = (await bob.open(rules="mini", rounds=2)).match
    await ada.join(drawn)
    for maker, breaker in ((bob, ada), (ada, bob)):
        await maker.set(drawn, "1234")
        await breaker.resign(drawn)
    by_bot = (await ada.open("knuth", "me", rules="mini")).match
    await ada.wait_for_turn(by_bot)
    await ada.resign(by_bot)
    await play(program, ada)


async def begin_matches(ada: RawClient, bob: RawClient, program: RawClient) -> None:
    """Leave matches at each stage."""
    await ada.open(rated=True)
    await bob.join((await ada.open(maker="open", breaker="me")).match)
    later = (await ada.open(rules="mini", rounds=3)).match
    await bob.join(later)
    await ada.set(later, "1234")
    await bob.guess(later, "6666")
    await bob.guess(later, "1234")
    await bob.set(later, "1234")
    await ada.guess(later, "6666")
    await ada.advise(later)
    await ada.guess(later, "5555")
    await ada.guess((await ada.open("knuth", "me", rules="mini")).match, "6666")
    await program.join((await ada.open()).match)


async def test_the_lists_of_the_first_database_are_made_of_its_logs(
    hall, ada, bob, tmp_path, caplog
):
    program = await hall.meet("Mine", program=True)
    await finish_matches(ada, bob, program)
    await begin_matches(ada, bob, program)
    over, begun = await play(bob, ada), (await ada.open()).match

    async def read_lists(store):
        return [
            [row for row in await store.list_archive(player.id, limit=99) if row.match != over]
            + [
                own
                for own in await store.list_running(player.id, search=99, limit=99)
                if own.row.match != begun
            ]
            for player in (ada, bob)
        ]

    known = await read_lists(hall.store)
    for damaged in (over, begun):
        await hall.store.append(LogRow(damaged, 0, 0, b"no events"))
    await hall.stop()
    make_first_database(tmp_path / "old.sqlite3", hall.database)
    store = await Store.open(tmp_path / "old.sqlite3")
    assert await read_lists(store) == known
    assert await store.read_chat(over) == []
    for player in (ada, bob):
        archive = await store.list_archive(player.id, limit=99)
        running = await store.list_running(player.id, search=99, limit=99)
        assert over not in {row.match for row in archive or ()}
        assert begun not in {own.row.match for own in running}
    await store.close()
    assert [len(lists) for lists in known] == [6 + 6, 4 + 2]
    assert f"match {over} is left out of the archive" in caplog.text
    assert f"match {begun} is not counted" in caplog.text


def test_older_matches_get_the_columns_of_the_lists(any_connection):
    command.upgrade(configure(any_connection), "0004")
    rows = (
        {"match": "AAAAAA", "phase": "setting", "yes": True, "no": False},
        {"match": "BBBBBB", "phase": "breaking", "yes": True, "no": False},
        {"match": "CCCCCC", "phase": "finished", "yes": True, "no": False},
    )
    made = (
        "INSERT INTO matches (match, rules, rounds, public, phase, changed)"
        " VALUES (:match, 'mini', 1, :yes, :phase, 1000)"
    )
    followed = (
        "INSERT INTO running (match, player, at, rules, rounds, round, phase, rated, seat, bot,"
        " turn, others) VALUES (:match, 'A', 0, 'mini', 1, 1, :phase, :yes, 'maker', :no, :yes, 1)"
    )
    any_connection.execute(sa.text(made), rows)
    any_connection.execute(sa.text(followed), rows[0])
    migrate(any_connection)
    columns = matches.c.match, matches.c.rated, matches.c.due, matches.c.bots, matches.c.shown
    month = 30 * 24 * 3600 * 1000
    assert any_connection.execute(sa.select(*columns).order_by(matches.c.match)).all() == [
        ("AAAAAA", True, 1000 + month, "", False),
        ("BBBBBB", False, 1000 + month, "", False),
        ("CCCCCC", False, None, "", False),
    ]


def test_a_player_keeps_the_only_token_when_several_become_possible(any_connection):
    command.upgrade(configure(any_connection), "0005")
    made = "INSERT INTO players (id, name, token, created) VALUES (:id, :id, :token, 1000)"
    ada, bob = {"id": "A", "token": b"a" * 32}, {"id": "B", "token": b"b" * 32}
    any_connection.execute(sa.text(made), [ada, bob])
    migrate(any_connection)
    kept = sa.select(tokens.c.player, tokens.c.digest, tokens.c.created).order_by(tokens.c.player)
    assert any_connection.execute(kept).all() == [("A", b"a" * 32, 1000), ("B", b"b" * 32, 1000)]

    newer = {"digest": b"n" * 32, "player": "A", "created": 2000}
    any_connection.execute(sa.insert(tokens).values(newer))
    any_connection.execute(sa.delete(tokens).where(tokens.c.player == "B"))
    command.downgrade(configure(any_connection), "0005")
    before = "SELECT id, token FROM players ORDER BY id"
    assert any_connection.execute(sa.text(before)).all() == [("A", b"n" * 32), ("B", b"B")]
