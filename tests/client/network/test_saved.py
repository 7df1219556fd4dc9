from dataclasses import replace

import pytest

from mastermind_client.cli.process import make_context
from mastermind_client.config.options import HOSTED, OFFLINE
from mastermind_client.network.embedded import GAMES_FILE
from mastermind_client.network.identity import Identity
from mastermind_client.network.running import UnfinishedMatch
from mastermind_client.network.saved import is_saved

MATCH = UnfinishedMatch(code="X922X4", rules="classic")


@pytest.mark.parametrize(
    ("server", "games"), [("ws://club.example", ""), (OFFLINE, "offline"), (HOSTED, "hosted")]
)
def test_a_match_is_saved_with_its_seat_and_the_games_of_this_computer(tmp_path, server, games):
    context = replace(make_context(), folder=tmp_path)
    identity = Identity(tmp_path / "player.json", server)
    identity.store_match(MATCH)
    if games:
        assert not is_saved(context, identity, MATCH.code)
        (tmp_path / games).mkdir()
        (tmp_path / games / GAMES_FILE).touch()
    assert is_saved(context, identity, MATCH.code)
    assert not is_saved(context, identity, "K7M2QX")
    (tmp_path / "player.json").unlink()
    assert not is_saved(context, identity, MATCH.code)


def test_a_match_that_is_kept_in_memory_is_not_saved():
    identity = Identity()
    identity.store_match(MATCH)
    assert not is_saved(make_context(), identity, MATCH.code)
