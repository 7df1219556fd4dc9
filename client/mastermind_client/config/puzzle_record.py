"""The record of the puzzles that the user has solved on this computer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from mastermind_client.config.settings_file import BrokenFile
from mastermind_client.files import lock_files, write_atomically
from mastermind_client.language import gettext as _

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from mastermind_protocol.rules import Rules

RECORD_FILE = "puzzles.json"
MAX_REMEMBERED = 1000  # puzzles, the latest: each counts once; in 30 KB


class PuzzleRecord(msgspec.Struct, frozen=True):
    """The record of a user's puzzles. Each puzzle counts once.

    `solved` is the number of solved puzzles. `streak` is the number of the latest puzzles in a row
    that were solved with the first answer, and `best` the longest such streak. A wrong answer ends
    a streak, and so does giving up. `finished` and `missed` are the names of the latest puzzles:
    solved or given up, and so far only answered wrongly.
    """

    solved: int = 0
    streak: int = 0
    best: int = 0
    finished: tuple[str, ...] = ()
    missed: tuple[str, ...] = ()


def name_puzzle(rules: Rules, level: int, seed: int) -> str:
    """Return the name of a puzzle, equal for rules with the same codes: ``4x6/2/8812``."""
    return f"{rules.space}/{level}/{seed}"


def load_record(folder: Path) -> PuzzleRecord:
    """Return the record in the data `folder`, or an empty one. Raises BrokenFile and OSError."""
    file = folder / RECORD_FILE
    try:
        return msgspec.json.decode(file.read_bytes(), type=PuzzleRecord)
    except FileNotFoundError:
        return PuzzleRecord()
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        text = _("{file} cannot be read: it is no record of puzzles")
        raise BrokenFile(text.format(file=file)) from None


def record_answer(folder: Path, name: str, *, right: bool) -> PuzzleRecord:
    """Count an answer to the puzzle `name`, and return the new record.

    Raises BrokenFile and OSError.
    """

    def count(record: PuzzleRecord) -> PuzzleRecord:
        if not right:
            return replace(record, streak=0, missed=_add(record.missed, name))
        streak = record.streak + (name not in record.missed)
        return replace(
            record,
            solved=record.solved + 1,
            streak=streak,
            best=max(record.best, streak),
            finished=_add(record.finished, name),
        )

    return _change(folder, name, count)


def record_surrender(folder: Path, name: str) -> PuzzleRecord:
    """Count the puzzle `name` as given up, and return the new record.

    Raises BrokenFile and OSError.
    """

    def end_streak(record: PuzzleRecord) -> PuzzleRecord:
        return replace(record, streak=0, finished=_add(record.finished, name))

    return _change(folder, name, end_streak)


def _add(names: tuple[str, ...], name: str) -> tuple[str, ...]:
    return (*(other for other in names if other != name), name)[-MAX_REMEMBERED:]


def _change(
    folder: Path, name: str, change: Callable[[PuzzleRecord], PuzzleRecord]
) -> PuzzleRecord:
    """Apply `change` to the stored record unless the puzzle `name` is finished. Return the record.

    Other clients of the user change the file too.
    """
    with lock_files(folder):
        record = load_record(folder)
        if name not in record.finished:
            record = change(record)
            write_atomically(folder / RECORD_FILE, msgspec.json.encode(record))
    return record
