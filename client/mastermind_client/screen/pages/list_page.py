"""The pages with a list of a server, which is loaded and refreshed while the page is shown."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from mastermind_client.columns import write_cells
from mastermind_client.config.options import OFFLINE
from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.lists import LISTS, make_match_list
from mastermind_client.messages.failures import describe_failure, omit_server_command
from mastermind_client.network.failures import ServerUnreachable
from mastermind_client.screen.forms.fields import (
    ask_invitation,
    ask_match_code,
    name_server,
    where_field,
)
from mastermind_client.screen.forms.kinds import WITH_ANYONE, draw_summary
from mastermind_client.screen.forms.match_form import MatchForm
from mastermind_client.screen.pages.page import Page, Sheet
from mastermind_client.screen.screen import MenuPage, find_trouble
from mastermind_client.screen.toolkit.keys import Key
from mastermind_client.screen.toolkit.list_view import action, row
from mastermind_protocol.errors import Refused

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mastermind_client.config.values import Invitation
    from mastermind_client.lists import ServerList
    from mastermind_client.screen.app import App
    from mastermind_client.screen.screen import Trouble
    from mastermind_client.screen.servers.server import Server
    from mastermind_client.screen.toolkit.keys import Binding
    from mastermind_client.screen.toolkit.list_view import Item
    from mastermind_protocol.rules import Rules

REFRESH_SECONDS = 4.0  # a waiting player is met soon, and the request costs a server little


class ListPage(Page):
    """A page with one list of the server at `address`.

    `loading_more_notice` is displayed while further entries are loaded.
    """

    loading_more_notice = N_("Loading earlier matches ...")

    def __init__(self, app: App, server_list: ServerList[Any], address: str) -> None:
        self.columns = server_list.columns
        super().__init__(app)
        self.server_list, self.address = server_list, app.resolve_address(address)
        self.error: Exception | None = None
        self.loaded = False
        self._entries: list[Any] = []
        self._has_more = False
        self._server: Server | None = None
        self._refresh_task: asyncio.Task[None] | None = None
        self._more_task: asyncio.Task[None] | None = None  # loads the entries after the last one
        self._timer: asyncio.TimerHandle | None = None

    def items(self) -> Sequence[Item]:
        """Return the item that chooses the server."""
        return [where_field(self.app, self.address, self.go_to)]

    @property
    def trouble(self) -> Trouble | None:
        """The banner for a lost connection to the server, or None."""
        server = self._server
        zone = self.app.context.zone
        return None if server is None else find_trouble(server.connection, zone, seated=False)

    def sheet(self) -> Sheet:
        """Return the description of the page: the form, and the list below it."""
        return Sheet(
            title=_(self.server_list.title),
            view=self.view,
            note=name_server(self.address),
            heading=_(self.server_list.heading) if self.server_list.heading else "",
            columns=self.columns,
            message=self.message,
        )

    @property
    def message(self) -> str:
        """The text in place of an empty list: a failure, "One moment ...", or why it is empty."""
        if self.error is not None:
            words = describe_failure(omit_server_command(self.error))
            if self.address == OFFLINE:
                return words
            return _("{trouble} The server can be changed in the settings.").format(trouble=words)
        if not self.loaded:
            return _("One moment ...")
        offline = self.address == OFFLINE and self.server_list.empty_offline
        return _(offline or self.server_list.empty)

    def own_keys(self) -> Sequence[Binding]:
        """Return the key that refreshes the list."""
        return (Key(("r",), N_("load the list again"), self.refresh, short=N_("refresh")),)

    def on_show(self) -> None:
        """Load the list."""
        self.refresh()

    async def on_close(self) -> None:
        """Stop loading and refreshing."""
        self._cancel_loading()

    def go_to(self, address: str) -> None:
        """Show the list of the server at `address` instead."""
        self._cancel_loading()
        self.address, self._server, self.error, self.loaded = address, None, None, False
        self._replace_entries((), more=False)
        self.refresh()

    def open(self, key: str) -> None:
        """Open the entry whose id is `key`."""
        self.app.go(self.server_list.open(key, self.address))

    def open_invited(self, invitation: Invitation) -> None:
        """Open the match of an invitation that the user has typed."""
        server = invitation.server or self.address
        self.app.go(self.server_list.open(invitation.code, server))

    def refresh(self) -> None:
        """Load the list again, unless a request for the list is running."""
        if self._refresh_task is None:
            self._cancel_loading()
            self._refresh_task = self.app.spawn(self._refresh())

    def on_last_row(self) -> None:
        """Load the next entries, if the server has more."""
        if self._has_more and (self._more_task is None or self._more_task.done()):
            self._more_task = self.app.spawn(self._load_more(), _(self.loading_more_notice))

    async def _refresh(self) -> None:
        try:
            self._server = await self.app.connect(self.address)
            entries, more = await self.server_list.load(self._server.session, None)
        except (ServerUnreachable, Refused, OSError) as error:
            self.error, self._server = error, None
            self._replace_entries((), more=False)
        else:
            self.error, self.loaded = None, True
            self._replace_entries(entries, more=more)
        self._refresh_task = None
        if self.server_list.refresh or self.error is not None:  # a failed request is repeated
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(REFRESH_SECONDS, self._refresh_if_shown)

    async def _load_more(self) -> None:
        server = await self.app.connect(self.address)
        last = self.server_list.key(self._entries[-1])
        entries, more = await self.server_list.load(server.session, last)
        self._add_entries(entries, more=more)

    def _replace_entries(self, entries: Sequence[Any], *, more: bool) -> None:
        """Replace the entries, and cancel a request for more entries of the old list.

        `more` is whether the server has more entries.
        """
        if self._more_task is not None:
            self._more_task.cancel()
        self._entries, self._more_task = [], None
        self._add_entries(entries, more=more)

    def _add_entries(self, entries: Sequence[Any], *, more: bool) -> None:
        self._entries += entries
        self._has_more = more
        keys, zone = map(self.server_list.key, self._entries), self.app.context.zone
        self.view.rows = [
            row(key, write_cells(self.columns, entry, zone), partial(self.open, key))
            for key, entry in zip(keys, self._entries, strict=True)
        ]

    def _refresh_if_shown(self) -> None:
        if self.app.shows(self):  # otherwise when it is shown again
            self.refresh()

    def _cancel_loading(self) -> None:
        """Cancel the request for the list, and the timer of the next refresh."""
        for pending in (self._refresh_task, self._timer):
            if pending is not None:
                pending.cancel()
        self._refresh_task = self._timer = None


class FindOpponentScreen(ListPage):
    """The form for a public match, and the list of players who wait for an opponent."""

    def __init__(self, app: App, address: str) -> None:
        self.match = MatchForm(app, WITH_ANYONE, address)
        super().__init__(app, LISTS["waiting"], address)

    @property
    def explained_rules(self) -> Rules:
        """The chosen rules."""
        return self.match.rules

    def items(self) -> Sequence[Item]:
        """Return the form and how to join by a code, or ways to play without a server."""
        if not isinstance(self.error, ServerUnreachable):
            ask = partial(ask_invitation, self.app)
            invited = action("code", _("Join by code"), ask, _("Someone has invited you."))
            start, *questions = self.match.items
            return [start, invited, *questions]
        go = self.app.go
        return [
            action("bot", _("Play a bot"), partial(go, MenuPage.PLAY), _("Without a server.")),
            action(
                "friend", _("Invite a friend"), partial(go, MenuPage.INVITE),
                _("Your computer can be the server."),
            ),
            action(
                "settings", _("Settings"), partial(go, MenuPage.SETTINGS),
                _("Choose another server."),
            ),
        ]  # fmt: skip

    def sheet(self) -> Sheet:
        """Return the summary of the match, the form, and the list."""
        if isinstance(self.error, ServerUnreachable):
            return super().sheet()
        above = draw_summary(self.match, self.stage.columns, self.app.look)
        return replace(super().sheet(), above=above)


class RunningMatchesScreen(ListPage):
    """The running public matches, and other ways to watch a match."""

    def __init__(self, app: App, address: str) -> None:
        super().__init__(app, LISTS["running"], address)

    def items(self) -> Sequence[Item]:
        """Return the item that opens a match of two bots, and the item that asks for a code."""
        ask_code = partial(ask_match_code, self.app, self.open_invited)
        return [
            action(
                "bots", _("Two bots"), partial(self.app.go, MenuPage.BOTS),
                _("They play, you watch; offline too."),
            ),
            action("code", _("By its code"), ask_code, _("A match that is in no list.")),
        ]  # fmt: skip


class ArchiveScreen(ListPage):
    """The player's finished matches, the newest first."""

    def __init__(self, app: App, address: str) -> None:
        super().__init__(app, LISTS["archive"], address)

    def items(self) -> Sequence[Item]:
        """Return the item that chooses the server, and the item that asks for a match's code."""
        ask_code = partial(ask_match_code, self.app, self.open_invited)
        return [
            *super().items(),
            action("code", _("By its code"), ask_code, _("Any finished match.")),
        ]


class PlayerMatchesScreen(ListPage):
    """The public finished matches of another player, the newest first."""

    def __init__(self, app: App, player: str, address: str) -> None:
        super().__init__(app, make_match_list(player), address)

    def items(self) -> Sequence[Item]:
        """Return no items, because the player does not exist on other servers."""
        return ()


_PAGES = {"waiting": FindOpponentScreen, "running": RunningMatchesScreen, "archive": ArchiveScreen}


def make_list_page(app: App, name: str, server: str, player: str | None = None) -> ListPage:
    """Return the page for the list `name`, a key of LISTS.

    `player` is the id of another player. With it, the page lists the public matches of that player.
    """
    if player is not None:
        return PlayerMatchesScreen(app, player, server)
    page = _PAGES.get(name)
    return ListPage(app, LISTS[name], server) if page is None else page(app, server)
