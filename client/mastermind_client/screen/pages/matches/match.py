"""The match screen: the common base class for players, spectators and reviews."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from mastermind_client.clock import DelayTimer
from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.messages.clocks import (
    describe_lost_time,
    find_running_clock,
    find_tick_seconds,
)
from mastermind_client.messages.codes import ASCII_MARKS, MARKS, format_share
from mastermind_client.messages.endings import describe_wins
from mastermind_client.messages.players import describe_chat_line
from mastermind_client.messages.updates import describe_session_update
from mastermind_client.network.updates import (
    ChatReceived,
    CodeRevealed,
    MatchRestored,
    Moved,
    PresenceChanged,
    RequestDelayed,
)
from mastermind_client.playback import OPEN_CODE_SECONDS, Playback
from mastermind_client.screen.match.board import NO_CLICKS
from mastermind_client.screen.match.layout import TEXT_INSET
from mastermind_client.screen.match.view import (
    count_lines_back,
    count_scrollable_guesses,
    draw_match,
    plan_layout,
)
from mastermind_client.screen.motion.animation import Animation, Motion, find_motion
from mastermind_client.screen.motion.controls import PlaybackControls
from mastermind_client.screen.pages.matches.followed import ChatInput, FollowingScreen
from mastermind_client.screen.scene.entry import Entry
from mastermind_client.screen.scene.scene import Scene
from mastermind_client.screen.scene.viewpoint import (
    PlaybackMode,
    Progress,
    Viewpoint,
    count_guesses,
    find_displayed_position,
    list_rounds,
    list_stops,
)
from mastermind_client.screen.screen import (
    MatchPage,
    ReplayPage,
    action_key,
    close_history_key,
    format_local_time,
)
from mastermind_client.screen.toolkit.keys import Key
from mastermind_client.screen.toolkit.overlays import CardRoom, LinePrompt
from mastermind_protocol.events import Resumed
from mastermind_protocol.match import Phase

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Awaitable, Callable, Sequence

    from mastermind_client.network.mirror import Mirror
    from mastermind_client.network.updates import Update
    from mastermind_client.screen.app import App
    from mastermind_client.screen.match.board import RowClicks
    from mastermind_client.screen.match.layout import Layout
    from mastermind_client.screen.servers.server import Server
    from mastermind_client.screen.toolkit.keys import Binding
    from mastermind_client.screen.toolkit.lines import Extent, Line
    from mastermind_protocol.events import AnyEvent
    from mastermind_protocol.match import Match

PENDING_GUESS_MODES = (PlaybackMode.LIVE, PlaybackMode.PLAYING)  # the next guess is pending
SCROLL_ROWS = 5  # rows per key press
JUST_ENDED_SECONDS = 1.0  # after a round: a second Enter has no effect


class MatchScreen(FollowingScreen):
    """The common part of PlayerScreen, SpectatorScreen and ReplayScreen."""

    clicks: RowClicks = NO_CLICKS
    has_notice_row = True
    _layout: Layout  # of the last drawing

    def __init__(self, app: App, server: Server, mirror: Mirror) -> None:
        super().__init__(app, server, mirror)
        self.top: int | None = None  # guesses above the visible ones; None if not scrolled
        self._lines_back: int | None = None  # scrolled back in the history; None if it is closed
        self._rematch: Mirror | None = None  # the rematch that was entered
        self._entering_task: asyncio.Task[None] | None = None  # enters the rematch
        self._chat = ChatInput(app, server, mirror, self._is_on_top)
        known = len(mirror.states)
        playback = Playback(app.settings.pace, known - 1, known, since=app.clock.now())
        self.match: Match = mirror.state  # the displayed state
        self._animation = Animation(app.clock, app.redraw)
        self._ticking = DelayTimer(app.clock, self._find_tick_seconds, self.on_tick)
        self._ticking.restart()
        self.pacer = PlaybackControls(
            playback, self.find_display_seconds, self.show_state, app.clock,
            find_stops=self.list_stops, is_over=self.is_over, on_jump=self._scroll_to_newest,
        )  # fmt: skip

    async def on_close(self) -> None:
        """Stop the playback and the animation, and stop following the match."""
        self.pacer.close()
        self._animation.close()
        self._ticking.close()
        await super().on_close()

    @property
    def view(self) -> Viewpoint:
        """The displayed state of the match from our point of view."""
        past = self.pacer.playback.behind
        return Viewpoint(self.mirror.code, self.match, self.server.me, is_past=past)

    @property
    def history_open(self) -> bool:
        """Whether the history replaces the board."""
        return self._lines_back is not None

    @property
    def progress(self) -> Progress | None:
        """The displayed progress of the playback, or None to hide it."""
        raise NotImplementedError

    @property
    def scene(self) -> Scene:
        """The values that the screen draws."""
        mirror = self.mirror
        clock = partial(format_local_time, zone=self.app.context.zone, form="%H:%M")
        return Scene(
            match_code=mirror.code,
            match=self.match,
            me=self.server.me,
            entry=Entry.empty(self.rules),
            notes=self.server.feed(mirror).notes,
            absent={player: clock(since) for player, since in mirror.away.items()},
            spectators=mirror.spectators if self._chat.is_possible() else None,
            muted=self.server.muted,
            lines_back=self._lines_back,
            top=self.top,
            is_past=self.pacer.playback.behind,
            progress=self.progress,
            version=self.pacer.playback.shown + 1,
            moment=self._animation.moment,
            wins=describe_wins(self.server.list_rematch_series(self.match), self.server.me),
            phrases=prompt.explanation
            if (prompt := self.app.find_overlay(LinePrompt)) is not None
            else (),
            running_clock=find_running_clock(mirror),
            ratings=mirror.ratings,
        )

    def _find_tick_seconds(self) -> float | None:
        """Return the seconds until a displayed clock changes, or None if no clock runs."""
        return find_tick_seconds(find_running_clock(self.mirror))

    def on_tick(self) -> None:
        """Display the changed clock."""
        if self.app.shows(self):
            self.app.redraw()

    def draw(self, extent: Extent) -> list[Line]:
        """Return the lines of the match."""
        scene = self.scene
        self._layout = layout = plan_layout(scene, extent)
        self.inset, self.title_row = layout.left + TEXT_INSET, layout.top
        self.notice_row = layout.notice_row
        self.explains_line = layout.side is not None and not scene.shows_ending
        return draw_match(scene, layout, self.app.look, self.clicks)

    def find_line_row(self, lines: Sequence[Line], extent: Extent) -> int:  # noqa: ARG002
        """Return the row of the screen for a line prompt: the row of the turn line."""
        return self._layout.turn_row

    def find_card_room(self, stage: Extent) -> CardRoom:  # noqa: ARG002 - that of the drawing
        """Return the area for a question: the lower part of the board, below the guesses."""
        layout = self._layout
        return CardRoom(layout.left, layout.board.columns, layout.board_end)

    def on_update(self, server: Server, update: Update) -> None:
        """React to an update of this match."""
        match update:
            case Moved(mirror, events) if server is self.server and mirror is self.mirror:
                self._notify_of_lost_time(events)
                self.pacer.set_known(len(self.mirror.states))
                self._ticking.restart()
            case MatchRestored(mirror, version=version) if mirror is self.mirror:
                self.pacer.set_known(version)
                self._ticking.restart()
                self._notify_of(update)
            case CodeRevealed(mirror) if mirror is self.mirror:
                self.show_state()
            case ChatReceived(mirror) | PresenceChanged(mirror) if mirror is self.mirror:
                self._notify_of(update)
            case RequestDelayed() if server is self.server:
                self._notify_of(update)

    def _notify_of_lost_time(self, events: Sequence[AnyEvent]) -> None:
        """Show a notice if the server adds the time of its outage to the time of a player."""
        for event in events:
            if isinstance(event, Resumed) and self.app.shows(self):
                self.app.notify(describe_lost_time(event.lost))

    def _notify_of(
        self, update: ChatReceived | MatchRestored | PresenceChanged | RequestDelayed
    ) -> None:
        """Show the update's line, or a line of chat, which the end may hide."""
        if not self.app.shows(self):
            return
        if words := describe_session_update(update):
            self.app.notify(words)
        elif isinstance(update, ChatReceived) and self.scene.shows_ending:
            line, me = update.line, self.server.me
            if line.by == me or not self.server.muted:
                self.app.notify(describe_chat_line(line, update.match, me))

    def on_key(self) -> None:
        """End the animation."""
        self._animation.end()

    def on_state_displayed(self, before: Match) -> None:
        """React to a new displayed state. `before` is the state displayed earlier."""

    def delays_next_guess(self, before: Match) -> bool:  # noqa: ARG002 - by default all guesses are
        """Return whether the playback delays the guess that follows the state `before`."""
        return True

    def list_stops(self) -> Sequence[int]:
        """Return the indices of the states where a step of the playback stops."""
        return list_stops(self.mirror.states)

    def find_display_seconds(self, index: int) -> float:
        """Return the display time, in seconds, of the state before the state `index`."""
        before, after = self.mirror.states[index - 1 : index + 1]
        seconds = self.pacer.playback.seconds
        if not seconds or not self.delays_next_guess(before):
            return 0.0
        if count_guesses(after) > count_guesses(before):
            return seconds
        opened = before.phase is Phase.SETTING and before.played and after.phase is Phase.BREAKING
        return OPEN_CODE_SECONDS if opened else 0.0

    def show_state(self) -> None:
        """Display the state that the playback has reached."""
        match = self.mirror.states[self.pacer.playback.shown]
        if match is not self.match:
            before, self.match = self.match, match
            motion = find_motion(before, match, self.server.me)
            if motion is not None and not (motion.sealing_seconds and self.scene.between_rounds):
                self._animation.begin(motion if self.app.settings.motion else Motion())
            self.on_state_displayed(before)
            self.app.redraw()

    def scroll(self, rows: int) -> None:
        """Scroll the board by a number of rows, or the history while it is open."""
        if self._lines_back is not None:
            last = count_lines_back(self.scene, self._layout)
            self._lines_back = max(0, min(last, self._lines_back - rows))
            return
        last = count_scrollable_guesses(self.scene, self._layout)
        top = max(0, (last if self.top is None else min(self.top, last)) + rows)
        self.top = top if top < last else None

    def measure_progress(self, mode: PlaybackMode) -> Progress:
        """Return the progress of the playback in the displayed round."""
        known, at = self.mirror.state, find_displayed_position(self.match)
        rounds = list_rounds(known)
        guesses = len(rounds[at.round].turns) if at.round < len(rounds) else at.turns
        if at.round == len(known.played):  # the round is not over
            guesses = max(guesses, at.turns + 1)
        thinking = mode in PENDING_GUESS_MODES and self.match.phase is Phase.BREAKING
        return Progress(mode, at.turns + thinking, guesses, self.pacer.playback.speed)

    def _scroll_to_newest(self) -> None:
        self.top = None

    def shared_keys(self, *less_important: Binding) -> tuple[Binding, ...]:
        """Return the keys that players and spectators have.

        In a narrow window, the hints of `less_important` are dropped before that of the talk.
        """
        return (
            Key(("pageup",), N_("scroll up"), partial(self.scroll, -SCROLL_ROWS)),
            Key(("pagedown",), N_("scroll down"), partial(self.scroll, SCROLL_ROWS)),
            action_key("share", self.copy_result, self.is_over),
            action_key("review", self._open_review, self._can_review),
            action_key("say", self._chat.prompt, self._chat.is_possible),
            *less_important,
            Key(
                ("f4",),
                N_("show or hide the history, which scrolls"),
                self.toggle_history,
                short=N_("log"),
            ),
            close_history_key(self.toggle_history, lambda: self.history_open),
            action_key("mute", self._chat.toggle_mute, self._chat.is_possible),
        )

    def enter_rematch(self, follow: Callable[[], Awaitable[Mirror]]) -> None:
        """Await `follow` and show the rematch that it returns.

        Does nothing while an earlier call is running.
        """

        async def enter() -> None:
            self._rematch = await follow()
            rematch = MatchPage(self.server, self._rematch)
            # After leaving this screen, the rematch is left as well.
            self.app.go(rematch, instead_of=self)

        if self._entering_task is None or self._entering_task.done():
            self._entering_task = self.app.spawn(enter(), _("Waiting for the answer ..."))

    def is_over(self) -> bool:
        """Return whether the displayed state is the end of the match."""
        return self.match.phase is Phase.FINISHED

    @property
    def just_ended(self) -> bool:
        """Whether the round ended a moment ago. A key was then probably meant for the round."""
        return self._animation.seconds_since_answer < JUST_ENDED_SECONDS

    def _can_review(self) -> bool:
        """Return whether the match is over, and its code is known."""
        return self.is_over() and not any(played.awaits_proof for played in self.match.played)

    def copy_result(self) -> None:
        """Copy the feedback of each guess as marks, without the codes."""
        plain = self.app.look.glyphs.upper.isspace()
        self.app.terminal.copy(format_share(self.match, ASCII_MARKS if plain else MARKS))
        self.app.notify(_("Copied, if your terminal allows it."))

    def _is_on_top(self) -> bool:
        """Return whether this is the top screen without an overlay."""
        app = self.app
        return app.shows(self) and not app.has_overlay

    def _open_review(self) -> None:
        self.app.go(ReplayPage(self.server, self.mirror))

    def toggle_history(self) -> None:
        """Open or close the history, which replaces the board."""
        self._lines_back = 0 if self._lines_back is None else None
