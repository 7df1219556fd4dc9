"""The `lab` dialogue by the command itself, on a pipe and at a terminal."""

from kit.processes import PRINTER
from kit.rehearsal import LOST, TRANSCRIPTS, Rehearsal


def test_piped_sitting_is_the_dialogue_to_the_character(machine):
    rehearsal = Rehearsal(TRANSCRIPTS[3], "y", "n")
    player = machine.start("play", "--rules", "lab", "--seed", str(TRANSCRIPTS[3]["seed"]))
    player.type(rehearsal.typed)
    player.end_input()
    assert player.finish() == rehearsal.printed


def test_sitting_at_a_terminal_is_the_dialogue_to_the_character(machine):
    rehearsal = Rehearsal(LOST, "Y", "n")
    seed = str(LOST["seed"])
    player = machine.start(
        "play", "--rules", "lab", "--seed", seed, environment=PRINTER, terminal=True
    )
    for printed, line in rehearsal.parts:
        player.answer(printed, line)
    shown = player.finish()  # standard error too
    assert shown == "Type ? for what can be typed.\n" + rehearsal.screen
