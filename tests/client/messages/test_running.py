from datetime import UTC

import pytest
from msgspec.structs import replace

from mastermind_client.messages.running import (
    describe_kept,
    describe_running,
    describe_standing,
    describe_terms,
)
from mastermind_client.net.running import UnfinishedMatch, WhoseTurn

MINE = UnfinishedMatch(code="X922X4", rules="classic", opponent="Ana", turn=WhoseTurn.MINE, guess=3)
THEIRS = UnfinishedMatch(code="K7M2QX", rules="eight", opponent="Bob", turn=WhoseTurn.THEIRS)


@pytest.mark.parametrize(
    ("match", "words"),
    [
        (MINE, "your turn"),
        (THEIRS, "Bob thinks"),
        (replace(THEIRS, away=14 * 3600 + 300), "Bob is away since 14:05"),
        (UnfinishedMatch(code="M7R4TX", rules="mini"), "waiting for a friend"),
    ],
)
def test_a_running_match_is_described_by_what_it_waits_for(match, words):
    assert describe_standing(match, UTC) == words


def test_a_running_match_has_its_terms_its_opponent_and_the_command_to_continue():
    assert describe_terms(MINE) == ["classic", "guess 3"]
    assert describe_terms(THEIRS) == ["eight"]
    assert describe_running(MINE) == "Ana, X922X4, your turn"
    assert describe_kept(MINE) == (
        "Put aside: Ana, X922X4, your turn. Come back: mastermind continue X922X4"
    )
