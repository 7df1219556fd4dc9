"""The review of a finished match, move by move, with what the bots say of each guess."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from mastermind_client.language import mark as N_
from mastermind_client.net.failures import ServerUnreachable
from mastermind_client.screen.kit.keys import Key
from mastermind_client.screen.kit.lines import Extent, Line
from mastermind_client.screen.match.position import Position, find_live, jump, list_rounds, step
from mastermind_client.screen.match.scene import Replay
from mastermind_client.screen.pages.match import FollowedMatch
from mastermind_client.screen.replay.view import ReplayClicks, count_hidden, draw_replay
from mastermind_client.screen.screen import back_key
from mastermind_client.words.failures import explain_failure
from mastermind_client.words.refusals import describe_refusal
from mastermind_protocol.errors import MastermindError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mastermind_client.net.mirror import Mirror
    from mastermind_client.screen.app import App
    from mastermind_client.screen.kit.keys import Binding
    from mastermind_client.screen.places import Place
    from mastermind_protocol.messages import Reviewed


class ReplayScreen(FollowedMatch):
    """A finished match that is followed at a place, from its beginning.

    It is followed no more afterwards, unless it is `shared` with the screen below.
    """

    def __init__(self, app: App, place: Place, mirror: Mirror, *, shared: bool = False) -> None:
        super().__init__(app, place, mirror)
        self.position = Position(0, 0)
        self._shared = shared
        self._hidden = False
        self._top = 0
        self._extent = Extent(0, 0)
        self._reviews: dict[int, Sequence[Reviewed] | str] = {}
        self._loading: set[int] = set()  # rounds whose review is being loaded
        self._clicks = ReplayClicks(guess=self._pick_guess, position=self._go)
        self.keys: tuple[Binding, ...] = (
            Key(("right", "enter"), N_("one guess on"), partial(self._step, 1), short=N_("next")),
            Key(("left",), N_("one guess back"), partial(self._step, -1), short=N_("before")),
            Key(("pagedown",), N_("the end of the next round"), partial(self._jump, 1)),
            Key(("pageup",), N_("the end of the round before"), partial(self._jump, -1)),
            Key(("home",), N_("the beginning of the match"), self._go_home),
            Key(("end",), N_("the end of the match"), self._go_to_end),
            Key(("down",), N_("scroll what is told down"), partial(self.scroll, 1)),
            Key(("up",), N_("scroll what is told up"), partial(self.scroll, -1)),
            Key(
                ("s",),
                N_("hide the secret until its round is over, or show it"),
                self._toggle_secret,
                short=N_("secret"),
            ),
            back_key(self),
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
            chat=[
                line
                for line in self.mirror.chat
                if not self.place.muted or line.by == self.place.me
            ],
            hidden=self._hidden,
            top=self._top,
        )

    def draw(self, extent: Extent) -> list[Line]:
        """Return the match at the position, and the commentary."""
        self._extent = extent
        return draw_replay(self.replay, extent, self.app.look, self._clicks)

    def on_show(self) -> None:
        """Load the review of the first round."""
        self._load()

    async def on_close(self) -> None:
        """Stop following the match, unless another screen follows it."""
        if not self._shared:
            await super().on_close()

    def scroll(self, rows: int) -> None:
        """Scroll the commentary."""
        hidden = count_hidden(self.replay, self._extent, self.app.look)
        self._top = max(0, min(self._top + rows, hidden))

    # The keys.

    def _step(self, by: int) -> None:
        self._go(step(self.mirror.state, self.position, by))

    def _jump(self, by: int) -> None:
        if by < 0 and self.position.round == 0:
            self._go_home()
        else:
            self._go(jump(self.mirror.state, self.position, by))

    def _go_home(self) -> None:
        self._go(Position(0, 0))

    def _go_to_end(self) -> None:
        self._go(find_live(self.mirror.state))

    def _toggle_secret(self) -> None:
        self._hidden = not self._hidden

    def _pick_guess(self, number: int) -> None:
        rounds = list_rounds(self.mirror.state)
        if rounds and number <= len(rounds[self.position.round].turns):
            self._go(Position(self.position.round, number))

    def _go(self, position: Position) -> None:
        before, self.position = self.position, position
        if position != before:
            self._top = 0
        if position.round != before.round:
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
