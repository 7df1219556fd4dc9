"""What the clients of each subprotocol understand."""

import re
from pathlib import Path

import pytest
from msgspec.structs import replace

from mastermind_protocol.clock import find_clock
from mastermind_protocol.dialects import DIALECTS
from mastermind_protocol.errors import Reason
from protocol.matches import open_match

CONNECTION = Path(__file__).parents[2] / "web/mastermind_web/connection/connection.js"


CLOCKED = replace(open_match(), clock=find_clock("5+3"))
ENTRY = replace(open_match(), opened=replace(open_match().opened, contest="day/147"))
BULLS = open_match("bulls")
NEW, WITHOUT_CONTESTS, OLD = DIALECTS.values()


@pytest.mark.parametrize(
    ("dialect", "match", "reason"),
    [
        (NEW, CLOCKED, None),
        (NEW, ENTRY, None),
        (NEW, BULLS, None),
        (WITHOUT_CONTESTS, BULLS, Reason.REPEATS_NEED_V3),
        (WITHOUT_CONTESTS, CLOCKED, None),
        (WITHOUT_CONTESTS, ENTRY, Reason.NEEDS_V3),
        (OLD, CLOCKED, Reason.NEEDS_V2),
        (OLD, open_match(), None),
    ],
)
def test_a_client_can_play_the_matches_whose_events_it_understands(dialect, match, reason):
    refusal = dialect.find_refusal(match)
    assert (refusal and refusal.reason) == reason


def test_the_page_offers_the_dialects_in_the_same_order():
    (names,) = re.findall(r"^const SUBPROTOCOLS = \[(.*)\]", CONNECTION.read_text(), re.MULTILINE)
    assert re.findall(r'"([^"]+)"', names) == list(DIALECTS)
