"""What may stand on the command line: one parser for each kind of value.

They raise ArgumentTypeError, which names what is wrong and what is allowed.
"""

from __future__ import annotations

import argparse
from urllib.parse import urlsplit

from mastermind_protocol.events import MATCH_CODE_ALPHABET, MATCH_CODE_LENGTH, MAX_NAME, MAX_SEED
from mastermind_protocol.messages import ME, OPEN
from mastermind_protocol.rules import MAX_ROUNDS


def parse_match_code(text: str) -> str:
    """Return a match code, however it was written."""
    code = text.upper().replace("-", "").replace(" ", "")
    if len(code) != MATCH_CODE_LENGTH or set(code) - set(MATCH_CODE_ALPHABET):
        raise argparse.ArgumentTypeError(
            f"{text!r} is no match code: {MATCH_CODE_LENGTH} of {MATCH_CODE_ALPHABET}"
        )
    return code


def parse_name(text: str) -> str:
    """Return a name that can be shown."""
    name = text.strip()
    if not name or len(name) > MAX_NAME or not name.isprintable():
        raise argparse.ArgumentTypeError(f"a name has 1 to {MAX_NAME} characters that can be shown")
    return name


def parse_opponent(text: str) -> str:
    """Return who is to be played with: a friend, anyone, or a bot by its name."""
    name = text.lower()
    if name in (ME, OPEN):  # what the protocol calls seats that are no bot's
        raise argparse.ArgumentTypeError(f"{text!r} is nobody to play with")
    return name


def parse_server(text: str) -> str:
    """Return a server's address."""
    try:
        address = urlsplit(text)
        valid = address.scheme in ("ws", "wss") and bool(address.hostname) and address.port != 0
    except ValueError:  # brackets that do not close, a port out of range
        valid = False
    if not valid:
        raise argparse.ArgumentTypeError(
            f"{text!r} is no server address: use ws://HOST:PORT or wss://HOST:PORT"
        )
    return text


def parse_rounds(text: str) -> int:
    """Return a number of rounds."""
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= MAX_ROUNDS:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of rounds: 1 to {MAX_ROUNDS}")
    return int(text)


def parse_seed(text: str) -> int:
    """Return a seed."""
    try:
        seed = int(text)
    except ValueError:
        seed = MAX_SEED + 1
    if not -MAX_SEED <= seed <= MAX_SEED:
        raise argparse.ArgumentTypeError(f"{text!r} is no seed: a whole number of at most 64 bits")
    return seed
