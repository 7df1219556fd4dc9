"""docs/protocol/limits.md: every limit and every rate, with its number and its name."""

from __future__ import annotations

from types import ModuleType

import pytest

from mastermind_protocol import chat, codec, messages, requests, rules, text
from mastermind_server.limits import DEFAULT_LIMITS, LIMIT_NAMES, Limits, Rate
from mastermind_server.matches.nodes import presence
from mastermind_server.matches.tables import followers
from mastermind_server.network import rate_limits
from mastermind_server.network.sockets import connection, connection_limits
from mastermind_server.storage import idempotency, records
from protocol.documents.markdown import REFERENCE, Document

DOCUMENT = Document(f"{REFERENCE}/limits.md")
LIMITS: dict[str, tuple[ModuleType | Limits, str]] = {
    "bytes of a request": (requests, "MAX_REQUEST_BYTES"),
    "bytes of any frame to the server": (DEFAULT_LIMITS, "frame_bytes"),
    "levels of nesting in a frame": (codec, "MAX_DEPTH"),
    "items of an array or a map of a request": (requests, "MAX_REQUEST_ITEMS"),
    "items of an array or a map of a message": (messages, "MAX_MESSAGE_ITEMS"),
    "rows of a `log`": (messages, "MAX_ROWS"),
    "guesses of a `reviewing`": (messages, "MAX_REVIEWED"),
    "matches of a `listing`": (messages, "MAX_LISTED"),
    "matches of an `archived`": (messages, "MAX_ARCHIVED"),
    "matches of an `own_matches`": (messages, "MAX_OWN"),
    "players of a `leaderboard`": (messages, "MAX_RANKED"),
    "rules of a `profile`": (messages, "MAX_RECORDS"),
    "ratings of a `profile`": (messages, "MAX_HISTORY"),
    "matches of a `profile`": (messages, "MAX_RATED"),
    "characters of a text in `details`": (messages, "MAX_DETAIL"),
    "marks on one character": (text, "MAX_MARKS"),
    "numbers of phrases": (chat, "MAX_PHRASE"),
    "lines of a `chat`": (chat, "MAX_CHAT_SHOWN"),
    "lines of one room of a match": (DEFAULT_LIMITS, "chat_lines"),
    "seconds between two `spectators` of a match": (followers, "SPECTATORS_SECONDS"),
    "matches followed by one connection": (DEFAULT_LIMITS, "followed"),
    "log rows of matches followed from one address": (DEFAULT_LIMITS, "rows_followed_of_address"),
    "running matches of two bots followed from one address": (
        DEFAULT_LIMITS,
        "bot_matches_of_address",
    ),
    "followed lobbies of one player": (DEFAULT_LIMITS, "lobbies"),
    "lobbies opened from one address": (DEFAULT_LIMITS, "lobbies_of_address"),
    "spectator connections of one match": (DEFAULT_LIMITS, "spectators"),
    "guesses of a round": (rules, "MAX_GUESSES"),
    "guesses of a round without a limit": (rules, "UNLIMITED_GUESSES"),
    "least guesses counted for a round without a limit": (rules, "LEAST_COUNTED_GUESSES"),
    "seconds for the handshake": (DEFAULT_LIMITS, "handshake_seconds"),
    "seconds for the client's close frame": (connection, "CLOSE_SECONDS"),
    "seconds until a successful `hello`": (DEFAULT_LIMITS, "hello_seconds"),
    "seconds between pings": (DEFAULT_LIMITS, "ping_seconds"),
    "seconds until an abandoned lobby closes": (presence, "LOBBY_GRACE_SECONDS"),
    "days without a move": (records, "ABANDONED_DAYS"),
    "connections of a server": (DEFAULT_LIMITS, "connections"),
    "connections from one address": (DEFAULT_LIMITS, "connections_per_address"),
    "connections from one site": (DEFAULT_LIMITS, "connections_per_site"),
    "connections of a server before `hello`": (DEFAULT_LIMITS, "pending_connections"),
    "connections from one address before `hello`": (
        DEFAULT_LIMITS,
        "pending_connections_per_address",
    ),
    "browser connections between pages": (DEFAULT_LIMITS, "idle_pages"),
    "browser connections of one address between pages": (
        DEFAULT_LIMITS,
        "idle_pages_per_address",
    ),
    "connections beyond these that receive an error": (
        connection_limits,
        "REFUSED_AT_ONCE",
    ),
    "bytes of a handshake": (DEFAULT_LIMITS, "handshake_bytes"),
    "requests read ahead of one connection": (connection, "RECEIVE_QUEUE"),
    "bytes sent to one connection and not read": (DEFAULT_LIMITS, "unread_bytes"),
    "bytes queued for one connection": (DEFAULT_LIMITS, "send_buffer_bytes"),
    "bytes queued for all connections": (DEFAULT_LIMITS, "send_buffer_bytes_in_all"),
    "tokens of a player": (DEFAULT_LIMITS, "tokens"),
    "lifetime of a transfer code in seconds": (DEFAULT_LIMITS, "transfer_seconds"),
    "queued advice and reviews": (DEFAULT_LIMITS, "analyses"),
    "queued advice and reviews of one address": (DEFAULT_LIMITS, "analyses_of_address"),
    "queued advice and reviews of one player": (DEFAULT_LIMITS, "analyses_of_player"),
    "factor for the rates of a site": (rate_limits, "SITE_FACTOR"),
    "requests remembered by a server": (idempotency, "REQUESTS_KEPT"),
}
RATES = {
    name: getattr(DEFAULT_LIMITS, name)
    for name in LIMIT_NAMES
    if isinstance(getattr(DEFAULT_LIMITS, name), Rate)
}
OF_FIELDS = {
    "MAX_REQUEST_ID", "MAX_ADVISED", "MAX_PLACE", "MAX_CHAT", "MAX_ANNOUNCEMENT", "MAX_PEGS",
    "MAX_COLOURS", "MAX_ROUNDS", "MAX_DETAILS", "TRANSFER_CODE_LENGTH",
}  # fmt: skip
"""The limits of fields, which their types in the other pages have."""
INSIDE = {"log_lines", "log_bytes"}  # no client notices these; docs/OPERATIONS.md has them


def test_every_limit_is_listed_with_its_number():
    DOCUMENT.check_table(
        "Limits",
        [
            [said, f"{getattr(module, name):.0f}", f"`{name}`" if module is DEFAULT_LIMITS else "-"]
            for said, (module, name) in LIMITS.items()
        ],
    )


@pytest.mark.parametrize(
    "module", [messages, requests, rules, chat, text], ids=lambda module: module.__name__
)
def test_every_number_of_the_protocol_is_listed(module):
    numbers = {name for name, value in vars(module).items() if type(value) in (int, float)}
    assert numbers - OF_FIELDS - {"RULES_CACHED"} == {
        name for _, (listed, name) in LIMITS.items() if listed is module
    }


def test_every_field_of_the_limits_is_listed():
    numbers = {name for _, (listed, name) in LIMITS.items() if listed is DEFAULT_LIMITS}
    assert numbers | set(RATES) | INSIDE == set(LIMIT_NAMES)


def test_every_rate_is_listed_with_its_numbers():
    DOCUMENT.check_table(
        "Rates",
        [[f"`{name}`", str(rate.burst), f"{rate.per_second:g}"] for name, rate in RATES.items()],
    )
