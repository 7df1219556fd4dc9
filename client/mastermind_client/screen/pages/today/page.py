"""The page of the code of the day: the own try, and the results of all players."""

from __future__ import annotations

import time
from functools import partial
from random import uniform
from typing import TYPE_CHECKING

from mastermind_client.clock import DelayTimer
from mastermind_client.config.options import DayOptions
from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.messages.codes import ASCII_MARKS, MARKS, format_share
from mastermind_client.messages.days.sentences import (
    DayStage,
    explain_trouble,
    find_stage,
    name_next_rules,
)
from mastermind_client.network.entering import leave_eventually
from mastermind_client.network.failures import ServerUnreachable
from mastermind_client.network.updates import MatchRestored, Moved, Reconnected
from mastermind_client.screen.app_screen import AppScreen
from mastermind_client.screen.forms.fields import name_server
from mastermind_client.screen.match.layout import TEXT_INSET
from mastermind_client.screen.pages.today.boards import make_empty_board
from mastermind_client.screen.pages.today.drawing import DayScene, draw_day
from mastermind_client.screen.scene.entry import Entry
from mastermind_client.screen.scene.scene import Scene
from mastermind_client.screen.screen import (
    MatchPage,
    MonthPage,
    PlacesPage,
    ReplayPage,
    action_key,
    back_key,
    find_trouble,
)
from mastermind_client.screen.servers.days import TimedDay
from mastermind_client.screen.toolkit.keys import Key
from mastermind_client.screen.toolkit.lines import Extent, Line, draw_title, wrap
from mastermind_protocol.clock import SECOND
from mastermind_protocol.days import find_day_start, find_reveal
from mastermind_protocol.errors import Refused
from mastermind_protocol.match import Phase
from mastermind_protocol.messages import PlacedTry
from mastermind_protocol.rules import find_rules

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from mastermind_client.network.mirror import Mirror
    from mastermind_client.network.session import Session
    from mastermind_client.network.updates import Update
    from mastermind_client.screen.app import App
    from mastermind_client.screen.screen import Trouble
    from mastermind_client.screen.servers.server import Server
    from mastermind_protocol.messages import Day
    from mastermind_protocol.rules import Rules

MAX_DELAY_SECONDS = 10.0  # of a new request when a day begins or ends, as all clients ask then
REPEAT_SECONDS = 10.0  # between such requests, if the server is late or unreachable
RETRY_SECONDS = 4.0  # as for lists, while the server cannot be reached
TICK_MS = 1000  # between two drawings of the countdown


class TodayScreen(AppScreen):
    """The code of today, or of the day that the options name. It follows the own try.

    Tests pass `read_clock`, which returns the monotonic time in seconds, and `find_delay`, which
    returns the seconds from a change of the day to the next request.
    """

    has_notice_row = True

    def __init__(
        self,
        app: App,
        options: DayOptions,
        read_clock: Callable[[], float] = time.monotonic,
        find_delay: Callable[[], float] = lambda: uniform(0.0, MAX_DELAY_SECONDS),  # noqa: S311
    ) -> None:
        super().__init__(app)
        self._day, self._name = options.day, options.name
        self._address = app.resolve_address(options.server)
        self._read_clock, self._delay_ms = read_clock, round(find_delay() * SECOND)
        self._server: Server | None = None
        self._shown: TimedDay | None = None
        self._mirror: Mirror | None = None  # of the own try
        self._error: Exception | None = None
        self._loading: asyncio.Task[None] | None = None
        self._asked_at = -REPEAT_SECONDS  # when a change was due
        self._ticking = DelayTimer(app.clock, self._find_tick_seconds, self._on_tick)
        self.rules: Rules = find_rules(options.rules)
        self.keys = (
            Key(
                ("enter",), N_("begin your try"), self._begin,
                short=N_("begin"), when=lambda: self._stage is DayStage.READY,
            ),
            Key(
                ("enter",), N_("continue your try"), self._continue,
                short=N_("continue"), when=lambda: self._stage is DayStage.RUNNING,
            ),
            action_key("share", self._copy, self._has_ended_try),
            action_key("review", self._open_review, self._can_review),
            Key(
                ("l",), N_("the best players of the day"), self._show_places,
                short=N_("first ten"), when=self._has_places,
            ),
            *(
                Key(
                    ("t",), N_("the code by the next rules"), partial(self._choose, rules),
                    short=short, when=partial(self._follows, rules),
                )
                for rules, short in _OTHER_CODES.items()
            ),
            Key(
                ("m",), N_("past days, and your month"), self._show_month,
                short=N_("past days"), when=lambda: self._shown is not None,
            ),
            Key(("r",), N_("ask the server again"), self._refresh, short=N_("refresh")),
            back_key(self),
        )  # fmt: skip

    def on_show(self) -> None:
        """Load the day, because the own try may have ended since the last time."""
        self._refresh()

    async def on_close(self) -> None:
        """Stop the countdown, and stop following the own try."""
        self._ticking.close()
        if self._loading is not None:
            self._loading.cancel()
        server, mirror = self._server, self._mirror
        if server is not None and mirror is not None and server.connection.ended is None:
            await leave_eventually(lambda: server.session.unfollow(mirror))

    def on_update(self, server: Server, update: Update) -> None:
        """Load the day again after a reconnection, and if the own try ends on another device."""
        ended = (
            isinstance(update, Moved | MatchRestored)
            and update.mirror is self._mirror
            and update.mirror.state.phase is Phase.FINISHED
        )
        changed = ended or isinstance(update, Reconnected)
        if changed and server is self._server and self.app.shows(self):
            self._refresh()

    @property
    def trouble(self) -> Trouble | None:
        """The banner for a lost connection, or None."""
        server, zone = self._server, self.app.context.zone
        return None if server is None else find_trouble(server.connection, zone, seated=False)

    @property
    def match_code(self) -> str:
        """The code of the own running try, or an empty text."""
        mirror, ended = self._mirror, self._has_ended_try()
        return "" if mirror is None or ended else mirror.code

    def draw(self, extent: Extent) -> list[Line]:
        """Return the lines of the day, or why it cannot be shown."""
        scene, columns = self.scene, extent.columns
        if scene is None:
            self.inset, self.title_row, self.notice_row = 0, 0, extent.rows - 1
            words = _("One moment ...") if self._error is None else explain_trouble(self._error)
            title = draw_title([_("Today's code")], name_server(self._address), columns, TEXT_INSET)
            return [title, [], *wrap(words, columns)]
        lines, layout = draw_day(scene, extent, self.app.look)
        self.inset, self.title_row = layout.left + TEXT_INSET, layout.top
        self.notice_row = layout.notice_row
        return lines

    @property
    def scene(self) -> DayScene | None:
        """The values to draw, or None before the server has answered."""
        shown, server = self._shown, self._server
        if shown is None or server is None:
            return None
        player, mirror = server.session.player, self._mirror
        match = make_empty_board(shown.day, player) if mirror is None else mirror.state
        code = "" if mirror is None else mirror.code
        board = Scene(code, match, player.id, entry=Entry.empty(self.rules), is_past=True)
        return DayScene(shown.day, shown.now, self.app.context.zone, board, player.name)

    # Loading.

    def _refresh(self) -> None:
        if self._loading is None or self._loading.done():
            self._loading = self.app.spawn(self._load())

    async def _load(self) -> None:
        try:
            self._server = server = await self.app.connect(self._address, self._name)
            day = await self._request_day(server.session)
            mirror = await self._follow_own_try(server.session, day)
        except (ServerUnreachable, Refused, OSError) as error:
            self._error = error
            if self._shown is not None:
                self.app.notify(explain_trouble(error))
        else:
            self._shown = TimedDay.receive(day, mirror, self._read_clock)
            self._mirror, self._error = mirror, None
            self.app.running_matches.days.store(self._address, self._shown)
        self._ticking.restart()
        self.app.redraw()

    async def _request_day(self, session: Session) -> Day:
        """Return the day. After midnight, the page stays at an own try of yesterday that ran."""
        if self._day is not None:
            return await session.show_day(self.rules.name, self._day)
        mirror, seen = self._mirror, self._stage in (DayStage.BROKEN, DayStage.UNBROKEN)
        unseen = None if mirror is None or seen else mirror.code
        day = await session.show_current_day(self.rules.name, unseen)
        if day.day < day.today:
            self._day = day.day
        return day

    async def _follow_own_try(self, session: Session, day: Day) -> Mirror | None:
        own = day.own
        known = None if own is None else session.followed.get(own.match)
        if known is not None and (day.state != "closed" or known.state.phase is Phase.FINISHED):
            return known
        # To follow it ends a try that was not ended in time.
        return None if own is None else await session.follow(own.match)

    # The countdown.

    def _find_tick_seconds(self) -> float | None:
        """Return the seconds until the next drawing, or None if the day will not change.

        Without a day, return the seconds until the next attempt to load it.
        """
        shown = self._shown
        if shown is None:
            return None if isinstance(self._error, Refused) else RETRY_SECONDS
        ends = self._find_change() is None
        return None if ends else (TICK_MS - shown.now % TICK_MS) / SECOND

    def _on_tick(self) -> None:
        shown, change = self._shown, self._find_change()
        if self.app.shows(self):
            if shown is None:
                self._refresh()
            elif change is not None and shown.now >= change + self._delay_ms:
                self._refresh_seldom()
            self.app.redraw()

    def _refresh_seldom(self) -> None:
        now = self._read_clock()
        if now - self._asked_at >= REPEAT_SECONDS:
            self._asked_at = now
            self._refresh()

    def _find_change(self) -> int | None:
        """Return the time of the next change of the day, or None for a day that will not change."""
        shown = self._shown
        if shown is None or (self._day is not None and shown.day.state != "open"):
            return None
        day = shown.day.day
        return find_day_start(day + 1) if self._day is None else find_reveal(day)

    # The keys.

    @property
    def _stage(self) -> DayStage | None:
        shown = self._shown
        return None if shown is None else find_stage(shown.day, shown.now)

    def _has_ended_try(self) -> bool:
        return self._mirror is not None and self._mirror.state.phase is Phase.FINISHED

    def _can_review(self) -> bool:
        mirror = self._mirror
        return mirror is not None and any(
            played.secret is not None and played.turns for played in mirror.state.played
        )

    def _has_places(self) -> bool:
        shown = self._shown
        ended = self._stage in (DayStage.BROKEN, DayStage.UNBROKEN)
        return ended or (shown is not None and shown.day.state == "closed")

    def _follows(self, rules: str) -> bool:
        return self._shown is not None and name_next_rules(self.rules.name) == rules

    def _begin(self) -> None:
        self.app.spawn(self._enter(), _("Waiting for the answer ..."))

    async def _enter(self) -> None:
        server, shown = self._server, self._shown
        if server is None or shown is None:
            return
        try:
            self._mirror = await server.session.enter_day(self.rules.name, shown.day.day)
        except Refused:
            self._refresh()  # it is tomorrow, or another device has played
            raise
        if self.app.shows(self):
            self._continue()

    def _continue(self) -> None:
        if self._server is not None and self._mirror is not None:
            self.app.go(MatchPage(self._server, self._mirror))

    def _copy(self) -> None:
        """Copy the marks of the own try, without its pegs."""
        if self._mirror is not None:
            plain = self.app.look.glyphs.upper.isspace()
            marks = ASCII_MARKS if plain else MARKS
            self.app.terminal.copy(format_share(self._mirror.state, marks))
            self.app.notify(_("Copied, if your terminal allows it."))

    def _open_review(self) -> None:
        if self._server is not None and self._mirror is not None:
            self.app.go(ReplayPage(self._server, self._mirror))

    def _show_places(self) -> None:
        if (shown := self._shown) is not None:
            own = self._make_own_place(shown.day)
            self.app.go(PlacesPage(self._address, self.rules.name, shown.day.day, own))

    def _make_own_place(self, day: Day) -> PlacedTry | None:
        """Return the own try as a row of the places, or None if it has no place."""
        own, server = day.own, self._server
        if server is None or own is None or own.place is None or not own.counted:
            return None
        player = server.session.player
        return PlacedTry(
            place=own.place, player=player.id, name=player.name, guesses=own.guesses,
            milliseconds=own.milliseconds,
        )  # fmt: skip

    def _show_month(self) -> None:
        self.app.go(MonthPage(self._address, self.rules.name))

    def _choose(self, rules: str) -> None:
        """Show the code of the same day by other rules."""
        options = DayOptions(self._address, rules, self._day, self._name)
        self.app.go(options, instead_of=self)


_OTHER_CODES = {
    "classic": N_("classic's code"),
    "mini": N_("mini's code"),
    "eight": N_("eight's code"),
}
"""The hints of the key for the code by other rules."""
