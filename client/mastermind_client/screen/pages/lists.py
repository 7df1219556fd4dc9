"""The pages with the lists of matches on a server."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from mastermind_client.language import gettext as _
from mastermind_client.lists import LISTS
from mastermind_client.screen.forms.fields import ask_match_code
from mastermind_client.screen.forms.match_form import WITH_ANYONE, MatchForm
from mastermind_client.screen.forms.outlook import draw_outlook
from mastermind_client.screen.pages.list_page import ListPage
from mastermind_client.screen.screen import MenuPage
from mastermind_client.screen.toolkit.list_view import action

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mastermind_client.screen.app import App
    from mastermind_client.screen.pages.page import Sheet
    from mastermind_client.screen.toolkit.list_view import Item
    from mastermind_protocol.rules import Rules


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


_PAGES = {"waiting": FindScreen, "running": MatchesScreen, "archive": ArchiveScreen}


def make_list_page(app: App, name: str, server: str) -> ListPage:
    """Return the page for the list called `name`: its own class, or a plain ListPage."""
    page = _PAGES.get(name)
    return ListPage(app, LISTS[name], server) if page is None else page(app, server)
