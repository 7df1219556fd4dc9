"""Golden screens: every screen in all sizes, with colours and without.

    GOLDEN=write make test ARGS=tests/scenes

writes the golden files again. Read the difference before you commit it.
"""

import re
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager

import pytest
from msgspec.structs import replace
from pyte.screens import Char

from kit.screen import golden
from kit.screen.day_scenes import DAY_SCENES
from kit.screen.scenes import SCENES, SETTINGS, Scene
from kit.screen.solving_scenes import SOLVING_SCENES
from kit.screen.stage import ENVIRON, Stage, stage
from mastermind_client.config.settings import Glyphs
from mastermind_client.language import use_language
from mastermind_client.screen.theme import Look
from mastermind_client.screen.theme.look import UNICODE
from mastermind_client.screen.toolkit import lines
from mastermind_client.screen.toolkit.lines import Extent, Fragment, Line, width

SMALLEST, DEFAULT_LIMITS, WIDE = (60, 20), (80, 24), (120, 40)
SIZES = (DEFAULT_LIMITS, WIDE, SMALLEST)
OTHER_SIZES = ((61, 20), (75, 21), (100, 50), (300, 100))
KEPT_IN_ALL_SIZES = {
    "home", "find", "settings", "match-breaker", "match-largest", "match-advice", "result",
    "replay", "help-match", "waiting-link", "match-clock", "match-clock-low",
    "leaderboard", "player", "home-day", "day", "day-cracked", "helper", "helper-wrong",
    "puzzle-wrong",
}  # fmt: skip
KEPT_IN_MONO = {"home", "match-advice"}
MONO = {**ENVIRON, "NO_COLOR": "1"}
STATUS_ROWS = 2  # below the rows of a screen
_FRAMED = re.compile(r"\(( *)([A-Z0-9])( *)\)")  # a peg without colours
_EDGES = "▄▀▐▌▆"  # of tiles
_BARE = str.maketrans(dict.fromkeys(_EDGES, " "))

ALL_SCENES = (*SCENES, *DAY_SCENES, *SOLVING_SCENES)
each_scene = pytest.mark.parametrize("scene", ALL_SCENES, ids=lambda scene: scene.name)


@pytest.fixture(autouse=True)
def _machine(monkeypatch):
    """Screens show the time zone of the machine, and the path of the settings."""
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "UTC")
        patch.setenv("XDG_CONFIG_HOME", "/home/ada/.config")
        time.tzset()
        yield
    time.tzset()


@each_scene
async def test_a_screen_is_as_in_its_golden_file_and_the_same_without_colours(scene, monkeypatch):
    use_language(scene.language)
    async with performing(scene) as shown:
        coloured, plain = take_pictures(shown, scene, ENVIRON), take_pictures(shown, scene, MONO)
        wear(shown, ENVIRON, glyphs="ascii")
        ascii_text = "\n".join(golden.read_text(shown.screen))
        wear(shown, ENVIRON)
        cut = find_cut_off(shown, monkeypatch, scene.says) if scene.shows_all else []
    parts: dict[str, list[str]] = {}
    for size, picture in coloured.items():
        mono = plain[size]
        assert not any(golden.is_coloured(cell) for cell in mono.cells)
        assert [bare(line) for line in mono.text] == [bare(line) for line in picture.text]
        assert all(map(is_alike, picture.cells, mono.cells))
        for tile in picture.tiles:
            if set(tile) - set(_EDGES):
                assert "".join(tile.split()).strip("[]").isalnum(), f"no symbol on {tile!r}"
        for words in scene.says:
            assert words in "\n".join(picture.text)
        if size == sizes(scene)[0] or scene.name in KEPT_IN_ALL_SIZES:
            parts |= name_parts(size, picture)
        if size == DEFAULT_LIMITS and scene.name in KEPT_IN_MONO:
            parts |= name_parts(size, mono, " mono")
    golden.compare(scene.name, parts)
    assert scene.language != "en" or ascii_text.isascii(), ascii_text
    assert not cut


@pytest.mark.parametrize(
    "scene",
    [scene for scene in ALL_SCENES if scene.shows_all and scene.language == "en"],
    ids=lambda scene: scene.name,
)
async def test_a_screen_in_polish_is_whole_in_every_size(scene, monkeypatch):
    use_language("pl")
    async with performing(scene) as shown:
        assert not find_cut_off(shown, monkeypatch)


def test_no_golden_file_is_left_over():
    assert {path.stem for path in golden.FOLDER.glob("*")} == {scene.name for scene in ALL_SCENES}


def take_pictures(
    shown: Stage, scene: Scene, environ: Mapping[str, str]
) -> dict[tuple[int, int], golden.Picture]:
    """Return pictures of a scene in its sizes."""
    pictures = {}
    for size in sizes(scene):
        shown.glass.resize(*size)
        wear(shown, environ)
        pictures[size] = golden.take(shown.screen)
    return pictures


def name_parts(
    size: tuple[int, int], picture: golden.Picture, kind: str = ""
) -> dict[str, list[str]]:
    """Return the parts of a golden file that describe a picture."""
    title = "{}x{}".format(*size) + kind
    return {title: picture.text, f"{title} attributes": picture.attributes}


def wear(shown: Stage, environ: Mapping[str, str], glyphs: Glyphs = SETTINGS.glyphs) -> None:
    """Draw the whole screen again, with the look that this environment and these glyphs select.

    prompt_toolkit leaves the attributes of blank cells as an earlier drawing has made them, and
    the number of drawings depends on the machine's speed. So the screen is erased first.
    """
    chosen = replace(SETTINGS, glyphs=glyphs)
    shown.app.look = Look.choose(chosen.palette, chosen.color, chosen.glyphs, environ, "utf-8")
    shown.terminal.restyle(shown.app.look.style(), shown.app.look.depth)
    shown.terminal.application._redraw()


def find_cut_off(
    shown: Stage, monkeypatch: pytest.MonkeyPatch, says: Sequence[str] = ()
) -> list[str]:
    """Draw a scene in many sizes, and return the lines that are cut off without an ellipsis.

    Asserts that each drawing fits the terminal and contains the words of `says`.
    """
    cut: list[str] = []
    crop = lines.crop

    def watched(line: Sequence[Fragment], columns: int, ellipsis: str = "") -> Line:
        cropped = crop(line, columns, ellipsis)
        given, kept = read(line), read(cropped)
        if not kept.endswith(UNICODE.ellipsis) and given[len(kept) :].strip():
            cut.append(given)
        return cropped

    with monkeypatch.context() as patch:
        patch.setattr(lines, "crop", watched)
        for columns, rows in (*SIZES, *OTHER_SIZES):
            room = Extent(columns, rows - STATUS_ROWS)
            drawn = shown.app.screen.draw(room)
            whole = shown.app.draw(Extent(columns, rows))
            assert len(drawn) <= room.rows, "rows are cut off at the bottom"
            assert max(width(line) for line in drawn) <= columns
            assert len(whole) == rows
            assert max(width(line) for line in whole) <= columns
            for words in says:
                assert words in "\n".join(read(line) for line in whole), (columns, rows)
    return cut


def sizes(scene: Scene) -> tuple[tuple[int, int], ...]:
    """Return the sizes of a scene's pictures."""
    return SIZES if scene.size is None else (scene.size,)


@asynccontextmanager
async def performing(scene: Scene) -> AsyncIterator[Stage]:
    """Play a scene, and wait until the app is idle."""
    columns, rows = sizes(scene)[0]
    async with stage(columns, rows, settings=SETTINGS, opening=scene.open) as shown:
        pressed: list[object] = []
        shown.terminal.application.key_processor.after_key_press += pressed.append
        for key in scene.keys:
            await shown.until(lambda: not shown.app.busy)
            pressed.clear()
            shown.press(key)
            await shown.until(lambda: bool(pressed))
        await shown.until(lambda: not shown.app.busy)
        yield shown


def read(line: Sequence[Fragment]) -> str:
    """Return the text of a line."""
    return "".join(fragment[1] for fragment in line)


def bare(line: str) -> str:
    """Return a line without the edges of tiles, and without the brackets of pegs in mono."""
    return _FRAMED.sub(r" \1\2\3 ", line).translate(_BARE).rstrip()


def is_alike(cell: Char, mono: Char) -> bool:
    """Return whether a cell is reversed in mono as in colours, and bold if it is bold there."""
    return cell.reverse == mono.reverse and (mono.bold or not cell.bold or cell.data in _EDGES)
