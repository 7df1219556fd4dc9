"""Texts about the people whom the reader has played, and their order."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.messages.ratings import format_day
from mastermind_protocol.text import sanitise

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from datetime import tzinfo

    from mastermind_protocol import messages as wire

PEOPLE_TITLES = (N_("name"), N_("you  them"), N_("latest"), N_("now"))
"""The titles of the columns, marked for translation."""


class MetPerson(NamedTuple):
    """A person whom the reader has played on the server with this address.

    `hosts` is whether the matches were on a server in the person's own program.
    """

    server: str
    person: wire.Person
    hosts: bool = False


def combine_people(
    answers: Mapping[str, wire.People], here: str, hosts: Collection[str]
) -> list[MetPerson]:
    """Return the people of several servers by address: online first, then the last played.

    Matches on the server `here` were at home. `hosts` are the names of players who host matches.
    """
    people = [
        MetPerson(server, person, server == here and person.name in hosts)
        for server, answer in answers.items()
        for person in answer.people
    ]
    return sorted(people, key=lambda met: (not met.person.online, -met.person.last))


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
