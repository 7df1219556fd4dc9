"""The archive: one's own finished matches, to review them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from mastermind_client.config.options import OFFLINE, ReviewOptions
from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.language import ngettext
from mastermind_client.screen.forms.fields import ask_match_code, place_field
from mastermind_client.screen.kit.forms import Item, action
from mastermind_client.screen.kit.tables import Column, DataTable, TableRow
from mastermind_client.screen.pages.listing import ListPage
from mastermind_client.words.listings import list_terms, name_opponent, write_time
from mastermind_protocol.events import MatchEnd

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Sequence

    from mastermind_client.screen.app import App
    from mastermind_client.screen.places.places import Place
    from mastermind_protocol.messages import Archived, ArchivedMatch

DATE = 10  # characters of a time that are its date: which of two was first can be seen


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
        ask_code = partial(ask_match_code, self.app, self.review)
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

    def review(self, code: str, server: str | None = None) -> None:
        """Review a match, of this place or of another server."""
        self.app.go(ReviewOptions(code, server or self.address))

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
    """Return the columns of the list of finished matches: against whom, what came of it, when."""
    return [Column(""), Column("", dim=True), Column("", rigid=True, dim=True)]


def write_archived(match: ArchivedMatch) -> TableRow:
    """Return a finished match as a row; the time is in the local time zone."""
    told = [_describe_result(match), *list_terms(match.rules, match.rounds, rated=match.rated)]
    if match.rounds > 1:  # one round is won or lost
        mine, theirs = match.points
        told.append(f"{mine}:{theirs}")
    else:
        guesses = ngettext("{number} guess", "{number} guesses", match.guesses)
        told.append(guesses.format(number=match.guesses))
    name = name_opponent(match.opponent, match.bot)
    return TableRow(match.match, (name, ", ".join(told), write_time(match.at)[:DATE]))


def _describe_result(match: ArchivedMatch) -> str:
    if match.won is None:
        return _("draw")
    if match.how is MatchEnd.LEFT:
        return _("won: they left") if match.won else _("lost: you left")
    return _("won") if match.won else _("lost")
