"""Parsers for values of the command line and of the settings.

The parsers raise ArgumentTypeError, whose text has the value and the allowed values. They import
the protocol when they are called, because `mastermind --help` does not need it.
"""

from __future__ import annotations

import re
from argparse import ArgumentTypeError
from typing import NamedTuple

from mastermind_client.config.options import DEFAULT_PORT
from mastermind_client.language import gettext as _

COMMAND = "mastermind"  # the first word of an invitation as a command line
MAX_PAGE_CHARACTERS = 200  # characters of the address of a web page
_QUOTES = " \"'\u2018\u2019\u201c\u201d"  # around a link; chats make straight quotes curly
_PAGE_URL = re.compile(r"https?://[A-Za-z0-9_.:\[\]-]+/[A-Za-z0-9_.~%/-]*")


def parse_match_code(text: str) -> str:
    """Return a match code in capitals, without blanks and hyphens."""
    from mastermind_protocol.events import MATCH_CODE_LENGTH

    return _parse_code(
        text, MATCH_CODE_LENGTH, _("{given} is no match code: {length} of {alphabet}")
    )


def parse_transfer_code(text: str) -> str:
    """Return a transfer code in capitals, without blanks and hyphens."""
    from mastermind_protocol.requests import TRANSFER_CODE_LENGTH

    error_text = _("{given} is no transfer code: {length} of {alphabet}")
    return _parse_code(text, TRANSFER_CODE_LENGTH, error_text)


def _parse_code(text: str, length: int, error_text: str) -> str:
    from mastermind_protocol.events import MATCH_CODE_ALPHABET

    code = text.upper().replace("-", "").replace(" ", "")
    if len(code) != length or set(code) - set(MATCH_CODE_ALPHABET):
        raise ArgumentTypeError(
            error_text.format(given=repr(text), length=length, alphabet=MATCH_CODE_ALPHABET)
        )
    return code


class Invitation(NamedTuple):
    """A match code, and the address of the server, or None if only the code was given.

    `host` is the name of the player who hosts the server, or "" for no player or an unknown one.
    """

    code: str
    server: str | None = None
    host: str = ""


def parse_invitation(text: str) -> Invitation:
    """Return the invitation in CODE, SERVER/CODE, a link, or a `mastermind join` command."""
    words = text.split()
    if words[:1] != [COMMAND]:
        return _parse_link(text.strip(_QUOTES))
    options = words[2:]
    if "--server" not in options[:-1]:
        return parse_invitation(" ".join(options))
    at = options.index("--server")
    server = parse_server(options[at + 1].strip(_QUOTES))
    del options[at : at + 2]
    return Invitation(parse_match_code(" ".join(options)), server)


def _parse_link(text: str) -> Invitation:
    """Return the invitation in CODE, SERVER/CODE, SERVER/CODE#HOST or http(s)://SERVER/CODE.

    The characters that chats append to links are dropped.
    """
    from mastermind_protocol.events import LINK_END, MATCH_CODE_ALPHABET, MATCH_CODE_LENGTH

    code_at_end = rf"(?i)(^|(?<=[^/]/))([{MATCH_CODE_ALPHABET}]{{{MATCH_CODE_LENGTH}}}){LINK_END}$"
    page, _slash, code = re.sub(code_at_end, r"\2", text).rpartition("/")
    server, is_page = re.subn(r"(?i)^http(s?://)", r"ws\1", page.strip())
    if not server:
        return Invitation(parse_match_code(code))
    host = "" if is_page else _parse_host(text.partition("#")[2])
    return Invitation(parse_match_code(code), parse_server(server), host)


def _parse_host(text: str) -> str:
    """Return the name in the fragment of a link, or "" if it is no valid name."""
    from urllib.parse import unquote

    try:
        return parse_name(unquote(text, errors="strict"))
    except (UnicodeDecodeError, ArgumentTypeError):
        return ""


def parse_name(text: str) -> str:
    """Return a player name with normalised blanks. Other invisible characters are rejected."""
    from mastermind_protocol.events import MAX_NAME_LENGTH
    from mastermind_protocol.text import is_displayable, tidy_name

    name = tidy_name(text)
    if len(name) > MAX_NAME_LENGTH or not is_displayable(name):
        raise ArgumentTypeError(
            _("a name has 1 to {most} characters that can be shown").format(most=MAX_NAME_LENGTH)
        )
    return name


def parse_opponent(text: str) -> str:
    """Return the opponent in a text: FRIEND, ANYONE or the name of a bot."""
    from mastermind_protocol.requests import SEAT_FOR_ANYONE, SEAT_FOR_ME

    name = text.lower()
    if name in (SEAT_FOR_ME, SEAT_FOR_ANYONE):  # the protocol's words for players' seats
        raise ArgumentTypeError(
            _("{given} is no opponent: use friend, anyone or the name of a bot").format(
                given=repr(text)
            )
        )
    return name


def parse_server(text: str) -> str:
    """Return the address of a server as a URL.

    An address without a scheme gets ws:// if it has a port, and a host name without a port gets
    wss://. Localhost and IP addresses without a port get ws:// and the default port.
    """
    from urllib.parse import urlsplit, urlunsplit

    try:
        scheme, netloc, *rest = parts = urlsplit(text if "://" in text else f"//{text}")
        host, port = parts.hostname or "", parts.port
        if not scheme:
            near = host == "localhost" or _is_ip_address(host)
            scheme = "wss" if port is None and not near else "ws"
            netloc += f":{DEFAULT_PORT}" if port is None and near else ""
        valid = scheme in ("ws", "wss") and re.fullmatch(r"[\w.:-]+", host) and port != 0
    except ValueError:  # unbalanced brackets, or a port out of range
        valid = None
    if not valid:
        raise ArgumentTypeError(
            _("{given} is no server address: use HOST, HOST:PORT, ws:// or wss://").format(
                given=repr(text)
            )
        )
    return urlunsplit((scheme, netloc, *rest))


def _is_ip_address(host: str) -> bool:
    from ipaddress import ip_address

    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def write_invitation(invitation: Invitation) -> str:
    """Return the text of an invitation, which `parse_invitation` reads: ``example.org/K7M2QP``.

    Older clients ignore the host's name, a fragment with percent-encoded blanks, signs and foreign
    letters: ``192.0.2.7/K7M2QP#Ada``.
    """
    from urllib.parse import quote

    code, server, host = invitation
    if server is None:
        return code
    if host:
        code += f"#{quote(host, safe='')}"
    short = server.partition("://")[2].removesuffix(f":{DEFAULT_PORT}")
    for address in (short, server.partition("://")[2]):
        if parse_server(address) == server:
            return f"{address}/{code}"
    return f"{server}/{code}"


def write_join_command(invitation: Invitation, page: str | None = None) -> str:
    """Return the command line that a friend types in a shell to accept an invitation.

    The command names the web page `page` of the server, or without a page the address of the server
    in the invitation.
    """
    from shlex import quote

    link = write_link(page, invitation)
    named = parse_invitation(link)._replace(host=invitation.host) if link else invitation
    return " ".join((COMMAND, "join", quote(write_invitation(named))))


def find_page(page: str | None, server: str | None) -> str:
    """Return the URL of the `page` of the server at an address, or "" without a page.

    `page` is a URL, or "/" for the address of the server. The page comes from the server, which
    could send anything. So a text that is no URL or too long for a QR code counts as no page.
    """
    if page == "/" and server is not None:
        page = re.sub(r"^ws(s?://[^?]*?)/?(?:\?.*)?$", r"http\1/", server)
    if page is None or len(page) > MAX_PAGE_CHARACTERS or not _PAGE_URL.fullmatch(page):
        return ""
    return page


def write_link(page: str | None, invitation: Invitation) -> str:
    """Return the link to a match at the `page` of a server, or "". See `find_page`."""
    code, server, _host = invitation
    if not (url := find_page(page, server)):
        return ""
    try:
        parse_invitation(f"{url}{code}")
    except ArgumentTypeError:  # no host, or a port out of range
        return ""
    return f"{url}{code}"


def parse_clock(text: str | None) -> str | None:
    """Return the normalised name of a clock, such as ``5+3``. For None it returns None.

    Raises InvalidClock.
    """
    from mastermind_protocol.clock import find_clock

    return find_clock(text).name if text is not None else None


def parse_rounds(text: str) -> int:
    """Return the number of rounds in a text."""
    from mastermind_protocol.rules import MAX_ROUNDS

    return parse_count(text, MAX_ROUNDS, _("{given} is no number of rounds: 1 to {most}"))


def parse_count(text: str, most: int, error_text: str) -> int:
    """Return the number in a text, from 1 to `most`. `error_text` is the text of the error."""
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= most:
        raise ArgumentTypeError(error_text.format(given=repr(text), most=most))
    return int(text)


def parse_place(text: str) -> int:
    """Return the place on a leaderboard in a text."""
    from mastermind_protocol.requests import MAX_PLACE

    return parse_count(text, MAX_PLACE, _("{given} is no place: 1 to {most}"))


def parse_seed(text: str) -> int:
    """Return the random seed in a text."""
    from mastermind_protocol.events import MAX_SEED

    try:
        seed = int(text)
    except ValueError:
        seed = MAX_SEED + 1
    if not -MAX_SEED <= seed <= MAX_SEED:
        raise ArgumentTypeError(
            _("{given} is no seed: a whole number of at most 64 bits").format(given=repr(text))
        )
    return seed


def parse_pace(text: str) -> float:
    """Return the number of seconds in a text: the pause after each guess of a bot."""
    from mastermind_client.playback import MAX_PACE_SECONDS

    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= MAX_PACE_SECONDS:  # false for NaN as well
        raise ArgumentTypeError(
            _("{given} is no pace: 0 to {most:g} seconds a guess").format(
                given=repr(text), most=MAX_PACE_SECONDS
            )
        )
    return seconds
