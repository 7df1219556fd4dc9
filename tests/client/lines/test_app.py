import pytest

from mastermind_client.cli.process import make_context
from mastermind_client.config.options import JoinOptions, PlayOptions
from mastermind_client.lines import app
from mastermind_client.lines.terminal import InputEnded
from mastermind_client.net import matchmaking
from mastermind_protocol.requests import Join, Leave
from mastermind_protocol.rules import PRESETS


async def test_a_player_can_leave_a_stopped_server_at_once(desk, server):
    desk.start(app.play(make_context(), PlayOptions(PRESETS["lab"], server=server.address)))
    await desk.until("Guess color: ")
    await server.stop()
    desk.end_input()
    with pytest.raises(InputEnded):
        await desk.finish()


async def test_an_unanswered_leave_times_out(desk, relay, monkeypatch):
    monkeypatch.setattr(matchmaking, "LEAVE_SECONDS", 0.1)
    relay.answer(Leave, lambda _: None)
    desk.start(app.play(make_context(), PlayOptions(PRESETS["mini"], server=relay.address)))
    await desk.until("Guess 1 of ")
    desk.type("quit")
    with pytest.raises(InputEnded):
        await desk.finish()
    assert isinstance(relay.asked[-1], Leave)


async def test_a_lost_connection_while_joining_is_reported_on_standard_error(desk, relay, ada):
    mirror = await ada.session.open("mini", maker="me", breaker="open")
    relay.cut_before_answer(Join)
    desk.start(app.join(make_context(), JoinOptions(mirror.code, relay.address, "Bob")))
    await desk.until("mini: 4 pegs, 6 colours, 6 guesses.\n")
    await desk.until("You are the codebreaker.\nWaiting for Ada to set the secret ...\n")
    assert desk.errors.getvalue() == (
        "*** CONNECTION LOST: the connection broke. Your seat is kept; trying to reconnect. ***\n"
        "*** RECONNECTING, try 1 ... ***\n"
        "*** CONNECTED AGAIN. ***\n"
    )
    assert "***" not in desk.shown
