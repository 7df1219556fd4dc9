"""The `lab` dialogue of the installed command, on a pipe and on a terminal."""

from kit.processes import PRINTER
from kit.rehearsal import LOST, TRANSCRIPTS, Rehearsal


def test_piped_output_equals_the_expected_dialogue(machine):
    rehearsal = Rehearsal(TRANSCRIPTS[3], "y", "n")
    player = machine.start("play", "--rules", "lab", "--seed", str(TRANSCRIPTS[3]["seed"]))
    player.type(rehearsal.typed)
    player.end_input()
    assert player.finish() == rehearsal.printed


def test_terminal_output_equals_the_expected_dialogue(machine):
    rehearsal = Rehearsal(LOST, "Y", "n")
    seed = str(LOST["seed"])
    player = machine.start(
        "play", "--rules", "lab", "--seed", seed, environment=PRINTER, terminal=True
    )
    for printed, line in rehearsal.parts:
        player.answer(printed, line)
    shown = player.finish()  # includes standard error
    assert shown == "Type ? for what can be typed.\n" + rehearsal.screen
