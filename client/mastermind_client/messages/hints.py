"""Hints for whoever plays a first game: how a code is typed, how it is sent, what answers mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.language import gettext as _
from mastermind_client.messages.codes import name_colour, write_example
from mastermind_client.messages.how_to_play import name_keys
from mastermind_protocol.events import MatchEnd, Seat
from mastermind_protocol.match import Match, Phase

if TYPE_CHECKING:
    from mastermind_protocol.match import Round
    from mastermind_protocol.rules import Rules


def find_screen_hint(match: Match, me: str, *, full: bool) -> str:
    """Return the hint for the row that is filled peg by peg, and may be `full`; mostly none."""
    played = _find_first_round(match, me)
    if played is None or len(played.turns) > 1:
        return ""
    if played.turns:
        return _explain_answer(match.rules)
    if full:
        return _("The row is full: Enter sends it.")
    letter, colour = match.rules.palette[0][0].upper(), name_colour(0, match.rules)
    return _("Type colours by their letters: {letter} is {colour}.").format(
        letter=letter, colour=colour
    )


def find_line_hint(match: Match, me: str) -> str:
    """Return the hint for a code that is typed as a line; mostly none."""
    played = _find_first_round(match, me)
    if played is None or len(played.turns) > 1:
        return ""
    if played.turns:
        return _explain_answer(match.rules)
    return _("Type a code, such as {example}; Enter sends it.").format(
        example=write_example(match.rules)
    )


def is_played_to_its_end(match: Match, me: str) -> bool:
    """Tell whether a match of mine is over, and nobody left it: then there are no more hints."""
    mine = match.seat_of(me) is not None
    return mine and match.outcome is not None and match.outcome.how is MatchEnd.PLAYED


def _find_first_round(match: Match, me: str) -> Round | None:
    """Return the first round of a match, while it is broken by the player."""
    if match.phase is not Phase.BREAKING or match.played:
        return None
    return match.current if match.seat_of(me) is Seat.BREAKER else None


def _explain_answer(rules: Rules) -> str:
    black, white = name_keys(rules)
    return _("{black}: in its place; {white}: elsewhere. But which?").format(
        black=black, white=white
    )
