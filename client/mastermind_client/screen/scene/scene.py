"""The values of the match screen, as an immutable value, and positions in a match.

Properties that are used for each row of a drawing are cached.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from mastermind_client.messages.analysis import judge_round
from mastermind_client.screen.motion.animation import AT_REST, Moment
from mastermind_client.screen.scene.feed import NoteKind
from mastermind_protocol.events import Seat
from mastermind_protocol.match import Phase

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mastermind_client.messages.analysis import JudgedGuess
    from mastermind_client.messages.clocks import RunningClock
    from mastermind_client.messages.statistics import Record
    from mastermind_client.screen.scene.entry import Entry
    from mastermind_client.screen.scene.feed import Note
    from mastermind_protocol.code import Code
    from mastermind_protocol.events import Player
    from mastermind_protocol.glicko import Rating
    from mastermind_protocol.match import Match, Round, Turn
    from mastermind_protocol.messages import Advice, ReviewedGuess


class Position(NamedTuple):
    """A position in a match: the index of the round, and the number of its guesses so far."""

    round: int
    turns: int


def list_rounds(match: Match) -> tuple[Round, ...]:
    """Return the rounds that have started, in their order."""
    return match.played if match.current is None else (*match.played, match.current)


def find_last_position(match: Match) -> Position:
    """Return the position after the last guess."""
    rounds = list_rounds(match)
    return Position(len(rounds) - 1, len(rounds[-1].turns)) if rounds else Position(0, 0)


def find_displayed_position(match: Match) -> Position:
    """Return the displayed position. Between two rounds it is the end of the earlier one."""
    if match.phase is Phase.SETTING and match.played:
        return Position(len(match.played) - 1, len(match.played[-1].turns))
    return find_last_position(match)


def list_guesses(match: Match) -> list[Position]:
    """Return the position after each guess. A round without guesses has one position."""
    return [
        Position(number, turns)
        for number, played in enumerate(list_rounds(match))
        for turns in range(min(1, len(played.turns)), len(played.turns) + 1)
    ]


def change_round(match: Match, position: Position, by: int) -> Position:
    """Return the position after the first guess of another round.

    That round is `by` rounds later, or earlier for a negative number.
    """
    rounds = list_rounds(match)
    number = max(0, min(position.round + by, len(rounds) - 1))
    return Position(number, min(1, len(rounds[number].turns))) if rounds else position


def is_round_over(match: Match, position: Position) -> bool:
    """Return whether the position is the end of a finished round, where the code is displayed."""
    if position.round >= len(match.played):
        return False
    return position.turns == len(match.played[position.round].turns)


def count_guesses(match: Match) -> int:
    """Return the number of guesses in all rounds."""
    return sum(len(each.turns) for each in list_rounds(match))


def list_stops(states: Sequence[Match]) -> list[int]:
    """Return the indices of the states after each guess and each round, and of the last state.

    The steps of the playback stop at these states.
    """
    stops, before = [], (0, 0)
    for index, match in enumerate(states):
        done = (len(match.played), count_guesses(match))
        if done != before or index == len(states) - 1:
            stops.append(index)
        before = done
    return stops


@dataclass(frozen=True)
class Viewpoint:
    """A match from the point of view of the player or spectator with id `me`.

    `position` is the displayed position, None for the last one. `past` is whether later states than
    the displayed one are known; then no move is possible.
    """

    code: str
    match: Match
    me: str
    position: Position | None = field(default=None, kw_only=True)
    past: bool = field(default=False, kw_only=True)

    @property
    def seat(self) -> Seat | None:
        """Our seat in this round, or None for a spectator."""
        return self.match.seat_of(self.me)

    @property
    def my_turn(self) -> bool:
        """Whether the match waits for our move."""
        mover = self.match.to_move
        return not self.past and mover is not None and mover.id == self.me

    @property
    def preparing(self) -> bool:
        """Whether we can enter a code, for the current turn or our next one."""
        if self.past or self.match.phase in (Phase.GATHERING, Phase.FINISHED):
            return False
        return self.seat is Seat.BREAKER or (
            self.seat is Seat.MAKER and self.match.phase is Phase.SETTING
        )

    @cached_property
    def at(self) -> Position:
        """The displayed position."""
        return self.position or find_last_position(self.match)

    @cached_property
    def round(self) -> Round | None:
        """The displayed round, or None if no round has started."""
        rounds = list_rounds(self.match)
        return rounds[self.at.round] if rounds else None

    @cached_property
    def turns(self) -> Sequence[Turn]:
        """The guesses of this round up to the displayed position."""
        return self.round.turns[: self.at.turns] if self.round is not None else ()

    @property
    def advised(self) -> Sequence[int]:
        """The numbers of the guesses with advice in this round."""
        return self.round.advised if self.round is not None else ()

    @cached_property
    def over(self) -> bool:
        """Whether the round is over at the displayed position."""
        return is_round_over(self.match, self.at)

    @property
    def seated(self) -> dict[Seat, Player | None]:
        """The players by their seats in the displayed round."""
        shown, match = self.round, self.match
        if shown is None:
            return {seat: match.in_seat(seat) for seat in Seat}
        players = {player.id: player for player in match.players}
        return {
            Seat.MAKER: players.get(shown.maker),
            Seat.BREAKER: players.get(shown.breaker),
        }


class PlaybackMode(StrEnum):
    """The mode of the playback."""

    LIVE = "live"  # every event is displayed at once
    PLAYING = "playing"
    PAUSED = "paused"
    BACK = "back"  # an earlier guess of a running match between people is displayed


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a playback: guess number `guess` of the `guesses` known in its round.

    `speed` counts from 1, which is the slowest.
    """

    mode: PlaybackMode
    guess: int
    guesses: int
    speed: int


@dataclass(frozen=True)
class Scene(Viewpoint):
    """Everything that the match screen displays at one moment.

    `match` is the displayed state, which can be earlier than the received one, and `version` is its
    version. `progress` is the progress of the playback, for a spectator or during a pause.
    `opened_secret` is the secret of the first round if we have set it for two bots. `absent` maps
    the ids of disconnected players to local times. `spectators` is their number, or None if the
    match cannot have any. `excluded` is the index of a guess whose feedback excludes the entered
    code. `sending` is whether the code is on its way to the server.

    `top` is the number of guesses above the visible ones. `back` is the number of lines that the
    open history is scrolled back, or None if it is closed. `intermission` is whether the end of the
    previous round is still displayed. `record` has our earlier games on this server by these rules,
    None for a spectator. `moment` is the state of the animation. `phrases` are the canned phrases
    while a line of chat is typed. `wins` is a text about the wins over rematches. `reviews` has the
    bots' reviews by the index of the round, or the texts of refusals. It is None outside a review.
    `running` is the clock of the received state. `ratings` are those before a rated match, by the
    ids of the players.
    """

    entry: Entry
    notes: Sequence[Note] = ()
    absent: Mapping[str, str] = field(default_factory=dict)
    spectators: int | None = None
    excluded: int | None = None
    sending: bool = False
    advice: Advice | None = None
    muted: bool = False
    back: int | None = None
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
    running: RunningClock | None = None
    ratings: Mapping[str, Rating] = field(default_factory=dict)

    @property
    def reviewing(self) -> bool:
        """Whether this is the review of a finished match."""
        return self.reviews is not None

    @property
    def review(self) -> Sequence[ReviewedGuess] | str | None:
        """The bots' review of the round, the text of a refusal, or None while it is loading."""
        return self.reviews.get(self.at.round) if self.reviews is not None else None

    @cached_property
    def judged(self) -> tuple[JudgedGuess, ...]:
        """The graded guesses of the round. Empty without a review."""
        if self.round is None or self.review is None or isinstance(self.review, str):
            return ()
        return judge_round(self.review, self.round, self.match.rules)

    @property
    def selected(self) -> JudgedGuess | None:
        """The graded guess at the position of a review, or None."""
        number = self.at.turns
        return self.judged[number - 1] if 0 < number <= len(self.judged) else None

    @cached_property
    def turns(self) -> Sequence[Turn]:
        """The guesses of the round up to the displayed position, but all of them in a review."""
        if self.reviewing and self.round is not None:
            return self.round.turns
        return super().turns

    @cached_property
    def over(self) -> bool:
        """Whether the round is over at the displayed position, which is always so in a review."""
        return self.reviewing or super().over

    @cached_property
    def at(self) -> Position:
        """The displayed position. Between two rounds it is the end of the earlier one."""
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
    def entering_secret(self) -> bool:
        """Whether we enter the secret."""
        mine = self.preparing and self.seat is Seat.MAKER
        return mine and not self.between_rounds

    @property
    def entering_guess(self) -> bool:
        """Whether we enter a guess, for the current turn or our next one."""
        mine = self.preparing and self.seat is Seat.BREAKER
        return mine and not self.between_rounds

    @property
    def is_hidden(self) -> bool:
        """Whether the code has been set but is not visible to us."""
        shown, current = self.round, self.match.current
        if shown is None or self.secret is not None:
            return False
        return shown is not current or self.match.phase is Phase.BREAKING

    @property
    def ended(self) -> bool:
        """Whether the end of a round or match is displayed, which follows the last feedback."""
        over = self.between_rounds or self.match.phase is Phase.FINISHED
        return over and self.moment.answered and not self.reviewing

    @property
    def marks_last(self) -> bool:
        """Whether the last guess is marked instead of the next one."""
        return self.over or (self.progress is not None and self.progress.mode in _STILL)

    @property
    def needed(self) -> int:
        """The number of rows for the known guesses of this round and the current guess."""
        if self.round is None:
            return 1
        begun = len(self.round.turns) + (self.round.how is None)
        known = self.progress.guesses if self.progress is not None else 0
        return min(max(begun, known), self.match.rules.guess_limit)

    @property
    def last_guess(self) -> int | None:
        """The number of the last guess in the bar of a playback, or None without a limit.

        Until the end of the round is displayed, it is the limit of the rules, so that the bar does
        not give the end away. In a running match between people it is the last known guess.
        """
        progress = self.progress
        if progress is None or not (self.over or progress.mode is PlaybackMode.BACK):
            return self.match.rules.guesses
        return progress.guesses

    @cached_property
    def marked(self) -> int:
        """The number of the marked guess, either the current or the last one. 0 without guesses."""
        if self.reviewing:
            return self.at.turns
        if self.marks_last:
            return len(self.turns)
        return (
            len(self.turns) + 1 if self.entering_guess or self.match.phase is Phase.BREAKING else 0
        )

    @property
    def secret(self) -> Code | None:
        """The secret of the displayed round if we can see it, otherwise None."""
        shown = self.round
        if shown is None:
            return None
        known = shown.secret if self.over or shown.maker == self.me else None
        return known or (self.opened_secret if self.at.round == 0 else None)

    @property
    def thinker(self) -> Player | None:
        """The other player while the match waits for a guess of that player, otherwise None."""
        breaker = self.match.breaker
        if self.match.phase is not Phase.BREAKING or breaker is None or breaker.id == self.me:
            return None
        still = self.progress is not None and self.progress.mode in _STILL
        return None if still else breaker

    @property
    def visible_notes(self) -> list[Note]:
        """The notes up to the displayed version, without muted chat."""
        return [
            note
            for note in self.notes
            if note.version <= self.version
            and not (self.muted and note.kind is NoteKind.CHAT and note.by != self.me)
        ]


_STILL = (PlaybackMode.PAUSED, PlaybackMode.BACK)
