import pytest

from mastermind_client.language import LANGUAGES, use_language
from mastermind_client.screen.kit.help import Help
from mastermind_client.screen.kit.keys import Key
from mastermind_client.screen.kit.lines import Extent, Glyphs, Line, text, width
from mastermind_client.screen.look.glyphs import UNICODE
from mastermind_client.words.rules import describe_rules
from mastermind_protocol.rules import PRESETS, Rules, find_rules

EXTENTS = [Extent(60, 18), Extent(80, 22), Extent(120, 38), Extent(300, 98)]
RULES = [*PRESETS.values(), find_rules("9x12/99")]


def key(name: str, does: str) -> Key:
    return Key((name,), does, lambda: None)


TABLE = [
    key("left", "go to the left"),
    key("f2", "take advice; the others are told of it, so that nobody is deceived by it at all"),
    key("?", "this help"),
]


def read(lines: list[Line]) -> list[str]:
    return ["".join(fragment[1] for fragment in line).rstrip() for line in lines]


def words(lines: list[Line]) -> str:
    """Return the text within the frame, without line breaks."""
    return " ".join(" ".join(row[1:-1].split()) for row in read(lines)[1:-1])


def explain(rules: Rules | None) -> list[str]:
    return [] if rules is None else describe_rules(rules)


def draw_help(
    table: list[Key], explained: list[str], glyphs: Glyphs, extent: Extent, top: int = 0
) -> list[Line]:
    help_ = Help()
    help_.scroll(top)
    return help_.draw_keys(table, explained, glyphs, extent)


def all_pages(rules: Rules | None, extent: Extent) -> list[list[Line]]:
    return [draw_help(TABLE, explain(rules), UNICODE, extent, top) for top in range(40)]


@pytest.mark.parametrize("extent", EXTENTS)
def test_the_help_is_made_from_the_table(extent):
    shown = read(draw_help(TABLE, [], UNICODE, extent))

    assert " Help " in shown[0]
    assert any("Left " in row and "go to the left" in row for row in shown)
    assert any("? " in row and "this help" in row for row in shown)
    assert "so that nobody is deceived" in " ".join(
        words(draw_help(TABLE, [], UNICODE, extent)).split()
    )


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("extent", EXTENTS)
@pytest.mark.parametrize("rules", [None, *RULES], ids=str)
def test_the_help_fits_into_its_extent_wherever_it_is_scrolled_to(rules, extent, language):
    use_language(language)
    for page in all_pages(rules, extent):
        assert len(page) <= extent.rows
        assert {width(line) for line in page} == {extent.columns}


@pytest.mark.parametrize("extent", EXTENTS)
@pytest.mark.parametrize("rules", RULES, ids=str)
def test_all_of_the_rules_can_be_read(rules, extent):
    pages = all_pages(rules, extent)
    seen = {row for page in pages for row in words(page).split()}

    for paragraph in describe_rules(rules):
        assert seen.issuperset(paragraph.split())


def test_a_help_that_is_too_long_says_so_and_stops_at_its_end():
    table = [key(letter, f"do {letter}") for letter in "abcdefghijklmnopqrstuvwxyz"]
    extent = Extent(60, 18)

    first, last = draw_help(table, [], UNICODE, extent), draw_help(table, [], UNICODE, extent, 99)

    assert "PageDown for more" in read(first)[0]
    assert words(first).startswith("a do a b do b")
    assert words(last).endswith("y do y z do z")
    assert len(first) == len(last) == extent.rows


@pytest.mark.parametrize("extent", EXTENTS)
@pytest.mark.parametrize("rules", [None, *RULES], ids=str)
def test_the_last_place_to_scroll_to_is_where_the_end_is_first_seen(rules, extent):
    help_ = Help()
    help_.scroll(99)
    help_.draw_keys(TABLE, explain(rules), UNICODE, extent)
    last = help_.top
    pages = all_pages(rules, extent)

    assert pages[last] == pages[-1]
    assert last == 0 or pages[last - 1] != pages[last]


def test_keys_and_rules_lie_side_by_side_where_there_is_room():
    shown = draw_help(TABLE, describe_rules(RULES[0]), UNICODE, Extent(120, 38))
    row = next(row for row in read(shown) if "Left" in row)

    assert "go to the left" in row
    assert describe_rules(RULES[0])[0].split()[0] in row


def test_a_key_that_does_nothing_now_is_not_in_the_help():
    table = [Key(("x",), "burn the board", lambda: None, when=lambda: False), *TABLE]

    assert "burn" not in words(draw_help(table, [], UNICODE, Extent(80, 22)))
    assert draw_help([], [], UNICODE, Extent(80, 22))


def test_a_lesson_comes_first_and_is_turned_over_to_the_keys():
    help_ = Help()
    help_.begin(lesson=True)
    assert "keys" in shorts(help_)
    press(help_, "?")
    assert help_.shown
    assert not help_.lesson
    press(help_, "?")
    assert not help_.shown


def test_a_help_without_a_lesson_is_closed_by_the_key_that_opened_it():
    help_ = Help()
    help_.begin(lesson=False)
    assert "keys" not in shorts(help_)
    press(help_, "?")
    assert not help_.shown


def test_a_lesson_is_in_the_middle_of_its_frame_and_scrolled_where_it_is_too_long():
    help_, lesson = Help(), [text(f"line {number:02}") for number in range(30)]
    help_.begin(lesson=True)
    first = help_.draw_lesson(lesson, UNICODE, Extent(60, 18))
    assert {width(line) for line in first} == {60}
    assert read(first)[1].strip("│") == "line 00".center(58).rstrip().ljust(58)
    help_.scroll(99)
    assert words(help_.draw_lesson(lesson, UNICODE, Extent(60, 18))).endswith("line 29")
    press(help_, "?")
    assert help_.top == 0


def press(help_: Help, name: str) -> None:
    next(key for key in help_.keys if name in key.keys and key.when()).act()


def shorts(help_: Help) -> list[str]:
    return [key.short for key in help_.keys if key.when()]
