from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from client.screen.looks import LOOK, assert_fits, click, show
from kit.matches import pegs
from kit.played import ADA, NONCE, do, game, leave, play, sit
from kit.strategies import any_rules, brief
from mastermind_client.screen.kit.lines import Extent
from mastermind_client.screen.match.advice import ADVISED
from mastermind_client.screen.match.board import NO_CLICKS, RowClicks
from mastermind_client.screen.match.view import draw_match, find_last_top, plan
from mastermind_client.screen.scene.entry import Entry
from mastermind_client.screen.scene.feed import Kind, Note
from mastermind_client.screen.scene.scene import Scene
from mastermind_protocol.commands import GuessCode, SetSecret
from mastermind_protocol.events import Joined, Opened, Player, Seat
from mastermind_protocol.match import Match
from mastermind_protocol.messages import Advice, Weighed
from mastermind_protocol.rules import Rules
from mastermind_protocol.transitions import fold

SMALL, USUAL, LARGE = Extent(60, 19), Extent(80, 23), Extent(100, 39)
SIZES = (SMALL, Extent(60, 23), Extent(79, 30), USUAL, Extent(90, 30), LARGE, Extent(100, 99))
NOTES = [
    Note(Kind.NEWS, "The secret is set."),
    Note(Kind.CHAT, "Bob says: Hello!", "BOB", name="Bob", words="Hello!"),
]
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
    return show(draw_match(scene, extent, LOOK, NO_CLICKS))


def find(rows: list[str], words: str) -> str:
    return next((row for row in rows if words in row), "")


def advise(rules: Rules) -> Advice:
    weighed = Weighed((0,) * rules.pegs, possible=True, worst=3, size=1.5, bits=2, parts=3)
    return Advice(id=1, match="7KQ2MX", guess=1, left=3, guesses=(weighed,) * ADVISED)


def find_board(scene: Scene, extent: Extent) -> list[str]:
    """Return the drawn board without the column beside it."""
    layout = plan(scene, extent)
    first = 1 if layout.side else 2
    rows = draw(scene, extent)[first : first + layout.board.rows]
    return [row[layout.left : layout.left + layout.board.columns] for row in rows]


@given(
    any_rules,
    st.sampled_from(SIZES),
    st.sampled_from(["ADA", "BOB", "CLEO"]),
    st.integers(0, 40),
    st.booleans(),
    st.sampled_from([None, 0, 3]),
)
@brief
def test_whatever_is_played_fits_and_what_is_asked_is_always_in_sight(
    rules, extent, me, times, advised, back
):
    times = min(times, rules.limit - 1)
    match = guessed(rules.name, times)
    advice = advise(rules) if me == "BOB" and advised else None
    scene = look_at(match, me, back=back, advice=advice)

    lines = draw_match(scene, extent, LOOK, NO_CLICKS)
    rows = show(lines)

    assert_fits(lines, extent)
    assert len(lines) == extent.rows
    assert find(rows, "Your turn" if me == "BOB" else "Bob's turn")
    if me == "BOB" and back is None:
        assert find(rows, f">{times + 1:2} ")
        palette = "".join(name[0].upper() for name in rules.palette[:6])
        assert any(palette in row.replace(" ", "") for row in rows)


@given(
    any_rules,
    st.sampled_from(SIZES),
    st.integers(0, 30),
    st.lists(st.sampled_from("123456rgbyop"), max_size=9),
    st.booleans(),
    st.booleans(),
)
@brief
def test_nothing_on_the_board_moves_when_talk_advice_or_a_peg_comes(
    rules, extent, times, typed, talk, advised
):
    match = guessed(rules.name, min(times, rules.limit - 1))
    quiet = look_at(match, "BOB", notes=[])
    entry = quiet.entry
    for symbol in typed:
        entry = entry.type(symbol, rules)
    notes = [*NOTES, *[Note(Kind.CHAT, "x", "BOB", name="Bob", words="word " * 30)] * 9]
    busy = look_at(
        match,
        "BOB",
        entry=entry,
        notes=notes if talk else [],
        advice=advise(rules) if advised else None,
        excluded=1 if times else None,
    )

    before, after = find_board(quiet, extent), find_board(busy, extent)

    assert len(before) == len(after)
    row = next(index for index, line in enumerate(before) if ">" in line)
    height = plan(quiet, extent).tile.rows
    kept = [line for index, line in enumerate(before) if not row - 1 <= index < row + height]
    assert kept == [line for index, line in enumerate(after) if not row - 1 <= index < row + height]


@pytest.mark.parametrize("extent", SIZES)
@pytest.mark.parametrize("rules", ["classic", "mini", "eight", "9x12/99"])
def test_the_end_is_told_with_the_last_guess_still_in_sight(rules, extent):
    match = guessed(rules, 5)
    match = do(match, "BOB", GuessCode((0,) * match.rules.pegs))

    rows = draw(look_at(match, "BOB"), extent)

    assert find(rows, "You win  Enter offers")
    assert find(rows, "broken in 6 guesses")
    assert find(rows, "> 6")


def test_the_title_says_what_match_it_is():
    title = draw(look_at(guessed(rounds=2), "ADA", spectators=1))[0]

    assert " ".join(title.split()) == "Mastermind classic . round 1 of 2 7KQ2MX . 1 watching"
    assert not draw(look_at(guessed(), "ADA"), SMALL)[0].strip().startswith("Mastermind")
    assert draw(look_at(guessed(), "ADA"))[0].endswith(" 7KQ2MX")
    assert "rated" in draw(look_at(fold([Opened(rules="classic", rounds=1, rated=True)]), "X"))[0]
    assert "knuth . no limit" in draw(look_at(guessed("knuth"), "ADA"))[0]


def test_a_match_against_a_bot_says_against_which():
    bot = Player(id="bot", name="hard", bot="hard")
    joined = [Joined(player=bot, seat=Seat.MAKER), Joined(player=ADA, seat=Seat.BREAKER)]
    match = fold([Opened(rules="classic", rounds=1), *joined])

    assert "classic . against hard (bot)" in draw(look_at(match, "ADA"))[0]


def play_round() -> Match:
    """Return a match of two rounds after the first one."""
    return do(
        do(sit(rounds=2), "ADA", SetSecret(pegs("1234"), NONCE)),
        "BOB",
        GuessCode(pegs("1122")),
        GuessCode(pegs("1234")),
    )


@pytest.mark.parametrize("extent", [SMALL, USUAL, LARGE])
def test_between_rounds_the_board_stays_and_what_comes_is_told(extent):
    rows = draw(look_at(play_round(), "BOB", intermission=True), extent)

    assert "round 1 of 2" in rows[0]
    assert find(rows, "Ada's code")
    assert find(rows, "> 2")
    assert find(rows, "broken in 2 guesses")
    assert find(rows, "Your turn  Enter goes on")

    rows = draw(look_at(play_round(), "BOB"), extent)
    assert "round 2 of 2" in rows[0]
    assert find(rows, "Four pegs that Ada will not guess.")


def test_the_players_are_on_their_plates_whoever_hides_on_top():
    scene = look_at(do(play_round(), "BOB", SetSecret(pegs("6666"), NONCE)), "ADA")
    rows = draw(scene)

    assert rows[1].endswith("  Bob")
    assert rows[2].endswith("hides it     0 points")
    assert rows[19].endswith("breaks it    2 points")
    assert rows[20].endswith("  Ada (you)")


def test_who_is_not_here_is_told_on_the_plate():
    rows = draw(look_at(guessed(), "ADA", absent={"BOB": "14:05"}))
    assert find(rows, "! away since 14:05")
    alone = fold([Opened(rules="classic", rounds=1), Joined(player=ADA, seat=Seat.MAKER)])
    assert find(draw(look_at(alone, "CLEO")), "nobody yet")
    rows = draw(look_at(guessed(), "ADA", absent={"BOB": "14:05"}), SMALL)
    assert find(rows, "! away since 14:05")


def test_the_plate_of_whose_turn_it_is_is_reversed_for_players_only():
    for me, reversed_plates in (("ADA", 1), ("BOB", 2), ("CLEO", 0)):  # with the label
        lines = draw_match(look_at(guessed(), me), USUAL, LOOK, NO_CLICKS)
        runs = [line for line in lines if any(piece[0] == "class:turn" for piece in line)]
        assert len(runs) == reversed_plates, me


def test_talk_is_beside_the_board_or_its_last_line_below_it():
    assert find(draw(look_at(guessed(), "ADA")), "   Bob  Hello!")
    assert not find(draw(look_at(guessed(), "ADA")), "The secret is set.")
    assert draw(look_at(guessed(), "ADA"), SMALL)[-2].strip() == "Bob  Hello!"
    assert draw(look_at(guessed(), "ADA", notes=[]), SMALL)[-2].strip() == ""


@pytest.mark.parametrize("extent", [SMALL, USUAL, LARGE])
def test_all_that_happened_takes_the_place_of_the_board(extent):
    rows = draw(look_at(guessed(), "ADA", back=0), extent)

    assert find(rows, "What happened")
    assert find(rows, "The secret is set.")
    assert find(rows, "Bob says: Hello!")
    assert find(rows, "Bob's turn")
    assert not find(rows, "  1  R")


def test_the_mouse_picks_places_and_colours_by_every_cell():
    picked: list[tuple[str, int]] = []
    clicks = RowClicks(
        lambda place: picked.append(("place", place)),
        lambda colour: picked.append(("colour", colour)),
    )
    entry = Entry.empty(guessed().rules).place(2)
    lines = draw_match(look_at(guessed(), "BOB", entry=entry), USUAL, LOOK, clicks)

    for words in ("[   ]", "=====", " Y ", " 4 "):
        click(lines, words)

    assert picked == [("place", 1), ("place", 1), ("colour", 3), ("colour", 3)]


def test_nothing_can_be_picked_where_nothing_is_to_be_sent():
    for me in ("ADA", "CLEO"):
        lines = draw_match(look_at(guessed(), me), USUAL, LOOK, NO_CLICKS)
        assert all(len(fragment) == 2 for line in lines for fragment in line)


@pytest.mark.parametrize("extent", SIZES)
def test_a_wide_name_is_cut_with_a_sign(extent):
    maker, breaker = WIDE
    match = fold(
        [
            Opened(rules="classic", rounds=2),
            Joined(player=maker, seat=Seat.MAKER),
            Joined(player=breaker, seat=Seat.BREAKER),
        ]
    )
    match = do(match, maker.id, SetSecret(pegs("1234"), NONCE))
    for shown in (match, leave(match), do(match, breaker.id, GuessCode(pegs("1234")))):
        for intermission in (False, True):
            lines = draw_match(
                look_at(shown, "ADA", intermission=intermission), extent, LOOK, NO_CLICKS
            )
            assert_fits(lines, extent)


@pytest.mark.parametrize(
    ("match", "extent", "last"),
    [
        (sit(), SMALL, 0),
        (guessed("4x6/40", 3), SMALL, 0),
        (guessed("4x6/40", 30), USUAL, 31 - 14),
        (fold([Opened(rules="classic", rounds=1)]), SMALL, 0),
        (play(game("1234", "1234")), SMALL, 0),
    ],
)
def test_the_board_can_be_scrolled_as_far_as_guesses_are_out_of_sight(match, extent, last):
    scene = look_at(match, "BOB")

    assert find_last_top(scene, extent) == last
    if last:
        scene = replace(scene, top=last)
        at_end = draw(scene, extent)
        scene = replace(scene, top=None)
        assert draw(scene, extent) == at_end
        scene = replace(scene, top=last - 1)
        assert draw(scene, extent) != at_end
