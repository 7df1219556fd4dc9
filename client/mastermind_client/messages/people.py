"""Texts about the people whom the reader has played."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.columns import Column
from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.messages.ratings import format_day
from mastermind_protocol.text import sanitise

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import tzinfo

    from mastermind_client.figures import MetPerson


def _write_name(met: MetPerson, _zone: tzinfo | None) -> str:
    name = sanitise(met.person.name)
    return _("{name} (hosts here)").format(name=name) if met.hosts else name


def _write_state(met: MetPerson, _zone: tzinfo | None) -> str:
    if met.person.match is not None:
        return _("playing, watch")
    return _("online") if met.person.online else "-"


PEOPLE_COLUMNS: Sequence[Column[MetPerson]] = (
    Column(N_("name"), _write_name, "name"),
    Column(N_("you  them"), lambda met, _zone: f"{met.person.wins:>3} : {met.person.losses}"),
    Column(N_("latest"), lambda met, zone: format_day(met.person.last, zone, short=True)),
    Column(N_("now"), _write_state, "drop"),
)
