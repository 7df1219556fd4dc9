import pytest

from client.screen.looks import LOOK, show
from kit.matches import ADA, BOB, NONCE, do, game, leave, pegs, play, sit
from mastermind_client.screen.match.turn_line import (
    TurnText,
    describe_turn,
    draw_playback,
    draw_turn_line,
)
from mastermind_client.screen.scene.entry import Entry
from mastermind_client.screen.scene.scene import Scene
from mastermind_client.screen.scene.viewpoint import PlaybackMode, Progress
from mastermind_client.screen.theme import Look
from mastermind_client.screen.toolkit.lines import width
from mastermind_protocol.commands import GuessCode, OfferRematch, SetSecret
from mastermind_protocol.events import Finished, Joined, MatchEnd, Opened, Player, Seat
from mastermind_protocol.match import Match
from mastermind_protocol.transitions import fold

SET = do(sit(), "ADA", SetSecret(pegs("1234"), NONCE))
GUESSED = do(SET, "BOB", GuessCode(pegs("1122")))
OVER = play(game("1234", "1234"))
_CLOCKED = fold(
    [
        Opened(rules="classic", rounds=2, clock="1+0"),
        Joined(player=ADA, seat=Seat.MAKER),
        Joined(player=BOB, seat=Seat.BREAKER),
    ]
)
CLOSED = fold([Finished(how=MatchEnd.CLOSED)], _CLOCKED, 61_001)  # the code was not set in time
GATHERING = fold([Opened(rules="classic", rounds=1), Joined(player=ADA, seat=Seat.MAKER)])
TWO_ROUNDS = do(sit(rounds=2), "ADA", SetSecret(pegs("1234"), NONCE))
BOT = Player(id="bot-optimal-breaker", name="hard", bot="optimal")
BOT_BEATEN = fold(
    [
        Opened(rules="classic", rounds=1),
        Joined(player=ADA, seat=Seat.MAKER),
        Joined(player=BOT, seat=Seat.BREAKER),
    ]
)
BOT_BEATEN = do(BOT_BEATEN, "ADA", SetSecret(pegs("1234"), NONCE))
BOT_BEATEN = do(BOT_BEATEN, BOT.id, GuessCode(pegs("1234")))
MINE = "Your turn"


def look_at(match: Match, me: str, typed: str = "", **more: object) -> Scene:
    entry = Entry.empty(match.rules)
    for symbol in typed:
        entry = entry.type(symbol, match.rules)
    return Scene("7KQ2MX", match, me, entry=entry, **more)  # type: ignore[arg-type]


def tell(match: Match, me: str, typed: str = "", **more: object) -> TurnText:
    return describe_turn(look_at(match, me, typed, **more), LOOK)


@pytest.mark.parametrize(
    ("match", "me", "label", "told"),
    [
        (GATHERING, "ADA", "Waiting", "Nobody has joined yet."),
        (sit(), "ADA", MINE, "Four pegs that Bob will not guess."),
        (sit(), "BOB", "Ada's turn", "Ada hides a code ~"),
        (sit(), "CLEO", "Ada's turn", "Ada hides a code ~"),
        (SET, "BOB", MINE, "Four pegs: letters, or 1 to 6."),
        (GUESSED, "ADA", "Bob's turn", "Bob is guessing your code ~"),
        (GUESSED, "CLEO", "Bob's turn", "Bob thinks ~"),
        (TWO_ROUNDS, "ADA", "Bob's turn", "Every guess is a point for you."),
        (OVER, "CLEO", "Bob wins", "c copies the result for a chat."),
        (
            do(OVER, "BOB", OfferRematch("M4CH2X")),
            "CLEO",
            "Bob wins",
            "There is a rematch: Enter shows it.",
        ),
        (OVER, "ADA", "Bob wins", "Enter offers a rematch; c copies your result."),
        (CLOSED, "BOB", "The end", "Enter offers a rematch."),
        (
            leave(GUESSED),
            "ADA",
            "You win",
            "No rematch: Bob has left.",
        ),
        (
            BOT_BEATEN,
            "ADA",
            "The end",
            "Enter plays again; c copies your result.",
        ),
        (
            do(OVER, "BOB", OfferRematch("M4CH2X")),
            "BOB",
            "Ada wants another",
            "Enter takes it.",
        ),
        (
            play(game("1234", "1234"), game("1234", "1234")),
            "ADA",
            "A draw",
            "Enter offers a rematch; c copies your result.",
        ),
    ],
)
def test_the_task_line_names_the_next_action_or_the_awaited_player(match, me, label, told):
    task = tell(match, me)
    assert (task.label, task.words) == (label, told)


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("1", "Three more pegs: letters, or 1 to 6."),
        ("123", "One more peg: a letter, or 1 to 6."),
        ("1234", "Enter sends it."),
        ("12345", "The row is full: Enter sends, Del clears."),
        ("127", "No 7 here: 1 to 6."),
        ("12x", "No X here: R G B Y O P."),
    ],
)
def test_the_task_line_reports_missing_pegs_and_wrong_symbols(typed, told):
    assert tell(GUESSED, "BOB", typed).words == told


def test_the_task_line_offers_to_seal_a_secret():
    assert tell(sit(), "ADA", "1").words == "Three more pegs: letters, or 1 to 6."
    assert tell(sit(), "ADA", "1234").words == "Enter locks it in."


def test_rules_without_digits_ask_for_letters():
    match = do(sit("2x11"), "ADA", SetSecret((0, 1), NONCE))
    assert tell(match, "BOB").words == "Two pegs: letters."
    assert tell(match, "BOB", "r").words == "One more peg: a letter."


def test_rules_without_letters_ask_for_digits():
    match = do(sit("bulls"), "ADA", SetSecret((0, 1, 2, 3), NONCE))
    assert tell(match, "BOB").words == "Four pegs: 0 to 9."
    assert tell(match, "BOB", "012x").words == "No X here: 0 to 9."


def test_ten_colours_have_the_digits_of_a_keyboard():
    match = do(sit("4x10u"), "ADA", SetSecret((0, 1, 2, 9), NONCE))
    assert tell(match, "BOB").words == "Four pegs: letters, or 1 to 9, 0."


def test_an_excluded_guess_gets_a_warning():
    task = tell(GUESSED, "BOB", "1122", excluding_guess=1)
    assert task.words == "x Guess 1 rules this out. Enter sends it all the same."


def test_a_mistake_out_of_turn_is_reported_beside_the_turn():
    assert tell(sit(), "BOB", "7") == TurnText("Ada's turn", "No 7 here: 1 to 6.")


def test_an_ended_round_waits_for_enter():
    match = do(TWO_ROUNDS, "BOB", GuessCode(pegs("1234")))
    mine, other = (tell(match, me, intermission=True) for me in ("BOB", "ADA"))
    assert mine == TurnText(MINE, "Enter continues; so does the first peg you type.", can_act=True)
    assert other == TurnText("Bob's turn", "Enter continues.")


def test_only_the_players_own_turn_is_reversed():
    mine, other = (draw_turn_line(look_at(GUESSED, me), 60, LOOK) for me in ("BOB", "ADA"))
    assert mine[0] == ("class:turn", " Your turn ")
    assert other[0] == ("class:strong", " Bob's turn ")
    assert show([mine]) == [" Your turn  Four pegs: letters, or 1 to 6."]


def test_a_paused_playback_replaces_the_task_line():
    paused = Progress(PlaybackMode.PAUSED, 1, 1, 2)
    live = Progress(PlaybackMode.LIVE, 1, 1, 2)
    assert (
        "Paused" in show([draw_turn_line(look_at(GUESSED, "CLEO", progress=paused), 60, LOOK)])[0]
    )
    assert (
        "Bob's turn" in show([draw_turn_line(look_at(GUESSED, "CLEO", progress=live), 60, LOOK)])[0]
    )


def test_a_long_task_line_ends_with_an_ellipsis():
    line = draw_turn_line(look_at(OVER, "ADA"), 30, LOOK)
    assert width(line) == 30
    assert show([line])[0].endswith("~")


def test_a_pending_guess_is_labelled_as_sent():
    assert tell(GUESSED, "BOB", sending=True).label == "Sent"


LOOKS = {
    glyphs: Look.choose("mono", "never", glyphs, {"TERM": "xterm"}, "utf-8")
    for glyphs in ("unicode", "ascii")
}


def draw(progress: Progress, columns: int, glyphs: str = "unicode", *, last: int | None = 5) -> str:
    line = draw_playback(progress, last, LOOKS[glyphs], columns)
    return "".join(words for _style, words, *_click in line)


def test_the_playback_line_shows_state_progress_and_speed():
    assert draw(Progress(PlaybackMode.PAUSED, 3, 5, 2), 80) == (
        " Paused   ▆▆▆▆▆▆▆▆▆▆▆▆▆▆▁▁▁▁▁▁▁▁▁▁  guess 3 of 5                     speed ●●○○ "
    )


def test_few_columns_drop_the_guess_number_first():
    line = draw(Progress(PlaybackMode.PLAYING, 5, 5, 4), 56)
    assert line.startswith(" Playing   ▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆ ")
    assert line.endswith(" speed ●●●● ")
    assert "guess" not in line


def test_the_playback_line_has_an_ascii_form():
    line = draw(Progress(PlaybackMode.PAUSED, 1, 2, 1), 80, "ascii", last=2)
    assert line.isascii()
    assert "############------------" in line
    assert "speed Xooo" in line


def test_without_a_last_guess_there_is_a_number_and_no_bar():
    line = draw(Progress(PlaybackMode.PLAYING, 3, 5, 2), 80, last=None)
    assert line.startswith(" Playing   guess 3  ")


def test_the_bar_is_empty_before_the_first_guess():
    assert "▆" not in draw(Progress(PlaybackMode.PLAYING, 0, 0, 2), 80)


@pytest.mark.parametrize(
    ("showing", "label"),
    [
        (PlaybackMode.LIVE, " Live "),
        (PlaybackMode.PLAYING, " Playing "),
        (PlaybackMode.PAUSED, " Paused "),
        (PlaybackMode.BACK, " Guess 2 "),
    ],
)
def test_the_label_names_the_playback_state(showing, label):
    assert draw(Progress(showing, 2, 3, 2), 80).startswith(label)
