from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from client.screen.looks import LOOK, assert_fits, show
from kit.matches import NONCE, do, game, leave, pegs, play, sit
from kit.strategies import any_rules, brief
from mastermind_client.messages.codes import list_peg_symbols
from mastermind_client.screen.match.board import NO_CLICKS
from mastermind_client.screen.match.notes import ADVISED_GUESSES
from mastermind_client.screen.match.view import count_scrollable_guesses, draw_match, plan_layout
from mastermind_client.screen.scene.entry import Entry
from mastermind_client.screen.scene.feed import Note, NoteKind
from mastermind_client.screen.scene.scene import Scene
from mastermind_client.screen.toolkit.lines import Extent
from mastermind_protocol.commands import GuessCode, SetSecret
from mastermind_protocol.events import Joined, Opened, Player, Seat
from mastermind_protocol.match import Match
from mastermind_protocol.messages import Advice, GuessMeasures
from mastermind_protocol.rules import Rules
from mastermind_protocol.transitions import fold

SMALL, USUAL, LARGE = Extent(60, 19), Extent(80, 23), Extent(100, 39)
SIZES = (SMALL, Extent(60, 23), Extent(79, 30), USUAL, Extent(90, 30), LARGE, Extent(100, 99))
NOTES = [
    Note(NoteKind.NEWS, "The secret is set."),
    Note(NoteKind.CHAT, "Bob says: Hello!", "BOB", name="Bob", words="Hello!"),
]
WIDE = (Player(id="ADA", name="\u4e00" * 24), Player(id="BOB", name="\u4e8c" * 24))


def guessed(rules: str = "classic", times: int = 1, rounds: int = 1) -> Match:
    match = sit(rules, rounds)
    number, colours = match.rules.pegs, match.rules.colours
    secret, guess = (0,) * number, (0,) * (number - 1) + (1,)
    if not match.rules.repeats:
        secret = tuple(range(number))
        guess = (*secret[1:], number % colours)
    match = do(match, "ADA", SetSecret(secret, NONCE))
    return do(match, "BOB", *[GuessCode(guess)] * times)


def look_at(match: Match, me: str, **more: object) -> Scene:
    values: dict[str, object] = {"entry": Entry.empty(match.rules), "notes": NOTES, **more}
    return Scene("7KQ2MX", match, me, **values)  # type: ignore[arg-type]


def draw(scene: Scene, extent: Extent = USUAL) -> list[str]:
    return show(draw_match(scene, plan_layout(scene, extent), LOOK, NO_CLICKS))


def find(rows: list[str], words: str) -> str:
    return next((row for row in rows if words in row), "")


def advise(rules: Rules) -> Advice:
    weighed = GuessMeasures((0,) * rules.pegs, possible=True, worst=3, size=1.5, bits=2, parts=3)
    return Advice(id=1, match="7KQ2MX", guess=1, left=3, guesses=(weighed,) * ADVISED_GUESSES)


def find_board(scene: Scene, extent: Extent) -> list[str]:
    """Return the drawn board without the column beside it."""
    layout = plan_layout(scene, extent)
    first = layout.top + (1 if layout.side else 2)
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
def test_every_match_fits_and_shows_the_current_row(rules, extent, me, times, advised, back):
    times = min(times, rules.guess_limit - 1)
    match = guessed(rules.name, times)
    advice = advise(rules) if me == "BOB" and advised else None
    scene = look_at(match, me, lines_back=back, advice=advice)

    lines = draw_match(scene, plan_layout(scene, extent), LOOK, NO_CLICKS)
    rows = show(lines)

    assert_fits(lines, extent)
    assert len(lines) == extent.rows
    assert find(rows, "Your turn" if me == "BOB" else "Bob's turn")
    if me == "BOB" and back is None:
        assert find(rows, f">{times + 1:2} ")
        palette = list_peg_symbols(rules)[:6]
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
def test_chat_advice_and_pegs_do_not_move_the_board(rules, extent, times, typed, talk, advised):
    match = guessed(rules.name, min(times, rules.guess_limit - 1))
    quiet = look_at(match, "BOB", notes=[])
    entry = quiet.entry
    for symbol in typed:
        entry = entry.type(symbol, rules)
    notes = [*NOTES, *[Note(NoteKind.CHAT, "x", "BOB", name="Bob", words="word " * 30)] * 9]
    busy = look_at(
        match,
        "BOB",
        entry=entry,
        notes=notes if talk else [],
        advice=advise(rules) if advised else None,
        excluding_guess=1 if times else None,
    )

    before, after = find_board(quiet, extent), find_board(busy, extent)

    assert len(before) == len(after)
    row = next(index for index, line in enumerate(before) if ">" in line)
    height = plan_layout(quiet, extent).tile.rows
    kept = [line for index, line in enumerate(before) if not row - 1 <= index < row + height]
    assert kept == [line for index, line in enumerate(after) if not row - 1 <= index < row + height]


@pytest.mark.parametrize("extent", SIZES)
@pytest.mark.parametrize("rules", ["classic", "mini", "eight", "9x12/99"])
def test_the_result_appears_with_the_last_guess_still_visible(rules, extent):
    match = guessed(rules, 5)
    match = do(match, "BOB", GuessCode((0,) * match.rules.pegs))
    rows = draw(look_at(match, "BOB"), extent)
    assert find(rows, "You win  Enter offers")
    assert find(rows, "broken in 6 guesses")
    assert find(rows, "> 6")


def test_the_title_names_rules_round_code_and_spectators():
    title = draw(look_at(guessed(rounds=2), "ADA", spectators=1))[0]
    assert " ".join(title.split()) == "Mastermind classic . round 1 of 2 7KQ2MX . 1 watching"
    assert not draw(look_at(guessed(), "ADA"), SMALL)[0].strip().startswith("Mastermind")
    assert draw(look_at(guessed(), "ADA"))[0].endswith(" 7KQ2MX")
    assert "rated" in draw(look_at(fold([Opened(rules="classic", rounds=1, rated=True)]), "X"))[0]
    assert "knuth . no limit" in draw(look_at(guessed("knuth"), "ADA"))[0]


def test_a_title_that_is_too_long_loses_whole_parts():
    title = draw(look_at(guessed("knuth", rounds=2), "ADA", spectators=1000), SMALL)[0]
    assert " ".join(title.split()) == "knuth . round 1 of 2 7KQ2MX . 1000 watching"


def play_round() -> Match:
    """Return a match of two rounds after the first one."""
    return do(
        do(sit(rounds=2), "ADA", SetSecret(pegs("1234"), NONCE)),
        "BOB",
        GuessCode(pegs("1122")),
        GuessCode(pegs("1234")),
    )


@pytest.mark.parametrize("extent", [SMALL, USUAL, LARGE])
def test_between_rounds_the_board_stays_and_the_next_task_is_named(extent):
    rows = draw(look_at(play_round(), "BOB", intermission=True), extent)

    assert "round 1 of 2" in rows[0]
    assert find(rows, "Ada's code")
    assert find(rows, "> 2")
    assert find(rows, "broken in 2 guesses")
    assert find(rows, "Your turn  Enter continues")

    rows = draw(look_at(play_round(), "BOB"), extent)
    assert "round 2 of 2" in rows[0]
    assert find(rows, "Four pegs that Ada will not guess.")


def test_only_players_see_the_plate_of_the_turn_reversed():
    for me, reversed_plates in (("ADA", 1), ("BOB", 2), ("CLEO", 0)):  # with the label
        scene = look_at(guessed(), me)
        lines = draw_match(scene, plan_layout(scene, USUAL), LOOK, NO_CLICKS)
        runs = [line for line in lines if any(piece[0] == "class:turn" for piece in line)]
        assert len(runs) == reversed_plates, me


def test_chat_is_beside_the_board_or_its_last_line_below():
    assert find(draw(look_at(guessed(), "ADA")), "   Bob  Hello!")
    assert not find(draw(look_at(guessed(), "ADA")), "The secret is set.")
    assert draw(look_at(guessed(), "ADA"), SMALL)[-2].strip() == "Bob  Hello!"
    assert draw(look_at(guessed(), "ADA", notes=[]), SMALL)[-2].strip() == ""


def test_without_a_turn_nothing_can_be_clicked():
    for me in ("ADA", "CLEO"):
        scene = look_at(guessed(), me)
        lines = draw_match(scene, plan_layout(scene, USUAL), LOOK, NO_CLICKS)
        assert all(len(fragment) == 2 for line in lines for fragment in line)


@pytest.mark.parametrize("extent", SIZES)
def test_wide_names_fit(extent):
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
            scene = look_at(shown, "ADA", intermission=intermission)
            lines = draw_match(scene, plan_layout(scene, extent), LOOK, NO_CLICKS)
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
def test_the_board_scrolls_by_the_number_of_hidden_guesses(match, extent, last):
    scene = look_at(match, "BOB")

    assert count_scrollable_guesses(scene, plan_layout(scene, extent)) == last
    if last:
        scene = replace(scene, top=last)
        at_end = draw(scene, extent)
        scene = replace(scene, top=None)
        assert draw(scene, extent) == at_end
        scene = replace(scene, top=last - 1)
        assert draw(scene, extent) != at_end
