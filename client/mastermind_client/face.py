"""Which face a person meets: the full-screen one, or the one of lines for pipes and readers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

Face: TypeAlias = Literal["full", "plain"]
_LINES_ONLY = ("", "dumb")  # terminals that can do nothing but print


def choose_face(
    plain: bool,
    environ: Mapping[str, str],
    stdin_isatty: bool,
    stdout_isatty: bool,
) -> Face:
    """Return the full-screen face where there is a screen and nobody has asked for lines."""
    if plain or not stdin_isatty or not stdout_isatty or environ.get("TERM", "") in _LINES_ONLY:
        return "plain"
    return "full"
