"""The page of the best players of rated matches."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from mastermind_client.config.options import ProfileOptions
from mastermind_client.language import mark as N_
from mastermind_client.lists import ServerList
from mastermind_client.messages.ratings import (
    LEADERBOARD_TITLES,
    RATED_RULES,
    describe_leaderboard,
    describe_leaderboard_conditions,
    describe_progress,
    describe_strongest_bot,
    format_ranked_cells,
    write_in_ascii,
)
from mastermind_client.screen.pages.list_page import ListPage
from mastermind_client.screen.toolkit.keys import Key
from mastermind_client.screen.toolkit.lines import Extent, Line, change_texts, wrap
from mastermind_client.screen.toolkit.list_view import row
from mastermind_protocol.rules import DEFAULT
from mastermind_protocol.text import sanitise

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mastermind_client.network.session import Session
    from mastermind_client.screen.app import App
    from mastermind_client.screen.pages.page import Sheet
    from mastermind_client.screen.toolkit.keys import Binding
    from mastermind_client.screen.toolkit.list_view import Item
    from mastermind_protocol.messages import Leaderboard, RankedPlayer

CONDITIONS_STAGE_ROWS = 22  # rows of a stage with room for the conditions of the leaderboard
PLACES_ABOVE = 5  # places listed above the player's own place


class LeaderboardScreen(ListPage):
    """The best players of rated matches by one set of rules, chosen from RATED_RULES.

    The player's own row is always visible.
    """

    enter_hint = N_("player")
    paging_hint = N_("more")
    loading_more_notice = N_("Loading more players ...")

    def __init__(self, app: App, address: str) -> None:
        self._rules = DEFAULT.name
        self._place_before = 0  # the place before the first listed one
        self._leaderboard: Leaderboard | None = None
        self._player_to_select: str | None = None  # the player id to select when it is listed
        server_list = ServerList(
            N_("Leaderboard"), N_("Rated matches between people"),
            N_("Nobody is on this leaderboard yet."), self._load,
            tuple(
                zip(
                    LEADERBOARD_TITLES,
                    ("keep", "name", "keep", "drop", "drop", "drop"),
                    strict=True,
                )
            ),
            format_ranked_cells,
            lambda player, server: ProfileOptions(server, player=player),
            refresh=False, key=attrgetter("player"),
        )  # fmt: skip
        super().__init__(app, server_list, address)

    def items(self) -> Sequence[Item]:
        """Return no items: the keys Left and Right choose the rules."""
        return ()

    def own_keys(self) -> Sequence[Binding]:
        """Return the keys that choose the rules, and the key that finds the player's own row."""
        return (
            Key(("left",), N_("the rules before"), partial(self._change_rules, -1)),
            Key(
                ("right",), N_("the next rules"), partial(self._change_rules, 1),
                short=N_("rules"), hinted=("left", "right"),
            ),
            Key(
                ("m",), N_("your own place, and back to the first"), self._go_to_own_row,
                short=N_("me"),
            ),
            *super().own_keys(),
        )  # fmt: skip

    def sheet(self) -> Sheet:
        """Return the choice of rules and the players.

        In a high window, a text below explains who is ranked.
        """
        own = self._own_player
        sheet = replace(super().sheet(), above=[[self._draw_rules()]], note="", pinned=None)
        if self._leaderboard is not None:
            sheet.heading = describe_leaderboard(self._rules, self._leaderboard.total)
        if own is not None:
            cells = format_ranked_cells(own, self.app.context.zone)
            sheet.pinned = row(own.player, cells, partial(self.open, own.player))
            sheet.note = f"{sanitise(own.name)} {describe_progress(own)}"
        if self.stage.rows >= CONDITIONS_STAGE_ROWS:
            below = describe_leaderboard_conditions()
            if self._leaderboard is not None and (bot := describe_strongest_bot(self._leaderboard)):
                below = f"{below} {bot}"
            sheet.below = [wrap(below, self.stage.columns, "class:dim")]
        return sheet

    def draw(self, extent: Extent) -> list[Line]:
        """Return the lines of the page. If the look is ASCII, the names are written in ASCII."""
        lines = super().draw(extent)
        return (
            change_texts(lines, write_in_ascii) if self.app.look.glyphs.upper.isspace() else lines
        )

    @property
    def _own_player(self) -> RankedPlayer | None:
        return None if self._leaderboard is None else self._leaderboard.own

    async def _load(
        self, session: Session, after: str | None
    ) -> tuple[Sequence[RankedPlayer], bool]:
        place = self._place_before if after is None else self._entries[-1].place or 0
        self._leaderboard = await session.load_leaderboard(self._rules, place)
        board = self._leaderboard
        return (*board.players, *board.unplaced), board.more

    def _add_entries(self, entries: Sequence[Any], *, more: bool) -> None:
        super()._add_entries(entries, more=more)
        if self._player_to_select is not None and entries:
            self.view.select(self._player_to_select, listed=True)
            self._player_to_select = None

    def _draw_rules(self) -> Line:
        glyphs, line = self.app.look.glyphs, Line()
        for number, name in enumerate(RATED_RULES):
            line.append(("", "  " * (number > 0)))
            if name == self._rules:
                line += [
                    ("class:key", f"{glyphs.left} ", partial(self._change_rules, -1)),
                    ("class:strong", name),
                    ("class:key", f" {glyphs.right}", partial(self._change_rules, 1)),
                ]
            else:
                line.append(("class:dim", name, partial(self._show, name, 0)))
        return line

    def _change_rules(self, step: int) -> None:
        """Show the leaderboard of the next rules, or of the previous ones if `step` is negative."""
        number = RATED_RULES.index(self._rules) + step
        self._show(RATED_RULES[number % len(RATED_RULES)], 0)

    def _show(self, rules: str, after: int) -> None:
        """Load and show the leaderboard of `rules`, from place `after` + 1 on."""
        self._cancel_loading()
        if rules != self._rules:
            self._leaderboard = None
        self._rules, self._place_before, self.loaded = rules, after, False
        self._replace_entries((), more=False)
        self.view.select_first()
        self.refresh()

    def _go_to_own_row(self) -> None:
        """Select the player's own row. If it is selected already, show the first places."""
        own = self._own_player
        if own is None:
            self.app.notify(describe_leaderboard_conditions())
        elif own.place is not None and self._place_before and self.view.selected.name == own.player:
            self._show(self._rules, 0)
        elif any(each.name == own.player for each in self.view.rows):
            self.view.select(own.player, listed=True)
        elif own.place is None:
            self.app.notify(f"{describe_progress(own)}. {describe_leaderboard_conditions()}")
        else:
            self._player_to_select = own.player
            self._show(self._rules, max(0, own.place - 1 - PLACES_ABOVE))
        self.app.redraw()
