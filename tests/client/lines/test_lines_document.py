"""docs/LINES.md lists the actions of the line interface."""

import os
import re
from pathlib import Path

from mastermind_client.actions import ACTIONS
from mastermind_client.lines.player import LinePlayer

DOCUMENT = Path(__file__).parents[3] / "docs" / "LINES.md"
HEAD = "| Letter | Word | What it does |\n|---|---|---|\n"


def write_table() -> str:
    """Return the table of the actions that a player types."""
    return HEAD + "".join(
        f"| {f'`{action.letter}`' if action.letter else ''} | `{action.name}`"
        f"{f' {action.takes}' if action.takes else ''} | {action.sentence} |\n"
        for action in ACTIONS.values()
        if action.command is not None or hasattr(LinePlayer, f"do_{action.name}")
    )


def test_every_action_is_in_the_document():
    text = DOCUMENT.read_text(encoding="utf-8")
    if os.environ.get("TRANSCRIPTS") == "write":
        text = re.sub(rf"{re.escape(HEAD)}(\|.*\n)*", lambda _table: write_table(), text)
        DOCUMENT.write_text(text, encoding="utf-8")
    assert write_table() in text
