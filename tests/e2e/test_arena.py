"""The `arena` command: Ctrl-C while a bot is computing."""

from kit.processes import CTRL_C

INTERRUPTED = 130


def test_ctrl_c_ends_the_arena_at_once(machine):
    arena = machine.start("arena", "--bot=knuth", "--rules=6x9", "--all", terminal=True)
    arena.expect("knuth", "/531441")
    arena.type(CTRL_C)
    assert arena.finish(INTERRUPTED).endswith("\n")
