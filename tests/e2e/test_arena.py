"""The arena as a command: how one gets out of it while a bot thinks."""

from kit.processes import CTRL_C

INTERRUPTED = 130


def test_ctrl_c_leaves_at_once(machine):
    arena = machine.start("arena", "--bot=knuth", "--rules=6x9", "--all", terminal=True)
    arena.expect("knuth", "/531441")
    arena.type(CTRL_C)
    assert arena.finish(INTERRUPTED).endswith("\n")
