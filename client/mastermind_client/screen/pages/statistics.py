"""One's own games in figures: all of them, by rules with a chart, and by opponent."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from mastermind_client.config.options import OFFLINE
from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.language import ngettext
from mastermind_client.net.failures import ServerUnreachable
from mastermind_client.screen.chart import draw_chart
from mastermind_client.screen.kit.keys import Key
from mastermind_client.screen.kit.lines import (
    Extent,
    Line,
    crop,
    draw_title,
    indent,
    spread,
    text,
    wrap,
)
from mastermind_client.screen.screen import Screen, back_key
from mastermind_client.words.failures import describe_failure
from mastermind_client.words.listings import name_opponent
from mastermind_client.words.statistics import (
    OPPONENTS,
    tell_games,
    tell_streak,
    write_averages,
)
from mastermind_protocol.errors import Refused
from mastermind_protocol.text import sanitise

if TYPE_CHECKING:
    from mastermind_client.screen.app import App
    from mastermind_client.screen.look import Look
    from mastermind_client.screen.places.places import Place
    from mastermind_client.statistics import Figures, Statistics

STAGE = 62  # columns: sixty, and a blank on either side
MARGIN = 1  # columns on either side
SCROLLED = 10  # rows at once by a key
INDENT = 2  # columns of a chart below its heading


class StatisticsScreen(Screen):
    """The figures of the games played here and on the settings' server, as far as they are read."""

    widest = STAGE
    inset = MARGIN

    def __init__(self, app: App) -> None:
        super().__init__(app)
        self._places: list[Place] = []
        self._missing: list[str] = []  # why a place is not counted
        self._top = 0
        self._extent = Extent(STAGE, 0)
        self.keys = (
            Key(
                ("down",),
                N_("one row down"),
                partial(self.scroll, 1),
                short=N_("scroll"),
                hinted=("up", "down"),
            ),
            Key(("up",), N_("one row up"), partial(self.scroll, -1)),
            Key(("pagedown", " "), N_("scroll down"), partial(self.scroll, SCROLLED)),
            Key(("pageup",), N_("scroll up"), partial(self.scroll, -SCROLLED)),
            back_key(self),
        )

    def on_show(self) -> None:
        """Read the archives, of this computer first."""
        if not self._places:
            self.app.spawn(self._connect())

    def draw(self, extent: Extent) -> list[Line]:
        """Return the title and as much of the figures as there is room for."""
        self._extent = extent
        title = draw_title([_("Your games")], "", extent.columns, MARGIN)
        lines = self._draw_body(extent.columns - 2 * MARGIN)
        room = extent.rows - 2
        shown = lines[self._top : self._top + room]
        hidden = len(lines) - self._top - len(shown)
        if hidden > 0:
            more = ngettext("{number} more line", "{number} more lines", hidden + 1)
            told = f"{self.app.look.glyphs.down} {more.format(number=hidden + 1)}"
            shown = [*shown[:-1], text(told, "class:dim")]
        return [title, [], *indent(shown, MARGIN)]

    def scroll(self, rows: int) -> None:
        """Scroll the figures."""
        lines = self._draw_body(self._extent.columns - 2 * MARGIN)
        last = max(0, len(lines) - (self._extent.rows - 2))
        self._top = max(0, min(last, self._top + rows))
        self.app.redraw()

    async def _connect(self) -> None:
        for address in (OFFLINE, self.app.settings.server):
            try:
                self._places.append(await self.app.connect(address))
            except (ServerUnreachable, Refused, OSError) as error:
                self._missing.append(describe_failure(error))
            self.app.redraw()

    def _draw_body(self, columns: int) -> list[Line]:
        read = [place for place in self._places if place.games.has_read(place.player)]
        missing = [line for why in self._missing for line in wrap(why, columns, "class:dim")]
        if not read:
            return [text(_("One moment ...")), [], *missing]
        found = read[-1].games.count(read[-1].player)
        return [
            *draw_statistics(found, columns, self.app.look),
            *([[]] if missing else []),
            *missing,
        ]


def draw_statistics(found: Statistics, columns: int, look: Look) -> list[Line]:
    """Return statistics as lines: all matches, each rules with a chart, and the opponents."""
    if not found.total.games:
        return wrap(_("You have finished no match yet."), columns)
    lines = [text(tell_games(found.total), "class:strong")]
    if streak := tell_streak(found.total):
        lines += wrap(streak, columns)
    for rules, figures in found.by_rules.items():
        lines += [[], *_draw_rules(rules, figures, columns, look)]
    lines += [[], text(_("Against"), "class:heading")]
    for opponent, figures in list(found.by_opponent.items())[:OPPONENTS]:
        name = text(name_opponent(*opponent))
        lines.append(spread(name, text(tell_games(figures), "class:dim"), columns))
    return [crop(line, columns, look.glyphs.ellipsis) for line in lines]


def _draw_rules(rules: str, figures: Figures, columns: int, look: Look) -> list[Line]:
    """Return the games by one rules: their heading, and a chart of the codes that were tried."""
    heading = text(sanitise(rules), "class:heading")
    averages = text(write_averages(figures.record, look.glyphs.hole), "class:strong")
    lines = [spread(heading, averages, columns), text(tell_games(figures), "class:dim")]
    if figures.record.games:
        lines += indent(draw_chart(figures.record, columns - INDENT, look), INDENT)
    return lines
