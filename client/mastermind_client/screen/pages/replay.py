"""The review of a finished match, move by move, with what the bots say of each guess."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.net.failures import ServerUnreachable
from mastermind_client.pace import SPEEDS, Playback
from mastermind_client.screen.kit.keys import Key
from mastermind_client.screen.kit.lines import Extent, Line
from mastermind_client.screen.motion.projector import Projector
from mastermind_client.screen.pages.match import SCROLLED, FollowedMatch
from mastermind_client.screen.replay.view import count_hidden, draw_replay
from mastermind_client.screen.scene.feed import Kind
from mastermind_client.screen.scene.position import Position, jump, list_guesses, list_rounds
from mastermind_client.screen.scene.scene import Replay
from mastermind_client.screen.screen import back_key, close_key
from mastermind_client.words.failures import explain_failure
from mastermind_client.words.refusals import describe_refusal
from mastermind_client.words.share import share_match
from mastermind_protocol.errors import MastermindError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mastermind_client.net.mirror import Mirror
    from mastermind_client.screen.app import App
    from mastermind_client.screen.kit.keys import Binding
    from mastermind_client.screen.places.places import Place
    from mastermind_protocol.messages import Reviewed


class ReplayScreen(FollowedMatch):
    """A finished match that is followed at a place; one guess of it is selected.

    It is followed no more afterwards, unless it is `shared` with the screen below.
    """

    inset = 1

    def __init__(self, app: App, place: Place, mirror: Mirror, *, shared: bool = False) -> None:
        super().__init__(app, place, mirror)
        self._guesses = list_guesses(mirror.state) or [Position(0, 0)]
        self.position = self._guesses[0]
        playback = Playback(
            app.settings.pace, 0, len(self._guesses), playing=False, since=app.clock.now()
        )
        self.pacer = Projector(
            playback, self._find_stay, self._show, app.clock,
            find_stops=lambda: range(len(self._guesses)), is_over=lambda: True,
            on_jump=lambda: None,
        )  # fmt: skip
        self._shared = shared
        self._back: int | None = None  # lines that all that happened is scrolled back, if open
        self._extent = Extent(0, 0)
        self._reviews: dict[int, Sequence[Reviewed] | str] = {}
        self._loading: set[int] = set()  # rounds whose review is being loaded
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
                N_("the next round; where all that happened is open, scroll it"),
                partial(self._jump, 1),
                short=N_("round"),
                when=self._has_rounds,
                hinted=("up", "down"),
            ),
            Key(
                ("up",),
                N_("the round before; where all that happened is open, scroll it"),
                partial(self._jump, -1),
                when=self._has_rounds,
            ),
            Key(("home",), N_("the first guess of the match"), self.pacer.go_home),
            Key(("end",), N_("the last guess of the match"), self.pacer.go_to_end),
            Key(
                ("c",),
                N_("copy the result by its marks, which give nothing away"),
                self._copy,
                short=N_("copy result"),
            ),
            Key(
                ("f4",),
                N_("show or hide all that has happened, with the seals"),
                self._toggle_journal,
                short=N_("more"),
            ),
            Key(("pageup",), N_("scroll up"), partial(self.scroll, -SCROLLED)),
            Key(("pagedown",), N_("scroll down"), partial(self.scroll, SCROLLED)),
            *self.pacer.play_keys(lambda: self._back is None),
            close_key(self._toggle_journal, lambda: self._back is not None),
            back_key(self, when=lambda: self._back is None),
        )

    @property
    def replay(self) -> Replay:
        """What is shown now."""
        return Replay(
            code=self.mirror.code,
            match=self.mirror.state,
            me=self.place.me,
            position=self.position,
            reviews=self._reviews,
            notes=[
                note
                for note in self.place.feed(self.mirror).notes
                if not (self.place.muted and note.kind is Kind.CHAT and note.by != self.place.me)
            ],
            back=self._back,
        )

    def draw(self, extent: Extent) -> list[Line]:
        """Return the board with the verdicts, and the card of the guess that is selected."""
        self._extent = extent
        return draw_replay(self.replay, extent, self.app.look, self._pick_guess)

    def on_show(self) -> None:
        """Load the review of this round."""
        self._load()

    async def on_close(self) -> None:
        """Play no further; stop following the match, unless another screen follows it."""
        self.pacer.close()
        if not self._shared:
            await super().on_close()

    def scroll(self, rows: int) -> None:
        """Scroll all that has happened while it is open, and else go through the guesses."""
        if self._back is None:
            self.pacer.step(1 if rows > 0 else -1)
        else:
            last = count_hidden(self.replay, self._extent)
            self._back = max(0, min(last, self._back - rows))
        self.app.redraw()

    # The keys.

    def _has_rounds(self) -> bool:
        return self._back is not None or len(list_rounds(self.mirror.state)) > 1

    def _jump(self, by: int) -> None:
        if self._back is not None:
            self.scroll(by)
        else:
            self._go(jump(self.mirror.state, self.position, by))

    def _copy(self) -> None:
        self.app.terminal.copy(share_match(self.mirror.state))
        self.app.notify(_("Copied."))

    def _toggle_journal(self) -> None:
        self._back = 0 if self._back is None else None
        self.app.redraw()

    def _pick_guess(self, number: int) -> None:
        self._go(Position(self.position.round, number))

    def _go(self, position: Position) -> None:
        """Select a guess by hand, and let nothing else be selected by itself."""
        playback, now = self.pacer.playback, self.pacer.now
        shown = playback.show(self._guesses.index(position), now)
        self.pacer.change(replace(shown, playing=False))

    def _find_stay(self, _moment: int) -> float:
        """Return for how many seconds a guess is looked at: never for none, who plays has time."""
        return self.pacer.playback.seconds or SPEEDS[-1]

    def _show(self) -> None:
        before, self.position = self.position, self._guesses[self.pacer.playback.shown]
        if self.position.round != before.round:
            self._load()
        self.app.redraw()

    # The reviews.

    def _load(self) -> None:
        """Load the review of this round, if there is none yet or it was refused."""
        number, played = self.position.round, self.mirror.state.played
        if number >= len(played) or number in self._loading:
            return
        if isinstance(self._reviews.get(number), str | None) and played[number].turns:
            self._loading.add(number)
            self.app.spawn(self._ask(number))

    async def _ask(self, number: int) -> None:
        try:
            self._reviews[number] = await self.place.session.review(self.mirror, number + 1)
        except MastermindError as error:
            self._reviews[number] = describe_refusal(error)
        except ServerUnreachable as error:
            self._reviews[number] = explain_failure(error)
        finally:
            self._loading.discard(number)
