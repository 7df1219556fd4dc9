"""A short campaign with every suite, and one of a server with faults; `make fuzz` is long."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from fuzz.campaign import MIB, WIDE, Campaign

if TYPE_CHECKING:
    from pathlib import Path

FAULTY = """
import sys
from mastermind_server import cli
from mastermind_server.network.sockets import frames

kept, unpack = [], frames.unpack

def leak_and_crash(data):
    kept.append(b"x" * 10_000 + data)
    if not len(kept) % 10:
        raise KeyError(data)
    return unpack(data)

frames.unpack = leak_and_crash
sys.exit(cli.main())
"""


def summarise(faults: list[str]) -> set[str]:
    return {fault.split(":")[0].split(" by ")[0] for fault in faults}


async def test_honest_matches_end_right_beside_hostile_clients(tmp_path: Path) -> None:
    campaign = Campaign(frames=2000, strangers=8, matches=2)
    await campaign.run(tmp_path, WIDE)
    assert campaign.faults == []
    assert campaign.finished >= 2
    assert {"not_msgpack", "invalid_message", "not_seated"} <= set(campaign.tally.errors)


async def test_a_server_that_crashes_or_grows_is_found(tmp_path: Path) -> None:
    program = tmp_path / "faulty.py"
    program.write_text(FAULTY)
    campaign = Campaign(frames=600, strangers=4, matches=1, growth=2 * MIB)
    await campaign.run(tmp_path, WIDE, program=(sys.executable, str(program)))
    assert {"a server has logged", "grown"} <= summarise(campaign.faults)
