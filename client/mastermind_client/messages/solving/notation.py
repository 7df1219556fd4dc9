"""Guesses and answers as text: read in every usual notation, and written in one.

A position is a text with one turn in a line, such as ``RRGG 1b1w``. Blank lines and comments, which
start with ``#``, are skipped. The first comment of a written position names its rules.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from mastermind_client.config.settings_file import BrokenFile
from mastermind_client.files import write_atomically
from mastermind_client.keyboard import read_keys
from mastermind_client.language import gettext as _
from mastermind_client.language import pgettext
from mastermind_client.messages.codes import (
    format_example_code,
    name_key_pegs,
    prefer_letters_in,
    read_code,
)
from mastermind_client.messages.failures import explain_refusal
from mastermind_protocol.code import check_feedback, format_code
from mastermind_protocol.errors import InvalidCode, InvalidFeedback, InvalidRules
from mastermind_protocol.feedback import Feedback, score
from mastermind_protocol.match import Turn
from mastermind_protocol.requests import MAX_GIVEN_TURNS
from mastermind_protocol.rules import DEFAULT, find_rules

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mastermind_protocol.code import Code
    from mastermind_protocol.messages import Correction
    from mastermind_protocol.rules import Rules

MAX_FILE_BYTES = 64 * 1024  # of a position: a hundred times the longest one, with comments
MAX_QUOTED_CHARACTERS = 20  # of a wrong answer in an error
NAME_LENGTH = 4  # letters of a key peg's name that distinguish it: black, and Polish czarny, czarna

_HEADER = "# mastermind solve --rules {rules}"
_HEADER_RULES = re.compile(r"\s*#\s*mastermind solve\b.*?--rules[\s=]+(\S+)")
_LINE_END = re.compile(r"\r\n?|\n")  # a terminal pastes a carriage return for each line end
_ROW_NUMBER = re.compile(r"\s*\d{1,2}(?:[.)]\s+|\s{2,})")  # of a guess, as the board has it
_CODE_WORD = re.compile(r"[^\s,;:|=>-]+")
_SEPARATORS = re.compile(r"\A[\s,;:|=]*(?:-*>\s*)?")
_ANSWER_PART = re.compile(r"\d|[^\W\d_]+|[^\s\w]|_")
_KEY_PEG_LIST = re.compile(r"\[[12,;\s]*\]")  # of `lab`: 2 for each black key peg, 1 for each white
_NOTHING = re.compile(r"[-\N{EN DASH}]|(?:\[\s*\])+")  # in notations without a sign for no key peg
_IGNORED = frozenset(",;:/|&+()[]{}-\N{VARIATION SELECTOR-16}")
_SIGNS = {
    **dict.fromkeys("bkx●⚫", "black"),
    **dict.fromkeys("wgco○⚪", "white"),
    **dict.fromkeys("e._·", "empty"),
}


class InvalidNotation(ValueError):
    """A text that is no guess, no answer or no position.

    `line` and `column` are counted from 1. `reason` is a clause in the current language.
    """

    def __init__(self, reason: str, column: int = 1, line: int = 1) -> None:
        super().__init__(reason, column, line)
        self.reason, self.column, self.line = reason, column, line

    def __str__(self) -> str:
        text = _("line {line}, column {column}: {reason}")
        return text.format(line=self.line, column=self.column, reason=self.reason)


class Position(NamedTuple):
    """The rules and the turns of a game that is played elsewhere."""

    rules: Rules
    turns: tuple[Turn, ...] = ()

    @property
    def is_solved(self) -> bool:
        """Whether the last guess is the code, by its answer."""
        return bool(self.turns) and self.turns[-1].feedback.black == self.rules.pegs

    def correct(self, correction: Correction) -> Position:
        """Return the position with the answer to one guess replaced by that of the correction."""
        index, feedback = correction.turn - 1, Feedback(correction.black, correction.white)
        turn = Turn(self.turns[index].code, feedback)
        return self._replace(turns=(*self.turns[:index], turn, *self.turns[index + 1 :]))


def read_feedback(text: str, rules: Rules) -> Feedback:
    """Return the answer in `text`, in any notation. Raises InvalidNotation.

    It is read as two numbers (``11``, ``1,1``), as numbers with names or initials of key pegs
    (``1b1w``, ``1 bull 2 cows``), as one sign for each key peg (``KWW``, ``[X][O][ ]``, ``-``), and
    as the list of `lab` in brackets. Names are English or in the current language.
    """
    answer = text.strip()
    start = len(text) - len(text.lstrip())
    if not answer:
        raise InvalidNotation(_("the answer is missing: {examples}").format(examples=_examples()))
    try:
        feedback = _parse_feedback(answer, rules.pegs)
        check_feedback(feedback, rules)
    except InvalidFeedback as error:
        raise InvalidNotation(explain_refusal(error), start + 1) from None
    except InvalidNotation as error:
        raise InvalidNotation(error.reason, start + error.column) from None
    return feedback


def _parse_feedback(answer: str, pegs: int) -> Feedback:
    if _KEY_PEG_LIST.fullmatch(answer):
        return Feedback(answer.count("2"), answer.count("1"))
    if _NOTHING.fullmatch(answer):
        return Feedback(0, 0)
    parts = [
        (part.group(), part.start() + 1)
        for part in _ANSWER_PART.finditer(answer)
        if part.group() not in _IGNORED and part.group().lower() not in _joining_words()
    ]
    if not parts:
        raise _unreadable(answer, 1)
    digits = [part for part, _column in parts if part.isdecimal()]
    if digits and "[" in answer:  # no list as by `lab`
        raise _unreadable(answer, 1)
    if len(digits) == len(parts):
        if len(digits) != len(Feedback._fields):
            raise _unreadable(answer, 1)
        return Feedback(*map(int, digits))
    counts = dict.fromkeys(("black", "white", "empty"), 0)
    for kind, number in _count_named(parts) if digits else _count_signs(parts):
        counts[kind] += number
    black, white, empty = counts.values()
    if empty and black + white + empty != pegs:
        text = _("{black} black, {white} white and {empty} empty are not {pegs} pegs")
        raise InvalidNotation(text.format(**counts, pegs=pegs))
    return Feedback(black, white)


def _count_named(parts: list[tuple[str, int]]) -> Iterator[tuple[str, int]]:
    """Yield the kind and the number of each pair of parts: a number, and a name or an initial."""
    found = set()
    for first, second in zip(parts[::2], [*parts[1::2], ("", 0)], strict=False):
        (number, _at), (name, column) = (first, second) if first[0].isdecimal() else (second, first)
        kind = _find_kind(name)
        if not number.isdecimal() or kind is None or kind in found:
            raise _unreadable(name or number, column or first[1])
        found.add(kind)
        yield kind, int(number)


def _count_signs(parts: list[tuple[str, int]]) -> Iterator[tuple[str, int]]:
    """Yield the kind of each key peg, and 1. A part is the name of a key peg, or signs."""
    for part, column in parts:
        if len(part) > 1 and (kind := _find_kind(part)) is not None:
            yield kind, 1
            continue
        for offset, sign in enumerate(part):
            if (kind := _find_kind(sign)) is None:
                raise _unreadable(part, column + offset)
            yield kind, 1


def _find_kind(name: str) -> str | None:
    """Return the kind of the key pegs with this name or sign, or None."""
    typed = read_keys(name)
    if len(typed) == 1:
        return _SIGNS.get(typed)
    for known, kind in name_key_pegs():
        if typed.startswith(read_keys(known)[:NAME_LENGTH]):
            return kind
    return None


def _joining_words() -> tuple[str, ...]:
    return "and", pgettext("answer", "and")


def _unreadable(part: str, column: int) -> InvalidNotation:
    text = _("{text} is no answer: {examples}")
    quoted = repr(part[:MAX_QUOTED_CHARACTERS])
    return InvalidNotation(text.format(text=quoted, examples=_examples()), column)


def _examples() -> str:
    return _("write 1 black and 2 white as 1b2w, 12 or KWW, and no key peg as -")


def read_turn(text: str, rules: Rules) -> Turn:
    """Return the guess and the answer in `text`, such as ``RRGG 1b1w``. Raises InvalidNotation.

    The number of the guess can precede it, as in a row of the board, and a comment can follow.
    """
    text = text.partition("#")[0]
    numbered = _ROW_NUMBER.match(text)
    code, end = read_guess(text, rules, numbered.end() if numbered else 0)
    answer = _SEPARATORS.sub("", text[end:], count=1)
    try:
        return Turn(code, read_feedback(answer, rules))
    except InvalidNotation as error:
        column = len(text) - len(answer) + error.column
        raise InvalidNotation(error.reason, column) from None


def read_guess(text: str, rules: Rules, start: int = 0) -> tuple[Code, int]:
    """Return the guess at the index `start` of `text`, and the index of its end.

    The guess ends with the word that has its last peg. Raises InvalidNotation.
    """
    symbols, columns, end = "", list[int](), start
    for word in _CODE_WORD.finditer(text, start):
        if symbols and len(symbols) + len(word.group()) > rules.pegs:
            break
        symbols += word.group()
        columns += range(word.start() + 1, word.end() + 1)
        end = word.end()
        if len(symbols) >= rules.pegs:
            break
    kinds = [symbol.isdecimal() for symbol in symbols]
    if True in kinds and False in kinds:  # the number of a row, or a part of the answer
        column = columns[kinds.index(not kinds[0])]
        raise InvalidNotation(_("a guess has letters or digits, not both"), column)
    try:
        return read_code(symbols, rules), end
    except InvalidCode as error:
        peg = error.values.get("peg", 1)
        column = columns[peg - 1] if columns and isinstance(peg, int) else start + 1
        raise InvalidNotation(explain_refusal(error), column) from None


def read_position(text: str, rules: Rules | None = None, usual: Rules = DEFAULT) -> Position:
    """Return the position that `text` describes. Raises InvalidNotation.

    If `rules` is None, they are the rules named in the text, by default `usual`.
    """
    lines = _LINE_END.split(text)
    if rules is None:
        rules = _find_header_rules(lines) or usual
    turns: list[Turn] = []
    for number, line in enumerate(lines, start=1):
        if not line.partition("#")[0].strip():
            continue
        try:
            check_room(turns)
            turns.append(read_turn(line, rules))
        except InvalidNotation as error:
            raise InvalidNotation(error.reason, error.column, number) from None
    return Position(rules, tuple(turns))


def check_room(turns: Sequence[Turn]) -> None:
    """Raise InvalidNotation if `turns` are the most that a position has."""
    if len(turns) >= MAX_GIVEN_TURNS:
        raise InvalidNotation(_("at most {most} guesses").format(most=MAX_GIVEN_TURNS))


def _find_header_rules(lines: list[str]) -> Rules | None:
    for number, line in enumerate(lines, start=1):
        if header := _HEADER_RULES.match(line):
            try:
                return find_rules(header[1])
            except InvalidRules as error:
                column = header.start(1) + 1
                raise InvalidNotation(explain_refusal(error), column, number) from None
    return None


def write_feedback(feedback: Feedback) -> str:
    """Return an answer as a position has it: ``1b2w``."""
    return f"{feedback.black}b{feedback.white}w"


def write_example(rules: Rules) -> str:
    """Return an example of a turn, with an answer that is possible: ``RRGG 1b1w``."""
    guess = format_example_code(prefer_letters_in(rules))
    feedback = score(tuple(reversed(rules.some_code)), read_code(guess, rules))
    return f"{guess} {write_feedback(feedback)}"


def write_position(rules: Rules, turns: Iterable[Turn]) -> str:
    """Return the text of a position, which `read_position` reads."""
    shown = prefer_letters_in(rules)
    rows = (f"{format_code(turn.code, shown)} {write_feedback(turn.feedback)}" for turn in turns)
    return "".join(f"{row}\n" for row in (_HEADER.format(rules=rules), *rows))


def find_path(typed: str) -> Path:
    """Return the path of a typed file name. Raises InvalidNotation for an impossible name."""
    if "\0" in typed:
        raise InvalidNotation(_("this is no file"))
    return Path(os.path.expanduser(typed))  # noqa: PTH111 - the other raises for an unknown user


def load_position(path: Path, usual: Rules = DEFAULT) -> Position:
    """Return the position in a file. See `read_position`. Raises InvalidNotation and OSError."""
    if path.exists() and not path.is_file():  # a named pipe could block the program
        raise BrokenFile(_("{file} is no file").format(file=path))
    with path.open("rb") as file:
        return read_position(decode_position(file.read(MAX_FILE_BYTES + 1)), usual=usual)


def decode_position(data: bytes) -> str:
    """Return the text of a position. `data` has at most one byte more than MAX_FILE_BYTES.

    Raises InvalidNotation for more bytes, and for bytes that are no UTF-8.
    """
    if len(data) > MAX_FILE_BYTES:
        raise InvalidNotation(explain_excess())
    try:
        return data.decode("utf-8-sig")  # some editors write a byte order mark
    except UnicodeDecodeError as error:
        *earlier, last = _LINE_END.split(error.object[: error.start].decode())
        text = _("this is no text in UTF-8")
        raise InvalidNotation(text, len(last) + 1, len(earlier) + 1) from None


def explain_excess() -> str:
    """Return why a text of more than MAX_FILE_BYTES is refused, as a clause."""
    text = _("this is too large: a position has at most {limit} bytes")
    return text.format(limit=MAX_FILE_BYTES)


def save_position(path: Path, rules: Rules, turns: Iterable[Turn]) -> None:
    """Write a position to a new file, or to a file with a position.

    Raises InvalidNotation for a path with anything else, and OSError.
    """
    if path.exists() and not (path.is_file() and _HEADER_RULES.match(_read_start(path))):
        text = _("{file} exists and is no saved game: choose another name")
        raise InvalidNotation(text.format(file=path))
    write_atomically(path, write_position(rules, turns).encode())


def _read_start(path: Path) -> str:
    with path.open("rb") as file:
        return file.read(len(_HEADER) + MAX_QUOTED_CHARACTERS).decode(errors="replace")
