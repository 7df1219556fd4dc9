from dataclasses import asdict
from unicodedata import east_asian_width

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prompt_toolkit.output import ColorDepth
from prompt_toolkit.styles import Attrs
from prompt_toolkit.utils import get_cwidth

from kit.strategies import brief
from mastermind_client.screen.theme import Look
from mastermind_client.screen.theme.look import ASCII, INTERFACE_STYLES, UNICODE, choose_glyphs
from mastermind_client.screen.theme.palettes import PALETTES
from mastermind_client.screen.toolkit.lines import Line, width
from mastermind_protocol.feedback import Feedback
from mastermind_protocol.rules import MAX_PEGS

TRUE = Look(UNICODE, "default", ColorDepth.DEPTH_24_BIT)
SIXTEEN = Look(UNICODE, "default", ColorDepth.DEPTH_4_BIT)
ONE = Look(UNICODE, "default", ColorDepth.DEPTH_1_BIT)
MONO = Look(ASCII, "mono", ColorDepth.DEPTH_24_BIT)
LOOKS = [Look(UNICODE, palette, depth) for palette in PALETTES for depth in ColorDepth]

any_look = st.builds(
    Look,
    st.sampled_from([UNICODE, ASCII]),
    st.sampled_from(list(PALETTES)),
    st.sampled_from(ColorDepth),
)


def words(line: Line) -> str:
    return "".join(fragment[1] for fragment in line)


def drawn(look: Look, style: str) -> Attrs:
    return look.style().get_attrs_for_style_str(style)


def test_settings_environment_and_encoding_choose_the_look():
    environ = {"TERM": "xterm-256color"}
    look = Look.choose("okabe-ito", "auto", "auto", environ, "utf-8")
    assert look == Look(UNICODE, "okabe-ito", ColorDepth.DEPTH_8_BIT)
    look = Look.choose("default", "never", "ascii", environ, "utf-8")
    assert look == Look(ASCII, "default", ColorDepth.DEPTH_1_BIT)


@pytest.mark.parametrize(
    ("setting", "glyphs"), [("auto", ASCII), ("unicode", UNICODE), ("ascii", ASCII)]
)
def test_the_linux_console_has_ascii_by_default(setting, glyphs):
    look = Look.choose("default", "auto", setting, {"TERM": "linux"}, "utf-8")
    assert look.glyphs is glyphs
    assert look.depth is ColorDepth.DEPTH_4_BIT


def test_one_bit_colour_is_monochrome():
    assert MONO.mono
    assert ONE.mono
    assert not TRUE.mono
    assert not SIXTEEN.mono


@given(any_look, st.integers(1, MAX_PEGS), st.sampled_from(("", " ")), st.data())
@brief
def test_feedback_is_as_wide_as_its_code(look, pegs, gap, data):
    black = data.draw(st.integers(0, pegs))
    white = data.draw(st.integers(0, pegs - black))
    line = look.draw_key_pegs(Feedback(black, white), pegs, gap)
    assert width(line) == pegs + len(gap) * (pegs - 1)
    assert words(line).count(look.glyphs.black) == black
    assert words(line).count(look.glyphs.white) == white
    assert all(text for _style, text in ((fragment[0], fragment[1]) for fragment in line))


def test_feedback_shows_black_pegs_first():
    assert words(MONO.draw_key_pegs(Feedback(1, 2), 4)) == "Xoo."
    assert words(MONO.draw_key_pegs(Feedback(1, 0), 4, " ")) == "X . . ."
    assert words(TRUE.draw_key_pegs(Feedback(0, 0), 4)) == "····"


@pytest.mark.parametrize("look", LOOKS, ids=lambda look: f"{look.palette}-{look.depth.value}")
def test_only_pegs_have_colours(look):
    for name in INTERFACE_STYLES:
        attrs = drawn(look, f"class:{name}")
        assert (attrs.color, attrs.bgcolor, attrs.hidden) == ("", "", False), name


@pytest.mark.parametrize("look", LOOKS, ids=lambda look: f"{look.palette}-{look.depth.value}")
def test_a_peg_has_both_colours_or_neither(look):
    for colour in PALETTES["default"].ansi:
        attrs = drawn(look, f"class:peg.{colour}")
        assert bool(attrs.color) == bool(attrs.bgcolor) == (not look.mono), colour


def test_sixteen_colours_have_no_bold_letters():
    face = "class:peg class:peg.yellow"
    assert not drawn(SIXTEEN, face).bold
    assert drawn(TRUE, face).bold


def test_emphasis_works_without_colours():
    for name in ("turn", "banner", "selected"):
        assert drawn(MONO, f"class:{name}").reverse, name
    for name in ("title", "heading", "strong", "notice", "error", "key"):
        assert drawn(MONO, f"class:{name}").bold, name


# Arrows and shapes that fonts have as emoji too, of https://unicode.org/Public/emoji.
EMOJI = "©®‼⁉™↔↕↖↗↘↙↩↪⌨⏏Ⓜ▪▫▶◀◻◼◽◾☀☁☎☑✂✈✉✏✒✔✖✝✡✳✴❄❇❌❓❗❣❤➡⤴⤵⬅⬆⬇⬛⬜⭐⭕"


@pytest.mark.parametrize("glyphs", [UNICODE, ASCII])
def test_every_glyph_is_one_column_wide_and_no_emoji(glyphs):
    for name, sign in asdict(glyphs).items():
        assert len(sign) == get_cwidth(sign) == 1, name
        assert east_asian_width(sign) not in "WF", name
        assert sign.isprintable(), name
        assert sign not in EMOJI, name


@pytest.mark.parametrize("glyphs", [UNICODE, ASCII])
def test_glyphs_with_different_meanings_differ(glyphs):
    assert len({glyphs.black, glyphs.white, glyphs.hole}) == 3
    assert len({glyphs.hole, glyphs.shield}) == 2
    assert len({glyphs.check, glyphs.cross}) == 2
    assert len({glyphs.left, glyphs.right, glyphs.up, glyphs.down}) == 4
    assert len({glyphs.selected, glyphs.away}) == 2


@pytest.mark.parametrize(
    ("setting", "encoding", "glyphs"),
    [
        ("auto", "utf-8", UNICODE),
        ("auto", "UTF8", UNICODE),
        ("auto", "ANSI_X3.4-1968", ASCII),
        ("auto", "iso-8859-2", ASCII),
        ("auto", "cp1252", ASCII),
        ("auto", "", ASCII),
        ("auto", "no such encoding", ASCII),
        ("unicode", "ascii", UNICODE),
        ("ascii", "utf-8", ASCII),
    ],
)
def test_setting_and_encoding_choose_the_glyphs(setting, encoding, glyphs):
    assert choose_glyphs(setting, encoding) is glyphs
