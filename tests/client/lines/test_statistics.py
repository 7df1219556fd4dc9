import json
from typing import Any

from kit.people import People, SessionClient, sit_down, unreachable
from kit.players import identities
from kit.server import GameServer
from mastermind_client.cli.process import make_context
from mastermind_client.config.options import StatsOptions
from mastermind_client.lines.statistics import tell_statistics
from mastermind_client.net.embedded import embedded_server
from mastermind_client.net.session import Session
from mastermind_protocol.commands import ResignRound

NOWHERE = "ws://127.0.0.1:9"


async def play_here() -> None:
    """Resign a match against a bot on this computer."""
    folder = identities().offline
    identity = identities().find_offline()
    async with (
        embedded_server(folder) as address,
        Session.connect(address, identity, "Bob") as session,
    ):
        bob = SessionClient(session, identity)
        mirror = await session.open("mini", maker="random", breaker="me")
        await bob.wait_for_turn(mirror)
        await session.perform(mirror, ResignRound())


async def play_there(server: GameServer, people: People, ada: SessionClient) -> None:
    """Break a code of Ada's on a server, with our identity there."""
    with identities().claim(server.address) as identity:
        bob = await people.meet("Bob", identity=identity)
        ours, theirs = await sit_down(ada, bob)
        await ada.set(ours, "1234")
        await bob.guess(theirs, "1122")
        await bob.guess(theirs, "1234")


async def test_local_games_and_the_usual_servers_are_counted_together(server, people, ada, capsys):
    await play_here()
    await play_there(server, people, ada)

    await tell_statistics(make_context(), StatsOptions(None, usual_server=server.address))

    told, wrong = capsys.readouterr()
    assert wrong == ""
    lines = told.splitlines()
    assert lines[0] == "2 matches, 1 won, 1 lost"
    assert "classic: best 2, average 2.0" in lines
    assert "Ada: 1 match, 1 won, 0 lost" in lines
    assert "random (bot): 1 match, 0 won, 1 lost" in lines


async def test_statistics_are_printed_as_json(server, people, ada, capsys):
    await play_there(server, people, ada)

    await tell_statistics(make_context(), StatsOptions(server.address, json=True))

    told: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert told["places"] == [{"server": server.address, "games": 1}]
    figures = {
        "games": 1, "won": 1, "lost": 0, "drawn": 0, "streak": 1, "longest_streak": 1,
        "codes": 1, "stood": 0, "best": 2, "average": 2.0, "distribution": {"2": 1},
    }  # fmt: skip
    assert told["total"] == figures
    assert told["by_rules"] == [{"rules": "classic", **figures}]
    assert told["by_opponent"] == [{"opponent": "Ada", "bot": False, **figures}]
    assert told["unread"] == []


async def test_a_server_without_our_player_is_not_asked_for_statistics(capsys):
    await tell_statistics(make_context(), StatsOptions(None, usual_server=NOWHERE))
    assert capsys.readouterr() == ("You have finished no match yet.\n", "")
    with unreachable("cannot reach"):
        await tell_statistics(make_context(), StatsOptions(NOWHERE))


async def test_an_unreadable_server_is_named_and_the_others_are_counted(data_folder, capsys):
    with identities().claim(NOWHERE) as identity:
        identity.keep("x" * 43)
    await play_here()

    await tell_statistics(make_context(), StatsOptions(None, usual_server=NOWHERE))

    told, wrong = capsys.readouterr()
    assert told.startswith("1 match, 0 won, 1 lost\n")
    assert wrong.startswith(f"mastermind: {NOWHERE} is not counted: cannot reach {NOWHERE}")
    async with embedded_server(data_folder / "mastermind" / "offline"):
        await tell_statistics(make_context(), StatsOptions(None, usual_server=NOWHERE, json=True))
    unread = json.loads(capsys.readouterr().out)["unread"]
    assert [place["server"] for place in unread] == [None, NOWHERE]
    assert "open in another terminal" in unread[0]["reason"]
