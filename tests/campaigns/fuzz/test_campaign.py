"""A short campaign with every suite, and one of a server with every fault; `make fuzz` is long."""

import sys

from campaigns.fuzz.campaign import WIDE, Campaign
from campaigns.fuzz.growth import MIB

GROWTH_BYTES = 48 * MIB  # twice what a sound server comes to by so few frames
DEEP = frozenset({"not_msgpack", "invalid_message", "unknown_match", "seat_taken", "not_seated"})
"""Refusals ever deeper in the server: by bytes, by fields, by matches, and by who plays them."""
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
                logging.getLogger().warning("more than is written of one second")
        case 1000:  # by when a stranger has come again
            os._exit(3)
    return decode(data)

if __name__ == "__main__":  # its workers read it too
    gateway.decode_request = crash_and_grow_and_end
    sys.exit(cli.main())
"""


async def test_honest_matches_end_right_beside_hostile_clients(tmp_path):
    campaign = Campaign(1500, strangers=8, matches=2, growth=GROWTH_BYTES, refusals=DEEP, minutes=1)
    await campaign.run(tmp_path, WIDE)
    assert campaign.faults == []
    assert campaign.finished >= 2
    assert campaign.taken > 0
    assert campaign.tally.errors.keys() >= DEEP


async def test_a_server_that_crashes_grows_drops_lines_and_ends_is_found(tmp_path):
    program = tmp_path / "faulty.py"
    program.write_text(FAULTY)
    campaign = Campaign(frames=100_000, strangers=2, matches=1, growth=GROWTH_BYTES)
    await campaign.run(tmp_path, WIDE, program=(sys.executable, str(program)))
    told = "\n".join(campaign.faults)
    for fault in (
        *("ERROR asyncio: Exception in callback", "lines of the log were dropped"),
        *("grown in all", "the server ended"),
    ):
        assert fault in told
