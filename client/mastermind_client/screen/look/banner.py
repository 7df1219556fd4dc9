"""Large letters: a match code that can be read from across the room, and down a telephone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.screen.kit.lines import text

if TYPE_CHECKING:
    from mastermind_client.screen.kit.lines import Line
    from mastermind_client.screen.look import Look

ROWS = 5  # of each letter
COLUMNS = 7  # of each letter; strokes are two columns thick, which is as much as one row
GAP = 2  # columns between two letters: six of them take 52, and every terminal has 60

_STROKE = "#"
_DRAWN = (
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
"""Every letter of a match code, after its name; a test counts how much any two differ."""


def _read_letters() -> dict[str, tuple[str, ...]]:
    letters = {}
    for block in _DRAWN:
        rows = [row.removesuffix("|").split("|") for row in block.strip("\n").splitlines()]
        for parts in zip(*rows, strict=True):
            letters[parts[0][0]] = tuple(part[2:] for part in parts)
    return letters


LETTERS = _read_letters()


def draw_banner(words: str, look: Look) -> list[Line]:
    """Return a word in large letters, of those that a match code is made of: `ROWS` lines.

    Raises KeyError for any other letter.
    """
    letters = [LETTERS[letter] for letter in words]
    rows = ((" " * GAP).join(letter[row] for letter in letters) for row in range(ROWS))
    return [text(row.replace(_STROKE, look.glyphs.block), "class:strong") for row in rows]
