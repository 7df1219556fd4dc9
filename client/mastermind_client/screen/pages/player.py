"""The match screen of a player: entering a code, sending it, advice, and the end of the match."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from mastermind_client.actions import ACTIONS
from mastermind_client.config.options import OFFLINE
from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.messages.clocks import find_phase, find_running_clock
from mastermind_client.messages.failures import describe_refusal
from mastermind_client.messages.players import find_name
from mastermind_client.screen.app import TITLE
from mastermind_client.screen.introduction import end_hints_after, find_hint
from mastermind_client.screen.match.board import RowClicks
from mastermind_client.screen.match.notes import ADVISED
from mastermind_client.screen.pages.match import MatchScreen, action_key
from mastermind_client.screen.scene.entry import Entry
from mastermind_client.screen.scene.scene import PlaybackMode, count_guesses
from mastermind_client.screen.toolkit.keys import Key, Typing
from mastermind_client.screen.toolkit.overlays import Answer, Card
from mastermind_protocol.commands import LEGAL, ResignRound, refuse
from mastermind_protocol.events import Seat
from mastermind_protocol.match import Phase, find_excluding_guess

if TYPE_CHECKING:
    from collections.abc import Callable

    from mastermind_client.messages.clocks import ClockPhase
    from mastermind_client.network.mirror import Mirror
    from mastermind_client.network.session import Move
    from mastermind_client.screen.app import App
    from mastermind_client.screen.scene.scene import Progress, Scene
    from mastermind_client.screen.servers.servers import Server
    from mastermind_client.screen.toolkit.keys import Binding
    from mastermind_protocol.code import Code
    from mastermind_protocol.match import Match, Turn
    from mastermind_protocol.messages import Advice


class PlayerScreen(MatchScreen):
    """The screen of a match in which the user has a seat."""

    def __init__(self, app: App, server: Server, mirror: Mirror) -> None:
        super().__init__(app, server, mirror)
        self.entry = Entry.empty(self.rules)
        self.clicks = RowClicks(
            place=lambda place: self._enter(self.entry.move_to(place)),
            colour=lambda colour: self._enter(self.entry.place(colour)),
        )
        self._advice: Advice | None = None
        self._advice_shown = True
        self._advised = -1  # the index of the advised guess that was copied last
        self._sending = False
        self._opened = False  # whether the screen was shown
        self._given_up = False  # whether leaving loses the match
        self._intermission = bool(self.match.played) and self.match.phase is Phase.SETTING
        self._command_lock = asyncio.Lock()  # each command is for the version that it sees
        self._alerted = False  # whether the bell has rung for this turn
        self._alarmed: ClockPhase | None = None  # the phase whose end it has rung for
        leave = (
            Key(("escape",), N_("leave"), self.leave, short=N_("home"), when=self._is_left),
            Key(("escape",), N_("leave"), self.leave, short=N_("leave"), when=self._goes_on),
        )
        watching = self.pacer.keys(self._is_watching)
        self.keys = (*self._own_keys(), *watching, *self.shared_keys(), *leave)

    @property
    def scene(self) -> Scene:
        """The values to draw."""
        return replace(
            super().scene,
            entry=self.entry,
            excluded=self._find_excluding(),
            sending=self._sending,
            advice=self._advice if self._advice_shown else None,
            intermission=self._intermission,
            record=self.server.record(self.mirror),
        )

    def on_show(self) -> None:
        """Mark the match as shown, and update the title of the window."""
        self._opened = True
        self._alert()

    @property
    def progress(self) -> Progress | None:
        """The progress of the playback while it is paused, otherwise None."""
        return (
            None
            if self.pacer.plays or self.is_over()
            else self.measure_progress(PlaybackMode.PAUSED)
        )

    @property
    def hint(self) -> str:
        """The hint of a user's first game for this state. Empty while advice is displayed."""
        if self._advice is not None and self._advice_shown:
            return ""
        return find_hint(self.app, self.match, self.server.me, full=self.entry.code is not None)

    def is_paced(self, before: Match) -> bool:
        """Return whether a bot breaks the code. Guesses of people are displayed without a pause."""
        return before.breaker is not None and before.breaker.is_bot

    def on_moved(self, before: Match) -> None:
        """Clear the entry of an earlier round and the advice for an earlier guess.

        Ring on our turn.
        """
        match = self.match
        self.top = None
        if len(before.played) != len(match.played):
            self.entry = Entry.empty(self.rules)
            self._intermission = True
        if _list_turns(before) != _list_turns(match):
            self._advice, self._advised = None, -1
        end_hints_after(self.app, match, self.server.me)
        self._alert()

    def leave(self) -> None:
        """Go to the home screen. From a running match, ask first."""
        if self._is_running():
            self.app.ask(self._ask_to_leave())
            return
        self.app.home()
        if self.mirror.state.phase is not Phase.FINISHED:
            told = _("Match {code} is kept for you: continue it from home.")
            self.app.notify(told.format(code=self.mirror.code))

    async def end(self) -> None:
        """Leave our seat and stop following the match. A suspended match is still followed.

        A match that was never shown is left too, so that no opponent waits for us. After a rematch
        was entered, our seat in this match stays. This match is followed while the rematch waits
        for its second player.
        """
        match = self.mirror.state
        if self._is_running() and self._opened and not self._given_up:
            return
        if self._rematch is None and self.server.me not in match.departed:
            await self.server.session.leave(self.mirror)
        elif self._rematch is None or self._rematch.state.phase is not Phase.GATHERING:
            await self.server.session.unfollow(self.mirror)

    # The keys.

    def _own_keys(self) -> tuple[Binding, ...]:
        preparing = self._is_preparing
        breaking = self._is_breaking
        return (
            Typing(
                N_("letters, digits"),
                N_("put this colour at the cursor"),
                self._type,
                self._paste,
                preparing,
            ),
            Key(("left",), N_("one place to the left"), self._edit(Entry.left), when=preparing),
            Key(("right",), N_("one place to the right"), self._edit(Entry.right), when=preparing),
            Key(("up",), N_("the next colour for this peg"), self._turn(1), when=preparing),
            Key(("down",), N_("the colour before for this peg"), self._turn(-1), when=preparing),
            Key(("space",), N_("take the peg out"), self._edit(Entry.remove), when=preparing),
            Key(
                ("backspace",),
                N_("remove the previous peg"),
                self._edit(Entry.backspace),
                when=preparing,
            ),
            Key(
                ("enter",),
                N_("send the code, when the row is full"),
                self._submit,
                short=N_("send"),
                when=self._is_filling,
            ),
            Key(
                ("enter",),
                N_("continue with the next round"),
                self._go_on,
                short=N_("go on"),
                when=self._is_intermission,
            ),
            Key(
                ("=",),
                N_("copy the last guess down"),
                self._copy_last,
                short=N_("again"),
                when=breaking,
            ),
            Key(
                ("delete", "c-u"),
                N_("clear the row"),
                self._edit(Entry.clear),
                short=N_("clear"),
                when=self._is_filling,
            ),
            action_key("advise", self._take_advice, self._may_be_advised),
            Key(
                ("f3",),
                N_("put an advised guess into the row; again, the next one"),
                self._copy_advice,
                short=N_("next"),
                when=self._is_advised,
            ),
            *(
                self._command_key(action.name, action.command)
                for action in ACTIONS.values()
                if action.command
            ),
            Key(
                ("enter",),
                N_("play again; two people swap their seats"),
                self._play_again,
                short=N_("again"),
                when=self._can_rematch,
            ),
        )

    # The row.

    def _enter(self, entry: Entry) -> None:
        """Display a changed entry. The turn line shows the problem of an invalid one."""
        self.entry = entry
        self._end_intermission()
        self.app.redraw()

    def _end_intermission(self) -> None:
        """Display the next round instead of the end of the previous one, if it has started."""
        if self._is_intermission():
            self._intermission, self.top = False, None

    def _type(self, character: str) -> None:
        self._enter(self.entry.type(character, self.rules))

    def _paste(self, text: str) -> None:
        self._enter(self.entry.paste(text, self.rules))

    def _edit(self, change: Callable[[Entry], Entry]) -> Callable[[], None]:
        return lambda: self._enter(change(self.entry))

    def _turn(self, by: int) -> Callable[[], None]:
        return lambda: self._enter(self.entry.cycle(by, self.rules))

    def _copy_last(self) -> None:
        played = self.match.current
        if played is not None and played.turns:
            self._enter(self.entry.fill(played.turns[-1].code))
        else:
            self.app.notify(_("There is no guess to copy yet."))

    def _submit(self) -> None:
        """Send the code of a full row, or show an error. The session checks the rules."""
        code = self.entry.code
        if self._sending:
            return
        if code is None:
            self.app.show_error(_("The row is not full yet."))
            return
        self._sending = True  # at once: Enter can be pressed again before the task starts
        making = self.view.seat is Seat.MAKER
        self.app.spawn(self._send(code, making=making)).add_done_callback(self._end_sending)

    def _go_on(self) -> None:
        if not self.just_ended:
            self._end_intermission()

    async def _send(self, code: Code, *, making: bool) -> None:
        session = self.server.session
        try:
            async with self._command_lock:
                await (session.set_secret if making else session.guess)(self.mirror, code)
        finally:
            self._sending = False  # the board has the move already: the next Enter counts
        if self.entry.code == code:  # otherwise another code was entered already
            self.entry = Entry.empty(self.mirror.state.rules)

    def _end_sending(self, _: asyncio.Task[None]) -> None:
        """Permit sending again, also after a task that was cancelled before it began."""
        self._sending = False
        self.app.redraw()

    # Advice, and the end of a round or of the match.

    def _take_advice(self) -> None:
        """Request advice for this guess. If it was received already, hide it or show it again."""

        async def ask() -> None:
            async with self._command_lock:
                self._advice = await self.server.session.advise(self.mirror, most=ADVISED)
            self._advised = -1

        if self._advice is not None:
            self._advice_shown = not self._advice_shown
            return
        self._advice_shown = True
        self.app.spawn(ask(), _("Weighing the guesses ..."))

    def _copy_advice(self) -> None:
        if self._advice is None or not self._advice.guesses:
            return
        self._advice_shown = True
        self._advised = (self._advised + 1) % len(self._advice.guesses)
        self._enter(self.entry.fill(self._advice.guesses[self._advised].code))

    def _command_key(self, name: str, command: Move) -> Key:
        """Return the key of an action that sends `command`, after its question if it has one."""
        seats = [seats for (_phase, kind), seats in LEGAL.items() if kind is type(command)]

        def can_be_asked() -> bool:
            shown = not self._is_intermission() and not self.pacer.playback.behind
            return shown and self._goes_on() and any(self.view.seat in each for each in seats)

        def act() -> None:
            action = ACTIONS[name]
            if refusal := refuse(self.mirror.state, command, self.server.me):
                self.app.show_error(describe_refusal(refusal))
            elif not action.question:
                self._perform(command)
            else:
                self.app.ask(
                    Card(
                        _(action.question),
                        Answer(_("Go on"), _("Back to the board."), self.app.redraw),
                        Answer(_(action.answer), _(action.cost), partial(self._perform, command)),
                        when=partial(self._may, command),
                    )
                )

        return action_key(name, act, can_be_asked)

    def _perform(self, command: Move) -> None:
        async def perform() -> None:
            async with self._command_lock:
                await self.server.session.perform(self.mirror, command)

        self.app.spawn(perform())

    def _may(self, command: Move) -> bool:
        """Return whether the rules allow a command in the received state."""
        return refuse(self.mirror.state, command, self.server.me) is None

    # Leaving.

    def _ask_to_leave(self) -> Card:
        """Return the question for leaving a running match, with the consequence of each answer."""
        match = self.mirror.state
        opponent = match.opponent_of(self.server.me)
        if not self.server.kept:
            kept = _("It waits here until you end the program.")
        elif self.server.address == OFFLINE:
            kept = _("Kept on this computer; continue from the home screen.")
        else:
            kept = _("Your seat is kept; continue from the home screen.")
        if match.has_live_clock:
            kept = _("The clock runs on.")
        if self._ends_with_round():
            lost = _("The code is shown.")
        elif match.has_live_clock and not count_guesses(match) and not match.played:
            lost = _("Nobody wins: no guess yet.")
        else:
            name = find_name(match, opponent.id if opponent is not None else "")
            lost = _("{name} wins.").format(name=name)
        return Card(
            _("Leave the match?"),
            Answer(_("Stay"), _("Back to the board."), self.app.redraw),
            Answer(_("Save for later"), kept, self.app.home),
            Answer(_("Give it up"), lost, self._give_up),
            when=self._is_running,
        )

    def _give_up(self) -> None:
        """Resign the last round against a bot, which shows the code. Otherwise leave the match."""
        if self._ends_with_round():
            self._perform(ResignRound())
        else:
            self._given_up = True
            self.app.home()

    def _ends_with_round(self) -> bool:
        """Return whether the opponent is a bot and resigning this round ends the match."""
        match = self.mirror.state
        opponent = match.opponent_of(self.server.me)
        alone = opponent is not None and opponent.is_bot
        return alone and match.round_number == match.opened.rounds and self._may(ResignRound())

    def _is_running(self) -> bool:
        """Return whether the match has not ended and the session is still open."""
        running = self.mirror.state.phase is not Phase.FINISHED
        return running and self.server.connection.ended is None

    def _play_again(self) -> None:
        if not self.just_ended:
            self.enter_rematch(lambda: self.server.session.rematch(self.mirror))

    # The state of the match.

    def _is_intermission(self) -> bool:
        """Return whether the end of the previous round is displayed."""
        return self._intermission and self.match.phase is not Phase.FINISHED

    def _is_left(self) -> bool:
        return self.is_over() and not self.history_open

    def _goes_on(self) -> bool:
        return not self.is_over() and not self.history_open

    def _is_watching(self) -> bool:
        """Return whether a bot's guesses at our code are being displayed."""
        match = self.match
        return (match.phase is Phase.BREAKING and self.is_paced(match)) or bool(self.progress)

    def _is_preparing(self) -> bool:
        return self.view.preparing

    def _is_filling(self) -> bool:
        return self._is_preparing() and not self._is_intermission()

    def _is_breaking(self) -> bool:
        return self._is_filling() and self.view.seat is Seat.BREAKER

    def _may_be_advised(self) -> bool:
        """Return whether the player can ask for advice; rated matches have none."""
        return self._is_breaking() and not self.match.opened.rated

    def _is_advised(self) -> bool:
        return self._may_be_advised() and bool(self._advice)

    def _can_rematch(self) -> bool:
        return self.is_over() and not self.mirror.state.departed

    def _find_excluding(self) -> int | None:
        """Return the index of the guess to mark because its feedback excludes the code, or None."""
        current, code = self.match.current, self.entry.code
        marked = self.app.settings.mark_excluded and not self.match.opened.rated
        if not marked or current is None or code is None:
            return None
        return (
            find_excluding_guess(code, current.turns) if current.breaker == self.server.me else None
        )

    def on_tick(self) -> None:
        """Show the changed clock. Ring once in the last tenth of our time."""
        super().on_tick()
        running = find_running_clock(self.mirror)
        if running is None or running.player != self.server.me or not running.alarming:
            return
        phase = find_phase(self.mirror.state)
        if phase != self._alarmed:
            self._alarmed = phase
            self.app.ring()

    def _alert(self) -> None:
        mine = self.view.my_turn
        title = _("Your turn - Mastermind") if mine else TITLE
        self.app.set_title(title, ring=mine and not self._alerted)
        self._alerted = mine


def _list_turns(match: Match) -> tuple[int, tuple[Turn, ...]]:
    """Return the index of the round and its guesses. Advice is valid while both are the same."""
    return len(match.played), match.current.turns if match.current else ()
