"""The archive: one's own finished matches, to review them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from mastermind_client.config.options import OFFLINE, ReviewOptions
from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.screen.fields import edit_match_code, place_field
from mastermind_client.screen.kit.forms import Item, action
from mastermind_client.screen.kit.tables import Column, DataTable, TableRow
from mastermind_client.screen.pages.listing import ListPage
from mastermind_client.words.listings import name_opponent, write_time
from mastermind_client.words.players import name_seat
from mastermind_protocol.events import MatchEnd
from mastermind_protocol.text import sanitise

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Sequence

    from mastermind_client.screen.app import App
    from mastermind_client.screen.places import Place
    from mastermind_protocol.messages import Archived, ArchivedMatch


class ArchiveScreen(ListPage):
    """The archive of one place, page after page, the newest first."""

    title, heading = N_("Review a past match"), N_("Your matches that are over")
    refreshing = False  # a finished match does not change

    def __init__(self, app: App, address: str) -> None:
        self._matches: tuple[ArchivedMatch, ...] = ()
        self._earlier = False
        self._paging: asyncio.Task[None] | None = None  # loads the next page
        super().__init__(app, DataTable(list_columns, self.review, self._reach_end), address)

    def items(self) -> Sequence[Item]:
        """Return the place, and the way to a match that is not in the list."""
        ask_code = partial(edit_match_code, self.app, self.review)
        return [
            place_field(self.app, self.address, self.go_to),
            action("code", _("By its code"), ask_code, _("Anybody's match that is over.")),
        ]

    def nothing(self) -> str:
        """Say that nothing has been played there."""
        if self.address == OFFLINE:
            return _("No game has been played offline. Choose the server for those played there.")
        return _('No match of yours is over there. Choose "offline" for games against bots.')

    async def load(self, place: Place) -> None:
        """List the first page."""
        page = await place.session.list_archive()
        self._forget()
        self._add(page)

    def clear(self) -> None:
        """List nothing."""
        super().clear()
        self._forget()

    def review(self, code: str) -> None:
        """Review a match."""
        self.app.go(ReviewOptions(code, self.address))

    def _reach_end(self) -> None:
        if self._earlier and (self._paging is None or self._paging.done()):
            self._paging = self.app.spawn(self._load_next(), _("Looking for earlier matches ..."))

    async def _load_next(self) -> None:
        """Load the next page, and list it."""
        place = await self.app.connect(self.address)
        self._add(await place.session.list_archive(self._matches[-1].match))

    def _forget(self) -> None:
        if self._paging is not None:
            self._paging.cancel()
        self._matches, self._earlier, self._paging = (), False, None

    def _add(self, page: Archived) -> None:
        self._matches += page.matches
        self._earlier = page.more and bool(page.matches)
        self.fill([write_archived(match) for match in self._matches])


def list_columns() -> list[Column]:
    """Return the columns of the list of finished matches."""
    return [
        Column(_("Finished"), rigid=True),
        Column(_("Opponent")),
        Column(_("Result"), rigid=True),
        Column(_("Rules")),
        Column(_("You were"), spare=2, rigid=True),
        Column(_("Rounds"), spare=4, rigid=True),
        Column(_("Guesses"), spare=1, rigid=True),
        Column(_("Points"), spare=3, rigid=True),
        Column(_("Rated"), spare=6, rigid=True),
        Column(_("Code"), spare=5, rigid=True),
    ]


def write_archived(match: ArchivedMatch) -> TableRow:
    """Return a finished match as a row; the time is in the local time zone."""
    mine, theirs = match.points
    return TableRow(
        match.match,
        (
            write_time(match.at),
            name_opponent(match.opponent, match.bot),
            _describe_result(match),
            sanitise(match.rules),
            name_seat(match.seat),
            str(match.rounds),
            str(match.guesses),
            f"{mine}:{theirs}" if match.rounds > 1 else "",  # one round is won or lost
            _("yes") if match.rated else _("no"),
            match.match,
        ),
    )


def _describe_result(match: ArchivedMatch) -> str:
    if match.won is None:
        return _("draw")
    if match.how is MatchEnd.LEFT:
        return _("won: they left") if match.won else _("lost: you left")
    return _("won") if match.won else _("lost")
