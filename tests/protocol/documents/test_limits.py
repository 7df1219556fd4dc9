"""docs/protocol/limits.md: every limit of clients and of the protocol has a row."""

from __future__ import annotations

import pytest

from mastermind_protocol import chat, messages, requests, rules, text
from mastermind_server.limits import LIMIT_NAMES
from protocol.documents.tables import FIXED_LIMITS, read_limit_notes

OF_FIELDS = {
    "MAX_REQUEST_ID", "MAX_ADVISED", "MAX_PLACE", "MAX_CHAT", "MAX_ANNOUNCEMENT", "MAX_PEGS",
    "MAX_COLOURS", "MAX_ROUNDS", "MAX_DETAILS", "TRANSFER_CODE_LENGTH",
}  # fmt: skip
"""The limits of fields, which their types in the other pages have."""
INSIDE = {"log_lines", "log_bytes"}  # no client notices these; docs/OPERATIONS.md has them


@pytest.mark.parametrize(
    "module", [messages, requests, rules, chat, text], ids=lambda module: module.__name__
)
def test_every_number_of_the_protocol_is_listed(module):
    numbers = {name for name, value in vars(module).items() if type(value) in (int, float)}
    assert numbers - OF_FIELDS - {"RULES_CACHED"} == {
        name for listed, name in FIXED_LIMITS.values() if listed is module
    }


def test_every_limit_that_clients_notice_is_listed():
    assert set(read_limit_notes()) | INSIDE == set(LIMIT_NAMES)
