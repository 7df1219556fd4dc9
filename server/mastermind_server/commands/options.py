"""Command-line options that environment variables or files can set too.

MASTERMIND_SOME_OPTION sets `--some-option`, and MASTERMIND_SOME_OPTION_FILE names a file with its
value. The command line takes precedence. `--help` shows no values of variables: they may be secret.
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
    """The name of a variable that sets an option; argparse parses it like a typed value."""

    __slots__ = ()

    def read(self) -> str | None:
        """Return the variable's value or the file's content; None if neither variable is set.

        Raises ArgumentTypeError.
        """
        value, file = os.environ.get(self), os.environ.get(f"{self}_FILE")
        if not file:
            return value or None
        if value:
            raise ArgumentTypeError(f"{self} and {self}_FILE are both set: unset one")
        try:
            return Path(file).read_text("utf-8").strip()
        except (OSError, UnicodeError) as error:
            why = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
            raise ArgumentTypeError(f"{self}_FILE cannot be read: {why}") from None

    @property
    def given(self) -> bool:
        """Whether the environment sets the option."""
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
    """Add an option to a parser or to an argument group; `about` is its help.

    `read` parses a text and raises ArgumentTypeError. `default` has the type that `read` returns.
    The environment must not set both the option and its `rival`.
    """
    variable = _name(flag)
    shown = "" if default in (None, SUPPRESS, ()) else f"default: {default}; "
    parser.add_argument(
        flag,
        type=partial(_read, read, None if rival is None else _name(rival)),
        default=variable if variable.given else default,
        help=f"{about} ({shown}{variable})",
        **settings,
    )


def add_database_option(parser: ArgumentParser) -> None:
    """Add the options that name the database, for `find_database`."""
    group = parser.add_mutually_exclusive_group()
    add_store_option(group, rival="--database")
    add_option(
        group,
        "--database",
        dest="location",
        default=SUPPRESS,
        read=Path,
        metavar="FILE",
        about="SQLite file with all matches; by default one for each port, in your data folder",
    )


def add_store_option(parser: Any, rival: str | None = None) -> None:
    """Add the option that names a PostgreSQL database."""
    add_option(
        parser,
        "--store",
        dest="location",
        default=SUPPRESS,
        rival=rival,
        metavar="URL",
        about="PostgreSQL database, postgresql://..., which several nodes may share; put the"
        " password into a file that MASTERMIND_STORE_PASSWORD_FILE names",
    )


def find_database(options: Namespace) -> Path | str | None:
    """Return the path of the file or the URL with its password; None if neither is given.

    Raises ArgumentTypeError.
    """
    location: Path | str | None = getattr(options, "location", None)
    if not isinstance(location, str) or (password := _name("--store-password").read()) is None:
        return location
    import sqlalchemy as sa  # late: it takes long

    try:
        url = sa.make_url(location).set(password=password)
    except (sa.exc.ArgumentError, ValueError):
        raise ArgumentTypeError("--store is no URL of a database: postgresql://...") from None
    return url.render_as_string(hide_password=False)


def require_database(options: Namespace) -> Path | str:
    """Return the path or the URL, as `find_database`. Raises ArgumentTypeError if none is given."""
    location = find_database(options)
    if location is None:
        raise ArgumentTypeError("which database? --database FILE or --store URL")
    return location


def read_choice(*choices: str) -> Callable[[str], str]:
    """Return a parser of an option that is one of `choices`, in any case."""

    def read(text: str) -> str:
        for choice in choices:
            if text.lower() == choice.lower():
                return choice
        raise ArgumentTypeError(f"{text!r} is not one of {', '.join(choices)}")

    return read


def _name(flag: str) -> Variable:
    return Variable("MASTERMIND" + flag[1:].replace("-", "_").upper())


def _read(read: Callable[[str], T], rival: Variable | None, text: str) -> T:
    if not isinstance(text, Variable):
        return read(text)
    if rival is not None and rival.given:
        raise ArgumentTypeError(f"{text} and {rival} are both set: unset one")
    value = text.read()
    try:
        return read(value or "")
    except ArgumentTypeError as error:
        raise ArgumentTypeError(f"{error} ({text})") from None
