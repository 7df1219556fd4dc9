from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit.strategies import any_rules, brief, codes_of, thorough
from mastermind_client.screen.scene.entry import Entry
from mastermind_protocol.rules import DEFAULT, PRESETS, Rules, find_rules

LAB, BULLS = PRESETS["lab"], PRESETS["bulls"]
EMPTY = Entry.empty(DEFAULT)

rules_and_code = any_rules.flatmap(lambda rules: st.tuples(st.just(rules), codes_of(rules)))


def type_all(text: str, rules: Rules = DEFAULT, entry: Entry | None = None) -> Entry:
    entry = Entry.empty(rules) if entry is None else entry
    for symbol in text:
        entry = entry.accept(entry.type(symbol, rules), rules)
    return entry


def steps(rules: Rules) -> st.SearchStrategy[Callable[[Entry], Entry]]:
    """Return everything that can be done to a row of these rules."""
    places, colours = st.integers(0, rules.pegs - 1), st.integers(0, rules.colours - 1)
    symbols = st.characters() | st.sampled_from("".join(rules.alphabets) + " ,RGBYrgby0169")
    return st.one_of(
        st.sampled_from(
            [Entry.left, Entry.right, Entry.remove, Entry.backspace, Entry.clear, Entry.fill_rest]
        ),
        symbols.map(lambda symbol: lambda entry: entry.type(symbol, rules)),
        st.text(symbols, max_size=rules.pegs + 2).map(
            lambda text: lambda entry: entry.paste(text, rules)
        ),
        st.sampled_from([1, -1]).map(lambda step: lambda entry: entry.cycle(step, rules)),
        st.tuples(places, st.none() | colours).map(
            lambda drawn: lambda entry: entry.put(drawn[0], drawn[1])
        ),
        places.map(lambda place: lambda entry: entry.move_to(place)),
        colours.map(lambda colour: lambda entry: entry.place_at_cursor(colour)),
        codes_of(rules).map(lambda code: lambda entry: entry.fill(code)),
    )


@given(any_rules, st.data())
@thorough
def test_every_operation_keeps_a_valid_row(rules, data):
    entry = Entry.empty(rules)
    for step in data.draw(st.lists(steps(rules), max_size=12)):
        entry = entry.accept(step(entry), rules)
        assert len(entry.pegs) == rules.pegs
        assert 0 <= entry.cursor <= rules.pegs - (None in entry.pegs)
        assert all(peg is None or 0 <= peg < rules.colours for peg in entry.pegs)
        assert (entry.code is not None) == (None not in entry.pegs)
        filled = [peg for peg in entry.pegs if peg is not None]
        assert rules.repeats or len(filled) == len({*filled})


@given(rules_and_code, st.data())
@thorough
def test_a_code_is_typed_in_any_alphabet_and_either_case(drawn, data):
    rules, code = drawn
    letters = "".join(colour[0] for colour in rules.palette)
    symbols = [data.draw(st.sampled_from([*rules.alphabets, letters]))[colour] for colour in code]
    text = "".join(data.draw(st.sampled_from([str.upper, str.lower]))(part) for part in symbols)
    assert type_all(text, rules).code == code
    separator = data.draw(st.sampled_from(" ,;-\t\n"))
    assert type_all(separator.join(text), rules).code == code
    assert Entry.empty(rules).paste(text, rules) == type_all(text, rules)


@pytest.mark.parametrize(
    ("before", "symbol", "rules", "told"),
    [
        ("11", "7", DEFAULT, "no 7 here: 1 to 6."),
        ("11", "x", DEFAULT, "no X here: R G B Y O P."),
        ("", "6", LAB, "no 6 here: 0 to 5."),
        ("", "0", find_rules("4x9"), "no 0 here: 1 to 9."),
        ("", "x", find_rules("4x10u"), "no X here: R G B Y O P C M L T."),
        ("", "1", find_rules("4x11"), "no 1 here: R G B Y O P C M L T N."),
        ("r", "Q", PRESETS["eight"], "no Q here: R G B Y V O P T."),
        ("", "\x1b", find_rules("3x2"), "no ? here: R G."),
    ],
)
def test_a_wrong_symbol_changes_nothing_and_lists_the_allowed_ones(before, symbol, rules, told):
    entry = type_all(before, rules)
    refused = entry.type(symbol, rules)
    assert refused.notice == told
    assert (refused.pegs, refused.cursor) == (entry.pegs, entry.cursor)


@pytest.mark.parametrize(
    ("before", "change", "told"),
    [
        (
            "01",
            lambda entry: entry.type("0", BULLS),
            "0 is on peg 1 already: no repeats.",
        ),
        ("012", lambda entry: entry.move_to(0).place_at_cursor(2), "2 is on peg 3 already"),
        ("0", lambda entry: entry.paste("121", BULLS), "1 is on peg 2 already"),
        ("012", lambda entry: entry.paste("32", BULLS), "2 is on peg 3 already"),
        ("01", Entry.fill_rest, "1 is on peg 2 already"),
    ],
)
def test_a_second_peg_of_a_colour_is_refused_by_rules_without_repeats(before, change, told):
    entry = type_all(before, BULLS)
    refused = entry.accept(change(entry), BULLS)
    assert refused == replace(entry, notice=refused.notice)
    assert refused.notice.startswith(told)
    assert refused.accept(refused.type("9", BULLS), BULLS).notice == ""
    assert entry.accept(change(entry), LAB) == change(entry)


def test_without_repeats_a_peg_takes_only_colours_that_no_other_peg_has():
    entry = type_all("0123", BULLS).left()
    turned = [entry := entry.cycle(1, BULLS) for _ in range(7)]
    assert [pegs[3] for pegs in (each.pegs for each in turned)] == [4, 5, 6, 7, 8, 9, 3]
    three = Entry((0, None, 2)).right()
    assert three.cycle(1, find_rules("3x3u")).cycle(-1, find_rules("3x3u")).pegs == (0, 1, 2)


def test_every_operation_clears_the_notice():
    refused = EMPTY.type("x", DEFAULT)
    assert refused.notice
    for entry in (
        *(refused.left(), refused.right(), refused.move_to(2)),
        *(refused.remove(), refused.backspace(), refused.clear()),
        *(refused.type("1", DEFAULT), refused.type(",", DEFAULT), refused.place_at_cursor(0)),
        *(refused.put(0, 1), refused.cycle(1, DEFAULT), refused.fill((0, 0, 0, 0))),
        *(refused.paste("1122", DEFAULT), refused.fill_rest()),
    ):
        assert entry.notice == ""


def test_typing_after_a_full_row_changes_nothing():
    full = type_all("1234")
    refused = full.type("5", DEFAULT)
    assert refused.pegs == full.pegs
    assert refused.notice == "the row is full: Enter sends, Del clears."
    assert full.left().type("5", DEFAULT).code == (0, 1, 2, 4)
    assert full.move_to(1).type("5", DEFAULT).cursor == 2


def test_after_the_last_place_the_cursor_moves_to_an_empty_one():
    skipped = type_all("234", entry=EMPTY.right())
    assert skipped.cursor == 0
    assert skipped.type("1", DEFAULT).cursor == 4


@pytest.mark.parametrize(
    ("before", "filled"),
    [
        ((0, 1, None, None), (0, 1, 1, 1)),
        ((0, None, 2, None), (0, 0, 2, 0)),  # the colour before the first free place
        ((None, None, 3, None), (3, 3, 3, 3)),  # before it there is none: the first peg
        ((5, None, None, 0), (5, 5, 5, 0)),
        ((0, 1, 2, 3), (0, 1, 2, 3)),
    ],
)
def test_one_colour_fills_the_rest_of_the_row(before, filled):
    for cursor in range(4):
        assert Entry(before, cursor).fill_rest() == Entry(filled, 4)


def test_an_empty_row_has_no_colour_to_fill_it():
    assert EMPTY.right().fill_rest() == EMPTY


@given(any_rules, st.data())
@brief
def test_filling_keeps_the_pegs_and_adds_no_other_colour(rules, data):
    pegs = st.tuples(*[st.none() | st.integers(0, rules.colours - 1)] * rules.pegs)
    entry = Entry(data.draw(pegs))
    filled = entry.fill_rest()
    assert all(
        before in (None, after) for before, after in zip(entry.pegs, filled.pegs, strict=True)
    )
    assert {*filled.pegs} - {None} == {*entry.pegs} - {None}
    assert filled.fill_rest() == filled


def test_a_short_paste_starts_at_the_cursor_and_a_longer_one_replaces_the_row():
    half = type_all("11")
    assert half.paste("34", DEFAULT).code == (0, 0, 2, 3)
    assert half.paste("3, 4, 5", DEFAULT).pegs == (2, 3, 4, None)
    assert half.paste("2233\n", DEFAULT).code == (1, 1, 2, 2)
    assert half.paste("ＧＧ，ии　", DEFAULT).code == (1, 1, 2, 2)  # full-width, and another layout
    assert half.paste(" ", DEFAULT) == half


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("12x4", "peg 3: no X here"),
        ("11223", "A code of classic has 4 pegs, and 5 were given."),
    ],
)
def test_a_wrong_paste_changes_nothing(text, told):
    half = type_all("11")
    refused = half.paste(text, DEFAULT)
    assert told in refused.notice
    assert (refused.pegs, refused.cursor) == (half.pegs, half.cursor)


@pytest.mark.parametrize(
    ("typed", "steps", "pegs", "cursor"),
    [
        ("", "left", "....", 0),
        ("", "right", "....", 1),
        ("", "right right right right", "....", 3),
        ("1234", "left left", "1234", 2),
        ("", "up", "1...", 0),
        ("", "up up up up up up", "6...", 0),
        ("", "up up up up up up up", "1...", 0),
        ("", "down", "6...", 0),
        ("", "up down", "6...", 0),
        ("", "right down down", ".5..", 1),
        ("1234", "left left left remove", "1.34", 1),
        ("1234", "left left left remove remove", "1.34", 1),
        ("1234", "backspace", "123.", 3),
        ("1234", "backspace backspace backspace", "1...", 1),
        ("1234", "backspace backspace backspace backspace backspace", "....", 0),
        ("1234", "clear", "....", 0),
    ],
)
def test_keys_move_the_cursor_and_change_pegs(typed, steps, pegs, cursor):
    entry = type_all(typed)
    for step in steps.split():
        turn = {"up": 1, "down": -1}.get(step)
        entry = entry.cycle(turn, DEFAULT) if turn else getattr(entry, step)()
    shown = "".join("." if peg is None else str(peg + 1) for peg in entry.pegs)
    assert (shown, entry.cursor) == (pegs, cursor)


@given(rules_and_code)
@brief
def test_fill_sets_the_code(drawn):
    rules, code = drawn
    filled = Entry.empty(rules).fill(code)
    assert filled.code == code
    assert filled.backspace().pegs == (*code[:-1], None)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (lambda: EMPTY.move_to(4), "place 4 is none of this row: it has 0 to 3"),
        (lambda: EMPTY.put(-1, 0), "place -1 is none of this row"),
        (lambda: EMPTY.place_at_cursor(-1), "-1 is no colour"),
        (lambda: EMPTY.fill((0, 1)), "a code of 2 pegs does not fit a row of 4"),
    ],
)
def test_invalid_arguments_are_refused(wrong, told):
    with pytest.raises(ValueError, match=told):
        wrong()
