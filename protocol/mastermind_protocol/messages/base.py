"""The base of all messages."""

from __future__ import annotations

import msgspec

MAX_MESSAGE_ITEMS = 256  # of an array or a map; the longest array is a log of 64 rows
SUBPROTOCOL = "mastermind.v3"
OLD_SUBPROTOCOLS = ("mastermind.v2", "mastermind.v1")  # see `dialects`


class ServerMessage(msgspec.Struct, frozen=True, kw_only=True, tag_field="op", omit_defaults=True):
    """The base of all messages. Clients ignore unknown fields."""
