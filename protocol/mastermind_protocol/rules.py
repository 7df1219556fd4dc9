"""The rules of a game, and the presets.

Rules contain their colours, the symbols of codes and the notation of feedback, so no other module
depends on a particular preset.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations, product
from math import perm
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from mastermind_protocol.errors import InvalidRules, Reason
from mastermind_protocol.feedback import COUNT_NOTATION, KeyNotation

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

MAX_PEGS = 9  # keeps a guess on one line and in a small message
MAX_COLOURS = 12  # distinguishable colours with different first letters
MAX_GUESSES = 99  # two digits on the board
UNLIMITED_GUESSES = 999  # bounds the log of a match without a limit on guesses
LEAST_COUNTED_GUESSES = 12  # in a round without success, if the rules have no limit
RULES_CACHED = 256  # custom rules, shared by all matches that use them
MAX_WEIGHED_CODES = 1_000_000  # with exact advice and reviews: 6x10; a list takes 6 MB
MAX_ROUNDS = 20  # bounds the log of a match
UNIQUE_SIGN = "u"  # of codes without repeats, whose colours are unique, in names of rules


class CodeSpace(NamedTuple):
    """All codes of `pegs` pegs in `colours` colours.

    If `repeats` is false, no code has a colour on two pegs.
    """

    pegs: int
    colours: int
    repeats: bool = True

    @property
    def codes(self) -> int:
        """The number of different codes."""
        return int(self.colours**self.pegs) if self.repeats else perm(self.colours, self.pegs)

    def iterate_codes(self) -> Iterator[tuple[int, ...]]:
        """Yield every code, in numeric order."""
        palette = range(self.colours)
        return (
            product(palette, repeat=self.pegs) if self.repeats else permutations(palette, self.pegs)
        )

    def __str__(self) -> str:
        return f"{self.pegs}x{self.colours}{'' if self.repeats else UNIQUE_SIGN}"


@dataclass(frozen=True, slots=True)
class Rules:
    """The size, colours and notation of a game.

    Only `name` is sent: it determines the other fields. `palette` contains the names of the
    colours. Each of `alphabets` has one symbol for each colour. Codes may be typed in any
    alphabet and are shown in the first. `guesses` is the limit of guesses in a round, or None.
    `keys` is the notation of feedback. If `repeats` is false, no code has a colour on two pegs.
    """

    name: str
    pegs: int
    guesses: int | None
    palette: tuple[str, ...]
    alphabets: tuple[str, ...]
    keys: KeyNotation = COUNT_NOTATION
    repeats: bool = True

    def __post_init__(self) -> None:
        if not 1 <= self.pegs <= MAX_PEGS or len(self.palette) > MAX_COLOURS:
            raise ValueError(f"{self.name}: at most {MAX_PEGS} pegs and {MAX_COLOURS} colours")
        if not self.repeats and self.pegs > len(self.palette):
            raise ValueError(f"{self.name}: {self.pegs} pegs need as many colours without repeats")
        letters = {colour[0] for colour in self.palette}
        if len(letters) != len(self.palette):
            raise ValueError(f"{self.name}: two colours start with the same letter")
        for alphabet in self.alphabets:
            if not len(alphabet) == len(set(alphabet)) == len(self.palette):
                raise ValueError(f"{self.name}: {alphabet!r} needs one symbol for each colour")

    @property
    def colours(self) -> int:
        """The number of colours."""
        return len(self.palette)

    @property
    def space(self) -> CodeSpace:
        """All codes."""
        return CodeSpace(self.pegs, self.colours, self.repeats)

    @property
    def codes(self) -> int:
        """The number of different codes."""
        return self.space.codes

    @property
    def digits_only(self) -> bool:
        """Whether codes have no letters: pegs show digits, and texts name digits, not colours."""
        return all(alphabet.isdigit() for alphabet in self.alphabets)

    @property
    def some_code(self) -> tuple[int, ...]:
        """A valid code, which stands for a code that is not known."""
        return tuple(peg % self.colours for peg in range(self.pegs))

    @property
    def guess_limit(self) -> int:
        """The largest number of guesses in a round; UNLIMITED_GUESSES if `guesses` is None."""
        return self.guesses or UNLIMITED_GUESSES

    def __str__(self) -> str:
        return self.name


def _list_letters(palette: tuple[str, ...]) -> str:
    return "".join(colour[0].upper() for colour in palette)


def _make_preset(
    name: str,
    colours: str,
    *,
    pegs: int = 4,
    guesses: int | None,
    digits: str = "",
    letters: bool = False,
    keys: KeyNotation = COUNT_NOTATION,
    repeats: bool = True,
) -> Rules:
    palette = tuple(colours.split())
    alphabets = (digits,) * bool(digits) + (_list_letters(palette),) * letters
    return Rules(name, pegs, guesses, palette, alphabets, keys, repeats)


KW_NOTATION = KeyNotation("K", "W", counted=False, separator="", nothing="-")

PRESETS: Mapping[str, Rules] = MappingProxyType(
    {
        rules.name: rules
        for rules in (
            _make_preset(
                "classic",
                "red green blue yellow orange purple",
                guesses=12,
                digits="123456",
                letters=True,
            ),
            _make_preset(
                "thirteen",
                "red orange yellow green blue purple",
                guesses=13,
                letters=True,
                keys=KeyNotation("[X]", "[O]", "[ ]", counted=False, separator=""),
            ),
            _make_preset(
                "mini",
                "red green orange blue purple yellow",
                guesses=6,
                letters=True,
                keys=KeyNotation("black", "gray", "empty"),
            ),
            _make_preset(
                "eight",
                "red green blue yellow violet olive pink teal",
                guesses=10,
                letters=True,
                keys=KW_NOTATION,
            ),
            _make_preset(
                "lab",
                "red orange yellow green blue purple",
                guesses=10,
                digits="012345",
                keys=KeyNotation("2", "1", counted=False, brackets=("[", "]"), white_first=True),
            ),
            _make_preset(
                "knuth",
                "red green blue yellow orange purple",
                guesses=None,
                digits="123456",
                keys=KW_NOTATION,
            ),
            _make_preset(
                "bulls",
                "red green blue yellow orange purple cyan magenta lime teal",
                guesses=12,
                digits="0123456789",
                keys=KeyNotation("bull", "cow", plural="s"),
                repeats=False,
            ),
        )
    }
)

DEFAULT = PRESETS["classic"]
CUSTOM_PALETTE = (
    *("red", "green", "blue", "yellow", "orange", "purple"),
    *("cyan", "magenta", "lime", "teal", "navy", "white"),
)
CUSTOM_DIGITS = "1234567890"  # as on a keyboard; more colours have letters only
_CUSTOM_NAME = re.compile(rf"([1-9][0-9]?)x([1-9][0-9]?)({UNIQUE_SIGN}?)(?:/([1-9][0-9]?))?")


def find_rules(name: str) -> Rules:
    """Return the rules of this `name`: a preset, or ``PEGSxCOLOURS[u][/GUESSES]``.

    With the ``u``, no code has a colour twice. The default of GUESSES is the limit of `classic`.
    Raises InvalidRules for any other name, and for more pegs than colours with the ``u``.
    """
    wanted = name.strip().lower()
    if preset := PRESETS.get(wanted):
        return preset
    match = _CUSTOM_NAME.fullmatch(wanted)
    pegs, colours = (int(match[1]), int(match[2])) if match else (0, 0)
    if match is None or pegs > MAX_PEGS or not 2 <= colours <= MAX_COLOURS:
        raise InvalidRules(
            Reason.UNKNOWN_RULES, field="rules", name=name[:40], known=", ".join(PRESETS),
            pegs=MAX_PEGS, colours=MAX_COLOURS, guesses=MAX_GUESSES,
        )  # fmt: skip
    space = CodeSpace(pegs, colours, repeats=not match[3])
    if space.codes == 0:
        raise InvalidRules(Reason.TOO_FEW_COLOURS, field="rules", rules=str(space), pegs=pegs)
    return _make_rules(space, int(match[4]) if match[4] else DEFAULT.guess_limit)


@lru_cache(maxsize=RULES_CACHED)
def _make_rules(space: CodeSpace, guesses: int) -> Rules:
    pegs, colours, repeats = space
    palette = CUSTOM_PALETTE[:colours]
    digits = CUSTOM_DIGITS[:colours]
    alphabets = (_list_letters(palette), digits)[: 1 + (len(digits) == colours)]
    return Rules(f"{space}/{guesses}", pegs, guesses, palette, alphabets, repeats=repeats)
