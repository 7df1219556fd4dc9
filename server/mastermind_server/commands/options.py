"""Command-line options that environment variables or files can set too.

MASTERMIND_SOME_OPTION sets `--some-option`, and MASTERMIND_SOME_OPTION_FILE names a file with its
value. The command line takes precedence. `--help` shows no values of variables, because they may be
secret.
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
    """The name of the environment variable of an option.

    A Variable is the default of an option that the environment sets. argparse passes a default of
    type str to the option's parser, and the parser then reads the variable.
    """

    __slots__ = ()

    def read(self) -> str | None:
        """Return the value of the variable, or the content of the file that NAME_FILE names.

        None if neither variable is set. Raises ArgumentTypeError if both are set, or if the file
        cannot be read.
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
    def is_set(self) -> bool:
        """Whether the environment sets the option, by its variable or the one with _FILE."""
        return bool(os.environ.get(self) or os.environ.get(f"{self}_FILE"))


def add_option(
    parser: Any,
    flag: str,
    *,
    about: str,
    parse: Callable[[str], object] = str,
    default: object = None,
    rival: str | None = None,
    **settings: Any,
) -> None:
    """Add the option `flag` to a parser or an argument group. `about` is the help text.

    `parse` returns the value of the option from its text, or raises ArgumentTypeError. `default` is
    such a value. `rival` is the flag of an option that the environment must not set too. `settings`
    are passed to `add_argument`.
    """
    variable = _variable_of(flag)
    shown = "" if default in (None, SUPPRESS, ()) else f"default: {default}; "
    parser.add_argument(
        flag,
        type=partial(_parse_option, parse, None if rival is None else _variable_of(rival)),
        default=variable if variable.is_set else default,
        help=f"{about} ({shown}{variable})",
        **settings,
    )


def add_database_option(parser: ArgumentParser) -> None:
    """Add the options `--store` and `--database`, which `find_database` reads."""
    group = parser.add_mutually_exclusive_group()
    add_store_option(group, rival="--database")
    add_option(
        group,
        "--database",
        dest="location",
        default=SUPPRESS,
        parse=Path,
        metavar="FILE",
        about="SQLite file with all matches; by default one for each port, in your data folder",
    )


def add_store_option(parser: Any, rival: str | None = None) -> None:
    """Add the option `--store` for a PostgreSQL database. `rival` is as in `add_option`."""
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
    """Return the path of the SQLite file, or the URL with its password.

    None if neither option is given. Raises ArgumentTypeError for an invalid URL or password file.
    """
    location: Path | str | None = getattr(options, "location", None)
    if (
        not isinstance(location, str)
        or (password := _variable_of("--store-password").read()) is None
    ):
        return location
    import sqlalchemy as sa  # late: it takes long

    try:
        url = sa.make_url(location).set(password=password)
    except (sa.exc.ArgumentError, ValueError):
        raise ArgumentTypeError("--store is no URL of a database: postgresql://...") from None
    return url.render_as_string(hide_password=False)


def require_database(options: Namespace) -> Path | str:
    """Return the result of `find_database`. Raises ArgumentTypeError if it is None."""
    location = find_database(options)
    if location is None:
        raise ArgumentTypeError("name the database: --database FILE or --store URL")
    return location


def read_choice(*choices: str) -> Callable[[str], str]:
    """Return a function that returns the one of `choices` that a text equals, ignoring case.

    The function raises ArgumentTypeError for any other text.
    """

    def parse(text: str) -> str:
        for choice in choices:
            if text.lower() == choice.lower():
                return choice
        raise ArgumentTypeError(f"{text!r} is not one of {', '.join(choices)}")

    return parse


def _variable_of(flag: str) -> Variable:
    return Variable("MASTERMIND" + flag[1:].replace("-", "_").upper())


def _parse_option(parse: Callable[[str], T], rival: Variable | None, text: str) -> T:
    if not isinstance(text, Variable):
        return parse(text)
    if rival is not None and rival.is_set:
        raise ArgumentTypeError(f"{text} and {rival} are both set: unset one")
    value = text.read()
    try:
        return parse(value or "")
    except ArgumentTypeError as error:
        raise ArgumentTypeError(f"{error} ({text})") from None
