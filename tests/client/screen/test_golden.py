"""Every screen as it is to be seen: at three sizes, in colours and without.

The files in `golden/` are what somebody has looked at. They are written anew by

    GOLDEN=write make test ARGS=tests/client/screen/test_golden.py

and then read: `git diff tests/client/screen/golden`.
"""

from __future__ import annotations

import os
import re
import time
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from client.screen import glass
from client.screen.scenes import SCENES, SETTINGS, Scene
from client.screen.stage import ENVIRON, stage
from mastermind_client.language import use_language
from mastermind_client.screen.kit import lines
from mastermind_client.screen.kit.lines import Extent, width
from mastermind_client.screen.look import Look
from mastermind_client.screen.look.glyphs import UNICODE

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Mapping, Sequence

    from client.screen.stage import Stage
    from mastermind_client.config.settings import Glyphs
    from mastermind_client.screen.kit.lines import Fragment, Line

GOLDEN = Path(__file__).with_name("golden")
SIZES = ((80, 24), (120, 40), (60, 20))
OTHER_SIZES = ((61, 20), (75, 21), (100, 50), (300, 100))
IN_POLISH = ("home", "archive", "settings", "match-breaker", "result-rounds", "help-match")
MONO = {**ENVIRON, "NO_COLOR": "1"}
WRITE = os.environ.get("GOLDEN") == "write"
HOW = "If that is how it is to be: GOLDEN=write make test ARGS=tests/client/screen/test_golden.py"
FOOT = 2  # rows of the app's own
_FRAMED = re.compile(r"\(( *)([A-Z])( *)\)")  # a peg without colours
_EDGES = "▄▀▐▌▆"  # of tiles
_BARE = str.maketrans(dict.fromkeys(_EDGES, " "))

each_scene = pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)


@pytest.fixture(autouse=True)
def _somewhere(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What is shown of the machine: its time zone, and where the settings would be kept."""
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "UTC")
        patch.setenv("XDG_CONFIG_HOME", "/home/ada/.config")
        time.tzset()
        yield
    time.tzset()


@each_scene
async def test_a_screen_is_as_it_was_looked_at(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with performing(scene) as shown:
        coloured, plain = look_at(shown, scene, ENVIRON), look_at(shown, scene, MONO)
        wear(shown, ENVIRON, glyphs="ascii")
        ascii_text = "\n".join(glass.read_text(shown.screen))
        wear(shown, ENVIRON)
        cut = find_cut_off(shown, monkeypatch, scene.says) if scene.shows_all else []
    for (columns, rows), picture in coloured.items():
        mono = plain[columns, rows]
        assert not any(glass.is_coloured(cell) for cell in mono.cells)
        assert [bare(line) for line in mono.text] == [bare(line) for line in picture.text]
        for tile in picture.tiles:
            if set(tile) - set(_EDGES):
                assert "".join(tile.split()).strip("[]").isalpha(), f"no letter on {tile!r}"
        for words in scene.says:
            assert words in "\n".join(picture.text)
        parts = {
            "in colours": picture.text,
            "attributes": picture.attributes,
            "mono": mono.text,
            "attributes, mono": mono.attributes,
        }
        compare(f"{scene.name}-{columns}x{rows}", parts)
    assert ascii_text.isascii(), ascii_text
    assert not cut


@pytest.mark.parametrize(
    "scene",
    [scene for scene in SCENES if scene.shows_all or scene.name in IN_POLISH],
    ids=lambda scene: scene.name,
)
async def test_a_screen_in_polish_is_as_it_was_looked_at_and_whole(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_language("pl")
    async with performing(scene) as shown:
        plain = look_at(shown, scene, MONO) if scene.name in IN_POLISH else {}
        wear(shown, ENVIRON)
        cut = find_cut_off(shown, monkeypatch) if scene.shows_all else []
    for (columns, rows), picture in plain.items():
        compare(f"{scene.name}-{columns}x{rows}-pl", {"mono": picture.text})
    assert not cut


def test_no_golden_screen_is_left_over() -> None:
    kept = {path.stem for path in GOLDEN.glob("*.txt")}
    named = {f"{scene.name}-{columns}x{rows}" for scene in SCENES for columns, rows in sizes(scene)}
    named |= {f"{name}-{columns}x{rows}-pl" for name in IN_POLISH for columns, rows in SIZES}
    assert kept == named


def look_at(
    shown: Stage, scene: Scene, environ: Mapping[str, str]
) -> dict[tuple[int, int], glass.Picture]:
    """Return what a scene looks like in every size."""
    pictures = {}
    for size in sizes(scene):
        shown.glass.resize(*size)
        wear(shown, environ)
        pictures[size] = glass.take(shown.screen)
    return pictures


def wear(shown: Stage, environ: Mapping[str, str], glyphs: Glyphs = SETTINGS.glyphs) -> None:
    """Draw everything anew, as these surroundings and glyphs make it look.

    From nothing: of what is blank, prompt_toolkit leaves the attributes that it had before, and how
    many drawings were before is the machine's business.
    """
    chosen = replace(SETTINGS, glyphs=glyphs)
    shown.app.look = Look.choose(chosen.palette, chosen.color, chosen.glyphs, environ, "utf-8")
    shown.terminal.restyle(shown.app.look.style(), shown.app.look.depth)
    shown.terminal.application._redraw()


def find_cut_off(
    shown: Stage, monkeypatch: pytest.MonkeyPatch, says: Sequence[str] = ()
) -> list[str]:
    """Draw a scene in many sizes, and return what is cut off in one without a sign.

    It has just as many rows and at most as many columns as it may in each, and says these words.
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
            room = Extent(columns, rows - FOOT)
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
    """Return the sizes that a scene is looked at in."""
    return SIZES if scene.size is None else (scene.size,)


@asynccontextmanager
async def performing(scene: Scene) -> AsyncIterator[Stage]:
    """Play a scene until all that belongs to it is there."""
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
    """Return a line without the edges of tiles, and without what frames a peg in their place."""
    return _FRAMED.sub(r" \1\2\3 ", line).translate(_BARE).rstrip()


def compare(name: str, parts: Mapping[str, Sequence[str]]) -> None:
    """Compare what is shown with what is kept, or keep it."""
    path = GOLDEN / f"{name}.txt"
    text = "".join(
        f"== {title} ==\n" + "".join(f"{line}\n" for line in lines)
        for title, lines in parts.items()
    )
    if WRITE:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    kept = path.read_text(encoding="utf-8") if path.exists() else ""
    assert text == kept, f"{path.name} is another screen. {HOW}"
