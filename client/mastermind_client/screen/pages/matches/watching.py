"""The match screens without a seat: of a spectator, and of a review."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from mastermind_client.language import mark as N_
from mastermind_client.messages.failures import describe_refusal, explain_failure
from mastermind_client.network.failures import ServerUnreachable
from mastermind_client.playback import SPEED_SECONDS, Playback
from mastermind_client.screen.match.board import RowClicks
from mastermind_client.screen.pages.matches.match import SCROLL_ROWS, MatchScreen
from mastermind_client.screen.scene.viewpoint import (
    PlaybackMode,
    Position,
    change_round,
    list_guess_positions,
    list_rounds,
)
from mastermind_client.screen.screen import back_key, close_history_key
from mastermind_client.screen.toolkit.keys import Key
from mastermind_protocol.errors import MastermindError
from mastermind_protocol.match import Phase

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mastermind_client.config.options import WatchOptions
    from mastermind_client.network.mirror import Mirror
    from mastermind_client.network.updates import Update
    from mastermind_client.screen.app import App
    from mastermind_client.screen.scene.scene import Scene
    from mastermind_client.screen.scene.viewpoint import Progress
    from mastermind_client.screen.servers.server import Server
    from mastermind_client.screen.toolkit.keys import Binding
    from mastermind_protocol.messages import ReviewedGuess


class SpectatorScreen(MatchScreen):
    """The screen of a match that the user watches.

    A match between two bots that the user has just opened is displayed from its start, and a
    finished match too. Other matches are displayed from their current state.
    """

    def __init__(
        self, app: App, server: Server, mirror: Mirror, options: WatchOptions | None = None
    ) -> None:
        super().__init__(app, server, mirror)
        self._secret = options.secret if options is not None else None
        self.keys = (
            Key(
                ("enter",),
                N_("watch the rematch"),
                self._follow_rematch,
                short=N_("rematch"),
                when=self._has_rematch,
            ),
            *self.pacer.keys(lambda: True),
            *self.shared_keys(*self.pacer.jump_keys(lambda: True)),
            back_key(self, when=lambda: not self.history_open),
        )
        if options is not None and options.bot is not None:
            self.pacer.change(self.pacer.playback.show(0, self.pacer.now))
        elif mirror.state.phase is Phase.FINISHED:
            self.pacer.go_to_start()

    @property
    def scene(self) -> Scene:
        """The values that the screen draws."""
        return replace(super().scene, opened_secret=self._secret)

    @property
    def progress(self) -> Progress:
        """The progress of the playback."""
        return self.measure_progress(self._find_mode())

    def _find_mode(self) -> PlaybackMode:
        match = self.mirror.state
        people = not all(player.is_bot for player in match.players)
        live = people and match.phase is not Phase.FINISHED
        if not self.pacer.is_playing:
            return PlaybackMode.BACK if live else PlaybackMode.PAUSED
        return (
            PlaybackMode.LIVE if live and not self.pacer.playback.behind else PlaybackMode.PLAYING
        )

    def _has_rematch(self) -> bool:
        return self.match.rematch is not None

    def _follow_rematch(self) -> None:
        code = self.match.rematch
        if code is not None and not self.just_ended:
            self.enter_rematch(lambda: self.server.session.follow(code))


class ReplayScreen(MatchScreen):
    """The review of a finished match. Its playback goes from guess to guess.

    On closing, the screen unfollows the match, unless it is `shared`: the screen below follows it
    too.
    """

    has_notice_row = False

    def __init__(self, app: App, server: Server, mirror: Mirror, *, shared: bool = False) -> None:
        super().__init__(app, server, mirror)
        self._guesses = list_guess_positions(mirror.state) or [Position(0, 0)]
        self.position = self._guesses[0]
        self.pacer.playback = Playback(
            app.settings.pace, 0, len(self._guesses), playing=False, since=app.clock.now()
        )
        self._is_shared = shared
        self.clicks = RowClicks(on_guess=self._pick_guess)
        self._reviews: dict[int, Sequence[ReviewedGuess] | str] = {}  # by round; or the failure
        self._loading: set[int] = set()  # rounds with a pending request
        self.keys: tuple[Binding, ...] = (
            Key(
                ("right", "enter"),
                N_("one guess on"),
                partial(self.pacer.step, 1),
                short=N_("guess"),
                hinted=("left", "right"),
            ),
            Key(("left",), N_("one guess back"), partial(self.pacer.step, -1)),
            Key(
                ("down",),
                N_("the next round; in the open history: scroll"),
                partial(self._jump, 1),
                short=N_("round"),
                when=self._has_rounds,
                hinted=("up", "down"),
            ),
            Key(
                ("up",),
                N_("the previous round; in the open history: scroll"),
                partial(self._jump, -1),
                when=self._has_rounds,
            ),
            Key(("home",), N_("the first guess of the match"), self.pacer.go_to_start),
            Key(("end",), N_("the last guess of the match"), self.pacer.go_to_end),
            Key(
                ("c",),
                N_("copy the result by its marks, which give nothing away"),
                self.copy_result,
                short=N_("copy result"),
            ),
            Key(
                ("f4",),
                N_("show or hide the history, with the commitments"),
                self.toggle_history,
                short=N_("log"),
            ),
            Key(("pageup",), N_("scroll up"), partial(self.scroll, -SCROLL_ROWS)),
            Key(("pagedown",), N_("scroll down"), partial(self.scroll, SCROLL_ROWS)),
            *self.pacer.play_keys(lambda: not self.history_open),
            close_history_key(self.toggle_history, lambda: self.history_open),
            back_key(self, when=lambda: not self.history_open),
        )

    @property
    def scene(self) -> Scene:
        """The values to draw: the match, the selected guess, and the loaded reviews."""
        return replace(
            super().scene,
            position=self.position,
            reviews=self._reviews,
            version=len(self.mirror.states),
        )

    @property
    def progress(self) -> None:
        """None, because a review shows the whole match."""

    def on_show(self) -> None:
        """Load the review of the selected round."""
        self._load_review()

    def on_update(self, server: Server, update: Update) -> None:
        """Ignore the update: the review is of the match as it was."""

    async def on_close(self) -> None:
        """Stop the playback, and stop following the match unless it is shared."""
        if self._is_shared:
            self.pacer.close()
        else:
            await super().on_close()

    def list_stops(self) -> Sequence[int]:
        """Return the indices of all guesses."""
        return range(len(self._guesses))

    def scroll(self, rows: int) -> None:
        """Scroll the history if it is open, otherwise select another guess."""
        if self.history_open:
            super().scroll(rows)
        else:
            self.pacer.step(1 if rows > 0 else -1)
        self.app.redraw()

    # The keys.

    def _has_rounds(self) -> bool:
        return self.history_open or len(list_rounds(self.match)) > 1

    def _jump(self, by: int) -> None:
        """Change the selected round, or scroll the history if it is open."""
        if self.history_open:
            self.scroll(by)
        else:
            self._select(change_round(self.match, self.position, by))

    def _pick_guess(self, number: int) -> None:
        self._select(Position(self.position.round, number))

    def _select(self, position: Position) -> None:
        """Pause the playback and select the guess at `position`."""
        playback, now = self.pacer.playback, self.pacer.now
        shown = playback.show(self._guesses.index(position), now)
        self.pacer.change(replace(shown, playing=False))

    def find_display_seconds(self, index: int) -> float:  # noqa: ARG002 - all guesses alike
        """Return the seconds that a guess is displayed, always more than 0."""
        return self.pacer.playback.seconds or SPEED_SECONDS[-1]

    def show_state(self) -> None:
        """Select the guess that the playback has reached."""
        before, self.position = self.position, self._guesses[self.pacer.playback.shown]
        if self.position.round != before.round:
            self._load_review()
        self.app.redraw()

    # The reviews.

    def _load_review(self) -> None:
        """Load the review of the selected round, unless it is loaded or being loaded."""
        number, played = self.position.round, self.match.played
        if number >= len(played) or number in self._loading:
            return
        if isinstance(self._reviews.get(number), str | None) and played[number].turns:
            self._loading.add(number)
            self.app.spawn(self._request_review(number))

    async def _request_review(self, number: int) -> None:
        try:
            self._reviews[number] = await self.server.session.review(self.mirror, number + 1)
        except MastermindError as error:
            self._reviews[number] = describe_refusal(error)
        except ServerUnreachable as error:
            self._reviews[number] = explain_failure(error)
        finally:
            self._loading.discard(number)
