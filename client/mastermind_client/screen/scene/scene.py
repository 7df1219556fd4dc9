"""The values of the match screen, as one immutable value.

Properties that are used for each row of a drawing are cached.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from mastermind_client.messages.judging import judge_round
from mastermind_client.screen.motion.animation import AT_REST, Moment
from mastermind_client.screen.scene.feed import NoteKind
from mastermind_client.screen.scene.viewpoint import (
    PlaybackMode,
    Position,
    Viewpoint,
    find_last_position,
)
from mastermind_protocol.events import Seat
from mastermind_protocol.match import Phase

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence

    from mastermind_client.figures import Record
    from mastermind_client.messages.clocks import RunningClock
    from mastermind_client.messages.judging import JudgedGuess
    from mastermind_client.screen.scene.entry import Entry
    from mastermind_client.screen.scene.feed import Note
    from mastermind_client.screen.scene.viewpoint import Progress
    from mastermind_protocol.code import Code
    from mastermind_protocol.events import Player
    from mastermind_protocol.glicko import Rating
    from mastermind_protocol.match import Turn
    from mastermind_protocol.messages import Advice, ReviewedGuess


@dataclass(frozen=True)
class Scene(Viewpoint):
    """Everything that the match screen displays at one time.

    `match` is the displayed state, at `version`. It can be earlier than the received state.
    `progress` is the progress of the playback, for a spectator or during a pause. `opened_secret`
    is the secret of the first round if we set it for two bots. `absent` maps the ids of
    disconnected players to the local times of disconnection. `spectators` is the number of
    spectators, or None if the match cannot have any. `excluding_guess` is the number, from 1, of a
    guess whose feedback excludes the entered code. `excluded_colours` are marked in the palette.
    `sending` is whether the entered code is on its way to the server.

    `top` is the number of guesses above the visible ones, None if the user has not scrolled.
    `lines_back` is how many lines the open history is scrolled back, None if it is closed.
    `intermission` is whether the end of the previous round is still displayed. `record` has our
    earlier games on this server by these rules, None for a spectator. `moment` is the state of the
    animation. `phrases` are the canned phrases while a line of chat is typed. `wins` is a text
    about the wins of both players in the series of rematches.

    `reviews` maps the index of a round to its review by a bot, or to the text of a refusal. It is
    None outside a review. `running_clock` is the clock of the received state. `ratings` maps the
    ids of the players to their ratings before a rated match.
    """

    entry: Entry
    notes: Sequence[Note] = ()
    absent: Mapping[str, str] = field(default_factory=dict)
    spectators: int | None = None
    excluding_guess: int | None = None
    excluded_colours: Container[int] = ()
    sending: bool = False
    advice: Advice | None = None
    muted: bool = False
    lines_back: int | None = None
    intermission: bool = False
    top: int | None = None
    record: Record | None = None
    moment: Moment = AT_REST
    progress: Progress | None = None
    opened_secret: Code | None = None
    version: int = 0
    phrases: Sequence[str] = ()
    wins: str = ""
    reviews: Mapping[int, Sequence[ReviewedGuess] | str] | None = None
    running_clock: RunningClock | None = None
    ratings: Mapping[str, Rating] = field(default_factory=dict)

    @property
    def used_colours(self) -> Container[int | None]:
        """The colours of the entry if rules without repeats allow no second peg of them."""
        return () if self.match.rules.repeats else self.entry.pegs

    @property
    def reviewing(self) -> bool:
        """Whether this is the review of a finished match."""
        return self.reviews is not None

    @property
    def review(self) -> Sequence[ReviewedGuess] | str | None:
        """The bot's review of the round, the text of a refusal, or None while it is loading."""
        return self.reviews.get(self.displayed_position.round) if self.reviews is not None else None

    @cached_property
    def judged(self) -> tuple[JudgedGuess, ...]:
        """The graded guesses of the round. Empty without a review."""
        if self.round is None or self.review is None or isinstance(self.review, str):
            return ()
        return judge_round(self.review, self.round, self.match.rules)

    @property
    def selected(self) -> JudgedGuess | None:
        """The graded guess that is selected in a review, or None."""
        number = self.displayed_position.turns
        return self.judged[number - 1] if 0 < number <= len(self.judged) else None

    @cached_property
    def turns(self) -> Sequence[Turn]:
        """The guesses of the round up to the displayed position. A review has all guesses."""
        if self.reviewing and self.round is not None:
            return self.round.turns
        return super().turns

    @cached_property
    def is_over(self) -> bool:
        """Whether the round has ended at the displayed position. In a review it is always True."""
        return self.reviewing or super().is_over

    @cached_property
    def displayed_position(self) -> Position:
        """The position on the screen: `position`, or if that is None, the one after the last guess.

        While the end of a round is displayed, it is the end of that round.
        """
        if self.between_rounds:
            return Position(len(self.match.played) - 1, len(self.match.played[-1].turns))
        return self.position or find_last_position(self.match)

    @cached_property
    def between_rounds(self) -> bool:
        """Whether the end of a round is displayed and the match is not over."""
        phase = self.match.phase
        looked_at = self.intermission or (self.seat is None and phase is Phase.SETTING)
        going = phase in (Phase.SETTING, Phase.BREAKING)
        return bool(self.match.played) and looked_at and going

    @property
    def is_entering_secret(self) -> bool:
        """Whether the user is entering the secret."""
        mine = self.can_enter_code and self.seat is Seat.MAKER
        return mine and not self.between_rounds

    @property
    def is_entering_guess(self) -> bool:
        """Whether the user is entering a guess, for the current turn or in advance."""
        mine = self.can_enter_code and self.seat is Seat.BREAKER
        return mine and not self.between_rounds

    @property
    def has_set_secret(self) -> bool:
        """Whether the codemaker of the displayed round has set the secret."""
        if self.round is None:
            return False
        return self.round is not self.match.current or self.match.phase is Phase.BREAKING

    @property
    def shows_ending(self) -> bool:
        """Whether the end of a round or match is displayed.

        The end is displayed after the animation of the last feedback.
        """
        over = self.between_rounds or self.match.phase is Phase.FINISHED
        return over and self.moment.is_answered and not self.reviewing

    @property
    def is_last_marked(self) -> bool:
        """Whether the last displayed guess is marked, instead of the next guess.

        A review marks the selected guess instead.
        """
        return self.is_over or (self.progress is not None and self.progress.mode in _STOPPED_MODES)

    @property
    def needed_guesses(self) -> int:
        """The number of rows for the known guesses of this round and the current guess."""
        if self.round is None:
            return 1
        begun = len(self.round.turns) + (self.round.how is None)
        known = self.progress.guesses if self.progress is not None else 0
        return min(max(begun, known), self.match.rules.guess_limit)

    @property
    def progress_bar_end(self) -> int | None:
        """The number of the guess at the end of the progress bar, or None without a limit.

        Until the end of the round is displayed, it is the guess limit of the rules, so that the bar
        does not reveal the end. After that it is the last known guess. In the mode BACK it always
        is the last known guess.
        """
        progress = self.progress
        if progress is None or not (self.is_over or progress.mode is PlaybackMode.BACK):
            return self.match.rules.guesses
        return progress.guesses

    @cached_property
    def marked_guess_number(self) -> int:
        """The number of the marked guess, from 1, or 0 without one.

        In a review it is the selected guess. Otherwise it is the next guess, or if `is_last_marked`
        the last displayed guess.
        """
        if self.reviewing:
            return self.displayed_position.turns
        if self.is_last_marked:
            return len(self.turns)
        return (
            len(self.turns) + 1
            if self.is_entering_guess or self.match.phase is Phase.BREAKING
            else 0
        )

    @property
    def secret(self) -> Code | None:
        """The secret of the displayed round if we can see it, otherwise None."""
        shown = self.round
        if shown is None:
            return None
        known = shown.known_code if self.is_over or shown.maker == self.me else None
        return known or (self.opened_secret if self.displayed_position.round == 0 else None)

    @property
    def thinker(self) -> Player | None:
        """The other player whose guess the match waits for, or None."""
        breaker = self.match.breaker
        if self.match.phase is not Phase.BREAKING or breaker is None or breaker.id == self.me:
            return None
        still = self.progress is not None and self.progress.mode in _STOPPED_MODES
        return None if still else breaker

    @property
    def visible_notes(self) -> list[Note]:
        """The notes up to the displayed version. If `muted`, other players' chat is left out."""
        return [
            note
            for note in self.notes
            if note.version <= self.version
            and not (self.muted and note.kind is NoteKind.CHAT and note.author != self.me)
        ]


_STOPPED_MODES = (PlaybackMode.PAUSED, PlaybackMode.BACK)
