"""Run a short campaign, and one against a faulty server; `make fuzz` runs the long campaign."""

import sys

import pytest

from campaigns.fuzz.campaign import WIDE, Campaign
from campaigns.fuzz.growth import MIB

GROWTH_BYTES = 48 * MIB  # twice the growth of a sound server after as few frames
DEEP = frozenset({"not_msgpack", "invalid_message", "unknown_match", "seat_taken", "not_seated"})
"""Refusals by successive layers of the server: decoding, fields, matches, seats."""
FAULTY = """
import asyncio, itertools, logging, os, sys
from mastermind_server import cli
from mastermind_server.network import gateway

count, decode, kept = itertools.count(), gateway.decode_request, []

def crash_and_grow_and_end(data):
    match next(count):
        case 20:
            asyncio.get_running_loop().call_soon(lambda: 1 // 0)
        case 30:
            kept.append(b"x" * 100 * 2**20)
        case 40:
            for _ in range(300):
                logging.getLogger().warning("more lines than one second allows")
        case 1000:  # by then a stranger has reconnected
            os._exit(3)
    return decode(data)

if __name__ == "__main__":  # its worker processes import this file too
    gateway.decode_request = crash_and_grow_and_end
    sys.exit(cli.main())
"""


@pytest.mark.promise("hostile-crowd")
async def test_hostile_clients_do_not_disturb_honest_matches(tmp_path):
    campaign = Campaign(1500, strangers=8, matches=2, growth=GROWTH_BYTES, refusals=DEEP, minutes=1)
    await campaign.run(tmp_path, WIDE)
    assert campaign.faults == []
    assert campaign.finished >= 2
    assert campaign.taken > 0
    assert campaign.tally.errors.keys() >= DEEP


async def test_the_campaign_finds_every_fault_of_a_faulty_server(tmp_path):
    program = tmp_path / "faulty.py"
    program.write_text(FAULTY)
    campaign = Campaign(frames=100_000, strangers=2, matches=1, growth=GROWTH_BYTES)
    await campaign.run(tmp_path, WIDE, program=(sys.executable, str(program)))
    faults = "\n".join(campaign.faults)
    for fault in (
        *("ERROR asyncio: Exception in callback", "lines of the log were dropped"),
        *("growth in all", "the server ended"),
    ):
        assert fault in faults
