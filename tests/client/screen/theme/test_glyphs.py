from dataclasses import asdict
from unicodedata import east_asian_width

import pytest
from prompt_toolkit.utils import get_cwidth

from mastermind_client.screen.theme.glyphs import ASCII, UNICODE, choose_glyphs

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
