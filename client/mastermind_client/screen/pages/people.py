"""The page of the people whom the user has played."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from mastermind_client.config.options import OFFLINE, ProfileOptions, WatchOptions
from mastermind_client.figures import MetPerson, combine_people
from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.lists import ServerList
from mastermind_client.messages.statistics import (
    PEOPLE_COLUMNS,
    explain_uncounted,
    format_uncounted,
)
from mastermind_client.messages.updates import describe_challenge_choice
from mastermind_client.network.failures import ServerUnreachable
from mastermind_client.network.players.identities import Identities
from mastermind_client.screen.challenges import ask_to_challenge
from mastermind_client.screen.pages.list_page import ListPage
from mastermind_client.screen.toolkit.keys import Key
from mastermind_client.screen.toolkit.lines import wrap
from mastermind_protocol.errors import Refused
from mastermind_protocol.rules import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mastermind_client.network.session import Session
    from mastermind_client.screen.app import App
    from mastermind_client.screen.pages.page import Sheet
    from mastermind_client.screen.toolkit.keys import Binding
    from mastermind_client.screen.toolkit.list_view import Item
    from mastermind_protocol import messages as wire

FOOT_STAGE_ROWS = 20  # rows of a stage with room for the explanation


class PeopleScreen(ListPage):
    """The people of this computer, the connected servers and that of the settings.

    The people online are first.
    """

    enter_hint = N_("profile")

    def __init__(self, app: App) -> None:
        self._missing = ""  # why a server is not counted
        server_list = ServerList(
            N_("People"), "", N_("Nobody yet. Invite a friend: 2."), self._load,
            PEOPLE_COLUMNS, self._find_destination,
            key=lambda met: f"{met.person.player} {met.server}",
        )  # fmt: skip
        super().__init__(app, server_list, OFFLINE)

    def items(self) -> Sequence[Item]:
        """Return no items: the list has the people of all servers."""
        return ()

    def own_keys(self) -> Sequence[Binding]:
        """Return the keys that challenge and watch, and the key of the user's own choice."""
        return (
            Key(
                ("c",), N_("challenge the player to a match"), self._ask_to_challenge,
                short=N_("challenge"), when=lambda: self._selected_person is not None,
            ),
            Key(
                ("w",), N_("watch the player's match"), self._watch,
                short=N_("watch"), when=self._can_watch,
            ),
            Key(
                ("n",), N_("take no challenges and be offline to others, or not"),
                self._switch_challenges, short=N_("challenges"),
            ),
            *super().own_keys(),
        )  # fmt: skip

    def sheet(self) -> Sheet:
        """Return the list, and below it what it counts, or why a server is missing."""
        sheet = replace(super().sheet(), note=self.app.settings.name or "")
        told = self._missing or _(
            "Matches won against all people that you have played, on this server and on this "
            "computer. Bots have their own line in the statistics."
        )
        if self._missing or self.stage.rows >= FOOT_STAGE_ROWS:
            sheet.foot = wrap(told, self.stage.columns, "class:dim")
        return sheet

    def _find_destination(self, key: str, _address: str) -> WatchOptions | ProfileOptions:
        """Return the public match of the person with this key, or else the profile."""
        met = next(met for met in self._entries if self.server_list.key(met) == key)
        if met.person.match is not None:
            return WatchOptions(met.server, met.person.match)
        return ProfileOptions(met.server, player=met.person.player)

    @property
    def _selected_person(self) -> MetPerson | None:
        selected = self.view.selected.name
        return next((met for met in self._entries if self.server_list.key(met) == selected), None)

    async def _load(self, session: Session, _after: str | None) -> tuple[Sequence[MetPerson], bool]:
        """Return the people of this computer, the connected servers and that of the settings.

        A connected server can be a friend's, or the one in this process for friends. If the user
        has no player on the server of the settings, it is not connected. A failure of a server is
        displayed below the list.
        """
        answers = {self.address: await session.list_people()}
        usual, stored = self.app.settings.server, Identities.of(self.app.context)
        registered = await asyncio.to_thread(stored.list_registered, usual)
        known = {server.address for server in self.app.open_servers if server.session.connected}
        self._missing = ""
        for address in sorted((known | {usual} if registered else known) - {self.address}):
            try:
                answers[address] = await self._list_people(address)
            except (ServerUnreachable, Refused, OSError) as error:
                self._missing = format_uncounted(address, explain_uncounted(error))
        hosts = await asyncio.to_thread(stored.list_hosts)
        return combine_people(answers, OFFLINE, hosts), False

    async def _list_people(self, address: str) -> wire.People:
        server = await self.app.connect(address)
        return await server.session.list_people()

    def _ask_to_challenge(self) -> None:
        met = self._selected_person
        if met is None:
            return
        if met.server == OFFLINE:
            self.app.notify(_("You have met at home: invite the player by a code."))
            return
        ask_to_challenge(
            self, met.server, met.person.player, met.person.name, DEFAULT.name,
            _("Back to the list."),
        )  # fmt: skip

    def _can_watch(self) -> bool:
        met = self._selected_person
        return met is not None and met.person.match is not None

    def _watch(self) -> None:
        if self._can_watch():
            self.open(self.view.selected.name)

    def _switch_challenges(self) -> None:
        self.app.spawn(self._switch())

    async def _switch(self) -> None:
        server = await self.app.connect(self.app.settings.server)
        allowed = not (await server.session.load_profile()).challenges
        await server.session.allow_challenges(allowed=allowed)
        self.app.notify(describe_challenge_choice(allowed=allowed))
