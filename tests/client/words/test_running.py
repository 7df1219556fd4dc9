from datetime import UTC

import pytest

from mastermind_client.net.running import UnfinishedMatch, WhoseTurn
from mastermind_client.words.running import (
    describe_kept,
    describe_running,
    describe_standing,
    describe_terms,
)

MINE = UnfinishedMatch(code="X922X4", rules="classic", opponent="Ana", turn=WhoseTurn.MINE, guess=3)
THEIRS = UnfinishedMatch(code="K7M2QX", rules="eight", opponent="Bob", turn=WhoseTurn.THEIRS)
AWAY = UnfinishedMatch(
    code="K7M2QX", rules="eight", opponent="Bob", turn=WhoseTurn.THEIRS, away=14 * 3600 + 300
)
ALONE = UnfinishedMatch(code="M7R4TX", rules="mini")


@pytest.mark.parametrize(
    ("match", "words"),
    [
        (MINE, "your turn"),
        (THEIRS, "Bob thinks"),
        (AWAY, "Bob is away since 14:05"),
        (ALONE, "waiting for a friend"),
    ],
)
def test_a_match_is_told_by_what_it_waits_for(match, words):
    assert describe_standing(match, UTC) == words


def test_what_is_played_is_told_with_the_guess_if_there_is_a_secret():
    assert describe_terms(MINE) == ["classic", "guess 3"]
    assert describe_terms(THEIRS) == ["eight"]


def test_one_line_has_the_opponent_the_code_and_how_it_stands():
    assert describe_running(MINE) == "Ana, X922X4, your turn"


def test_what_is_put_aside_is_told_with_the_command_that_comes_back():
    assert describe_kept(MINE) == (
        "Put aside: Ana, X922X4, your turn. Come back: mastermind continue X922X4"
    )


def test_an_opponents_name_does_nothing_to_the_terminal():
    nasty = UnfinishedMatch(
        code="X922X4", rules="classic", opponent="A\x1b[2J", turn=WhoseTurn.THEIRS
    )
    assert "\x1b" not in describe_running(nasty)
