"""The match screen of a player: advice, commands, leaving, and the end of the match."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from mastermind_client.actions import ACTIONS
from mastermind_client.config.options import OFFLINE
from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.messages.clocks import find_clock_phase, find_running_clock
from mastermind_client.messages.endings import describe_giving_up, describe_saving
from mastermind_client.messages.failures import describe_refusal
from mastermind_client.screen.app import TITLE
from mastermind_client.screen.introduction import ends_hints, find_hint
from mastermind_client.screen.match.notes import ADVISED_GUESSES
from mastermind_client.screen.pages.matches.entry import EntryScreen
from mastermind_client.screen.scene.viewpoint import PlaybackMode
from mastermind_client.screen.screen import MatchPage, action_key
from mastermind_client.screen.toolkit.keys import Key
from mastermind_client.screen.toolkit.overlays import Answer, Card
from mastermind_protocol.commands import LEGAL_SEATS, ResignRound, find_advice_refusal, find_refusal
from mastermind_protocol.errors import Refused
from mastermind_protocol.match import Phase

if TYPE_CHECKING:
    from collections.abc import Callable

    from mastermind_client.messages.clocks import ClockPhase
    from mastermind_client.network.mirror import Mirror
    from mastermind_client.network.updates import Update
    from mastermind_client.screen.app import App
    from mastermind_client.screen.scene.scene import Scene
    from mastermind_client.screen.scene.viewpoint import Progress
    from mastermind_client.screen.servers.server import Server
    from mastermind_client.screen.toolkit.keys import Binding
    from mastermind_protocol.commands import Command
    from mastermind_protocol.match import Match, Turn
    from mastermind_protocol.messages import Advice


class PlayerScreen(EntryScreen):
    """The screen of a match in which the user has a seat."""

    leave_hint = N_("home")  # the hint of Esc after the match

    def __init__(self, app: App, server: Server, mirror: Mirror) -> None:
        super().__init__(app, server, mirror)
        self._advice: Advice | None = None
        self._advice_shown = True
        self._copied_advice_index = -1  # the index of the advised guess that was copied last
        self._was_shown = False  # whether this screen has been shown
        self._given_up = False  # whether the user has given up the match
        self._has_rung_for_turn = False  # whether the bell has rung for this turn
        self._rung_clock_phase: ClockPhase | None = None  # the bell has rung for the end of this
        leave = (
            Key(
                ("escape",), N_("leave"), self.leave,
                short=self.leave_hint, when=self._can_go_home,
            ),
            Key(
                ("escape",), N_("leave"), self.leave,
                short=N_("leave"), when=self._can_leave_running_match,
            ),
        )  # fmt: skip
        watching = self.pacer.keys(self._is_watching)
        advised = Key(
            ("f3",),
            N_(
                'put an advised guess into the row; again, the next one. "12.7 left" is the '
                "number of codes left on average, also after a guess that cannot be it"
            ),
            self._copy_advice,
            short=N_("next"),
            when=self._has_advice,
        )
        less_important = (*self.pacer.jump_keys(self._is_watching), *self.clearing_keys(), advised)
        self.keys = (*self._own_keys(), *watching, *self.shared_keys(*less_important), *leave)

    @property
    def scene(self) -> Scene:
        """The values that the screen draws."""
        return replace(
            super().scene,
            advice=self._advice if self._advice_shown else None,
            record=self.server.record(self.mirror),
        )

    def on_show(self) -> None:
        """Mark the match as shown, and update the title of the window."""
        self._was_shown = True
        self._announce_turn()

    @property
    def progress(self) -> Progress | None:
        """The progress of the playback while it is paused, otherwise None."""
        paused = not (self.pacer.is_playing or self.is_over())
        return self.measure_progress(PlaybackMode.PAUSED) if paused else None

    @property
    def hint(self) -> str:
        """The hint for a new user in the displayed state. Empty while advice is displayed."""
        if self._advice is not None and self._advice_shown:
            return ""
        full = self.entry.code is not None
        return find_hint(self.app.settings, self.match, self.server.me, full=full)

    def delays_next_guess(self, before: Match) -> bool:
        """Return whether a bot breaks the code. Guesses of people are displayed at once."""
        return before.breaker is not None and before.breaker.is_bot

    def on_state_displayed(self, before: Match) -> None:
        """Clear the entry of an earlier round and the advice for an earlier guess.

        Ring the bell if it is now our turn.
        """
        super().on_state_displayed(before)
        match = self.match
        if _identify_turn(before) != _identify_turn(match):
            self._advice, self._copied_advice_index = None, -1
        if ends_hints(self.app.settings, match, self.server.me):
            self.app.change_settings(introduction="none")
        self._announce_turn()

    def on_update(self, server: Server, update: Update) -> None:
        """React to an update of this match.

        If the server has gone back to a state without an opponent, or without our seat, show the
        screen for that state instead.
        """
        super().on_update(server, update)
        match = self.mirror.state
        if match.phase is Phase.GATHERING or match.seat_of(self.server.me) is None:
            self.app.go(MatchPage(self.server, self.mirror), instead_of=self)

    def leave(self) -> None:
        """Go to the home screen. From a running match, ask first.

        While a bot's guesses are displayed, the match is kept without a question: giving it up
        would lose the next round, which the player has not seen.
        """
        if self._is_running() and not self._is_watching():
            self.app.ask(self._make_leave_card(self.app.home))
            return
        self.app.home()
        refused = isinstance(self.server.connection.ended, Refused)
        if self.mirror.state.phase is not Phase.FINISHED and not refused:
            told = _("Match {code} is kept for you: continue it from home.")
            self.app.notify(told.format(code=self.mirror.code))

    async def leave_or_unfollow(self) -> None:
        """Leave the match, unfollow it, or keep following it.

        - Running and saved for later: keep our seat, and keep following.
        - Never displayed: leave, so that no opponent waits for us.
        - Given up, or ended without a rematch: leave, or unfollow if we have left already.
        - A rematch was entered: keep our seat, and unfollow if the rematch has started.
        """
        match = self.mirror.state
        if self._is_running() and self._was_shown and not self._given_up:
            return
        if self._rematch is None and self.server.me not in match.departed:
            await self.server.session.leave(self.mirror)
        elif self._rematch is None or self._rematch.state.phase is not Phase.GATHERING:
            await self.server.session.unfollow(self.mirror)

    # The keys.

    def _own_keys(self) -> tuple[Binding, ...]:
        return (
            *self.entry_keys(),
            action_key("advise", self._take_advice, self._can_ask_advice),
            # Not in the help: it only says why its page does not list advice.
            Key(("f2",), "", self._explain_missing_advice, when=self._lacks_advice),
            *(
                self._command_key(action.name, action.command)
                for action in ACTIONS.values()
                if action.command
            ),
            Key(
                ("enter",), N_("play again; two people swap their seats"), self._play_again,
                short=N_("again"), when=self._can_rematch,
            ),
        )  # fmt: skip

    # Advice, and the end of a round or of the match.

    def _take_advice(self) -> None:
        """Request advice for this guess. If it was received already, hide or show it."""

        async def ask() -> None:
            async with self._command_lock:
                self._advice = await self.server.session.advise(self.mirror, most=ADVISED_GUESSES)
            self._copied_advice_index = -1

        if self._advice is not None:
            self._advice_shown = not self._advice_shown
            return
        self._advice_shown = True
        self.app.spawn(ask(), _("Weighing the guesses ..."))

    def _copy_advice(self) -> None:
        if self._advice is None or not self._advice.guesses:
            return
        self._advice_shown = True
        self._copied_advice_index = (self._copied_advice_index + 1) % len(self._advice.guesses)
        self._set_entry(self.entry.fill(self._advice.guesses[self._copied_advice_index].code))

    def _command_key(self, name: str, command: Command) -> Key:
        """Return the key of the action `name`, which sends `command`.

        If the action has a question, the user must answer the question first.
        """
        seats = [seats for (_phase, kind), seats in LEGAL_SEATS.items() if kind is type(command)]

        def is_available() -> bool:
            shown = not self._is_intermission() and not self.pacer.playback.behind
            return (
                shown
                and self._can_leave_running_match()
                and any(self.view.seat in each for each in seats)
            )

        def act() -> None:
            action = ACTIONS[name]
            if refusal := find_refusal(self.mirror.state, command, self.server.me):
                self.app.show_error(describe_refusal(refusal))
            elif not action.question:
                self._perform(command)
            else:
                cost = describe_giving_up(self.match, self.server.me, ends_with_round=True)
                self.app.ask(
                    Card(
                        _(action.question),
                        Answer(_("Go on"), _("Back to the board."), self.app.redraw),
                        Answer(_(action.answer), cost, partial(self._perform, command)),
                        when=partial(self._is_allowed, command),
                    )
                )

        return action_key(name, act, is_available)

    def _perform(self, command: Command) -> None:
        async def perform() -> None:
            async with self._command_lock:
                await self.server.session.perform(self.mirror, command)

        self.app.spawn(perform())

    def _is_allowed(self, command: Command) -> bool:
        """Return whether the rules allow a command in the received state."""
        return find_refusal(self.mirror.state, command, self.server.me) is None

    # Leaving.

    def _make_leave_card(self, save: Callable[[], None]) -> Card:
        """Return the card that asks how to leave a running match. `save` leaves it for later."""
        match, server = self.mirror.state, self.server
        offline, ends = server.address == OFFLINE, self._match_ends_with_round()
        saved = describe_saving(match, stored=server.kept, offline=offline)
        lost = describe_giving_up(match, server.me, ends_with_round=ends)
        return Card(
            _("Leave the match?"),
            Answer(_("Stay"), _("Back to the board."), self.app.redraw),
            Answer(_("Save for later"), saved, save),
            Answer(_("Give it up"), lost, self._give_up),
            when=self._is_running,
        )

    def _give_up(self) -> None:
        """Leave the match, which loses it.

        In the last round against a bot, resign the round instead. The code is then revealed.
        """
        if self._match_ends_with_round():
            self._perform(ResignRound())
        else:
            self._given_up = True
            self.app.home()

    def _match_ends_with_round(self) -> bool:
        """Return whether the opponent is a bot and resigning this round ends the match."""
        match = self.mirror.state
        opponent = match.opponent_of(self.server.me)
        alone = opponent is not None and opponent.is_bot
        last = match.round_number == match.opened.rounds
        return alone and last and self._is_allowed(ResignRound())

    def _is_running(self) -> bool:
        """Return whether the match has not ended and the session is still open."""
        running = self.mirror.state.phase is not Phase.FINISHED
        return running and self.server.connection.ended is None

    def _play_again(self) -> None:
        if not self.just_ended:
            self.enter_rematch(lambda: self.server.session.rematch(self.mirror))

    # The state of the match.

    def _can_go_home(self) -> bool:
        return self.is_over() and not self.history_open

    def _can_leave_running_match(self) -> bool:
        return not self.is_over() and not self.history_open

    def _is_watching(self) -> bool:
        """Return whether a bot's guesses at our code are being displayed."""
        match = self.match
        delayed = match.phase is Phase.BREAKING and self.delays_next_guess(match)
        return delayed or bool(self.progress)

    def _can_ask_advice(self) -> bool:
        return self._is_breaking() and find_advice_refusal(self.match) is None

    def _lacks_advice(self) -> bool:
        return self._is_breaking() and find_advice_refusal(self.match) is not None

    def _explain_missing_advice(self) -> None:
        if refusal := find_advice_refusal(self.match):
            self.app.show_error(describe_refusal(refusal))

    def _has_advice(self) -> bool:
        return self._can_ask_advice() and bool(self._advice)

    def _can_rematch(self) -> bool:
        return self.is_over() and not self.mirror.state.departed

    def on_tick(self) -> None:
        """Display the changed clock. Ring the bell once in the last tenth of our time."""
        super().on_tick()
        running = find_running_clock(self.mirror)
        if running is None or running.player != self.server.me or not running.is_alarming:
            return
        phase = find_clock_phase(self.mirror.state)
        if phase != self._rung_clock_phase:
            self._rung_clock_phase = phase
            self.app.ring()

    def _announce_turn(self) -> None:
        mine = self.view.my_turn
        title = _("Your turn - Mastermind") if mine else TITLE
        self.app.set_title(title, ring=mine and not self._has_rung_for_turn)
        self._has_rung_for_turn = mine


def _identify_turn(match: Match) -> tuple[int, tuple[Turn, ...]]:
    """Return the index of the current round, and its guesses. If either changes, advice expires."""
    return len(match.played), match.current.turns if match.current else ()
