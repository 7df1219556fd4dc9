"""The pages with a list of a server, which is loaded and refreshed while the page is shown."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from mastermind_client.config.options import OFFLINE, ProfileOptions
from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.lists import LISTS, ServerList
from mastermind_client.messages.failures import describe_failure
from mastermind_client.messages.ratings import format_rating
from mastermind_client.messages.standings import (
    TITLES,
    cells_of_ranked,
    describe_conditions,
    describe_leaderboard,
    write_in_ascii,
)
from mastermind_client.network.failures import ServerUnreachable
from mastermind_client.screen.connection_banner import find_trouble
from mastermind_client.screen.forms.fields import ask_match_code, name_server, where_field
from mastermind_client.screen.forms.match_form import WITH_ANYONE, MatchForm
from mastermind_client.screen.forms.outlook import draw_outlook
from mastermind_client.screen.pages.page import Page, Sheet
from mastermind_client.screen.screen import MenuPage
from mastermind_client.screen.toolkit.keys import Key
from mastermind_client.screen.toolkit.lines import Extent, Line, change_texts, wrap
from mastermind_client.screen.toolkit.list_view import action, row
from mastermind_protocol.errors import Refused
from mastermind_protocol.rules import DEFAULT, PRESETS
from mastermind_protocol.text import sanitise

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mastermind_client.network.session import Session
    from mastermind_client.screen.app import App
    from mastermind_client.screen.connection_banner import Trouble
    from mastermind_client.screen.servers.servers import Server
    from mastermind_client.screen.toolkit.keys import Binding
    from mastermind_client.screen.toolkit.list_view import Item
    from mastermind_protocol.messages import Leaderboard, RankedPlayer
    from mastermind_protocol.rules import Rules

REFRESH_SECONDS = 4.0  # a waiting player is met soon, and the request costs a server little
CONDITIONS_ROWS = 22  # rows of a stage with room for the conditions of the leaderboard
PLACES_ABOVE = 5  # listed above the player's own place
RATED_RULES = tuple(name for name, rules in PRESETS.items() if rules.guesses is not None)


class ListPage(Page):
    """A page with one list of the server at `address`."""

    def __init__(self, app: App, listed: ServerList[Any], address: str) -> None:
        self.columns = [(_(title) if title else "", fit) for title, fit in listed.columns]
        super().__init__(app)
        self.listed, self.address = listed, app.locate(address)
        self.error: Exception | None = None
        self.loaded = False
        self._entries: list[Any] = []
        self._more = False
        self._server: Server | None = None
        self._loading: asyncio.Task[None] | None = None
        self._paging: asyncio.Task[None] | None = None  # loads the entries after the last one
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
        """Return the form and the list below it."""
        return Sheet(
            title=_(self.listed.title),
            view=self.view,
            note=name_server(self.address),
            heading=_(self.listed.heading),
            columns=self.columns,
            message=self.message,
        )

    @property
    def message(self) -> str:
        """The text for an empty list: a failure, "One moment ...", or that it is empty."""
        if self.error is not None:
            words = describe_failure(self.error)
            if self.address == OFFLINE:
                return words
            return _("{trouble} The server can be changed in the settings.").format(trouble=words)
        if not self.loaded:
            return _("One moment ...")
        offline = self.address == OFFLINE and self.listed.empty_offline
        return _(offline or self.listed.empty)

    def own_keys(self) -> Sequence[Binding]:
        """Return the key that refreshes the list."""
        return (Key(("r", "R"), N_("load the list again"), self.refresh, short=N_("refresh")),)

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
        self._fill((), more=False)
        self.refresh()

    def open(self, key: str, server: str | None = None) -> None:
        """Open the entry with this key, on `server` or if that is None on the page's server."""
        self.app.go(self.listed.open(key, server or self.address))

    def refresh(self) -> None:
        """Load the list again, unless it is being loaded."""
        if self._loading is None:
            self._cancel_loading()
            self._loading = self.app.spawn(self._refresh())

    def reach_end(self) -> None:
        """Load the next entries, if the server has more."""
        if self._more and (self._paging is None or self._paging.done()):
            self._paging = self.app.spawn(self._load_more(), _("Loading earlier matches ..."))

    async def _refresh(self) -> None:
        try:
            self._server = await self.app.connect(self.address)
            entries, more = await self.listed.load(self._server.session, None)
        except (ServerUnreachable, Refused, OSError) as error:
            self.error, self._server = error, None
            self._fill((), more=False)
        else:
            self.error, self.loaded = None, True
            self._fill(entries, more=more)
        self._loading = None
        if self.listed.refresh or self.error is not None:  # a failed request is repeated
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(REFRESH_SECONDS, self._refresh_if_shown)

    async def _load_more(self) -> None:
        server = await self.app.connect(self.address)
        last = self.listed.key(self._entries[-1])
        entries, more = await self.listed.load(server.session, last)
        self._add(entries, more=more)

    def _fill(self, entries: Sequence[Any], *, more: bool) -> None:
        """Replace the entries, and cancel a request for more entries of the old list."""
        if self._paging is not None:
            self._paging.cancel()
        self._entries, self._paging = [], None
        self._add(entries, more=more)

    def _add(self, entries: Sequence[Any], *, more: bool) -> None:
        self._entries += entries
        self._more = more
        keys, zone = map(self.listed.key, self._entries), self.app.context.zone
        self.view.rows = [
            row(key, self.listed.cells(entry, zone), partial(self.open, key))
            for key, entry in zip(keys, self._entries, strict=True)
        ]

    def _refresh_if_shown(self) -> None:
        if self.app.shows(self):  # otherwise when it is shown again
            self.refresh()

    def _cancel_loading(self) -> None:
        """Cancel the request and the timer."""
        for pending in (self._loading, self._timer):
            if pending is not None:
                pending.cancel()
        self._loading = self._timer = None


class FindScreen(ListPage):
    """The form for a public match, and the list of players who wait for an opponent."""

    def __init__(self, app: App, address: str) -> None:
        self.match = MatchForm(app, WITH_ANYONE, address)
        super().__init__(app, LISTS["waiting"], address)

    @property
    def explained(self) -> Rules:
        """The chosen rules."""
        return self.match.rules

    def items(self) -> Sequence[Item]:
        """Return the items of the form."""
        return self.match.items

    def sheet(self) -> Sheet:
        """Return the summary of the match, the form, and the list."""
        above = draw_outlook(self.match, self.stage.columns, self.app.look)
        return replace(super().sheet(), above=above)


class MatchesScreen(ListPage):
    """The running public matches that can be watched, and the ways to watch other matches."""

    def __init__(self, app: App, address: str) -> None:
        super().__init__(app, LISTS["running"], address)

    def items(self) -> Sequence[Item]:
        """Return the items that watch two bots, or a match by its code."""
        ask_code = partial(ask_match_code, self.app, self.open)
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
        ask_code = partial(ask_match_code, self.app, self.open)
        return [
            *super().items(),
            action("code", _("By its code"), ask_code, _("Any finished match.")),
        ]


class LeaderboardScreen(ListPage):
    """The best players of rated matches by one of RATED_RULES. The player's own row is pinned."""

    chooses = N_("player")

    def __init__(self, app: App, address: str) -> None:
        self._rules = DEFAULT.name
        self._after = 0  # the place before the first listed one
        self._board: Leaderboard | None = None
        self._wanted: str | None = None  # the player id to select when it is listed
        listed = ServerList(
            N_("Leaderboard"), N_("Rated matches between people"),
            N_("Nobody is on this leaderboard yet."), "", self._load,
            tuple(zip(TITLES, ("keep", "name", "keep", "drop", "drop", "drop"), strict=True)),
            cells_of_ranked, lambda ranked, _zone: ranked.name,
            lambda player, server: ProfileOptions(server, player=player),
            refresh=False, key=attrgetter("player"),
        )  # fmt: skip
        super().__init__(app, listed, address)

    def items(self) -> Sequence[Item]:
        """Return nothing: the keys Left and Right choose the rules."""
        return ()

    def own_keys(self) -> Sequence[Binding]:
        """Return the keys that choose the rules, and that find the player's own row."""
        return (
            Key(("left",), N_("the rules before"), partial(self._turn, -1)),
            Key(
                ("right",), N_("the next rules"), partial(self._turn, 1),
                short=N_("rules"), hinted=("left", "right"),
            ),
            Key(
                ("m", "M"), N_("your own place, and back to the first"), self._find_own,
                short=N_("me"),
            ),
            *super().own_keys(),
        )  # fmt: skip

    def sheet(self) -> Sheet:
        """Return the choice of rules, the conditions if there is room, and the players."""
        own = self._own
        sheet = replace(super().sheet(), above=[[self._draw_rules()]], note="", pinned=None)
        if self._board is not None:
            sheet.heading = describe_leaderboard(self._rules, self._board.total)
        if own is not None:
            cells = cells_of_ranked(own, self.app.context.zone)
            sheet.pinned = row(own.player, cells, partial(self.open, own.player))
            sheet.note = f"{sanitise(own.name)} {format_rating(own.record.rating)}"
        if self.stage.rows >= CONDITIONS_ROWS:
            sheet.below = [wrap(describe_conditions(), self.stage.columns, "class:dim")]
        return sheet

    def draw(self, extent: Extent) -> list[Line]:
        """Return the lines of the page, in ASCII if the look is."""
        lines = super().draw(extent)
        return (
            change_texts(lines, write_in_ascii) if self.app.look.glyphs.upper.isspace() else lines
        )

    @property
    def _own(self) -> RankedPlayer | None:
        return None if self._board is None else self._board.own

    async def _load(
        self, session: Session, after: str | None
    ) -> tuple[Sequence[RankedPlayer], bool]:
        place = self._after if after is None else self._entries[-1].place or 0
        self._board = await session.show_leaderboard(self._rules, place)
        return self._board.players, self._board.more

    def _add(self, entries: Sequence[Any], *, more: bool) -> None:
        super()._add(entries, more=more)
        if self._wanted is not None and entries:
            self.view.select(self._wanted, listed=True)
            self._wanted = None

    def _draw_rules(self) -> Line:
        glyphs, line = self.app.look.glyphs, Line()
        for number, name in enumerate(RATED_RULES):
            line.append(("", "  " * (number > 0)))
            if name == self._rules:
                line += [
                    ("class:key", f"{glyphs.left} ", partial(self._turn, -1)),
                    ("class:strong", name),
                    ("class:key", f" {glyphs.right}", partial(self._turn, 1)),
                ]
            else:
                line.append(("class:dim", name, partial(self._show, name, 0)))
        return line

    def _turn(self, step: int) -> None:
        """Show the leaderboard of the next rules, or of the rules before for a negative step."""
        number = RATED_RULES.index(self._rules) + step
        self._show(RATED_RULES[number % len(RATED_RULES)], 0)

    def _show(self, rules: str, after: int) -> None:
        """Load the leaderboard of `rules` from the place that follows `after`."""
        self._cancel_loading()
        if rules != self._rules:
            self._board = None
        self._rules, self._after, self.loaded = rules, after, False
        self._fill((), more=False)
        self.view.first()
        self.refresh()

    def _find_own(self) -> None:
        """Select the player's own row. If it is selected, go back to the first places."""
        own = self._own
        if own is None or own.place is None:
            self.app.notify(describe_conditions())
        elif self._after and self.view.selected.name == own.player:
            self._show(self._rules, 0)
        elif any(each.name == own.player for each in self.view.rows):
            self.view.select(own.player, listed=True)
        else:
            self._wanted = own.player
            self._show(self._rules, max(0, own.place - 1 - PLACES_ABOVE))
        self.app.redraw()


_PAGES = {
    "waiting": FindScreen,
    "running": MatchesScreen,
    "archive": ArchiveScreen,
    "leaderboard": LeaderboardScreen,
}


def make_list_page(app: App, name: str, server: str) -> ListPage:
    """Return the page for the list called `name`: its own class, or a plain ListPage."""
    page = _PAGES.get(name)
    return ListPage(app, LISTS[name], server) if page is None else page(app, server)
