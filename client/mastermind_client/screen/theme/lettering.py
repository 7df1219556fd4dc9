"""Large letters for match codes, large digits for scores, and QR codes for links."""

from __future__ import annotations

from functools import lru_cache
from itertools import zip_longest
from typing import TYPE_CHECKING

from mastermind_client.screen.toolkit.lines import text, width

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mastermind_client.screen.theme.look import Look
    from mastermind_client.screen.toolkit.lines import Line

LETTER_ROWS = 5  # rows of a letter
LETTER_COLUMNS = 7  # columns of a letter; strokes are two columns thick, or one row
LETTER_GAP = 2  # columns between two letters; a code of six takes 52 of at least 60

_STROKE = "#"
_DRAWN_LETTERS = (
    """
2 ###### |3 ###### |4    ####|5 #######|6   ###  |7 #######|
       ##|       ##|    ## ##|  ##     |  ##     |       ##|
   ##### |    #### |   ##  ##|  ###### |  ###### |     ### |
  ##     |       ##|  #######|       ##|  ##   ##|    ##   |
  #######|  ###### |       ##|  ###### |   ##### |    ##   |
""",
    """
8   ###  |9  ##### |A   ###  |B ###### |C  ######|D #####  |
  ##   ##|  ##   ##|  ##   ##|  ##   ##|  ##     |  ##  ## |
    ###  |   ######|  #######|  ###### |  ##     |  ##   ##|
  ##   ##|       ##|  ##   ##|  ##   ##|  ##     |  ##  ## |
    ###  |    #### |  ##   ##|  ###### |   ######|  #####  |
""",
    """
E #######|F #######|G  ######|H ##   ##|J      ##|K ##   ##|
  ##     |  ##     |  ##     |  ##   ##|       ##|  ##  ## |
  #####  |  ####   |  ##  ###|  #######|       ##|  #####  |
  ##     |  ##     |  ##   ##|  ##   ##|  ##   ##|  ##  ## |
  #######|  ##     |   ######|  ##   ##|   ##### |  ##   ##|
""",
    """
M ##   ##|N ###  ##|P ###### |Q  ##### |R ###### |S   #####|
  ### ###|  #### ##|  ##   ##|  ##   ##|  ##   ##|   ##    |
  ## # ##|  ## # ##|  ###### |  ## # ##|  ###### |    ###  |
  ## # ##|  ## ####|  ##     |  ##  ## |  ## ##  |      ## |
  ##   ##|  ##  ###|  ##     |   ### ##|  ##  ###|  #####  |
""",
    """
T #######|V ##   ##|W ##   ##|X ##   ##|Y ##   ##|Z #######|
    ###  |  ##   ##|  ## # ##|   ## ## |   ## ## |      ## |
    ###  |  ##   ##|  ## # ##|    ###  |    ###  |    ##   |
    ###  |   ## ## |  #######|   ## ## |    ###  |   ##    |
    ###  |    ###  |   ## ## |  ##   ##|    ###  |  #######|
""",
)
"""All letters of match codes. In front of the first row of each letter is its name."""


def _read_letters() -> dict[str, tuple[str, ...]]:
    letters = {}
    for block in _DRAWN_LETTERS:
        rows = [row.removesuffix("|").split("|") for row in block.strip("\n").splitlines()]
        for parts in zip(*rows, strict=True):
            letters[parts[0][0]] = tuple(part[2:] for part in parts)
    return letters


LARGE_LETTERS = _read_letters()


def draw_banner(words: str, look: Look) -> list[Line]:
    """Return a match code in large letters, as `LETTER_ROWS` lines.

    Raises KeyError for a letter that match codes do not have.
    """
    letters = [LARGE_LETTERS[letter] for letter in words]
    rows = (
        (" " * LETTER_GAP).join(letter[row] for letter in letters) for row in range(LETTER_ROWS)
    )
    return [text(row.replace(_STROKE, look.glyphs.block), "class:strong") for row in rows]


DIGIT_ROWS = 3
_DRAWN_DIGITS = """
0█▀█|1▀█ |2▀▀█|3▀▀█|4█ █|5█▀▀|6█▀▀|7▀▀█|8█▀█|9█▀█|:▄|!█|. |
 █ █|  █ | █▀▀|  ▀█| ▀▀█| ▀▀█| █▀█|   █| █▀█| ▀▀█| ▄| ▀|  |
 ▀▀▀| ▀▀▀| ▀▀▀| ▀▀▀|   ▀| ▀▀▀| ▀▀▀|   ▀| ▀▀▀| ▀▀▀|  | ▀| ▀|
"""


def _read_digits() -> dict[str, tuple[str, ...]]:
    rows = [row.removesuffix("|").split("|") for row in _DRAWN_DIGITS.strip("\n").splitlines()]
    columns = zip(*rows, strict=True)
    return {parts[0][0]: tuple(part[1:] for part in parts) for parts in columns}


LARGE_DIGITS = _read_digits()
"""The rows of each digit, and of the other signs in times."""


def draw_digits(written: str, look: Look, style: str = "class:strong") -> list[Line]:
    """Return a number or a time in large digits, as `DIGIT_ROWS` lines of equal width.

    In ASCII, which has no half blocks, the middle line has the number as plain text. Raises
    KeyError for characters that clocks and scores do not have.
    """
    digits = [LARGE_DIGITS[sign] for sign in written]
    if look.glyphs.upper.isspace():
        plain = text(written, style)
        blank = text(" " * width(plain))
        return [blank, plain, list(blank)]
    return [text(" ".join(digit[row] for digit in digits), style) for row in range(DIGIT_ROWS)]


QUIET_ZONE = 2  # width of the light border that decoders need, in squares of the code


def draw_qr_code(link: str, look: Look) -> list[Line]:
    """Return the QR code of a link, or no lines in ASCII, which has no half blocks.

    A square of the code is one column wide and half a row high. The code is black on white. Without
    colours the fragments are only reversed. In a light terminal the code is then light on dark,
    which most decoders read too.
    """
    glyphs = look.glyphs
    if glyphs.upper.isspace():
        return []
    signs = {(0, 0): " ", (1, 0): glyphs.upper, (0, 1): glyphs.lower, (1, 1): glyphs.block}
    squares = _encode(link)
    light = bytes(len(squares[0]))
    pairs = zip_longest(squares[::2], squares[1::2], fillvalue=light)
    return [
        text("".join(signs[halves] for halves in zip(above, below, strict=True)), "class:qr")
        for above, below in pairs
    ]


@lru_cache(1)
def _encode(link: str) -> Sequence[bytes]:
    """Return the rows of squares, including the light border. 1 is dark."""
    import segno  # late: it takes 40 ms, and most screens need none

    return tuple(map(bytes, segno.make_qr(link, error="l").matrix_iter(border=QUIET_ZONE)))
