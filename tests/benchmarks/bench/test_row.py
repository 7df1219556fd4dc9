from __future__ import annotations

import msgspec

from bench.commands import Played
from bench.rows.row import BEHIND, BUSY, OTHERS, STOLEN, find_faults

GOOD = Played(
    moves=10,
    cpu=0.1,
    seconds=1.0,
    p50=0.001,
    p99=0.002,
    told_p50=0.001,
    told_p99=0.002,
    driver=BUSY,
    behind=BEHIND,
    elsewhere=OTHERS,
    stolen=STOLEN,
)


def change(**fields: float) -> Played:
    return msgspec.structs.replace(GOOD, **fields)


def test_a_driver_that_took_a_core_or_was_late_is_named_as_the_limit() -> None:
    assert find_faults(GOOD, "a part") == []
    assert "a part: the driver took over 90%" in find_faults(change(driver=0.95), "a part")[0]
    assert "a part: the driver sent more than 20 ms" in find_faults(change(behind=0.1), "a part")[0]


def test_a_machine_that_did_other_work_is_named_beside_the_driver() -> None:
    faults = find_faults(change(elsewhere=0.5, behind=0.1), "a part")
    assert len(faults) == 2
    assert faults[1].startswith("other programs")


def test_a_machine_that_others_held_up_is_named() -> None:
    (fault,) = find_faults(change(stolen=0.1), "a part")
    assert fault.startswith("other machines")
