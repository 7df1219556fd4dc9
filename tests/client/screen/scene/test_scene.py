from dataclasses import replace

import pytest

from kit.matches import ADA, BOB, NONCE, do, game, leave, pegs, play, sit
from mastermind_client.screen.scene.entry import Entry
from mastermind_client.screen.scene.feed import Note, NoteKind
from mastermind_client.screen.scene.scene import Scene
from mastermind_client.screen.scene.viewpoint import PlaybackMode, Position, Progress
from mastermind_protocol.commands import GuessCode, SetSecret
from mastermind_protocol.events import Joined, Opened, Seat
from mastermind_protocol.match import Match
from mastermind_protocol.transitions import fold

SECRET = pegs("1234")
BREAKING = do(do(sit(), "ADA", SetSecret(SECRET, NONCE)), "BOB", GuessCode(pegs("1122")))
GATHERING = fold([Opened(rules="classic", rounds=1), Joined(player=ADA, seat=Seat.MAKER)])
TWO_ROUNDS = do(
    do(sit(rounds=2), "ADA", SetSecret(SECRET, NONCE)),
    "BOB",
    GuessCode(pegs("1122")),
    GuessCode(SECRET),
)
EYES = ("ADA", "BOB", "CLEO")


def look_at(match: Match, me: str, position: Position | None = None) -> Scene:
    return Scene("7KQ2MX", match, me, Entry.empty(match.rules), position=position)


@pytest.mark.parametrize(
    ("match", "mover", "can_enter"),
    [
        (GATHERING, None, []),
        (sit(), "ADA", ["ADA", "BOB"]),
        (BREAKING, "BOB", ["BOB"]),
        (TWO_ROUNDS, "BOB", ["ADA", "BOB"]),
        (play(game("1234", "1234")), None, []),
        (leave(BREAKING), None, []),
    ],
    ids=["gathering", "setting", "breaking", "between rounds", "won", "left"],
)
def test_the_player_to_move_and_the_codebreaker_can_fill_the_row(match, mover, can_enter):
    assert [me for me in EYES if look_at(match, me).my_turn] == ([mover] if mover else [])
    assert [me for me in EYES if look_at(match, me).can_enter_code] == can_enter


def test_only_the_codemaker_sees_the_secret_of_a_running_round():
    assert [look_at(BREAKING, me).secret for me in EYES] == [SECRET, None, None]
    assert [look_at(sit(), me).secret for me in EYES] == [None, None, None]


def test_everyone_sees_the_secret_at_the_end_of_the_round_only():
    match = play(game("1234", "1122", "1234"))
    assert [look_at(match, me).secret for me in EYES] == [SECRET] * 3
    assert [look_at(match, me, Position(0, 1)).secret for me in EYES] == [SECRET, None, None]
    assert [look_at(match, me, Position(0, 2)).secret for me in EYES] == [SECRET] * 3


def test_the_board_of_a_round_stays_until_the_next_round_begins():
    ended = [replace(look_at(TWO_ROUNDS, me), intermission=True) for me in EYES]
    assert [scene.displayed_position for scene in ended] == [Position(0, 2)] * 3
    assert look_at(TWO_ROUNDS, "CLEO").displayed_position == Position(0, 2)
    assert look_at(TWO_ROUNDS, "ADA").displayed_position == Position(1, 0)
    begun = do(TWO_ROUNDS, "BOB", SetSecret(pegs("6666"), NONCE))
    assert look_at(begun, "CLEO").displayed_position == Position(1, 0)
    assert [look_at(begun, me).secret for me in EYES] == [None, pegs("6666"), None]
    assert look_at(GATHERING, "ADA").round is None


def test_an_intermission_keeps_the_ended_round_on_the_board():
    begun = do(TWO_ROUNDS, "BOB", SetSecret(pegs("6666"), NONCE))
    shown = replace(look_at(begun, "ADA"), intermission=True)
    assert not look_at(begun, "ADA").between_rounds
    assert shown.between_rounds
    assert shown.displayed_position == Position(0, 2)
    assert shown.can_enter_code
    assert not shown.is_entering_guess


def test_seats_follow_the_displayed_round():
    begun = do(TWO_ROUNDS, "BOB", SetSecret(pegs("6666"), NONCE))
    assert look_at(begun, "CLEO").seated_players == {Seat.MAKER: BOB, Seat.BREAKER: ADA}
    assert look_at(begun, "CLEO", Position(0, 1)).seated_players == {
        Seat.MAKER: ADA,
        Seat.BREAKER: BOB,
    }
    assert look_at(GATHERING, "CLEO").seated_players == {Seat.MAKER: ADA, Seat.BREAKER: None}


def test_muting_hides_only_the_chat_of_others():
    notes = [
        Note(NoteKind.NEWS, "The secret is set."),
        Note(NoteKind.CHAT, "Hello!", "ADA"),
        Note(NoteKind.CHAT, "Hurry!", "BOB"),
        Note(NoteKind.CONNECTION, "Bob is back."),
    ]
    scene = look_at(BREAKING, "ADA")
    scene = replace(scene, notes=notes)
    assert scene.visible_notes == notes

    scene = replace(scene, muted=True)
    assert [note.text for note in scene.visible_notes] == [
        "The secret is set.",
        "Hello!",
        "Bob is back.",
    ]
    assert BOB.id not in {note.author for note in scene.visible_notes}


# Playback.


def test_waiting_viewers_see_the_thinking_player():
    assert [look_at(BREAKING, me).thinker for me in EYES] == [BOB, None, BOB]
    assert look_at(sit(), "CLEO").thinker is None
    assert look_at(TWO_ROUNDS, "CLEO").thinker is None


@pytest.mark.parametrize(
    ("showing", "thinks"),
    [
        (PlaybackMode.LIVE, True),
        (PlaybackMode.PLAYING, True),
        (PlaybackMode.PAUSED, False),
        (PlaybackMode.BACK, False),
    ],
)
def test_a_paused_match_shows_no_thinking_player(showing, *, thinks):
    scene = look_at(BREAKING, "CLEO")
    scene = replace(scene, progress=Progress(showing, 1, 2, 2))
    assert (scene.thinker is not None) is thinks


def test_a_playback_counts_to_the_limit_until_the_end_of_the_round_is_displayed():
    progress = Progress(PlaybackMode.PLAYING, 1, 7, 2)
    scene = replace(look_at(BREAKING, "CLEO"), progress=progress)
    assert scene.progress_bar_end == BREAKING.rules.guesses
    assert replace(scene, progress=replace(progress, mode=PlaybackMode.BACK)).progress_bar_end == 7
    broken = do(BREAKING, "BOB", GuessCode(SECRET))
    assert replace(look_at(broken, "CLEO"), progress=progress).progress_bar_end == 7


def test_a_past_position_allows_no_moves():
    scene = look_at(BREAKING, "BOB")
    assert (scene.my_turn, scene.can_enter_code) == (True, True)
    scene = replace(scene, is_past=True)
    assert (scene.my_turn, scene.can_enter_code) == (False, False)


def test_news_of_later_states_is_hidden_and_chat_is_not():
    scene = look_at(BREAKING, "CLEO")
    notes = [
        Note(NoteKind.NEWS, "set", version=3),
        Note(NoteKind.CHAT, "well", "BOB"),
        Note(NoteKind.NEWS, "over", version=5),
    ]
    scene = replace(scene, notes=notes, version=4)
    assert [note.text for note in scene.visible_notes] == ["set", "well"]


def test_a_secret_set_for_two_bots_is_visible():
    scene = look_at(BREAKING, "CLEO")
    assert scene.secret is None
    scene = replace(scene, opened_secret=SECRET)
    assert scene.secret == SECRET
