"""docs/protocol/limits.md: every limit of clients and of the protocol has a row."""

from __future__ import annotations

import re

import pytest

from mastermind_protocol import chat, messages, requests, rules, text
from mastermind_server.limits import LIMIT_NAMES
from mastermind_server.monitoring.overload import Level
from mastermind_server.network.routes import ROUTES
from protocol.documents.markdown import REFERENCE, Document
from protocol.documents.tables import FIXED_LIMITS, read_limit_notes

OF_FIELDS = {
    "MAX_REQUEST_ID", "MAX_ADVISED_GUESSES", "MAX_GIVEN_TURNS", "MAX_PLACE", "MAX_CHAT_LENGTH",
    "MAX_PUZZLE_LEVEL", "MAX_PUZZLE_SEED", "MAX_ANNOUNCEMENT_LENGTH", "MAX_PEGS",
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


ROUTE_OF_OP = {kind.__struct_config__.tag: route for kind, route in ROUTES.items()}


def find_ops(text: str) -> set[str]:
    """Return the ops of requests that `text` names."""
    return set(re.findall(r"`([a-z]+)`", text)) & set(ROUTE_OF_OP)


def test_the_costs_of_requests_are_those_of_their_routes():
    _, note = read_limit_notes()["request_cost"]
    costs = {
        op: int(cost)
        for ops, cost in re.findall(r"((?:`[a-z]+`,? ?\s*)+)(\d)", note)
        for op in find_ops(ops)
    }
    assert costs == {op: route.cost for op, route in ROUTE_OF_OP.items() if route.cost > 1}


def test_the_requests_that_load_refuses_are_those_of_their_routes():
    text = Document(f"{REFERENCE}/limits.md").sections["Load"]
    busy, _, overloaded = text.partition(" Moves, and")[0].partition("then also")
    opening = {op for op, route in ROUTE_OF_OP.items() if route.begins_match} - {"join"}
    refused = {
        level: {op for op, route in ROUTE_OF_OP.items() if route.shed_level is level}
        for level in Level
    }
    assert find_ops(busy) | opening == refused[Level.BUSY]
    assert find_ops(overloaded) == refused[Level.OVERLOADED]
