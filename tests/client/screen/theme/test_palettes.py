import re
from collections.abc import Mapping
from io import StringIO
from itertools import combinations

import pytest
from prompt_toolkit.data_structures import Size
from prompt_toolkit.output import ColorDepth
from prompt_toolkit.output.vt100 import Vt100_Output

from client.screen.theme.vision import SIGHTS, Colour, Sight, contrast, difference, read, see
from mastermind_client.colours import COLOURS
from mastermind_client.config import settings
from mastermind_client.screen.theme import Look
from mastermind_client.screen.theme.look import UNICODE
from mastermind_client.screen.theme.palettes import PALETTES, Tiles
from mastermind_protocol.rules import CUSTOM_PALETTE, MAX_COLOURS, PRESETS, find_rules

TEXT = 4.5  # WCAG 2.2, 1.4.3: the least contrast of text
ENHANCED = 7  # WCAG 2.2, 1.4.6
THEMED = 3  # WCAG 2.2, 1.4.11, contrast of graphics, for colours that a theme may change
APART = 13  # of two pegs of a game
APART_OKABE_ITO = 7  # for every kind of sight: Okabe and Ito's own six have 7.8
APART_OKABE_ITO_MORE = 5  # of up to a dozen, which dichromats have to see in two dimensions
APART_OKABE_ITO_NORMAL = 9  # of any, to most people

GAMES = [*(rules.palette for rules in PRESETS.values()), CUSTOM_PALETTE]
COLOURED: list[settings.Palette] = [name for name in PALETTES if name != "mono"]
RICH = [ColorDepth.DEPTH_8_BIT, ColorDepth.DEPTH_24_BIT]

# The first eight colours and their bright versions in three terminals' default themes.
THEMES = {
    "xterm": "000000 cd0000 00cd00 cdcd00 0000ee cd00cd 00cdcd e5e5e5"
    " 7f7f7f ff0000 00ff00 ffff00 5c5cff ff00ff 00ffff ffffff",
    "Linux console": "000000 aa0000 00aa00 aa5500 0000aa aa00aa 00aaaa aaaaaa"
    " 555555 ff5555 55ff55 ffff55 5555ff ff55ff 55ffff ffffff",
    "Windows": "0c0c0c c50f1f 13a10e c19c00 0037da 881798 3a96dd cccccc"
    " 767676 e74856 16c60c f9f1a5 3b78ff b4009e 61d6d6 f2f2f2",
}
THEMED_NAMES = (
    *("ansiblack", "ansired", "ansigreen", "ansiyellow"),
    *("ansiblue", "ansimagenta", "ansicyan", "ansigray"),
    *("ansibrightblack", "ansibrightred", "ansibrightgreen", "ansibrightyellow"),
    *("ansibrightblue", "ansibrightmagenta", "ansibrightcyan", "ansiwhite"),
)


def paint(style: str, palette: settings.Palette, depth: ColorDepth) -> str:
    """Return the sequence that makes a terminal draw in a style."""
    look = Look(UNICODE, palette, depth)
    sent = StringIO()
    output = Vt100_Output(sent, lambda: Size(24, 80))
    output.set_attributes(look.style().get_attrs_for_style_str(style), depth)
    output.flush()
    return sent.getvalue()


def shown(palette: settings.Palette, depth: ColorDepth) -> dict[str, tuple[Colour, Colour]]:
    """Return each peg's background and letter as sent to a terminal."""
    colours = {}
    for name in COLOURS:
        sent = paint(f"class:peg.{name}", palette, depth)
        colours[name] = (_told(sent, 48), _told(sent, 38))
    return colours


def _told(sent: str, ground: int) -> Colour:
    if found := re.search(rf";{ground};2;(\d+);(\d+);(\d+)", sent):
        return read("#{:02x}{:02x}{:02x}".format(*map(int, found.groups())))
    found = re.search(rf";{ground};5;(\d+)", sent)
    assert found is not None
    number = int(found[1]) - 16
    assert 0 <= number < 216  # the cube: all else depends on the terminal's theme, or is grey
    steps = (0x00, 0x5F, 0x87, 0xAF, 0xD7, 0xFF)
    return read(f"#{steps[number // 36]:02x}{steps[number // 6 % 6]:02x}{steps[number % 6]:02x}")


def closest(
    colours: Mapping[str, tuple[Colour, Colour]], game: tuple[str, ...], sight: Sight
) -> float:
    """Return the smallest difference between two pegs of a game."""
    seen = [see(colours[name][0], sight) for name in game]
    return min(difference(one, other) for one, other in combinations(seen, 2))


def test_the_setting_offers_every_palette():
    assert tuple(PALETTES) == settings.SETTINGS["palette"].choices


@pytest.mark.parametrize("depth", [ColorDepth.DEPTH_4_BIT, *RICH])
@pytest.mark.parametrize("palette", COLOURED)
def test_a_palette_has_a_tile_for_every_colour(palette, depth):
    assert set(PALETTES[palette].tiles(depth)) == set(COLOURS)


def test_monochrome_has_no_tiles():
    for depth in ColorDepth:
        assert PALETTES["mono"].tiles(depth) == {}
    for palette in PALETTES.values():
        assert palette.tiles(ColorDepth.DEPTH_1_BIT) == {}


@pytest.mark.parametrize("palette", COLOURED)
def test_the_terminal_gets_the_exact_colours_of_the_cube(palette):
    tiles: Tiles = PALETTES[palette].cube
    told = shown(palette, ColorDepth.DEPTH_8_BIT)
    assert told == {
        name: (read(tile.background), read(tile.letter)) for name, tile in tiles.items()
    }


@pytest.mark.parametrize("depth", RICH)
@pytest.mark.parametrize("palette", COLOURED)
def test_every_letter_has_contrast_on_its_peg(palette, depth):
    least = ENHANCED if palette == "high-contrast" else TEXT
    for name, (background, letter) in shown(palette, depth).items():
        assert contrast(background, letter) >= least, name


@pytest.mark.parametrize("theme", THEMES)
def test_every_letter_has_contrast_in_common_themes(theme):
    colours = [read(f"#{value}") for value in THEMES[theme].split()]
    themed = dict(zip(THEMED_NAMES, colours, strict=True))
    if theme == "Linux console":  # it shows bright backgrounds as normal ones: console_codes(4)
        normal = dict(zip(THEMED_NAMES, colours[:8] * 2, strict=True))
    else:
        normal = themed
    for name, tile in PALETTES["default"].ansi.items():
        assert contrast(normal[tile.background], themed[tile.letter]) >= THEMED, name


@pytest.mark.parametrize("depth", RICH)
@pytest.mark.parametrize("palette", ["default", "high-contrast"])
def test_pegs_of_one_game_look_different(palette, depth):
    colours = shown(palette, depth)
    for game in GAMES:
        assert closest(colours, game, "normal") >= APART, game


@pytest.mark.parametrize("sight", SIGHTS)
@pytest.mark.parametrize("depth", RICH)
def test_okabe_ito_pegs_look_different_with_colour_blindness(depth, sight):
    colours = shown("okabe-ito", depth)
    for game in GAMES:
        least = APART_OKABE_ITO if len(game) <= 8 else APART_OKABE_ITO_MORE
        if sight == "normal":
            least = APART_OKABE_ITO_NORMAL
        assert closest(colours, game, sight) >= least, game


@pytest.mark.parametrize("palette", COLOURED)
def test_pegs_of_one_game_differ_in_sixteen_colours(palette):
    tiles = PALETTES[palette].ansi
    for game in GAMES:
        assert len({tiles[colour].background for colour in game}) == len(game)


def test_the_letters_of_every_game_are_unique():
    games = [*PRESETS.values(), *(find_rules(f"4x{n}") for n in range(2, MAX_COLOURS + 1))]
    for rules in games:
        assert len({colour[0].upper() for colour in rules.palette}) == rules.colours, rules.name
