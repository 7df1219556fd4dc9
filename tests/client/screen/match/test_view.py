from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from client.people import pegs
from client.screen.looks import LOOK, assert_fits, click, show
from client.screen.played import ADA, NONCE, do, game, leave, play, sit
from mastermind_client.screen.kit.lines import Extent
from mastermind_client.screen.match.entry import Entry
from mastermind_client.screen.match.feed import Kind, Note
from mastermind_client.screen.match.panels import ADVISED
from mastermind_client.screen.match.position import Position
from mastermind_client.screen.match.scene import Scene
from mastermind_client.screen.match.view import RowClicks, draw_match, find_last_top
from mastermind_client.words.codes import name_colour
from mastermind_protocol.commands import GuessCode, SetSecret, TakeAdvice
from mastermind_protocol.events import Joined, Opened, Player, Seat
from mastermind_protocol.messages import Advice, Weighed
from mastermind_protocol.transitions import fold
from strategies import any_rules, brief

if TYPE_CHECKING:
    from mastermind_protocol.match import Match
    from mastermind_protocol.rules import Rules

SMALL, USUAL, LARGE = Extent(60, 18), Extent(80, 22), Extent(300, 98)
CLICKS = RowClicks(lambda _place: None, lambda _colour: None)
NOTES = [Note(Kind.NEWS, "The secret is set."), Note(Kind.CHAT, "Bob says: Hello!", "BOB")]
WIDE = (Player(id="ADA", name="\u4e00" * 24), Player(id="BOB", name="\u4e8c" * 24))


def guessed(rules: str = "classic", times: int = 1, rounds: int = 1) -> Match:
    match = sit(rules, rounds)
    number = match.rules.pegs
    match = do(match, "ADA", SetSecret((0,) * number, NONCE))
    return do(match, "BOB", *[GuessCode((0,) * (number - 1) + (1,))] * times)


def look_at(match: Match, me: str, **more: object) -> Scene:
    values: dict[str, object] = {"entry": Entry.empty(match.rules), "notes": NOTES, **more}
    return Scene("7KQ2MX", match, me, **values)  # type: ignore[arg-type]


def draw(scene: Scene, extent: Extent = USUAL) -> list[str]:
    return show(draw_match(scene, extent, LOOK, CLICKS))


def find(rows: list[str], words: str) -> str:
    return next((row for row in rows if words in row), "")


def advise(rules: Rules) -> Advice:
    weighed = Weighed((0,) * rules.pegs, possible=True, worst=3, size=1.5, bits=2, parts=3)
    return Advice(id=1, match="7KQ2MX", guess=1, left=3, guesses=(weighed,) * ADVISED)


@given(
    any_rules,
    st.sampled_from([SMALL, USUAL, Extent(120, 38), LARGE]),
    st.sampled_from(["ADA", "BOB", "CLEO"]),
    st.integers(0, 40),
    st.sampled_from([None, 0, 3]),
)
@brief
def test_whatever_is_played_fits_and_what_is_asked_is_always_in_sight(
    rules: Rules, extent: Extent, me: str, times: int, back: int | None
) -> None:
    times = min(times, rules.limit - 1)
    match = guessed(rules.name, times)
    scene = look_at(
        match,
        me,
        back=back,
        advice=advise(rules) if me == "BOB" else None,
    )

    lines = draw_match(scene, extent, LOOK, CLICKS)
    rows = show(lines)

    assert len(lines) <= extent.rows
    assert find(rows, "Your turn" if me == "BOB" else "Waiting for Bob to guess")
    if me == "BOB":
        assert find(rows, "[.]")
        assert all(find(rows, name_colour(colour, rules)) for colour in range(rules.colours))
    if back is None:
        assert not times or find(rows, f"{times} ")


@pytest.mark.parametrize("extent", [SMALL, USUAL, LARGE])
@pytest.mark.parametrize("rules", ["classic", "mini", "eight", "9x12/99"])
def test_the_end_is_told_with_the_last_guesses_still_in_sight(rules: str, extent: Extent) -> None:
    match = guessed(rules, 5)
    match = do(match, "BOB", GuessCode((0,) * match.rules.pegs))

    rows = draw(look_at(match, "BOB"), extent)

    assert find(rows, "You win.")
    assert find(rows, "Enter offers Ada")
    assert find(rows, "6  R")


def test_the_title_says_what_match_it_is() -> None:
    title = draw(look_at(guessed(rounds=2), "ADA", spectators=1))[0]

    told = "Mastermind classic round 1 of 2 match 7KQ2MX 1 spectator"
    assert " ".join(title.split()) == told
    assert "round 1 of 2" in draw(look_at(sit(rounds=2), "ADA"))[0]
    assert not draw(look_at(guessed(), "ADA"), SMALL)[0].startswith(" Mastermind")
    back = look_at(
        do(play_round(), "BOB", SetSecret(pegs("5555"), NONCE)), "CLEO", position=Position(0, 1)
    )
    assert "round 1 of 2" in draw(back)[0]


def play_round() -> Match:
    """Return a match of two rounds after the first one."""
    return do(
        do(sit(rounds=2), "ADA", SetSecret(pegs("0123"), NONCE)),
        "BOB",
        GuessCode(pegs("0011")),
        GuessCode(pegs("0123")),
    )


def test_a_rated_match_is_called_one() -> None:
    match = fold([Opened(rules="classic", rounds=1, rated=True)])

    assert "rated" in draw(look_at(match, "CLEO"))[0]


def test_between_rounds_the_board_stays_with_the_result_below_it() -> None:
    rows = draw(look_at(play_round(), "BOB"), Extent(120, 38))

    assert "round 1 of 2" in rows[0]
    assert find(rows, "codemaker  Bob (you)")
    assert find(rows, "R   G   B   Y   secret")
    assert find(rows, "1  R   R   G   G")
    assert find(rows, "You broke the code in 2 guesses.")
    assert find(rows, "> [.]")
    assert find(rows, "Your turn: set the secret, 4 pegs.")

    begun = do(play_round(), "BOB", SetSecret(pegs("5555"), NONCE))
    rows = draw(look_at(begun, "ADA"), Extent(120, 38))
    assert "round 2 of 2" in rows[0]
    assert not find(rows, "1  R   R   G   G")
    rows = draw(look_at(begun, "ADA", intermission=True), Extent(120, 38))
    assert "round 1 of 2" in rows[0]
    assert find(rows, "1  R   R   G   G")
    assert find(rows, "Bob broke the code in 2 guesses.")
    assert find(rows, "Your turn: guess 1 of 12.")


def test_the_players_are_shown_with_their_seats_their_state_and_their_points() -> None:
    rows = draw(look_at(play_round(), "CLEO", absent={"ADA": "14:05:10"}))
    assert find(rows, "codebreaker  Ada  ! away since 14:05:10")
    assert find(rows, "2 points")
    assert find(rows, ">codemaker  Bob")

    assert find(draw(look_at(leave(guessed()), "ADA")), "codebreaker  Bob  has left")
    alone = fold([Opened(rules="classic", rounds=1), Joined(player=ADA, seat=Seat.MAKER)])
    rows = draw(look_at(alone, "CLEO"))
    assert find(rows, "codebreaker  nobody yet")
    assert find(rows, "Waiting for somebody to join ...")


def test_what_happened_stands_beside_the_board_or_its_last_line_below_it() -> None:
    assert find(draw(look_at(guessed(), "ADA")), "| What happened")
    rows = draw(look_at(guessed(), "ADA"), SMALL)
    assert not find(rows, "What happened")
    assert rows[-1] == "Bob says: Hello!"

    for extent in (SMALL, USUAL, LARGE):
        rows = draw(look_at(guessed(), "ADA", back=0), extent)
        assert find(rows, "What happened") == "What happened"
        assert find(rows, "The secret is set.")
        assert find(rows, "Waiting for Bob to guess")
        assert not find(rows, "1  R")
    rows = draw(look_at(guessed(), "BOB", back=0))
    assert find(rows, "1  R  red  2  G  green  3  B  blue  4  Y  yellow  5  O  orange")
    assert find(draw(look_at(guessed(), "ADA", notes=[]), SMALL), "Waiting for Bob to guess")


def test_the_mouse_picks_places_and_colours() -> None:
    picked: list[tuple[str, int]] = []
    clicks = RowClicks(
        lambda place: picked.append(("place", place)),
        lambda colour: picked.append(("colour", colour)),
    )
    entry = Entry.empty(guessed().rules).place(2)
    lines = draw_match(look_at(guessed(), "BOB", entry=entry), USUAL, LOOK, clicks)

    click(lines, "[.]")
    click(lines, " Y ")

    assert picked == [("place", 1), ("colour", 3)]


def test_nothing_can_be_picked_where_nothing_is_to_be_sent() -> None:
    for me in ("ADA", "CLEO"):
        lines = draw_match(look_at(guessed(), me), USUAL, LOOK, CLICKS)
        assert all(len(fragment) == 2 for line in lines for fragment in line)


def test_an_excluded_code_is_told_at_the_row() -> None:
    entry = Entry.empty(guessed().rules).fill(pegs("5555"))
    assert find(draw(look_at(guessed(), "BOB", entry=entry, excluded=1)), "x Excluded by guess 1.")


@pytest.mark.parametrize("extent", [SMALL, USUAL, LARGE])
def test_what_is_wrong_with_a_key_moves_nothing(extent: Extent) -> None:
    entry = Entry.empty(guessed().rules).fill(pegs("5555"))
    before = draw(look_at(guessed(), "BOB", entry=entry), extent)

    wrong = entry.type("$", guessed().rules)
    assert wrong.notice
    assert draw(look_at(guessed(), "BOB", entry=wrong), extent) == before


@pytest.mark.parametrize("extent", [SMALL, USUAL, Extent(120, 38)])
def test_a_wide_name_is_cut_off_with_a_sign_and_what_is_to_be_known_of_its_player_is_not(
    extent: Extent,
) -> None:
    match = after_a_round("classic")
    for shown, absent, state in (
        (match, {"BOB": "14:05:10"}, "! away since 14:05:10"),
        (leave(match), {}, "  has left"),
    ):
        (row,) = (row for row in draw(look_at(shown, "ADA", absent=absent), extent) if state in row)
        assert row.rstrip().endswith("0 points")
        assert ("\u4e8c~" in row) is (extent.columns < 120)


@pytest.mark.parametrize("extent", [SMALL, USUAL, Extent(120, 38), LARGE])
@pytest.mark.parametrize("rules", ["classic", "eight", "9x12/99"])
@pytest.mark.parametrize("intermission", [False, True])
def test_the_end_of_a_round_leaves_room_for_the_row_the_colours_and_the_task(
    rules: str, extent: Extent, intermission: bool
) -> None:
    match, me = after_a_round(rules), "BOB"
    if intermission:
        match, me = do(match, "BOB", SetSecret((1,) * match.rules.pegs, NONCE)), "ADA"
    scene = look_at(match, me, intermission=intermission)
    scene.advice = advise(match.rules) if intermission else None

    lines = draw_match(scene, extent, LOOK, CLICKS)
    rows = show(lines)

    assert_fits(lines, extent)
    assert find(rows, "broke") or find(rows, "code in 2 guesses.")
    assert find(rows, "[.]")
    assert all(
        find(rows, name_colour(colour, match.rules)) for colour in range(match.rules.colours)
    )
    assert find(rows, "Your turn: guess 1 of" if intermission else "Your turn: set the secret")


@pytest.mark.parametrize("extent", [SMALL, USUAL, Extent(120, 38), LARGE])
@pytest.mark.parametrize("rules", ["classic", "eight", "9x12/99"])
@pytest.mark.parametrize(
    ("me", "result"), [("ADA", "You win."), ("BOB", "lose."), ("CLEO", "wins.")]
)
def test_who_has_won_is_there_however_wide_the_names_are(
    rules: str, extent: Extent, me: str, result: str
) -> None:
    match = leave(after_a_round(rules), WIDE[1])

    lines = draw_match(look_at(match, me), extent, LOOK, CLICKS)

    assert_fits(lines, extent)
    assert find(show(lines), result)
    assert find(show(lines), "The match is over")


def after_a_round(rules: str) -> Match:
    """Return a match of two rounds, of people with the widest names, after the first round."""
    maker, breaker = WIDE
    match = fold(
        [
            Opened(rules=rules, rounds=2),
            Joined(player=maker, seat=Seat.MAKER),
            Joined(player=breaker, seat=Seat.BREAKER),
        ]
    )
    code = tuple(range(match.rules.pegs - 1, -1, -1))
    match = do(match, maker.id, SetSecret(code, NONCE))
    return do(match, breaker.id, TakeAdvice(), GuessCode(code[::-1]), GuessCode(code))


@pytest.mark.parametrize(
    ("match", "extent", "last"),
    [
        (sit(), SMALL, 0),
        (guessed("4x6/40", 3), SMALL, 0),
        (guessed("4x6/40", 30), USUAL, 31 - 14),
        (fold([Opened(rules="classic", rounds=1)]), SMALL, 0),
        (play(game("0123", "0123")), SMALL, 0),
    ],
)
def test_the_board_can_be_scrolled_as_far_as_guesses_are_out_of_sight(
    match: Match, extent: Extent, last: int
) -> None:
    scene = look_at(match, "BOB")

    assert find_last_top(scene, extent, LOOK, CLICKS) == last
    if last:
        scene.top = last
        at_end = draw(scene, extent)
        scene.top = None
        assert draw(scene, extent) == at_end
        scene.top = last - 1
        assert draw(scene, extent) != at_end
