import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
import sqlalchemy as sa

from kit.client import RawClient
from kit.days import DAY, begin_day, list_tries
from kit.matches import pegs, state_of
from kit.rated import start_rated, win
from kit.server import GameServer
from mastermind_protocol.codec import encode_events
from mastermind_protocol.errors import ErrorCode
from mastermind_protocol.events import Finished, MatchEnd
from mastermind_protocol.glicko import INITIAL_RATING, rate
from mastermind_protocol.match import Phase
from mastermind_protocol.messages import Chat, Happened, Said
from mastermind_protocol.requests import GUEST, EnterDay, Hello
from mastermind_protocol.transitions import fold
from mastermind_server import cli
from mastermind_server.bans import Ban
from mastermind_server.commands.ratings.check import find_differences
from mastermind_server.network.identity import make_stored_name
from mastermind_server.storage.engines.database import Session
from mastermind_server.storage.notices import Notice
from mastermind_server.storage.rating_rows import LastRating, NameClaim, RatingRow
from mastermind_server.storage.rows import LogRow
from mastermind_server.storage.schema import metadata
from mastermind_server.storage.statements.admin import add_ban
from mastermind_server.storage.statements.matches import find_record
from mastermind_server.storage.statements.ratings import add_ratings, read_last_ratings
from mastermind_server.storage.store import SessionMode, Store, open_session

NAME, WORDS = "Adalbert Lovelace", "This is my telephone number"
ID_LENGTH = 40  # the shortest column that may hold a player's id
# Every such column, and the part of an export with its content.
EXPORTED = {
    "archive.player": "archive",
    "bans.subject": "bans",
    "chat.player": "chat",
    "log.player": "matches",
    "names.player": "names",
    "players.id": "player",
    "ratings.player": "ratings",
    "tries.player": "tries",
}
# Columns that an export leaves out: credentials, caches of the log, presence, and data of another
# player that names this one.
LEFT_OUT = {
    *("tokens.player", "transfers.player"),
    *("running.player", "presence.players"),
    *("matches.reserved", "running.opponent_id"),
    *("archive.opponent_id",),
    *("ratings.opponent", "standings.player"),
}
# Columns that keep the id of a forgotten player, because opponents share the rows.
KEPT = {"archive.opponent_id", "chat.player", "log.player", "matches.reserved", "ratings.opponent"}
NO_PLAYER = {
    *("archive.rules", "bans.why", "chat.text", "matches.rules", "running.rules"),
    *("nodes.address", "nodes.version", "orders.text"),
    *("ratings.rules", "standings.rules", "names.skeleton"),
    *("days.epoch", "days.rules", "loss_checks.epoch", "tries.rules"),
}


def list_wide_columns() -> dict[str, sa.Column[str]]:
    """Return the columns of all tables that are wide enough for a player's id."""
    return {
        f"{table.name}.{column.name}": column
        for table in metadata.tables.values()
        for column in table.columns
        if isinstance(column.type, sa.String) and (column.type.length or ID_LENGTH) >= ID_LENGTH
    }


def find_id(session: Session, player: str) -> set[str]:
    """Return the columns that contain this id."""
    return {
        name
        for name, column in list_wide_columns().items()
        if session.connection.scalar(sa.select(sa.exists().where(column.contains(player))))
    }


def find_files(folder: Path, text: str) -> list[Path]:
    """Return the files that contain a text."""
    return [path for path in folder.iterdir() if text.encode() in path.read_bytes()]


def rate_players(session: Session, player: str, opponent: str) -> None:
    """Store a rated match of two player ids, and the claim of the first to its name."""
    row = RatingRow(
        *(player, "classic", 1, 0, "AAAAAA", opponent, False, 1662.2, 290.2, 0.06, 1.0),
        *(1, 1, 5, 0.25, 5),
    )
    other = row._replace(player=opponent, opponent=player, score=0.0)
    add_ratings(session, [row, other], [NameClaim("adalbert", player, NAME)])


async def play(hall: GameServer) -> tuple[RawClient, RawClient, str, str]:
    """Return two players, their finished match and their running match."""
    ada, bob = await hall.meet(NAME), await hall.meet("Bob")
    codes = []
    for _ in range(2):
        codes.append((await ada.open(maker="me", breaker="open")).match)
        await bob.join(codes[-1])
        await ada.set(codes[-1], "2345")
        await ada.say(codes[-1], WORDS)
        await bob.say(codes[-1], "Which?")
    await bob.guess(codes[0], "2345")
    await bob.guess(codes[1], "2233")
    return ada, bob, codes[0], codes[1]


@pytest.mark.promise("export")
async def test_an_export_contains_all_data_of_a_player_without_tokens_and_secrets(hall, capsys):
    _, bob, played, running = await play(hall)
    await begin_day(hall)
    failed = (await bob.enter(DAY)).match
    await bob.resign(failed)
    await hall.stop()
    with open_session(hall.place, SessionMode.EXCLUSIVE) as session:
        add_ban(session, Ban(bob.id, None, "rude"), 0)
    assert await hall.command("export", "--player=Bob") == 0
    data = json.loads(capsys.readouterr().out)
    account = data["player"]
    assert (account["id"], account["name"], account["program"]) == (bob.id, "Bob", False)
    assert set(account) == {"id", "name", "created", "program", "challenges"}
    assert data["bans"] == [{"until": None, "why": "rude"}]
    assert [line["text"] for line in data["chat"]] == ["Which?"] * 2
    assert [(row["match"], row["won"], row["opponent"]) for row in data["archive"]] == [
        (played, True, NAME)
    ]
    assert [(row["match"], row["how"]) for row in data["tries"]] == [(failed, "resigned")]
    assert set(data["matches"]) == {played, running, failed}
    assert data["matches"][running][-1]["events"][0]["code"] == list(pegs("2233"))

    secrets = {
        code: event
        for code, rows in data["matches"].items()
        for row in rows
        for event in row["events"]
        if event["event"] == "secret"
    }
    for code in (played, running, failed):
        assert "commitment" in secrets[code]
        assert not {"code", "nonce"} & secrets[code].keys()
    ended = [event for event in data["matches"][failed][-1]["events"] if "how" in event]
    assert not any({"code", "nonce"} & event.keys() for event in ended)
    shown = [event["event"] for event in data["matches"][played][-1]["events"]]
    assert shown == ["guessed", "round_ended", "finished"]


async def test_an_ambiguous_name_is_refused(hall, capsys):
    first, second = await hall.meet("Ada"), await hall.meet("Ada")
    await hall.stop()
    assert await hall.command("export", "--player=Ada") == 1
    assert (
        f"several players have the name 'Ada': {first.id}, {second.id}\n" in capsys.readouterr().err
    )
    assert await hall.command("export", "--player=Eve") == 1
    assert "no player has the id or the name 'Eve'\n" in capsys.readouterr().err


async def test_an_id_that_is_also_a_name_finds_the_player_with_the_id(hall, capsys):
    ada = await hall.meet("Ada")
    await hall.meet(ada.id)
    await hall.stop()
    assert await hall.command("export", f"--player={ada.id}") == 0
    assert json.loads(capsys.readouterr().out)["player"]["name"] == "Ada"


@pytest.mark.parametrize("name", ["export", "forget"])
def test_a_missing_file_is_an_error_and_is_not_created(name, tmp_path, capsys):
    assert cli.main([name, f"--database={tmp_path / 'gane.sqlite3'}", "--player=Ada"]) == 1
    assert "gane.sqlite3 cannot be used: there is no such file" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["export", "forget"])
async def test_a_file_in_use_by_a_server_is_refused(name, hall, ada, capsys):
    assert await hall.command(name, f"--player={ada.id}") == 1
    assert "is in use by another mastermind-server" in capsys.readouterr().err


async def test_only_the_id_of_a_forgotten_player_remains(hall):
    ada, bob, played, running = await play(hall)
    await hall.stop()
    assert find_files(hall.database.parent, NAME) != []

    assert await hall.command("forget", f"--player={ada.id}") == 0

    for gone in (NAME, WORDS):
        assert find_files(hall.database.parent, gone) == []
    await hall.start()
    guest = make_stored_name(ada.id, GUEST)
    back = await hall.connect_again(bob)
    for code, outcome in (
        (played, Finished(how=MatchEnd.PLAYED, winner=bob.id)),
        (running, Finished(how=MatchEnd.LEFT, winner=bob.id)),
    ):
        state = state_of(await back.follow(code))
        assert [player.name for player in state.players] == [guest, "Bob"]
        assert state.outcome == outcome
    assert {match.opponent for match in (await back.archive()).matches} == {guest}
    assert (await back.list_own()).matches == ()
    assert (await back.review(played)).id
    stranger = await hall.connect()
    refused = await stranger.refused(Hello, token=ada.token)
    assert refused.code == ErrorCode.UNKNOWN_TOKEN


def test_each_column_that_may_contain_an_id_is_listed():
    holding = {*EXPORTED, *LEFT_OUT}
    assert list_wide_columns().keys() == holding | NO_PLAYER
    assert not holding & NO_PLAYER
    assert not LEFT_OUT & set(EXPORTED)
    assert holding > KEPT


async def test_export_and_forget_cover_every_table_with_a_players_id(hall, capsys):
    ada, bob, played, _ = await play(hall)
    await bob.rematch(played)  # it reserves a seat for her
    await begin_day(hall)
    await ada.enter(DAY)
    await ada.transfer()
    await hall.stop()
    shared = {"presence.players"}  # written by several nodes only, until their leases end
    with open_session(hall.place, SessionMode.EXCLUSIVE) as session:
        add_ban(session, Ban(ada.id, None, "rude"), 0)
        rate_players(session, ada.id, bob.id)
        assert find_id(session, ada.id) == {*EXPORTED, *LEFT_OUT} - shared

    capsys.readouterr()
    assert await hall.command("export", f"--player={ada.id}") == 0
    exported = json.loads(capsys.readouterr().out)
    assert exported.keys() == set(EXPORTED.values())
    assert all(exported.values())

    assert await hall.command("forget", f"--player={ada.id}") == 0
    with open_session(hall.place, SessionMode.EXCLUSIVE) as session:
        assert find_id(session, ada.id) == KEPT
        assert read_last_ratings(session, "classic", [ada.id])[ada.id] == LastRating()
        assert read_last_ratings(session, "classic", [bob.id])[bob.id].n == 1


async def test_a_player_keeps_its_tries_after_a_transfer(hall, ada):
    await begin_day(hall, "classic", "mini")
    running, ended = (await ada.enter(DAY)).match, (await ada.enter(DAY, "mini")).match
    await ada.resign(ended)
    there = await hall.connect(ada.ids)
    await there.hello(transfer=(await ada.transfer()).code)
    assert (await there.enter(DAY)).match == running
    assert (await there.day()).streak.current == 1
    assert "you have had your try" in (await there.refused(EnterDay, rules="mini", day=DAY)).message


async def test_a_running_try_of_a_forgotten_player_ends_and_is_deleted(hall, ada):
    await begin_day(hall)
    match = (await ada.enter(DAY)).match
    await hall.stop()
    assert await hall.command("forget", f"--player={ada.id}") == 0
    await hall.start()
    assert await list_tries(hall) == {}
    record = await hall.store.read(find_record, match)
    assert record is not None
    assert (record.maker, record.breaker) == (None, None)  # previews name nobody, as before
    async with hall.server.tables.use(match) as table:
        assert table.log.state.phase is Phase.FINISHED


async def test_a_forgotten_player_leaves_no_name_in_a_rematch_that_waited_for_it(hall):
    ada, bob, played, _ = await play(hall)
    offered = (await bob.rematch(played)).match
    await hall.stop()
    assert await hall.command("forget", f"--player={ada.id}") == 0
    with open_session(hall.place, SessionMode.EXCLUSIVE) as session:
        record = find_record(session, offered)
    assert record is not None
    assert (record.maker, record.breaker) in (("Bob", None), (None, "Bob"))


async def test_forgetting_an_unknown_player_is_an_error(hall, ada, capsys):
    await hall.stop()
    assert await hall.command("forget", "--player=Adda") == 1
    assert "there is no data of a player with the id Adda" in capsys.readouterr().err
    assert await hall.command("forget", f"--player={ada.id}") == 0
    assert await hall.command("forget", f"--player={ada.id}") == 1


async def test_the_opponent_of_a_forgotten_player_wins_their_rated_match(hall, ada, bob):
    begun = start_rated(ada.player, bob.player)
    events, _ = win(fold(begun), ada.id)
    at = hall.services.clock.unix_milliseconds()
    await hall.store.append(LogRow("RATEDA", 1, at, encode_events((*begun, *events)), ada.id))
    await hall.stop()

    assert await hall.command("forget", f"--player={ada.id}") == 0

    with open_session(hall.place, SessionMode.EXCLUSIVE) as session:
        found = read_last_ratings(session, "classic", [ada.id, bob.id])
        assert find_differences(session) == []
    assert found[ada.id] == LastRating()
    assert found[bob.id].rating == rate(INITIAL_RATING, [(INITIAL_RATING, 1.0)])


class LateStore(Store):
    """A store without notifications until a test calls `hear`, as after a lost connection."""

    async def listen(self, callback: Callable[[Sequence[Notice]], None]) -> None:
        self.callback = callback


@pytest.mark.parametrize("store", [Store, LateStore], ids=["notified", "polls"])
async def test_a_running_node_drops_the_name_of_a_forgotten_player(tmp_path, postgres_url, store):
    hall = GameServer(tmp_path, postgres_url)
    await hall.start(store=store)
    ada, bob, played, running = await play(hall)
    await ada.close()

    assert await hall.command("forget", f"--player={ada.id}") == 0

    if isinstance(hall.store, LateStore):
        hall.store.callback(())
    await bob.until(Happened, lambda message: isinstance(message.events[-1], Finished))
    await bob.unfollow(played)
    await bob.unfollow(running)
    for code in (played, running):
        state = state_of(await bob.follow(code))
        assert state.phase is Phase.FINISHED
        assert state.players[0].name == make_stored_name(ada.id, GUEST)
    await hall.close()


async def test_chat_after_a_player_was_forgotten_reaches_all_nodes(start_node):
    here, there = await start_node(), await start_node()
    ada, bob = await here.meet("Ada"), await there.meet("Bob")
    dan, eve = await here.meet("Dan"), await here.meet("Eve")
    match = (await ada.open()).match
    await dan.follow(match)
    await eve.follow(match)
    first = await dan.say(match, "Well?")
    await eve.say(match, WORDS)
    await eve.close()

    assert await here.command("forget", f"--player={eve.id}") == 0

    await bob.follow(match)  # this node has only what is left
    assert (await bob.until(Chat)).lines == (first.line,)
    said = await bob.say(match, "Gone?")
    await dan.until(Said, lambda message: message.line == said.line)
