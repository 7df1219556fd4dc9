import pytest

from mastermind_client.config.options import (
    ANYONE,
    DEFAULT_BOT,
    DEFAULT_SERVER,
    FRIEND,
    PlayOptions,
)
from mastermind_protocol.rules import DEFAULT


@pytest.mark.parametrize(
    ("versus", "against_bot"),
    [("knuth", True), ("random", True), (FRIEND, False), (ANYONE, False)],
)
def test_an_opponent_other_than_a_person_is_a_bot(versus, against_bot):
    assert PlayOptions(DEFAULT, versus=versus).against_bot is against_bot


def test_the_default_game_is_one_round_against_a_bot():
    options = PlayOptions(DEFAULT)
    assert options == PlayOptions(DEFAULT, DEFAULT_BOT, None, None, None, 1, None)
    assert options.against_bot
    assert not options.public
    assert not options.settled


@pytest.mark.parametrize(
    ("options", "address"),
    [
        (PlayOptions(DEFAULT), None),
        (PlayOptions(DEFAULT, usual_server="ws://club"), None),
        (PlayOptions(DEFAULT, server="ws://here", usual_server="ws://club"), "ws://here"),
        (PlayOptions(DEFAULT, FRIEND), DEFAULT_SERVER),
        (PlayOptions(DEFAULT, ANYONE, usual_server="ws://club"), "ws://club"),
        (PlayOptions(DEFAULT, FRIEND, server="ws://here"), "ws://here"),
    ],
)
def test_games_of_people_need_a_server(options, address):
    assert options.address == address
