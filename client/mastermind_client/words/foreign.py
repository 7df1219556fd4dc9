"""What somebody else wrote, made harmless."""

from __future__ import annotations


def sanitise(text: str) -> str:
    """Return what somebody else wrote without characters that could move a cursor."""
    return "".join(character if character.isprintable() else "?" for character in text)
