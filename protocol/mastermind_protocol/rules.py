"""The rules of a game and the presets: what can be played, as data.

A preset carries its own colours, the symbols a code is written in and the notation of the
feedback, so that no other module needs to ask which preset it has.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from mastermind_protocol.errors import InvalidRules, Reason
from mastermind_protocol.feedback import COUNTS, KeyNotation

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_PEGS = 9  # a guess stays on one line and in one small frame
MAX_COLOURS = 12  # as many as can be told apart and have letters of their own
MAX_GUESSES = 99  # two digits on the board
UNLIMITED_GUESSES = 999  # "as many as it takes" still needs a bound on the length of a match's log
USUAL_GUESSES = 12  # a round that is given up counts so many where the rules have no limit
RULES_KEPT = 256  # of people's own choice: all matches of the same rules share them
MAX_ROUNDS = 20  # an evening's worth; bounds the length of a match's log


@dataclass(frozen=True, slots=True)
class Rules:
    """One game: its size, its colours and how codes and feedback are written.

    `name` is what travels: the same name gives equal rules on both sides. `alphabets` are the
    ways a code may be typed, one symbol a colour; the first is the way it is shown. `guesses`
    is None where the codebreaker may take as many as it needs.
    """

    name: str
    pegs: int
    guesses: int | None
    palette: tuple[str, ...]
    alphabets: tuple[str, ...]
    keys: KeyNotation = COUNTS

    def __post_init__(self) -> None:
        if not 1 <= self.pegs <= MAX_PEGS or len(self.palette) > MAX_COLOURS:
            raise ValueError(f"{self.name}: at most {MAX_PEGS} pegs and {MAX_COLOURS} colours")
        letters = {colour[0] for colour in self.palette}
        if len(letters) != len(self.palette):
            raise ValueError(f"{self.name}: two colours share a letter")
        for alphabet in self.alphabets:
            if not len(alphabet) == len(set(alphabet)) == len(self.palette):
                raise ValueError(f"{self.name}: {alphabet!r} needs one symbol a colour")

    @property
    def colours(self) -> int:
        """The number of colours."""
        return len(self.palette)

    @property
    def codes(self) -> int:
        """The number of different codes."""
        return int(self.colours**self.pegs)

    @property
    def limit(self) -> int:
        """The number of guesses after which the code stands."""
        return self.guesses or UNLIMITED_GUESSES

    def __str__(self) -> str:
        return self.name


def _letters(palette: tuple[str, ...]) -> str:
    return "".join(colour[0].upper() for colour in palette)


def _preset(
    name: str,
    colours: str,
    *,
    pegs: int = 4,
    guesses: int | None,
    digits: str = "",
    letters: bool = False,
    keys: KeyNotation = COUNTS,
) -> Rules:
    palette = tuple(colours.split())
    alphabets = (digits,) * bool(digits) + (_letters(palette),) * letters
    return Rules(name, pegs, guesses, palette, alphabets, keys)


KW = KeyNotation("K", "W", counted=False, separator="", nothing="-")

PRESETS: Mapping[str, Rules] = MappingProxyType(
    {
        rules.name: rules
        for rules in (
            _preset(
                "classic",
                "red green blue yellow orange purple",
                guesses=12,
                digits="123456",
                letters=True,
            ),
            _preset(
                "thirteen",
                "red orange yellow green blue purple",
                guesses=13,
                letters=True,
                keys=KeyNotation("[X]", "[O]", "[ ]", counted=False, separator=""),
            ),
            _preset(
                "mini",
                "red green orange blue purple yellow",
                guesses=6,
                letters=True,
                keys=KeyNotation("black", "gray", "empty"),
            ),
            _preset(
                "eight",
                "red green blue yellow violet olive pink teal",
                guesses=10,
                letters=True,
                keys=KW,
            ),
            _preset(
                "lab",
                "red orange yellow green blue purple",
                guesses=10,
                digits="012345",
                keys=KeyNotation("2", "1", counted=False, brackets=("[", "]"), white_first=True),
            ),
            _preset(
                "knuth",
                "red green blue yellow orange purple",
                guesses=None,
                digits="123456",
                keys=KW,
            ),
        )
    }
)

DEFAULT = PRESETS["classic"]
CUSTOM_PALETTE = (
    *("red", "green", "blue", "yellow", "orange", "purple"),
    *("cyan", "magenta", "lime", "teal", "navy", "white"),
)
_CUSTOM = re.compile(r"([1-9][0-9]?)x([1-9][0-9]?)(?:/([1-9][0-9]?))?")


def find_rules(name: str) -> Rules:
    """Return the rules of that name: a preset's, or ``PEGSxCOLOURS[/GUESSES]``.

    Without a number of guesses there are as many as in `classic`. Raises InvalidRules.
    """
    wanted = name.strip().lower()
    if preset := PRESETS.get(wanted):
        return preset
    match = _CUSTOM.fullmatch(wanted)
    pegs, colours = (int(match[1]), int(match[2])) if match else (0, 0)
    if match is None or pegs > MAX_PEGS or not 2 <= colours <= MAX_COLOURS:
        raise InvalidRules(
            Reason.UNKNOWN_RULES, field="rules", name=name[:40], known=", ".join(PRESETS),
            pegs=MAX_PEGS, colours=MAX_COLOURS, guesses=MAX_GUESSES,
        )  # fmt: skip
    return _make_rules(pegs, colours, int(match[3]) if match[3] else DEFAULT.limit)


@lru_cache(maxsize=RULES_KEPT)
def _make_rules(pegs: int, colours: int, guesses: int) -> Rules:
    palette = CUSTOM_PALETTE[:colours]
    return Rules(f"{pegs}x{colours}/{guesses}", pegs, guesses, palette, (_letters(palette),))
