"""Whole sittings of `lab`, compared with their expected text."""

import pytest

from kit.matches import SeededRandom
from kit.rehearsal import COLOURS, SITTINGS, TRANSCRIPTS, Rehearsal
from mastermind_client.config.options import PlayOptions
from mastermind_client.lines import app
from mastermind_client.lines.terminal import InputEnded
from mastermind_protocol.rules import PRESETS


@pytest.mark.parametrize("sitting", SITTINGS)
def test_a_seed_draws_the_secrets_of_the_sitting(sitting):
    random = SeededRandom(sitting["seed"])
    drawn = [[COLOURS[random.randint(0, 5)] for _ in range(4)] for _ in sitting["games"]]
    assert drawn == [game["secret"] for game in sitting["games"]]


@pytest.mark.parametrize(
    ("sitting", "yes", "no"),
    [
        *[(sitting, "y", "n") for sitting in SITTINGS],
        *[(sitting, "Y", "N") for sitting in SITTINGS if len(sitting["games"]) > 1],
    ],
)
async def test_a_sitting_prints_exactly_the_dialogue(desk, sitting, yes, no):
    rehearsal = Rehearsal(sitting, yes, no)
    desk.send(rehearsal.typed.encode())
    desk.hang_up()
    desk.start(app.play(PlayOptions(PRESETS["lab"], seed=sitting["seed"])))
    await desk.finish()
    assert desk.shown == rehearsal.printed


async def test_a_last_line_without_an_end_is_played(desk):
    desk.send(b"1\n4\n0\n2")
    desk.hang_up()
    desk.start(app.play(PlayOptions(PRESETS["lab"], seed=1)))
    with pytest.raises(InputEnded):
        await desk.finish()
    assert "Correct! You finished in 1 guesses\n" in desk.shown


def test_the_rehearsal_starts_as_the_specification_does():
    """Compare the rehearsal with the text copied from the specification."""
    screen = Rehearsal(TRANSCRIPTS[0], "y", "n").screen
    assert screen.startswith(
        """\
The secret code has been chosen. You have 10 tries to guess the code.
Make a guess of four colors:
0 - red
1 - orange
2 - yellow
3 - green
4 - blue
5 - purple
Guess color: 1
Guess color: 1
Guess color: 1
Guess color: 1
Your guess is:
['orange', 'orange', 'orange', 'orange']
Your clue is: [2]
You have 9 guesses left
Make a guess of four colors:
"""
    )
