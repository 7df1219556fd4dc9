"""docs/protocol/limits.md: every limit and every rate, with its number and its name."""

from __future__ import annotations

from types import ModuleType

import pytest

from mastermind_protocol import chat, codec, messages, requests, rules, text
from mastermind_server.limits import LIMIT_NAMES, USUAL, Limits, Rate
from mastermind_server.matches.nodes import presence
from mastermind_server.matches.tables import followers
from mastermind_server.network import rate_limits
from mastermind_server.network.sockets import connection, connection_limits
from mastermind_server.storage import idempotency, records
from protocol.documents.markdown import REFERENCE, Document

DOCUMENT = Document(f"{REFERENCE}/limits.md")
LIMITS: dict[str, tuple[ModuleType | Limits, str]] = {
    "bytes of a request": (requests, "MAX_REQUEST_BYTES"),
    "bytes of any frame to the server": (USUAL, "frame_bytes"),
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
    "lines of one room of a match": (USUAL, "chat_lines"),
    "seconds between two `spectators` of a match": (followers, "SPECTATORS_SECONDS"),
    "matches followed by one connection": (USUAL, "followed"),
    "log rows of matches followed from one address": (USUAL, "rows_followed_of_address"),
    "running matches of two bots followed from one address": (USUAL, "shows_of_address"),
    "followed lobbies of one player": (USUAL, "lobbies"),
    "lobbies opened from one address": (USUAL, "lobbies_of_address"),
    "spectator connections of one match": (USUAL, "watchers"),
    "guesses of a round": (rules, "MAX_GUESSES"),
    "guesses of a round without a limit": (rules, "UNLIMITED_GUESSES"),
    "least guesses counted for a round without a limit": (rules, "USUAL_GUESSES"),
    "seconds for the handshake": (USUAL, "handshake_seconds"),
    "seconds for the client's close frame": (connection, "CLOSE_SECONDS"),
    "seconds until a successful `hello`": (USUAL, "hello_seconds"),
    "seconds between pings": (USUAL, "ping_seconds"),
    "seconds until an abandoned lobby closes": (presence, "LOBBY_GRACE_SECONDS"),
    "days without a move": (records, "ABANDONED_DAYS"),
    "connections of a server": (USUAL, "connections"),
    "connections from one address": (USUAL, "connections_per_address"),
    "connections from one site": (USUAL, "connections_per_site"),
    "connections of a server before `hello`": (USUAL, "newcomers"),
    "connections from one address before `hello`": (USUAL, "newcomers_per_address"),
    "browser connections between pages": (USUAL, "idle_pages"),
    "browser connections of one address between pages": (
        USUAL,
        "idle_pages_per_address",
    ),
    "connections beyond these that receive an error": (
        connection_limits,
        "REFUSED_AT_ONCE",
    ),
    "bytes of a handshake": (USUAL, "handshake_bytes"),
    "requests read ahead of one connection": (connection, "RECEIVE_QUEUE"),
    "bytes sent to one connection and not read": (USUAL, "unread_bytes"),
    "bytes queued for one connection": (USUAL, "outbox_bytes"),
    "bytes queued for all connections": (USUAL, "outbox_bytes_in_all"),
    "tokens of a player": (USUAL, "tokens"),
    "lifetime of a transfer code in seconds": (USUAL, "transfer_seconds"),
    "queued advice and reviews": (USUAL, "analyses"),
    "queued advice and reviews of one address": (USUAL, "analyses_of_address"),
    "queued advice and reviews of one player": (USUAL, "analyses_of_player"),
    "factor for the rates of a site": (rate_limits, "SITE_FACTOR"),
    "requests remembered by a server": (idempotency, "REQUESTS_KEPT"),
}
RATES = {
    name: getattr(USUAL, name) for name in LIMIT_NAMES if isinstance(getattr(USUAL, name), Rate)
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
            [said, f"{getattr(module, name):.0f}", f"`{name}`" if module is USUAL else "-"]
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
    numbers = {name for _, (listed, name) in LIMITS.items() if listed is USUAL}
    assert numbers | set(RATES) | INSIDE == set(LIMIT_NAMES)


def test_every_rate_is_listed_with_its_numbers():
    DOCUMENT.check_table(
        "Rates",
        [[f"`{name}`", str(rate.burst), f"{rate.per_second:g}"] for name, rate in RATES.items()],
    )
