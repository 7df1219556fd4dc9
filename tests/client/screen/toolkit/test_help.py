import pytest

from mastermind_client.language import LANGUAGES, use_language
from mastermind_client.messages.rules import describe_rules
from mastermind_client.screen.theme.look import UNICODE
from mastermind_client.screen.toolkit.help import Help
from mastermind_client.screen.toolkit.keys import Key
from mastermind_client.screen.toolkit.lines import Extent, Glyphs, Line, text, width
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


def make_help(*, teaches: bool = False) -> Help:
    return Help(lambda _help, _extent: [], teaches=teaches)


def draw_help(
    table: list[Key], explained: list[str], glyphs: Glyphs, extent: Extent, top: int = 0
) -> list[Line]:
    help_ = make_help()
    help_.scroll(top)
    return help_.draw_keys(table, explained, glyphs, extent)


def all_pages(rules: Rules | None, extent: Extent) -> list[list[Line]]:
    return [draw_help(TABLE, explain(rules), UNICODE, extent, top) for top in range(40)]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("extent", EXTENTS)
@pytest.mark.parametrize("rules", [None, *RULES], ids=str)
def test_the_help_fits_at_every_scroll_position(rules, extent, language):
    use_language(language)
    for page in all_pages(rules, extent):
        assert len(page) <= extent.rows
        assert {width(line) for line in page} == {extent.columns}


@pytest.mark.parametrize("extent", EXTENTS)
@pytest.mark.parametrize("rules", [None, *RULES], ids=str)
def test_scrolling_shows_all_of_the_rules_and_stops_at_their_end(rules, extent):
    help_ = make_help()
    help_.scroll(99)
    help_.draw_keys(TABLE, explain(rules), UNICODE, extent)
    last = help_.top
    pages = all_pages(rules, extent)
    assert pages[last] == pages[-1]
    assert last == 0 or pages[last - 1] != pages[last]
    seen = {row for page in pages for row in words(page).split()}
    for paragraph in explain(rules):
        assert seen.issuperset(paragraph.split())


def test_a_long_help_names_pagedown_and_stops_at_its_end():
    table = [key(letter, f"do {letter}") for letter in "abcdefghijklmnopqrstuvwxyz"]
    extent = Extent(60, 18)
    first, last = draw_help(table, [], UNICODE, extent), draw_help(table, [], UNICODE, extent, 99)
    assert "PageDown for more" in read(first)[0]
    assert words(first).startswith("a do a b do b")
    assert words(last).endswith("y do y z do z")
    assert len(first) == len(last) == extent.rows


def test_an_inactive_key_is_not_in_the_help():
    table = [Key(("x",), "burn the board", lambda: None, when=lambda: False), *TABLE]
    assert "burn" not in words(draw_help(table, [], UNICODE, Extent(80, 22)))
    assert draw_help([], [], UNICODE, Extent(80, 22))


def test_a_lesson_follows_the_keys():
    for teaches in (False, True):
        help_, closed = make_help(teaches=teaches), list[str]()
        help_.close = lambda closed=closed: closed.append("closed")  # type: ignore[misc]
        assert ("how to play" in shorts(help_)) == teaches
        if teaches:
            help_.scroll(5)
            press(help_, "?")
            assert (help_.lesson, help_.top) == (True, 0)
        assert closed == []
        press(help_, "?")
        assert closed == ["closed"]


def test_a_lesson_is_centred_and_scrolls():
    help_, lesson = make_help(teaches=True), [text(f"line {number:02}") for number in range(30)]
    first = help_.draw_lesson(lesson, UNICODE, Extent(60, 18))
    assert {width(line) for line in first} == {60}
    assert read(first)[1].strip("│") == "line 00".center(58).rstrip().ljust(58)
    help_.scroll(99)
    assert words(help_.draw_lesson(lesson, UNICODE, Extent(60, 18))).endswith("line 29")


def press(help_: Help, name: str) -> None:
    next(key for key in help_.keys if name in key.alternatives and key.when()).act()


def shorts(help_: Help) -> list[str]:
    return [key.short for key in help_.keys if key.when()]
