"""Texts about ratings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.language import gettext as _
from mastermind_protocol.glicko import predict
from mastermind_protocol.match import Phase

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mastermind_protocol.glicko import Rating
    from mastermind_protocol.match import Match


def format_rating(rating: Rating) -> str:
    """Return a rounded rating: ``1498``, or ``1500?`` for a provisional one."""
    return f"{round(rating.rating)}{'?' if rating.provisional else ''}"


def describe_prospects(match: Match, ratings: Mapping[str, Rating], me: str | None) -> str:
    """Return a sentence with what a win and a loss bring the player `me`.

    `ratings` are those of the players before the match, by their ids. Empty after the first guess,
    and if the match does not change ratings.
    """
    opponent = match.opponent_of(me) if me is not None else None
    mine, theirs = ratings.get(me or ""), ratings.get(opponent.id if opponent else "")
    begun = match.phase is Phase.FINISHED or match.played or (match.current and match.current.turns)
    counts = match.rated and match.has_live_clock
    if not counts or begun or mine is None or theirs is None:
        return ""
    after = predict(mine, theirs)
    now = round(mine.rating)
    return _("A win brings {win:+}, a loss {loss:+}.").format(
        win=round(after.win.rating) - now, loss=round(after.loss.rating) - now
    )


def describe_unrated() -> str:
    """Return why a match that was opened as rated does not change ratings."""
    return _("This match does not change ratings: you have played six rated ones today.")


def describe_change(match: Match, me: str) -> str:
    """Return what a finished match has done to a player's rating: ``Rating 1520 (+8)``, or ""."""
    changes = match.ratings.players if match.ratings is not None else ()
    for each in changes:
        if each.player == me:
            before, after = round(each.before.rating), round(each.after.rating)
            return _("Rating {rating} ({change:+})").format(rating=after, change=after - before)
    return ""
