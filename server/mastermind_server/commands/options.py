"""Command-line options that environment variables or files can set too.

MASTERMIND_SOME_OPTION sets `--some-option`, and MASTERMIND_SOME_OPTION_FILE names a file with its
value. The command line takes precedence. `--help` shows no values of variables, because they may be
secret. `refuse_unknown_variables` finds misspelled names.
"""

from __future__ import annotations

import os
import re
from argparse import SUPPRESS, ArgumentParser, ArgumentTypeError, Namespace
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from mastermind_server.limits import FORMER_NAMES, LIMIT_NAMES, VARIABLE_PREFIX
from mastermind_server.network.addresses import read_networks
from mastermind_server.network.web.files import read_wheel

if TYPE_CHECKING:
    from collections.abc import Callable

    from mastermind_server.network.addresses import Network

T = TypeVar("T")
_PREFIX = "MASTERMIND_"
_FOREIGN_VARIABLES = frozenset(
    {
        # of the compose files, which a shell may export
        *("MASTERMIND_HTTP", "MASTERMIND_HTTPS", "MASTERMIND_LISTEN", "MASTERMIND_PROXIES"),
        *("MASTERMIND_SERVER_ENV", "MASTERMIND_SITE"),
        # of the Makefile and the tests
        *("MASTERMIND_EXAMPLES", "MASTERMIND_MAKE", "MASTERMIND_TEST_POSTGRES"),
    }
)
# Docker and Kubernetes describe a service named mastermind-db by MASTERMIND_DB_PORT=tcp://... and
# these names.
_SERVICE_NAME = re.compile(r"MASTERMIND_\w*(SERVICE_HOST|SERVICE_PORT\w*|PORT_\d+_(TCP|UDP)\w*)")
_SERVICE_ADDRESS = re.compile(r"(tcp|udp)://")


class Variable(str):
    """The name of the environment variable of an option.

    If the environment sets the option, its Variable is the default value of the option. A Variable
    is a str, so argparse passes it to the parser of the option. The parser then reads the variable.
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
        """Whether the environment sets the option, by NAME or NAME_FILE."""
        return bool(os.environ.get(self) or os.environ.get(f"{self}_FILE"))


_PASSWORD_VARIABLE = Variable("MASTERMIND_STORE_PASSWORD")  # not an option: others read these
_option_variables = {_PASSWORD_VARIABLE}  # grows with each option of a parser


def refuse_unknown_variables(add_other_options: Callable[[], object]) -> None:
    """Raise ArgumentTypeError if the environment sets an unknown MASTERMIND_ variable.

    Known are those of all options that `add_option` has added and, if they are not enough, those
    that `add_other_options` adds: a server and its commands often share an environment.
    """
    if not _list_unknown_variables():
        return
    add_other_options()
    for name in _list_unknown_variables():
        known = [each.removeprefix(_PREFIX) for each in sorted(_list_known_variables())]
        near = get_close_matches(name.removeprefix(_PREFIX), known, n=1)
        hint = f": is {_PREFIX}{near[0]} meant?" if near else ""
        raise ArgumentTypeError(f"no option has the variable {name}{hint}")


def _list_known_variables() -> set[str]:
    files = {f"{variable}_FILE" for variable in _option_variables}
    limits = {VARIABLE_PREFIX + name.upper() for name in (*LIMIT_NAMES, *FORMER_NAMES)}
    return files | limits | _option_variables


def _list_unknown_variables() -> list[str]:
    known = _list_known_variables() | _FOREIGN_VARIABLES
    return sorted(
        name
        for name, value in os.environ.items()
        if name.startswith(_PREFIX)
        and value
        and name not in known
        and not _SERVICE_NAME.fullmatch(name)
        and not _SERVICE_ADDRESS.match(value)
    )


def add_option(
    parser: Any,
    flag: str,
    *,
    about: str,
    parse: Callable[[str], object] = str,
    default: object = None,
    exclusive_with: str | None = None,
    **settings: Any,
) -> None:
    """Add the option `flag` to a parser or an argument group. `about` is the help text.

    `parse` turns the option's text into its value, or raises ArgumentTypeError. `default` is such a
    value, not a text. `exclusive_with` is the flag of an option that the environment must not set
    at the same time. `settings` are passed to `add_argument`.
    """
    variable = _variable_of(flag)
    _option_variables.add(variable)
    shown = "" if default in (None, SUPPRESS, ()) else f"default: {default}; "
    other = None if exclusive_with is None else _variable_of(exclusive_with)
    parser.add_argument(
        flag,
        type=partial(_parse_option, parse, other),
        default=variable if variable.is_set else default,
        help=f"{about} ({shown}{variable})",
        **settings,
    )


def add_database_option(parser: ArgumentParser) -> None:
    """Add the options `--store` and `--database`, which `find_database` reads."""
    group = parser.add_mutually_exclusive_group()
    add_store_option(group, exclusive_with="--database")
    add_option(
        group,
        "--database",
        dest="location",
        default=SUPPRESS,
        parse=Path,
        metavar="FILE",
        about="SQLite file with all matches; by default one for each port, in your data folder",
    )


def add_store_option(parser: Any, exclusive_with: str | None = None) -> None:
    """Add the option `--store` for a PostgreSQL URL.

    `exclusive_with` is the flag of an option that the environment must not set at the same time.
    """
    add_option(
        parser,
        "--store",
        dest="location",
        default=SUPPRESS,
        exclusive_with=exclusive_with,
        metavar="URL",
        about="PostgreSQL database, postgresql://..., which several nodes may share; put the"
        " password into a file that MASTERMIND_STORE_PASSWORD_FILE names",
    )


def add_database_file_option(parser: ArgumentParser) -> None:
    """Add the option `--database` of a command that has no `--store`."""
    add_option(
        parser, "--database", parse=Path, metavar="FILE", about="SQLite file with all matches"
    )


def require_database_file(options: Namespace) -> Path:
    """Return the file of `--database`. Raises ArgumentTypeError if the option is not given."""
    if options.database is None:
        raise ArgumentTypeError("name the database: --database FILE")
    database: Path = options.database
    return database


def find_database(options: Namespace) -> Path | str | None:
    """Return the SQLite file of `--database`, or the PostgreSQL URL of `--store` with its password.

    None if neither option is given. Raises ArgumentTypeError for an invalid URL or password file.
    """
    location: Path | str | None = getattr(options, "location", None)
    if not isinstance(location, str) or (password := _PASSWORD_VARIABLE.read()) is None:
        return location
    from mastermind_server.storage.engines.store_url import read_store_url  # late: it takes long

    try:
        url = read_store_url(location).set(password=password)
    except ValueError:
        raise ArgumentTypeError("--store is no URL of a database: postgresql://...") from None
    return url.render_as_string(hide_password=False)


def require_database(options: Namespace) -> Path | str:
    """Return the SQLite file of `--database`, or the PostgreSQL URL of `--store` with its password.

    Raises ArgumentTypeError if neither option is given, or for an invalid URL or password file.
    """
    location = find_database(options)
    if location is None:
        raise ArgumentTypeError("name the database: --database FILE or --store URL")
    return location


def make_choice_parser(*choices: str) -> Callable[[str], str]:
    """Return a parser that accepts the texts in `choices`, ignoring case.

    The parser returns the choice as it is spelt in `choices`. It raises ArgumentTypeError for
    other texts.
    """

    def parse(text: str) -> str:
        for choice in choices:
            if text.lower() == choice.lower():
                return choice
        raise ArgumentTypeError(f"{text!r} is not one of {', '.join(choices)}")

    return parse


def _variable_of(flag: str) -> Variable:
    return Variable(_PREFIX + flag[2:].replace("-", "_").upper())


def _parse_option(parse: Callable[[str], T], exclusive_with: Variable | None, text: str) -> T:
    if not isinstance(text, Variable):
        return parse(text)
    if exclusive_with is not None and exclusive_with.is_set:
        raise ArgumentTypeError(f"{text} and {exclusive_with} are both set: unset one")
    value = text.read()
    try:
        return parse(value or "")
    except ArgumentTypeError as error:
        raise ArgumentTypeError(f"{error} ({text})") from None


MAX_DRAIN_SECONDS = 4  # during which running matches continue
MAX_PORT = 65535
MAX_ABANDONED_DAYS = 3650  # ten years
_PUBLIC_URL_PATTERN = re.compile(r"https?://[a-z0-9.:\[\]-]+/?")
_ORIGIN_PATTERN = re.compile(r"[a-z][a-z0-9+.-]*://[a-z0-9.:\[\]-]+")  # as in the header Origin


def read_port(text: str) -> int:
    """Return the port number in `text`, from 0 to MAX_PORT. Raises ArgumentTypeError."""
    if not (text.isascii() and text.isdigit() and int(text) <= MAX_PORT):
        raise ArgumentTypeError(f"{text!r} is no port: 0 to {MAX_PORT}")
    return int(text)


def read_drain_seconds(text: str) -> float:
    """Return the seconds in `text`, from 0 to MAX_DRAIN_SECONDS. Raises ArgumentTypeError."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1
    if not 0 <= seconds <= MAX_DRAIN_SECONDS:
        raise ArgumentTypeError(
            f"{text!r} is no time to drain: use 0 to {MAX_DRAIN_SECONDS} seconds"
        )
    return seconds


def read_days(text: str) -> int:
    """Return the days in `text`, from 1 to MAX_ABANDONED_DAYS. Raises ArgumentTypeError."""
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= MAX_ABANDONED_DAYS):
        raise ArgumentTypeError(f"{text!r} is no number of days: 1 to {MAX_ABANDONED_DAYS}")
    return int(text)


def read_origins(text: str) -> tuple[str, ...]:
    """Return the web origins in `text`, separated by commas. Raises ArgumentTypeError."""
    origins = tuple(origin for word in text.split(",") if (origin := word.strip()))
    for origin in origins:
        if not _ORIGIN_PATTERN.fullmatch(origin):
            raise ArgumentTypeError(
                f"{origin!r} is no origin: https://HOST or https://HOST:PORT, in lower case"
            )
    return origins


def read_public_url(text: str) -> str:
    """Return the URL in `text`, with a slash at the end. Raises ArgumentTypeError."""
    if not _PUBLIC_URL_PATTERN.fullmatch(text):
        raise ArgumentTypeError(
            f"{text!r} is no address of a page: https://HOST or https://HOST:PORT, in lower case"
        )
    return text.removesuffix("/") + "/"


def read_switch(text: str) -> bool:
    """Return True for yes and False for no. Raises ArgumentTypeError for other texts."""
    return make_choice_parser("yes", "no")(text) == "yes"


def read_downloads(text: str) -> dict[str, bytes]:
    """Map the file name of this version's wheel in the folder `text` to the file's content.

    Raises ArgumentTypeError if the file cannot be read.
    """
    try:
        return read_wheel(Path(text))
    except OSError as error:
        why = f"{error.filename}: {error.strerror}"
        raise ArgumentTypeError(f"{text!r} has no wheel of this version ({why})") from None


def read_proxies(text: str) -> tuple[Network, ...]:
    """Return the networks of proxies in `text`, separated by commas. Raises ArgumentTypeError."""
    try:
        return read_networks(text)
    except ValueError as error:
        raise ArgumentTypeError(f"{error}: such as 10.0.0.0/8,fd00::/8") from None
