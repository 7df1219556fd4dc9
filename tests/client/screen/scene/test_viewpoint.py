import pytest

from kit.matches import NONCE, do, game, leave, pegs, play, sit
from mastermind_client.screen.scene.viewpoint import (
    Position,
    change_round,
    count_guesses,
    find_displayed_position,
    find_last_position,
    is_round_over,
    list_guess_positions,
    list_rounds,
    list_stops,
)
from mastermind_protocol.commands import (
    Command,
    GuessCode,
    OfferRematch,
    ResignRound,
    SetSecret,
    TakeAdvice,
)
from mastermind_protocol.match import Match

FIRST, SECOND = game("1234", "1122", "1233", "1234"), game("6655", "6655")
FINISHED = play(FIRST, SECOND)
RUNNING = do(
    do(sit(rounds=2), "ADA", SetSecret(pegs("1234"), NONCE)), "BOB", GuessCode(pegs("1122"))
)
EMPTY = leave(sit())


def everywhere(match: Match) -> list[Position]:
    """Return every position of a match, in order."""
    rounds = list_rounds(match)
    return [
        Position(number, turns)
        for number, played in enumerate(rounds)
        for turns in range(len(played.turns) + 1)
    ] or [Position(0, 0)]


@pytest.mark.parametrize(
    ("match", "turns", "live"),
    [
        (FINISHED, [3, 1], Position(1, 1)),
        (RUNNING, [1], Position(0, 1)),
        (EMPTY, [], Position(0, 0)),
    ],
)
def test_the_live_position_is_the_end_of_the_last_round(match, turns, live):
    assert [len(played.turns) for played in list_rounds(match)] == turns
    assert find_last_position(match) == live


def test_a_match_without_rounds_has_one_position():
    assert (
        change_round(EMPTY, Position(0, 0), 1)
        == change_round(EMPTY, Position(0, 0), -1)
        == Position(0, 0)
    )


def test_guesses_are_listed_across_rounds():
    assert list_guess_positions(FINISHED) == [(0, 1), (0, 2), (0, 3), (1, 1)]
    assert list_guess_positions(EMPTY) == []
    assert list_guess_positions(play(game("1234", "1234"), game("1234"))) == [(0, 1), (1, 0)]


@pytest.mark.parametrize(
    ("position", "by", "there"),
    [
        (Position(0, 1), 1, Position(1, 1)),
        (Position(0, 3), 1, Position(1, 1)),
        (Position(1, 1), -1, Position(0, 1)),
        (Position(1, 1), 1, Position(1, 1)),
        (Position(0, 2), -1, Position(0, 1)),
    ],
)
def test_a_jump_goes_to_the_first_guess_of_a_round(position, by, there):
    assert change_round(FINISHED, position, by) == there


@pytest.mark.parametrize(
    ("match", "ends"), [(FINISHED, [(0, 3), (1, 1)]), (RUNNING, []), (EMPTY, [])]
)
def test_an_ended_round_ends_at_its_last_guess(match, ends):
    assert [position for position in everywhere(match) if is_round_over(match, position)] == ends


def test_playback_stops_after_each_guess_and_at_the_current_state():
    states = [sit(rounds=2)]

    def go_on(by: str, *commands: Command) -> None:
        for command in commands:
            states.append(do(states[-1], by, command))

    go_on("ADA", SetSecret(pegs("1234"), NONCE))
    go_on("BOB", TakeAdvice(), GuessCode(pegs("1122")), ResignRound())
    go_on("BOB", SetSecret(pegs("1234"), NONCE))
    assert list_stops(states[:2]) == [1]
    assert list_stops(states) == [3, 4, 5]
    go_on("ADA", GuessCode(pegs("1234")), OfferRematch("M4CH2X"))
    assert list_stops(states) == [3, 4, 6, 7]


def test_between_rounds_the_end_of_the_last_round_is_shown():
    begun = do(sit(rounds=2), "ADA", SetSecret(pegs("1234"), NONCE))
    between = do(begun, "BOB", GuessCode(pegs("1122")), GuessCode(pegs("1234")))
    assert find_displayed_position(begun) == (0, 0)
    assert find_displayed_position(between) == (0, 2)
    assert find_displayed_position(do(between, "BOB", SetSecret(pegs("1234"), NONCE))) == (1, 0)
    assert count_guesses(between) == 2
