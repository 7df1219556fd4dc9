"""Which interface a person meets: the full screen, or lines for pipes and screen readers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

Interface: TypeAlias = Literal["full", "plain"]
_LINES_ONLY = ("", "dumb")  # terminals that can do nothing but print


def choose_interface(
    plain: bool,
    environ: Mapping[str, str],
    stdin_isatty: bool,
    stdout_isatty: bool,
) -> Interface:
    """Return the full-screen interface where there is a screen and nobody has asked for lines."""
    if plain or not stdin_isatty or not stdout_isatty or environ.get("TERM", "") in _LINES_ONLY:
        return "plain"
    return "full"
