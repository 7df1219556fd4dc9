"""What the runner and a bot's process say to each other: msgpack behind a header, on a socket.

The header has a number and the length. The process says what the bot can do, or that there is
none, under the number LOADING; then each order has one reply, under the order's number.
"""

from __future__ import annotations

import struct
from typing import TypeAlias

import msgspec

from mastermind_client.language import gettext as _
from mastermind_protocol.events import Forfeit, WireCode
from mastermind_protocol.match import Turn

HEADER = struct.Struct("!II")
LOADING = 0  # the number of what nobody has ordered; the orders count from 1
MAX_FRAME_BYTES = 64 * 1024  # a view of 999 guesses has some 20 KiB


class _Message(msgspec.Struct, frozen=True, tag=True):
    """The base of all messages."""


class Choose(_Message, frozen=True):
    """Order a guess, under the rules of this name and after these turns."""

    rules: str
    turns: tuple[Turn, ...]


class Make(_Message, frozen=True):
    """Order a secret."""

    rules: str


class Abilities(_Message, frozen=True):
    """The bot is there; it has `choose`, `make` or both."""

    chooses: bool
    makes: bool


class Played(_Message, frozen=True):
    """The bot's move: a code of the rules."""

    code: WireCode


class Failure(_Message, frozen=True):
    """There is no bot, it raised something, or what it returned is no code of the rules."""

    why: Forfeit
    text: str


Order: TypeAlias = Choose | Make
Reply: TypeAlias = Abilities | Played | Failure

_encoder = msgspec.msgpack.Encoder()
_orders: msgspec.msgpack.Decoder[Order] = msgspec.msgpack.Decoder(Order)
_replies: msgspec.msgpack.Decoder[Reply] = msgspec.msgpack.Decoder(Reply)


def pack(message: Order | Reply, number: int) -> bytes:
    """Return a message as it goes on the socket."""
    body = _encoder.encode(message)
    return HEADER.pack(number, len(body)) + body


def read_header(header: bytes) -> tuple[int, int]:
    """Return the number and the length of the body. Raises ValueError for more than there is."""
    number, length = HEADER.unpack(header)
    if length > MAX_FRAME_BYTES:
        text = _("a message of {length} bytes: at most {most}")
        raise ValueError(text.format(length=length, most=MAX_FRAME_BYTES))
    return number, length


def read_order(body: bytes) -> Order:
    """Return the order in a body."""
    return _orders.decode(body)


def read_reply(body: bytes) -> Reply:
    """Return the reply in a body. Raises ValueError if there is none."""
    return _replies.decode(body)
