from __future__ import annotations

import sqlalchemy as sa

from kit.matches import ADA, BOB
from kit.rated import store_rated
from mastermind_server import cli
from mastermind_server.storage.schema import ratings
from mastermind_server.storage.statements.accounts import NewPlayer, add_players
from mastermind_server.storage.store import SessionMode, Store, open_session


async def test_the_command_repairs_what_it_can_prints_other_differences_and_fails(tmp_path, capsys):
    path = tmp_path / "game.sqlite3"
    await (await Store.open(path)).close()
    arguments = ["ratings", "--check", f"--database={path}"]
    with open_session(path, SessionMode.EXCLUSIVE) as session:
        add_players(session, [NewPlayer(player, player.id.encode(), 0) for player in (ADA, BOB)])
        store_rated(session, "AAAAAA")

    assert cli.main(arguments) == 0
    assert capsys.readouterr().out == "2 ratings agree with the log\n"

    with open_session(path, SessionMode.EXCLUSIVE) as session:
        older = sa.update(ratings).where(ratings.c.player == ADA.id).values(fewest=None)
        session.connection.execute(older)
        session.connection.commit()
    assert cli.main(arguments) == 1
    assert "player ADA, fewest: None, expected 1\n" in capsys.readouterr().out
    assert cli.main(["ratings", "--repair", f"--database={path}"]) == 0
    assert capsys.readouterr().out == (
        "match AAAAAA: player ADA, fewest: 1 stored\n2 ratings agree with the log\n"
    )

    with open_session(path, SessionMode.EXCLUSIVE) as session:
        session.connection.execute(sa.delete(ratings).where(ratings.c.player == BOB.id))
        session.connection.commit()
    assert cli.main(arguments) == 1
    printed = capsys.readouterr()
    assert printed.out == "match AAAAAA: the rating of player BOB is not stored\n"
    assert "1 ratings differ from the log" in printed.err
