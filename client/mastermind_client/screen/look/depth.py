"""How many colours to use: what is asked for, or what the environment says of the terminal."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from prompt_toolkit.output import ColorDepth

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mastermind_client.config import settings

_ASKED: Mapping[str, ColorDepth] = MappingProxyType(
    {
        "never": ColorDepth.DEPTH_1_BIT,
        "16": ColorDepth.DEPTH_4_BIT,
        "256": ColorDepth.DEPTH_8_BIT,
        "true": ColorDepth.DEPTH_24_BIT,
    }
)
_TRUE = ("truecolor", "24bit")  # what COLORTERM says where any colour can be shown
_ANSI_ENDINGS = ("ansi", "linux", "-color", "-16color")  # of TERM, where there are 16 or fewer


def choose_depth(color: settings.Color, environ: Mapping[str, str]) -> ColorDepth:
    """Return the depth that is asked for, or for `auto` the one that the environment promises.

    NO_COLOR counts if it is not empty (https://no-color.org), and only where nothing is asked for.
    """
    if color != "auto":
        return _ASKED[color]
    term = environ.get("TERM", "").lower()
    if environ.get("NO_COLOR") or term == "dumb":
        return ColorDepth.DEPTH_1_BIT
    if term.startswith("screen"):  # GNU screen before 5 takes 24 bit for other attributes
        return ColorDepth.DEPTH_8_BIT
    if environ.get("COLORTERM", "").lower() in _TRUE or environ.get("WT_SESSION"):
        return ColorDepth.DEPTH_24_BIT  # Windows Terminal sets neither TERM nor COLORTERM
    if not term:
        return ColorDepth.DEPTH_1_BIT
    if term.endswith(_ANSI_ENDINGS):
        return ColorDepth.DEPTH_4_BIT
    return ColorDepth.DEPTH_8_BIT
