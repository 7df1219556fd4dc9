"""What somebody else wrote, made harmless."""

from __future__ import annotations

from mastermind_protocol.text import JOINERS, tidy


def sanitise(text: str) -> str:
    """Return what somebody else wrote on one line, without characters that could move a cursor.

    Joiners go, so that every part of a text takes the room that it takes alone: not all terminals
    draw a joined emoji as one.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        character if character.isprintable() else "?"
        for character in tidy(text)
        if character not in JOINERS
    )
