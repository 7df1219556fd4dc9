"""What may stand on the command line, and in the settings: one parser for each kind of value.

They raise ArgumentTypeError, which names what is wrong and what is allowed. What they need of the
protocol is loaded when a value is there to be read: `mastermind --help` has none.
"""

from __future__ import annotations

import re
from argparse import ArgumentTypeError
from typing import NamedTuple

from mastermind_client.language import gettext as _

DEFAULT_PORT = 8765  # of a server
COMMAND = "mastermind"  # what the line begins with that a friend sends


def parse_match_code(text: str) -> str:
    """Return a match code, however it was written."""
    from mastermind_protocol.events import MATCH_CODE_ALPHABET, MATCH_CODE_LENGTH

    code = text.upper().replace("-", "").replace(" ", "")
    if len(code) != MATCH_CODE_LENGTH or set(code) - set(MATCH_CODE_ALPHABET):
        raise ArgumentTypeError(
            _("{given} is no match code: {length} of {alphabet}").format(
                given=repr(text), length=MATCH_CODE_LENGTH, alphabet=MATCH_CODE_ALPHABET
            )
        )
    return code


def parse_transfer_code(text: str) -> str:
    """Return a transfer code, however it was written."""
    from mastermind_protocol.events import MATCH_CODE_ALPHABET
    from mastermind_protocol.requests import TRANSFER_CODE_LENGTH

    code = text.upper().replace("-", "").replace(" ", "")
    if len(code) != TRANSFER_CODE_LENGTH or set(code) - set(MATCH_CODE_ALPHABET):
        raise ArgumentTypeError(
            _("{given} is no transfer code: {length} of {alphabet}").format(
                given=repr(text), length=TRANSFER_CODE_LENGTH, alphabet=MATCH_CODE_ALPHABET
            )
        )
    return code


class Invitation(NamedTuple):
    """The code of a match, and the address of its server, if that is given."""

    code: str
    server: str | None = None


def parse_invitation(text: str) -> Invitation:
    """Return the invitation in a match code, in SERVER/CODE, or in a whole command with one."""
    words = text.split()
    if words[:1] != [COMMAND]:
        server, _slash, code = text.rpartition("/")
        return Invitation(parse_match_code(code), parse_server(server.strip()) if server else None)
    options = words[2:]
    if "--server" not in options[:-1]:
        return parse_invitation(" ".join(options))
    at = options.index("--server")
    server = parse_server(options[at + 1].strip("'\""))
    del options[at : at + 2]
    return Invitation(parse_match_code(" ".join(options)), server)


def parse_name(text: str) -> str:
    """Return a name that can be shown."""
    from mastermind_protocol.events import MAX_NAME
    from mastermind_protocol.text import is_displayable, tidy_name

    name = tidy_name(text)
    if len(name) > MAX_NAME or not is_displayable(name):
        raise ArgumentTypeError(
            _("a name has 1 to {most} characters that can be shown").format(most=MAX_NAME)
        )
    return name


def parse_opponent(text: str) -> str:
    """Return who is to be played with: a friend, anyone, or a bot by its name."""
    from mastermind_protocol.requests import ME, OPEN

    name = text.lower()
    if name in (ME, OPEN):  # what the protocol calls seats that are no bot's
        raise ArgumentTypeError(_("{given} is not an opponent").format(given=repr(text)))
    return name


def parse_server(text: str) -> str:
    """Return a server's address as a URL.

    Without a scheme, a host name alone is reached by wss://, and anything with a port by ws://.
    This computer and bare IP addresses have the server's default port.
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
    except ValueError:  # brackets that do not close, a port out of range
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
    """Return an invitation as `parse_invitation` reads it: ``example.org/K7M2QP``."""
    code, server = invitation
    if server is None:
        return code
    short = server.partition("://")[2].removesuffix(f":{DEFAULT_PORT}")
    for address in (short, server.partition("://")[2]):
        if parse_server(address) == server:
            return f"{address}/{code}"
    return f"{server}/{code}"


def parse_rounds(text: str) -> int:
    """Return a number of rounds."""
    from mastermind_protocol.rules import MAX_ROUNDS

    return parse_count(text, MAX_ROUNDS, _("{given} is no number of rounds: 1 to {most}"))


def parse_count(text: str, most: int, otherwise: str) -> int:
    """Return a number from 1 to `most`; `otherwise` says that it is none."""
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= most:
        raise ArgumentTypeError(otherwise.format(given=repr(text), most=most))
    return int(text)


def parse_seed(text: str) -> int:
    """Return a seed."""
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
    """Return for how many seconds a guess is looked at."""
    from mastermind_client.pace import MAX_PACE

    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= MAX_PACE:  # what is no number is not, either
        raise ArgumentTypeError(
            _("{given} is no pace: 0 to {most:g} seconds a guess").format(
                given=repr(text), most=MAX_PACE
            )
        )
    return seconds
