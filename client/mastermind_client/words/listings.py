"""Matches in a list, in words: those that wait, those that run, and one's own that are over."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.language import ngettext
from mastermind_protocol.events import Seat
from mastermind_protocol.match import Phase
from mastermind_protocol.text import sanitise

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mastermind_protocol.messages import Listed

PHASES: Mapping[Phase, str] = MappingProxyType(
    {
        Phase.GATHERING: N_("gathering"),
        Phase.SETTING: N_("setting"),
        Phase.BREAKING: N_("breaking"),
        Phase.FINISHED: N_("finished"),
    }
)
"""What each phase is called; to be translated where it is shown."""


def describe_listed(listed: Listed) -> str:
    """Say what is played in a listed match, and by whom or with whom."""
    if listed.phase is not Phase.GATHERING:
        text = _("{terms}: {maker} sets, {breaker} breaks ({phase})")
    elif listed.maker:
        text = _("{terms}: {maker} sets, you break")
    else:
        text = _("{terms}: {breaker} breaks, you set")
    return text.format(
        terms=describe_terms(listed.rules, listed.rounds, rated=listed.rated),
        maker=name_listed(listed, Seat.MAKER),
        breaker=name_listed(listed, Seat.BREAKER),
        phase=_(PHASES[listed.phase]),
    )


def describe_terms(rules: str, rounds: int, *, rated: bool = False) -> str:
    """Say what is played: by which rules, how many rounds, and for the ratings if so."""
    terms = [sanitise(rules)]
    if rounds > 1:
        terms.append(ngettext("{number} round", "{number} rounds", rounds).format(number=rounds))
    if rated:
        terms.append(_("rated"))
    return ", ".join(terms)


def name_listed(listed: Listed, seat: Seat) -> str:
    """Return the name of whoever sits there; bots show as bots."""
    name = sanitise((listed.maker if seat is Seat.MAKER else listed.breaker) or "?")
    return _("{name} (bot)").format(name=name) if seat in listed.bots else name
