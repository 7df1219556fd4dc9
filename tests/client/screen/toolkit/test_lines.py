import pytest
from hypothesis import given
from hypothesis import strategies as st
from prompt_toolkit.utils import get_cwidth

from kit.strategies import brief, thorough
from mastermind_client.screen.toolkit.lines import (
    Extent,
    Line,
    centre,
    crop,
    fit,
    fit_parts,
    lay_over,
    make_inert,
    pad,
    side_by_side,
    spread,
    text,
    width,
    wrap,
)

WIDE = "名前の長い人"  # each two columns wide
MARKED = "e\u0301"  # e and a mark over it, which has no width of its own

letters = st.sampled_from([*"abc xyz.", "ł", *WIDE, "\u0301", "█", "●"])
words = st.text(letters, max_size=12)
lines = st.lists(
    words.map(lambda words: ("class:a", words))
    | words.map(lambda words: ("class:b", words, lambda: None)),
    max_size=5,
)
blocks = st.lists(lines, max_size=5)
columns = st.integers(0, 40)
extents = st.builds(Extent, columns, st.integers(0, 8))


def read(line: Line) -> str:
    return "".join(fragment[1] for fragment in line)


@given(lines, columns)
@thorough
def test_pad_returns_a_line_of_the_requested_width(line, columns):
    assert width(pad(line, columns)) == columns


@given(lines, columns, st.sampled_from(["", "…", "..."]))
@thorough
def test_crop_limits_the_width_and_keeps_a_short_line(line, columns, ellipsis):
    cropped = crop(line, columns, ellipsis)
    assert width(cropped) <= columns
    if width(line) <= columns:
        assert cropped == line
    else:
        shown = read(cropped)
        assert not get_cwidth(ellipsis) <= columns or shown.endswith(ellipsis)
        assert read(line).startswith(shown.removesuffix(ellipsis))


def test_crop_keeps_wide_characters_and_combining_marks_whole():
    assert read(crop(text(WIDE), 5)) == WIDE[:2]
    assert read(pad(text(WIDE), 5)) == WIDE[:2] + " "
    assert read(crop(text(MARKED + "bc"), 1)) == MARKED
    assert read(crop(text("Ala ma kota"), 6, "…")) == "Ala m…"
    assert read(crop(text("Ala ma kota"), 0, "…")) == ""


def test_cropped_text_stays_clickable():
    clicked: list[str] = []
    line: Line = [("", "ab"), ("", "cdef", lambda: clicked.append("cdef"))]
    last = crop(line, 4)[-1]
    assert last[1] == "cd"
    assert len(last) == 3
    last[2]()
    assert clicked == ["cdef"]


def test_make_inert_removes_click_handlers():
    line: Line = [("bold", "ab", lambda: None), ("", "cd")]
    assert make_inert(line) == [("bold", "ab"), ("", "cd")]


@given(lines, lines, columns)
@thorough
def test_spread_fills_the_line_and_keeps_its_right_end(left, right, columns):
    line = spread(left, right, columns)
    assert width(line) == columns
    assert read(line).endswith(read(right)) or width(right) > columns
    if width(left) + width(right) < columns:
        assert read(line).startswith(read(left))


@given(blocks, blocks, columns)
@brief
def test_side_by_side_joins_blocks_row_by_row(left, right, columns):
    rows = side_by_side(left, right, columns, "|")
    assert len(rows) == max(len(left), len(right))
    for number, row in enumerate(rows):
        right_one = right[number] if number < len(right) else []
        assert width(row) == columns + 1 + width(right_one)
        assert read(row).endswith("|" + read(right_one))


@given(st.text(st.sampled_from([*"abc  xyz", *WIDE, "\n"]), max_size=60), st.integers(0, 20))
@thorough
def test_wrapping_keeps_every_character(words, columns):
    wrapped = wrap(words, columns)
    assert "".join("".join(read(line).split()) for line in wrapped) == "".join(words.split())
    assert len(wrapped) >= len(words.splitlines())
    if columns >= 2:
        assert all(width(line) <= columns for line in wrapped)


def test_wrap_breaks_between_words_and_keeps_empty_lines():
    assert [read(line) for line in wrap("Ala ma kota.\n\nKot ma Alę.", 8)] == [
        *("Ala ma", "kota."),
        "",
        *("Kot ma", "Alę."),
    ]
    assert wrap("", 8) == [[("", "")]]
    wide = [read(line) for line in wrap(f"{WIDE} wins {WIDE}{WIDE}.", 20)]
    assert wide == [f"{WIDE} wins", WIDE + WIDE[:4], WIDE[4:] + "."]


@given(blocks, columns)
@brief
def test_centre_indents_all_lines_of_a_block_alike(block, columns):
    moved = centre(block, columns)
    indents = {width(after) - width(before) for before, after in zip(block, moved, strict=True)}
    assert len(indents - {0}) <= 1
    assert max(map(width, moved), default=0) <= max(columns, max(map(width, block), default=0))
    assert all(
        read(after).endswith(read(before)) for before, after in zip(block, moved, strict=True)
    )


def test_centre_leaves_equal_margins():
    assert [read(line) for line in centre([text("ab"), [], text("abcd")], 10)] == [
        "   ab",
        "",
        "   abcd",
    ]


@given(blocks, extents)
@brief
def test_fit_returns_a_block_of_the_extent(block, extent):
    fitted = fit(block, extent)
    assert len(fitted) == extent.rows
    assert all(width(line) <= extent.columns for line in fitted)


@pytest.mark.parametrize(
    ("rows", "gap", "fitting"),
    [
        (9, 0, ["aaa", "bb", "cccc"]),
        (8, 0, ["a", "bb", "cccc"]),
        (6, 0, ["", "bb", "cccc"]),
        (5, 0, ["a", "", "cccc"]),
        (3, 0, ["a", "bb", ""]),
        (9, 1, ["", "bb", "cccc"]),
        (0, 0, ["", "", ""]),
    ],
)
def test_fit_parts_drops_the_parts_with_the_lowest_priority(rows, gap, fitting):
    def make(letters: str) -> list[Line]:
        return [text(letter) for letter in letters]

    parts = [(1, [make("aaa"), make("a")]), (2, [make("bb")]), (3, [make("cccc")])]
    fitted = fit_parts(rows, parts, gap)
    assert ["".join(map(read, block)) for block in fitted] == fitting


@given(blocks, blocks, extents)
@brief
def test_lay_over_keeps_the_extent(below, above, extent):
    rows = lay_over(below, above, extent)
    assert len(rows) == extent.rows
    assert all(width(line) <= extent.columns for line in rows)


@given(blocks, blocks, extents)
@brief
def test_lay_over_changes_only_the_covered_cells(below, above, extent):
    columns = max(map(width, above), default=0)
    if columns > extent.columns or len(above) > extent.rows:
        return
    left, top = (extent.columns - columns) // 2, (extent.rows - len(above)) // 2

    rows = lay_over(below, above, extent)

    cells = [list_cells(line, extent.columns) for line in fit(below, extent)]
    for number, row in enumerate(rows):
        shown, before = list_cells(row, extent.columns), cells[number]
        if not top <= number < top + len(above):
            assert shown == before
            continue
        middle = list_cells(above[number - top], columns)
        assert shown[left : left + columns] == middle
        assert_cells_agree(shown[:left], before[:left])
        assert_cells_agree(shown[left + columns :], before[left + columns :])


def list_cells(line: Line, columns: int) -> list[str]:
    """Return the letter in each column, "" in the second one of a wide letter."""
    cells: list[str] = []
    for letter in read(line):
        cells += [letter, ""][: get_cwidth(letter)]
    return cells + [" "] * (columns - len(cells))


def assert_cells_agree(shown: list[str], before: list[str]) -> None:
    """A cut through a wide letter leaves a blank for its other half."""
    for column, (now, then) in enumerate(zip(shown, before, strict=True)):
        cut = (then == "" and column == 0) or (get_cwidth(then) == 2 and column == len(before) - 1)
        assert now == (" " if cut else then)
