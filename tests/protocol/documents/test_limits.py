"""docs/protocol/limits.md: every limit and every rate, with its number."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mastermind_protocol import chat, codec, commitment, events, messages, requests, rules, text
from mastermind_server import limits
from protocol.documents.markdown import REFERENCE, Document

if TYPE_CHECKING:
    from types import ModuleType

DOCUMENT = Document(f"{REFERENCE}/limits.md")
LIMITS: dict[str, tuple[ModuleType, str]] = {
    "bytes of a request": (requests, "MAX_REQUEST_BYTES"),
    "bytes of any frame to the server": (limits, "MAX_FRAME_BYTES"),
    "levels of nesting in a frame": (codec, "MAX_DEPTH"),
    "largest request id": (requests, "MAX_REQUEST_ID"),
    "items of an array or a map of a request": (requests, "MAX_REQUEST_ITEMS"),
    "items of an array or a map of a message": (messages, "MAX_MESSAGE_ITEMS"),
    "rows of a `log`": (messages, "MAX_ROWS"),
    "guesses of an `advice`": (requests, "MAX_ADVISED"),
    "guesses of a `reviewing`": (messages, "MAX_REVIEWED"),
    "matches of a `listing`": (messages, "MAX_LISTED"),
    "matches of an `archived`": (messages, "MAX_ARCHIVED"),
    "matches of an `own_matches`": (messages, "MAX_OWN"),
    "items of an error's `details`": (messages, "MAX_DETAILS"),
    "characters of a text in `details`": (messages, "MAX_DETAIL"),
    "characters of what is said": (chat, "MAX_CHAT"),
    "marks on one character": (text, "MAX_MARKS"),
    "numbers of phrases": (chat, "MAX_PHRASE"),
    "lines of a `chat`": (chat, "MAX_CHAT_SHOWN"),
    "lines of one room of a match": (limits, "MAX_CHAT_LINES"),
    "seconds between two `spectators` of a match": (limits, "SPECTATORS_SECONDS"),
    "matches followed by one connection": (limits, "MAX_FOLLOWED"),
    "characters of a name": (events, "MAX_NAME"),
    "pegs of a code": (rules, "MAX_PEGS"),
    "colours": (rules, "MAX_COLOURS"),
    "guesses of a round": (rules, "MAX_GUESSES"),
    "guesses of a round without a limit": (rules, "UNLIMITED_GUESSES"),
    "rounds of a match": (rules, "MAX_ROUNDS"),
    "bytes of a nonce": (commitment, "NONCE_BYTES"),
    "bytes of a commitment": (commitment, "COMMITMENT_BYTES"),
    "seconds for the handshake": (limits, "HANDSHAKE_SECONDS"),
    "seconds for the client's half of a closing": (limits, "CLOSE_SECONDS"),
    "seconds to say hello in": (limits, "HELLO_SECONDS"),
    "seconds between pings": (limits, "PING_SECONDS"),
    "seconds until a deserted public lobby is closed": (limits, "LOBBY_GRACE_SECONDS"),
    "days without a move": (limits, "ABANDONED_DAYS"),
    "connections of a server": (limits, "MAX_CONNECTIONS"),
    "connections from one address": (limits, "MAX_CONNECTIONS_PER_ADDRESS"),
    "connections above either that are told so": (limits, "REFUSED_AT_ONCE"),
    "seconds until such a connection may try again": (limits, "REFUSED_SECONDS"),
    "bytes of a handshake": (limits, "HANDSHAKE_BYTES"),
    "requests read ahead of one connection": (limits, "RECEIVE_QUEUE"),
    "bytes sent to one connection that it has not read": (limits, "UNREAD_BYTES"),
    "bytes that wait for one connection": (limits, "OUTBOX_BYTES"),
    "requests for advice and reviews that wait": (limits, "MAX_ANALYSES"),
    "requests for advice and reviews from one address that wait": (
        limits,
        "MAX_ANALYSES_OF_ADDRESS",
    ),
    "requests for advice and reviews of one player that wait": (limits, "MAX_ANALYSES_OF_PLAYER"),
    "requests remembered by a server": (limits, "REQUESTS_KEPT"),
}
RATES = (
    "connections", "requests", "cost of requests", "cost of requests", "new players",
    "matches opened", "advice", "reviews", "chat lines", "chat lines", "bad frames",
    "unknown match codes", "unknown match codes",
)  # fmt: skip
"""What each rate of the server is called, in their order."""
INSIDE = {
    "READ_BYTES", "ACCEPTED_AT_ONCE", "LISTENERS", "SPARE_DESCRIPTORS", "TURN_SECONDS",
    "RELEASED_PER_TURN",
    "MAX_DRAIN_SECONDS", "EXIT_SECONDS", "RETURN_SECONDS", "RETURNS_PER_SECOND",
    "STOP_SECONDS", "WORKERS_STOP_SECONDS", "WRITER_STOP_SECONDS", "LOG_STOP_SECONDS",
    "MAX_SEARCHED", "TABLES_KEPT", "ROWS_KEPT", "TABLES_LOADED_AT_ONCE",
    "ROWS_READ_AT_ONCE", "ROWS_READ_QUICKLY", "LEISURE_SECONDS", "WRITES_AT_ONCE", "COMMIT_SECONDS",
    "ATTENDANCES_AT_ONCE", "NEWS_AT_ONCE",
    "LONE_WRITES", "CHECKPOINT_PAGES", "READS_AT_ONCE", "LOG_LINES",
    "SWITCH_SECONDS", "TOLD_PER_TURN", "RULES_KEPT",
    "WORKER_THREADS", "WORKER_PROCESSES", "JOB_ATTEMPTS", "RETRY_SECONDS", "BOTS_ONLY_AT_ONCE",
    "ANALYSES_AT_ONCE", "HEAVY_REVIEWED", "LIGHT_REVIEWED", "REVIEWED_KEPT",
    "LOG_COST", "LIST_COST", "BUCKETS_KEPT", "MAX_DEBT",
    "DUE_SECONDS", "ENDED_AT_ONCE", "LEASE_SECONDS", "LEASE_STOP_SECONDS", "LEASE_RENEWAL_SECONDS",
    "LOOK_SECONDS", "LOOKED_AT_ONCE", "BOT_OVERDUE_SECONDS", "LISTEN_SECONDS", "ECHO_SECONDS",
    "CONNECT_SECONDS", "DATABASE_SECONDS", "TRANSACTION_SECONDS", "LOCK_SECONDS",
    "LAG_SECONDS", "LAGS_KEPT", "READY_LAG_SECONDS", "READY_STORE_SECONDS",
}  # fmt: skip
"""Limits of how the server does its work: no client meets them as a number of their own."""


def test_every_limit_is_listed_with_its_number() -> None:
    DOCUMENT.check_table(
        "Limits",
        [[said, f"{getattr(module, name):.0f}"] for said, (module, name) in LIMITS.items()],
    )


@pytest.mark.parametrize(
    "module", [limits, messages, requests, rules, chat, text], ids=lambda module: module.__name__
)
def test_no_limit_of_the_code_is_left_out(module: ModuleType) -> None:
    numbers = {name for name, value in vars(module).items() if type(value) in (int, float)}

    assert numbers - INSIDE == {name for _, (listed, name) in LIMITS.items() if listed is module}


def test_every_rate_is_listed_with_its_numbers() -> None:
    rates = [rate for rate in vars(limits).values() if isinstance(rate, limits.Rate)]
    listed = zip(RATES, rates, strict=True)

    DOCUMENT.check_table(
        "Rates", [[said, str(rate.burst), f"{rate.per_second:g}"] for said, rate in listed]
    )
