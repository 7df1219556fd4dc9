"""The arguments of `solve`, and the file or the standard input with the turns of a game."""

from __future__ import annotations

import sys
from argparse import ArgumentTypeError
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from mastermind_client.cli.arguments import (
    add_display_options,
    describe_rule_choices,
    write_command_for_argparse,
)
from mastermind_client.config.options import DEFAULT_BOT, LEVELS, PuzzleOptions, SolveOptions
from mastermind_client.config.values import parse_count, parse_opponent
from mastermind_client.language import gettext as _
from mastermind_protocol.rules import DEFAULT, find_rules

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from contextlib import AbstractContextManager

    from mastermind_client.messages.solving.notation import Position
    from mastermind_protocol.rules import Rules

STANDARD_INPUT = "-"


def add_solve(parser: ArgumentParser) -> None:
    """Add the arguments of `solve`."""
    from mastermind_client.messages.analysis import MEASURES  # slow, and other commands need none
    from mastermind_protocol.requests import MAX_PUZZLE_LEVEL

    parser.add_argument(
        "file",
        nargs="?",
        metavar=_("FILE"),
        help=_(
            "a file with a guess and its answer in each line, such as RRGG 1b1w; "
            "- for standard input"
        ),
    )
    parser.add_argument(
        "--rules",
        help=_("{rules} (default: those that the file names, or {default})").format(
            rules=describe_rule_choices(), default=DEFAULT.name
        ),
    )
    parser.add_argument(
        "--by", choices=MEASURES, help=_("the measure of the best guesses (default bits)")
    )
    way = parser.add_mutually_exclusive_group()
    way.add_argument(
        "--as",
        dest="seat",
        choices=("maker", "breaker"),
        help=_("maker: a bot breaks the code in your head, and you answer (default breaker)"),
    )
    way.add_argument(
        "--puzzle",
        action="store_true",
        help=_("find the only code that fits the answers to some guesses"),
    )
    parser.add_argument(
        "--bot",
        type=parse_opponent,
        metavar=_("NAME"),
        help=_(
            "with --as maker, the bot: {levels} or one that `{command}` lists (default {default})"
        ).format(
            levels=", ".join(LEVELS), command=write_command_for_argparse("bots"),
            default=DEFAULT_BOT,
        ),
    )  # fmt: skip
    parser.add_argument(
        "--level",
        type=int,
        choices=range(1, MAX_PUZZLE_LEVEL + 1),
        help=_("of a puzzle, from easy to hard (default 1)"),
    )
    parser.add_argument(
        "--seed",
        type=_parse_puzzle_seed,
        metavar="N",
        help=_("the number of a puzzle, the same one everywhere (default: a new one)"),
    )
    parser.add_argument("--json", action="store_true", help=_("write it as JSON, for a program"))
    add_display_options(parser)
    parser.set_defaults(build=_build)


def _build(parsed: Namespace) -> SolveOptions | PuzzleOptions:
    """Return the options, with the turns in the file or in the standard input of a script."""
    rules = find_rules(parsed.rules) if parsed.rules is not None else None
    if parsed.puzzle:
        if parsed.file or parsed.by or parsed.bot:
            raise ArgumentTypeError(_("--puzzle has guesses of its own: no FILE, --by or --bot"))
        return PuzzleOptions(rules or DEFAULT, parsed.level or 1, parsed.seed, json=parsed.json)
    if parsed.level is not None or parsed.seed is not None:
        raise ArgumentTypeError(_("--level and --seed need --puzzle"))
    if parsed.bot is not None and parsed.seat != "maker":
        raise ArgumentTypeError(_("--bot needs --as maker"))
    making = parsed.seat == "maker"
    file = parsed.file
    if file is None and not sys.stdin.isatty() and (parsed.json or not making):
        file = STANDARD_INPUT
    position = _read(file, rules)
    return SolveOptions(
        position.rules,
        by=parsed.by or "bits",
        bot=(parsed.bot or DEFAULT_BOT) if making else None,
        turns=position.turns,
        path=None if file in (None, STANDARD_INPUT) else Path(file),
        json=parsed.json,
    )


def _read(file: str | None, rules: Rules | None) -> Position:
    """Return the position in a file, STANDARD_INPUT or None. Raises ArgumentTypeError."""
    from mastermind_client.messages.failures import explain_failure
    from mastermind_client.messages.solving import notation

    if file is None:
        return notation.Position(rules or DEFAULT)
    try:
        with _open(file) as source:
            data = source.read(notation.MAX_FILE_BYTES + 1)
        return notation.read_position(notation.decode_position(data), rules)
    except notation.InvalidNotation as error:
        name = _("standard input") if file == STANDARD_INPUT else file
        raise ArgumentTypeError(f"{name}, {error}") from None
    except OSError as error:
        raise ArgumentTypeError(explain_failure(error)) from None


def _open(file: str) -> AbstractContextManager[BinaryIO]:
    if file == STANDARD_INPUT:
        return nullcontext(sys.stdin.buffer)
    return Path(file).open("rb")


def _parse_puzzle_seed(text: str) -> int:
    from mastermind_protocol.requests import MAX_PUZZLE_SEED

    if text == "0":
        return 0
    return parse_count(text, MAX_PUZZLE_SEED, _("{given} is no number of a puzzle: 0 to {most}"))
