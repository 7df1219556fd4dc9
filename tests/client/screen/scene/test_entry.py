import sys
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit.strategies import any_rules, brief, codes_of, thorough
from mastermind_client.screen.scene.entry import Entry, find_colour
from mastermind_protocol.rules import DEFAULT, PRESETS, Rules, find_rules

LAB = PRESETS["lab"]
EMPTY = Entry.empty(DEFAULT)

rules_and_code = any_rules.flatmap(lambda rules: st.tuples(st.just(rules), codes_of(rules)))


def type_all(text: str, rules: Rules = DEFAULT, entry: Entry | None = None) -> Entry:
    entry = Entry.empty(rules) if entry is None else entry
    for symbol in text:
        entry = entry.type(symbol, rules)
    return entry


def steps(rules: Rules) -> st.SearchStrategy[Callable[[Entry], Entry]]:
    """Return everything that can be done to a row of these rules."""
    places, colours = st.integers(0, rules.pegs - 1), st.integers(0, rules.colours - 1)
    symbols = st.characters() | st.sampled_from("".join(rules.alphabets) + " ,RGBYrgby0169")
    return st.one_of(
        st.sampled_from([Entry.left, Entry.right, Entry.take_out, Entry.back, Entry.clear]),
        symbols.map(lambda symbol: lambda entry: entry.type(symbol, rules)),
        st.text(symbols, max_size=rules.pegs + 2).map(
            lambda text: lambda entry: entry.paste(text, rules)
        ),
        st.sampled_from([1, -1]).map(lambda step: lambda entry: entry.turn(step, rules)),
        st.tuples(places, st.none() | colours).map(
            lambda drawn: lambda entry: entry.put(drawn[0], drawn[1])
        ),
        places.map(lambda place: lambda entry: entry.at(place)),
        colours.map(lambda colour: lambda entry: entry.place(colour)),
        codes_of(rules).map(lambda code: lambda entry: entry.fill(code)),
    )


@given(any_rules, st.data())
@thorough
def test_whatever_is_done_leaves_a_row_of_the_rules(rules, data):
    entry = Entry.empty(rules)

    for step in data.draw(st.lists(steps(rules), max_size=12)):
        entry = step(entry)

        assert len(entry.pegs) == rules.pegs
        assert 0 <= entry.cursor <= rules.pegs - (None in entry.pegs)
        assert all(peg is None or 0 <= peg < rules.colours for peg in entry.pegs)
        assert (entry.code is not None) == (None not in entry.pegs)


@given(rules_and_code, st.data())
@thorough
def test_a_code_is_typed_in_any_alphabet_and_either_case(drawn, data):
    rules, code = drawn
    letters = "".join(colour[0] for colour in rules.palette)
    symbols = [data.draw(st.sampled_from([*rules.alphabets, letters]))[colour] for colour in code]
    text = "".join(data.draw(st.sampled_from([str.upper, str.lower]))(part) for part in symbols)

    assert type_all(text, rules).code == code
    assert type_all(" ".join(text), rules).code == code
    assert Entry.empty(rules).paste(text, rules) == type_all(text, rules)


@pytest.mark.parametrize("rules", PRESETS.values(), ids=str)
def test_every_preset_is_typed_by_its_symbols_and_by_the_letters_on_its_pegs(rules):
    letters = "".join(colour[0].upper() for colour in rules.palette)

    for alphabet in (*rules.alphabets, letters):
        for colour, symbol in enumerate(alphabet):
            entry = type_all(symbol * rules.pegs, rules)
            assert entry.code == (colour,) * rules.pegs
            assert entry.notice == ""


def test_nothing_else_is_a_colour():
    alike = [chr(code) for code in range(1, sys.maxunicode + 1) if chr(code).upper().isascii()]
    for rules in PRESETS.values():
        own = "".join(rules.alphabets) + "".join(colour[0] for colour in rules.palette)

        accepted = {symbol for symbol in alike if find_colour(symbol, rules) is not None}
        assert accepted == {*own.upper(), *own.lower()}
        assert find_colour("", rules) is find_colour("RG", rules) is None


def test_a_symbol_of_the_rules_comes_before_a_letter_of_another_colour():
    rules = Rules("swapped", 4, 10, ("red", "green", "blue"), ("GRX",))

    assert [find_colour(symbol, rules) for symbol in "GRXB"] == [0, 1, 2, 2]


@pytest.mark.parametrize(
    ("before", "symbol", "rules", "told"),
    [
        ("11", "7", DEFAULT, "no 7 here: 1 to 6."),
        ("11", "x", DEFAULT, "no X here: R G B Y O P."),
        ("", "6", LAB, "no 6 here: 0 to 5."),
        ("r", "Q", PRESETS["eight"], "no Q here: R G B Y V O P T."),
        ("", "\x1b", find_rules("3x2"), "no ? here: R G."),
    ],
)
def test_a_wrong_symbol_changes_nothing_and_is_told_what_is_allowed(before, symbol, rules, told):
    entry = type_all(before, rules)

    refused = entry.type(symbol, rules)

    assert refused.notice == told
    assert (refused.pegs, refused.cursor) == (entry.pegs, entry.cursor)


@given(st.data())
@brief
def test_the_next_thing_done_ends_a_notice(data):
    refused = EMPTY.type("x", DEFAULT)
    assert refused.notice
    moved = data.draw(
        st.sampled_from(
            [
                *(refused.left(), refused.right()),
                *(refused.take_out(), refused.back(), refused.clear(), refused.at(2)),
                *(refused.type("1", DEFAULT), refused.type(",", DEFAULT), refused.place(0)),
                *(refused.put(0, 1), refused.turn(1, DEFAULT), refused.fill((0, 0, 0, 0))),
                refused.paste("1122", DEFAULT),
            ]
        )
    )

    assert moved.notice == ""


def test_typing_moves_on_until_the_row_is_full():
    assert [type_all("1234"[:n]).cursor for n in range(5)] == [0, 1, 2, 3, 4]


def test_what_is_typed_behind_a_full_row_replaces_nothing_and_is_told():
    full = type_all("1234")

    refused = full.type("5", DEFAULT)

    assert refused.pegs == full.pegs
    assert refused.notice == "the row is full: Enter sends, Del clears."
    assert full.left().type("5", DEFAULT).code == (0, 1, 2, 4)
    assert full.at(1).type("5", DEFAULT).cursor == 2


def test_behind_the_last_place_comes_the_one_that_was_left_out():
    skipped = type_all("234", entry=EMPTY.right())

    assert skipped.cursor == 0
    assert skipped.type("1", DEFAULT).cursor == 4


def test_only_a_full_row_can_have_the_cursor_behind_it():
    assert Entry((0, 1), 2).cursor == 2
    with pytest.raises(ValueError, match="place 2 is none of this row: it has 0 to 1"):
        Entry((0, None), 2)


@pytest.mark.parametrize("separator", [" ", ",", ";", "-", "\t", "\n"])
def test_what_stands_between_pegs_does_nothing(separator):
    assert type_all(f"1{separator}2") == type_all("12")


def test_a_paste_goes_on_at_the_cursor_or_begins_anew_if_it_is_longer():
    half = type_all("11")

    assert half.paste("34", DEFAULT).code == (0, 0, 2, 3)
    assert half.paste("3, 4, 5", DEFAULT).pegs == (2, 3, 4, None)
    assert half.paste("2233\n", DEFAULT).code == (1, 1, 2, 2)
    assert half.paste(" ", DEFAULT) == half


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("12x4", "peg 3: no X here"),
        ("11223", "a code of classic has 4 pegs, and 5 were given"),
    ],
)
def test_a_wrong_paste_changes_nothing(text, told):
    half = type_all("11")

    refused = half.paste(text, DEFAULT)

    assert told in refused.notice
    assert (refused.pegs, refused.cursor) == (half.pegs, half.cursor)


def test_the_cursor_stops_at_both_ends():
    last = EMPTY.at(3)
    assert EMPTY.left() == EMPTY.at(0) == EMPTY
    assert EMPTY.right().cursor == 1
    assert last.cursor == last.right().cursor == 3
    assert last.left().cursor == EMPTY.at(2).cursor == 2


def test_a_peg_is_turned_through_all_colours_and_round():
    seen = []
    entry = EMPTY.at(1)
    for _ in range(7):
        entry = entry.turn(1, DEFAULT)
        seen.append(entry.pegs[1])

    assert seen == [0, 1, 2, 3, 4, 5, 0]
    assert entry.cursor == 1
    assert EMPTY.turn(-1, DEFAULT).pegs == (5, None, None, None)
    assert EMPTY.turn(-1, DEFAULT).turn(-1, DEFAULT).pegs[0] == 4
    assert EMPTY.put(0, 0).turn(-1, DEFAULT).pegs[0] == 5


def test_a_peg_is_taken_out_where_the_cursor_is():
    taken = type_all("1234").at(1).take_out()

    assert taken.pegs == (0, None, 2, 3)
    assert taken.cursor == 1
    assert taken.take_out() == taken


def test_backspace_undoes_what_was_typed_last():
    entry = type_all("1234")
    rows = []
    for _ in range(5):
        entry = entry.back()
        rows.append((entry.pegs, entry.cursor))

    assert rows == [
        ((0, 1, 2, None), 3),
        ((0, 1, None, None), 2),
        ((0, None, None, None), 1),
        ((None, None, None, None), 0),
        ((None, None, None, None), 0),
    ]


def test_a_row_is_cleared_at_once():
    assert type_all("1234").clear() == EMPTY


def test_the_mouse_puts_a_colour_as_typing_does():
    assert EMPTY.place(2) == type_all("3")
    assert EMPTY.put(3, 4).pegs == (None, None, None, 4)
    assert EMPTY.put(3, 4).cursor == 0


@given(rules_and_code)
@brief
def test_a_code_that_is_filled_in_is_the_code(drawn):
    rules, code = drawn
    filled = Entry.empty(rules).fill(code)

    assert filled.code == code
    assert filled.back().pegs == (*code[:-1], None)


def test_a_row_that_is_not_full_has_no_code():
    assert EMPTY.code is type_all("123").code is None


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (lambda: EMPTY.at(4), "place 4 is none of this row: it has 0 to 3"),
        (lambda: EMPTY.put(-1, 0), "place -1 is none of this row"),
        (lambda: EMPTY.place(-1), "-1 is no colour"),
        (lambda: EMPTY.fill((0, 1)), "a code of 2 pegs does not fit a row of 4"),
    ],
)
def test_what_cannot_be_in_a_row_is_named(wrong, told):
    with pytest.raises(ValueError, match=told):
        wrong()
