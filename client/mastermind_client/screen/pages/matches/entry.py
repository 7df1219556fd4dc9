"""The match screen with the row that a player fills: its keys, and sending the code."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.screen.match.board import RowClicks
from mastermind_client.screen.pages.matches.match import MatchScreen
from mastermind_client.screen.row_keys import make_row_keys
from mastermind_client.screen.scene.entry import Entry
from mastermind_client.screen.toolkit.keys import Key, Typing
from mastermind_protocol.events import Seat
from mastermind_protocol.match import Phase, find_excluded_colours, find_excluding_guess

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mastermind_client.network.mirror import Mirror
    from mastermind_client.screen.app import App
    from mastermind_client.screen.scene.scene import Scene
    from mastermind_client.screen.servers.server import Server
    from mastermind_client.screen.toolkit.keys import Binding
    from mastermind_protocol.code import Code
    from mastermind_protocol.match import Match, Turn


class EntryScreen(MatchScreen):
    """A match screen on which the user enters a code. PlayerScreen adds a player's other keys."""

    def __init__(self, app: App, server: Server, mirror: Mirror) -> None:
        super().__init__(app, server, mirror)
        self.entry = Entry.empty(self.rules)
        self.clicks = RowClicks(
            on_place=lambda place: self._set_entry(self.entry.move_to(place)),
            on_colour=lambda colour: self._set_entry(self.entry.place_at_cursor(colour)),
        )
        self._sending: asyncio.Task[None] | None = None
        self._intermission = bool(self.match.played) and self.match.phase is Phase.SETTING
        self._command_lock = asyncio.Lock()  # a command is for one version: send in turn

    @property
    def scene(self) -> Scene:
        """The values that the screen draws."""
        code, turns = self.entry.code, self._marked_turns
        return replace(
            super().scene,
            entry=self.entry,
            excluding_guess=find_excluding_guess(code, turns) if code is not None else None,
            excluded_colours=find_excluded_colours(turns, self.rules),
            sending=self._sending is not None,
            intermission=self._intermission,
        )

    def on_state_displayed(self, before: Match) -> None:
        """If a round has ended, empty the row of the user, and display the end of the round."""
        self.top = None
        if len(self.match.played) > len(before.played):  # fewer if the end of a round is undone
            self.entry = Entry.empty(self.rules)
            self._intermission = True

    def clearing_keys(self) -> tuple[Binding, ...]:
        """Return the keys that replace or clear the whole row."""
        return (
            Key(
                ("=",),
                N_("copy the last guess down"),
                self._copy_last,
                short=N_("again"),
                when=self._has_guessed,
            ),
            Key(
                ("delete", "c-u"),
                N_("clear the row"),
                partial(self._edit, Entry.clear),
                short=N_("clear"),
                when=self._is_filling,
            ),
        )

    def entry_keys(self) -> tuple[Binding, ...]:
        """Return the keys that fill the row peg by peg, and send it."""
        can_enter, filling = self._can_enter, self._is_filling
        return (
            Typing(
                N_("letters, digits"),
                N_("put this colour at the cursor"),
                self._type,
                self._paste,
                can_enter,
            ),
            *make_row_keys(self._edit, can_enter, lambda: self.rules),
            Key(
                ("enter",),
                N_("send the code, when the row is full"),
                self._submit,
                short=N_("send"),
                when=filling,
            ),
            Key(
                ("enter",),
                N_("continue with the next round"),
                self._show_next_round,
                short=N_("go on"),
                when=self._is_intermission,
            ),
        )

    def _set_entry(self, entry: Entry) -> None:
        """Replace the entry, if the rules allow it, and display it.

        The turn line shows the notice of the entry.
        """
        self.entry = self.entry.accept(entry, self.rules)
        self._end_intermission()
        self.app.redraw()

    def _end_intermission(self) -> None:
        """Display the next round instead of the end of the previous round.

        Does nothing before the next round has started.
        """
        if self._is_intermission():
            self._intermission, self.top = False, None

    def _type(self, character: str) -> None:
        self._set_entry(self.entry.type(character, self.rules))

    def _paste(self, text: str) -> None:
        self._set_entry(self.entry.paste(text, self.rules))

    def _edit(self, change: Callable[[Entry], Entry]) -> None:
        self._set_entry(change(self.entry))

    def _copy_last(self) -> None:
        if self.match.current is not None:
            self._set_entry(self.entry.fill(self.match.current.turns[-1].code))

    def _submit(self) -> None:
        """Send the code of a full row, or show an error. The session checks the rules."""
        code = self.entry.code
        if self._sending is not None:
            return
        if code is None:
            self.app.show_error(_("The row is not full yet."))
            return
        making = self.view.seat is Seat.MAKER
        self._sending = self.app.spawn(self._send(code, making=making))
        self._sending.add_done_callback(self._end_sending)

    def _show_next_round(self) -> None:
        if not self.just_ended:
            self._end_intermission()

    async def _send(self, code: Code, *, making: bool) -> None:
        session = self.server.session
        try:
            async with self._command_lock:
                await (session.set_secret if making else session.guess)(self.mirror, code)
        finally:
            self._sending = None  # the board has the move already: the next Enter counts
        if self.entry.code == code:  # otherwise another code was entered already
            self.entry = Entry.empty(self.mirror.state.rules)

    def _end_sending(self, task: asyncio.Task[None]) -> None:
        """Permit sending again when a task of `_send` has ended, even if it was cancelled.

        The next code may have been sent already.
        """
        if self._sending is task:
            self._sending = None
        self.app.redraw()

    # The state of the match.

    def _is_intermission(self) -> bool:
        """Return whether the end of the previous round is displayed."""
        return self._intermission and self.match.phase is not Phase.FINISHED

    def _can_enter(self) -> bool:
        """Return whether the user can fill the row now, and the open history does not hide it."""
        return self.view.can_enter_code and not self.history_open

    def _is_filling(self) -> bool:
        return self._can_enter() and not self._is_intermission()

    def _is_breaking(self) -> bool:
        return self._is_filling() and self.view.seat is Seat.BREAKER

    def _has_guessed(self) -> bool:
        current = self.match.current
        return self._is_breaking() and current is not None and bool(current.turns)

    @property
    def _marked_turns(self) -> Sequence[Turn]:
        """The user's guesses in this round, whose feedback marks excluded codes and colours.

        If the match allows no aids, or the setting `mark_excluded` is off, there are none.
        """
        current = self.match.current
        marked = self.app.settings.mark_excluded and self.match.allows_aids
        if not marked or current is None or current.breaker != self.server.me:
            return ()
        return current.turns
