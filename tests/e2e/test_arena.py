"""The arena as a command: how one gets out of it while a bot thinks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from processes import CTRL_C

if TYPE_CHECKING:
    from processes import Machine

INTERRUPTED = 130


def test_ctrl_c_leaves_at_once(machine: Machine) -> None:
    arena = machine.start("arena", "--bot=knuth", "--rules=6x9", "--all", terminal=True)
    arena.expect("knuth", "/531441")
    arena.type(CTRL_C)
    assert arena.finish(INTERRUPTED).endswith("\n")
