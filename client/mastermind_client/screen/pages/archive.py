"""One's own matches that are over, to go through them again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.config.options import OFFLINE, ReviewOptions
from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.screen.fields import edit_match_code, place_field
from mastermind_client.screen.kit.forms import Item, action
from mastermind_client.screen.kit.tables import Column, DataTable, TableRow
from mastermind_client.screen.pages.listing import ListPage
from mastermind_client.words.archive import name_opponent, write_time
from mastermind_client.words.players import name_seat
from mastermind_protocol.events import MatchEnd
from mastermind_protocol.text import sanitise

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Sequence

    from mastermind_client.screen.app import App
    from mastermind_client.screen.places import Place
    from mastermind_protocol.messages import Archived, ArchivedMatch


class ArchiveScreen(ListPage["Archived"]):
    """The archive of one place, page after page, the newest first."""

    title, heading = N_("Review a past match"), N_("Your matches that are over")
    refreshing = False  # what is over stays as it is

    def __init__(self, app: App, address: str) -> None:
        self._matches: tuple[ArchivedMatch, ...] = ()
        self._earlier = False
        self._turning: asyncio.Task[None] | None = None  # to the next page
        super().__init__(app, DataTable(list_columns, self.review, self._reach_end), address)

    def items(self) -> Sequence[Item]:
        """Return the place, and the way to what is not in the list."""
        return [
            place_field(self.app, self.address, self.go_to),
            action("code", _("By its code"), self._ask_code, _("Anybody's match that is over.")),
        ]

    def nothing(self) -> str:
        """Say that nothing has been played there."""
        if self.address == OFFLINE:
            return _("No game has been played offline. Choose the server for those played there.")
        return _('No match of yours is over there. Choose "offline" for games against bots.')

    async def fetch(self, place: Place) -> Archived:
        """Return the first page."""
        return await place.session.list_archive()

    def take(self, found: Archived) -> None:
        """List the first page."""
        self._forget()
        self._add(found)

    def clear(self) -> None:
        """List nothing."""
        super().clear()
        self._forget()

    def review(self, code: str) -> None:
        """Go through a match."""
        self.app.go(ReviewOptions(code, self.address))

    def _ask_code(self) -> None:
        edit_match_code(self.app, lambda code: ReviewOptions(code, self.address))

    def _reach_end(self) -> None:
        if self._earlier and (self._turning is None or self._turning.done()):
            self._turning = self.app.spawn(self._turn(), _("Looking for earlier matches ..."))

    async def _turn(self) -> None:
        """Fill in the next page."""
        place = await self.app.connect(self.address)
        self._add(await place.session.list_archive(self._matches[-1].match))

    def _forget(self) -> None:
        if self._turning is not None:
            self._turning.cancel()
        self._matches, self._earlier, self._turning = (), False, None

    def _add(self, page: Archived) -> None:
        self._matches += page.matches
        self._earlier = page.more and bool(page.matches)
        self.fill([write_archived(match) for match in self._matches])


def list_columns() -> list[Column]:
    """Return the columns of the list of matches that are over."""
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
    """Return a match that is over as a row; the time is that of the person's own clock."""
    mine, theirs = match.points
    return TableRow(
        match.match,
        (
            write_time(match.at),
            name_opponent(match),
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
