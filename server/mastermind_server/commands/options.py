"""Options, which the environment may give too, as is usual for containers, and secrets by files.

`--some-option` is MASTERMIND_SOME_OPTION there, or MASTERMIND_SOME_OPTION_FILE names a file that
holds it. What is typed comes first. No --help shows what the environment has: it may be secret.
"""

from __future__ import annotations

import os
from argparse import SUPPRESS, ArgumentParser, ArgumentTypeError, Namespace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


class Variable(str):
    """The name of a variable that gives an option: argparse reads it as if it had been typed."""

    __slots__ = ()

    def look_up(self) -> str | None:
        """Return its value, or the content of the file that is named; None if there is neither.

        Raises ArgumentTypeError.
        """
        value, file = os.environ.get(self), os.environ.get(f"{self}_FILE")
        if not file:
            return value or None
        if value:
            raise ArgumentTypeError(f"there is {self} and {self}_FILE: leave one")
        try:
            return Path(file).read_text("utf-8").strip()
        except (OSError, UnicodeError) as error:
            why = error.strerror if isinstance(error, OSError) else "it is no text"
            raise ArgumentTypeError(f"{self}_FILE cannot be read: {why}") from None

    @property
    def given(self) -> bool:
        """Whether the environment has something to say."""
        return bool(os.environ.get(self) or os.environ.get(f"{self}_FILE"))


def add_option(
    parser: Any,
    flag: str,
    *,
    about: str,
    read: Callable[[str], object] = str,
    default: object = None,
    rival: str | None = None,
    **settings: Any,
) -> None:
    """Add an option to a parser, or a group of one; `about` is its help.

    `read` makes of a text what is meant, and raises ArgumentTypeError. `default` is of that type.
    A `rival` is an option that the environment may not give as well.
    """
    variable = _name(flag)
    unless = "" if default in (None, SUPPRESS) else f"{default}; "
    parser.add_argument(
        flag,
        type=partial(_read, read, None if rival is None else _name(rival)),
        default=variable if variable.given else default,
        help=f"{about} ({unless}{variable})",
        **settings,
    )


def add_place(parser: ArgumentParser) -> None:
    """Add the options that say which database is meant; `find_place` tells what they say."""
    place = parser.add_mutually_exclusive_group()
    add_store(place, rival="--database")
    add_option(
        place,
        "--database",
        dest="place",
        default=SUPPRESS,
        read=Path,
        metavar="FILE",
        about="SQLite file with all matches: by default one for each port, in your data folder",
    )


def add_store(parser: Any, rival: str | None = None) -> None:
    """Add the option that names the database of many nodes, if nothing else will do."""
    add_option(
        parser,
        "--store",
        dest="place",
        default=SUPPRESS,
        rival=rival,
        metavar="URL",
        about="PostgreSQL database of many nodes, any of which takes any client:"
        " postgresql://...; its password is better told by a file, see"
        " MASTERMIND_STORE_PASSWORD_FILE",
    )


def find_place(options: Namespace) -> Path | str | None:
    """Return the file, or the URL with its password, that is given; None if none is.

    Raises ArgumentTypeError.
    """
    place: Path | str | None = getattr(options, "place", None)
    if not isinstance(place, str) or (password := _name("--store-password").look_up()) is None:
        return place
    import sqlalchemy as sa  # late: it takes long

    try:
        url = sa.make_url(place).set(password=password)
    except (sa.exc.ArgumentError, ValueError):
        raise ArgumentTypeError("--store is no URL of a database: postgresql://...") from None
    return url.render_as_string(hide_password=False)


def demand_place(options: Namespace) -> Path | str:
    """Return what `find_place` does. Raises ArgumentTypeError also if nothing is given."""
    place = find_place(options)
    if place is None:
        raise ArgumentTypeError("which database? --database FILE or --store URL")
    return place


def read_choice(*choices: str) -> Callable[[str], str]:
    """Return what reads one of these words, however it is written."""

    def read(text: str) -> str:
        for choice in choices:
            if text.lower() == choice.lower():
                return choice
        raise ArgumentTypeError(f"{text!r} is none of {', '.join(choices)}")

    return read


def _name(flag: str) -> Variable:
    return Variable("MASTERMIND" + flag[1:].replace("-", "_").upper())


def _read(read: Callable[[str], T], rival: Variable | None, text: str) -> T:
    if not isinstance(text, Variable):
        return read(text)
    if rival is not None and rival.given:
        raise ArgumentTypeError(f"there is {text} and {rival}: leave one")
    value = text.look_up()
    try:
        return read(value or "")
    except ArgumentTypeError as error:
        raise ArgumentTypeError(f"{error} ({text})") from None
