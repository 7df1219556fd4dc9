"""Texts about the people whom the reader has played."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.messages.ratings import format_day
from mastermind_protocol.text import sanitise

if TYPE_CHECKING:
    from datetime import tzinfo

    from mastermind_client.figures import MetPerson

PEOPLE_TITLES = (N_("name"), N_("you  them"), N_("latest"), N_("now"))
"""The titles of the columns, marked for translation."""


def format_person_cells(met: MetPerson, zone: tzinfo | None = None) -> tuple[str, ...]:
    """Return the cells of a row, for the columns of PEOPLE_TITLES."""
    person, name = met.person, sanitise(met.person.name)
    if met.hosts:
        name = _("{name} (hosts here)").format(name=name)
    now = _("online") if person.online else "-"
    if person.match is not None:
        now = _("playing, watch")
    return (
        name,
        f"{person.wins:>3} : {person.losses}",
        format_day(person.last, zone, short=True),
        now,
    )
