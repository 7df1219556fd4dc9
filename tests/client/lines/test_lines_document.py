"""docs/LINES.md lists the commands that can be typed."""

import re
from pathlib import Path

from mastermind_client.lines.dialogue import MatchDialogue
from mastermind_client.lines.inbox import Inbox
from mastermind_client.lines.player import LinePlayer

DOCUMENT = Path(__file__).parents[3] / "docs" / "LINES.md"


async def test_every_command_is_in_the_document(bob, new_desk):
    mirror = await bob.session.open("classic", maker="me", breaker="open")
    told = re.findall(
        r"(?m)^\| (?:`(.)`(?: [A-Z]+)?)? ?\| `(\w+)` \| ", DOCUMENT.read_text(encoding="utf-8")
    )
    async with Inbox.open(bob.session, new_desk().terminal) as inbox:
        commands = LinePlayer(inbox, mirror).commands
        shared = MatchDialogue(inbox, mirror).commands
    assert told == [(command.letter, command.words[0]) for command in commands]
    assert {command.letter for command in shared} == set("hlosm?") | {""}
