"""What the operating system refuses, in a few words."""

from __future__ import annotations


def explain_failure(error: OSError) -> str:
    """Say which file it is about, if it is about one, and why; in the system's own words."""
    reason = error.strerror or str(error)
    return f"{error.filename}: {reason}" if error.filename else reason
