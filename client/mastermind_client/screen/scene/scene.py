"""A match on the screen as a value, which is all that drawing needs.

What is asked for at each row of a drawing is worked out once: a value never changes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING

from mastermind_client.screen.motion.motion import AT_REST, Moment
from mastermind_client.screen.scene.feed import Kind
from mastermind_client.screen.scene.position import Position, find_live, is_over, list_rounds
from mastermind_client.words.verdicts import judge_round
from mastermind_protocol.events import Seat
from mastermind_protocol.match import Phase

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mastermind_client.screen.scene.entry import Entry
    from mastermind_client.screen.scene.feed import Note
    from mastermind_client.statistics import Record
    from mastermind_client.words.verdicts import Judged
    from mastermind_protocol.code import Code
    from mastermind_protocol.events import Player
    from mastermind_protocol.match import Match, Round, Turn
    from mastermind_protocol.messages import Advice, Reviewed


@dataclass(frozen=True)
class Viewpoint:
    """A match as the player with id `me` sees it, who may be a spectator.

    `position` is the moment that is shown, None for the last one. In the `past`, when the match is
    further on than what is shown, nothing can be done.
    """

    code: str
    match: Match
    me: str
    position: Position | None = field(default=None, kw_only=True)
    past: bool = field(default=False, kw_only=True)

    @property
    def seat(self) -> Seat | None:
        """Our seat in this round; None for a spectator."""
        return self.match.seat_of(self.me)

    @property
    def my_turn(self) -> bool:
        """Whether the match waits for us."""
        mover = self.match.to_move
        return not self.past and mover is not None and mover.id == self.me

    @property
    def preparing(self) -> bool:
        """Whether a code can be put together now: for our turn, or ahead of it."""
        if self.past or self.match.phase in (Phase.GATHERING, Phase.FINISHED):
            return False
        return self.seat is Seat.BREAKER or (
            self.seat is Seat.MAKER and self.match.phase is Phase.SETTING
        )

    @cached_property
    def at(self) -> Position:
        """The position that is shown."""
        return self.position or find_live(self.match)

    @cached_property
    def round(self) -> Round | None:
        """The round that is shown; None in a match that has none."""
        rounds = list_rounds(self.match)
        return rounds[self.at.round] if rounds else None

    @cached_property
    def turns(self) -> Sequence[Turn]:
        """The guesses of this round that have been made at this position."""
        return self.round.turns[: self.at.turns] if self.round is not None else ()

    @property
    def advised(self) -> Sequence[int]:
        """The numbers of the guesses of this round that advice was taken for."""
        return self.round.advised if self.round is not None else ()

    @cached_property
    def over(self) -> bool:
        """Whether the round is over at this position."""
        return is_over(self.match, self.at)

    @property
    def seated(self) -> dict[Seat, Player | None]:
        """Who sits where in the round that is shown."""
        shown, match = self.round, self.match
        if shown is None:
            return {seat: match.in_seat(seat) for seat in Seat}
        players = {player.id: player for player in match.players}
        return {
            Seat.MAKER: players.get(shown.maker),
            Seat.BREAKER: players.get(shown.breaker),
        }


class Showing(StrEnum):
    """How it goes on with what is shown."""

    LIVE = "live"  # what happens is shown as it happens
    PLAYING = "playing"
    PAUSED = "paused"
    BACK = "back"  # somebody looks back while a match between people goes on


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a match is shown: guess `guess` of `guesses` known in its round.

    `speed` is one of so many from 1, the slowest.
    """

    showing: Showing
    guess: int
    guesses: int
    speed: int


@dataclass(frozen=True)
class Scene(Viewpoint):
    """A match that is played or watched.

    `match` is what is shown of it, which may be earlier than what is known; `progress` is how far
    that is, for whoever looks on or has paused. `opened_secret` is the secret of the first round
    where we have set it for others. `version` is that of the match as it is shown.
    `absent` tells since what time of the day a player id is away; `spectators` is how many look on,
    None where nobody can. `excluded` is the number of the
    guess whose feedback excludes the code in the entry. `sending` is a code on its way to the
    server. `top` is how many guesses are scrolled past. While all that has happened is open in
    place of the board, `back` is by how many lines it is scrolled back. In an `intermission` the
    end of the round before stays in sight although the next one has begun. `record` is our own by
    these rules without this match; None for a spectator. `moment` is what is seen while something
    moves. `phrases` are what can be said by a digit, while a line to the others is typed. `reviews`
    are the bots' reviews by the number of the round from 0, or the reasons of refusals; None if the
    match is not reviewed.
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
    reviews: Mapping[int, Sequence[Reviewed] | str] | None = None

    @property
    def reviewing(self) -> bool:
        """Whether a finished match is reviewed."""
        return self.reviews is not None

    @property
    def review(self) -> Sequence[Reviewed] | str | None:
        """The bots' review of the round, the reason of a refusal, or None while it is pending."""
        return self.reviews.get(self.at.round) if self.reviews is not None else None

    @cached_property
    def judged(self) -> tuple[Judged, ...]:
        """The verdicts on the guesses of the round; empty without a review."""
        if self.round is None or self.review is None or isinstance(self.review, str):
            return ()
        return judge_round(self.review, self.round, self.match.rules)

    @property
    def selected(self) -> Judged | None:
        """The verdict on the selected guess of a review, if it is known."""
        number = self.at.turns
        return self.judged[number - 1] if 0 < number <= len(self.judged) else None

    @cached_property
    def turns(self) -> Sequence[Turn]:
        """The guesses that have been made at this position; in a review all of the round."""
        if self.reviewing and self.round is not None:
            return self.round.turns
        return super().turns

    @cached_property
    def over(self) -> bool:
        """Whether the round is over at this position; in a review every round is."""
        return self.reviewing or super().over

    @cached_property
    def at(self) -> Position:
        """The position that is shown; between two rounds it is the end of the one before."""
        if self.between_rounds:
            return Position(len(self.match.played) - 1, len(self.match.played[-1].turns))
        return self.position or find_live(self.match)

    @cached_property
    def between_rounds(self) -> bool:
        """Whether the end of a round is looked at, and the next one waits or has begun."""
        phase = self.match.phase
        looked_at = self.intermission or (self.seat is None and phase is Phase.SETTING)
        going = phase in (Phase.SETTING, Phase.BREAKING)
        return bool(self.match.played) and looked_at and going

    @property
    def hiding(self) -> bool:
        """Whether we put a code together for the others to break."""
        mine = self.preparing and self.seat is Seat.MAKER
        return mine and not self.between_rounds

    @property
    def filling(self) -> bool:
        """Whether we put a guess together, perhaps ahead of our turn."""
        mine = self.preparing and self.seat is Seat.BREAKER
        return mine and not self.between_rounds

    @property
    def is_hidden(self) -> bool:
        """Whether there is a code that is not to be seen."""
        shown, current = self.round, self.match.current
        if shown is None or self.secret is not None:
            return False
        return shown is not current or self.match.phase is Phase.BREAKING

    @property
    def ended(self) -> bool:
        """Whether the end of a round or of the match is told, which its last answer is first."""
        over = self.between_rounds or self.match.phase is Phase.FINISHED
        return over and self.moment.answered and not self.reviewing

    @property
    def looks_back(self) -> bool:
        """Whether the guess that was made last is looked at, and not the next one."""
        return self.over or (self.progress is not None and self.progress.showing in _STILL)

    @property
    def needed(self) -> int:
        """How many rows the guesses of this round take, as far as they are known or begun."""
        if self.round is None:
            return 1
        begun = len(self.round.turns) + (self.round.how is None)
        known = self.progress.guesses if self.progress is not None else 0
        return min(max(begun, known), self.match.rules.guess_limit)

    @cached_property
    def marked(self) -> int:
        """The number of the guess that is made now, or of the last one that is shown; or 0."""
        if self.reviewing:
            return self.at.turns
        if self.looks_back:
            return len(self.turns)
        return len(self.turns) + 1 if self.filling or self.match.phase is Phase.BREAKING else 0

    @property
    def secret(self) -> Code | None:
        """The secret of the round that is shown, if it may be shown."""
        shown = self.round
        if shown is None:
            return None
        known = shown.secret if self.over or shown.maker == self.me else None
        return known or (self.opened_secret if self.at.round == 0 else None)

    @property
    def thinker(self) -> Player | None:
        """The other player whose answer would be next on the board, unless that waits for us."""
        breaker = self.match.breaker
        if self.match.phase is not Phase.BREAKING or breaker is None or breaker.id == self.me:
            return None
        still = self.progress is not None and self.progress.showing in _STILL
        return None if still else breaker

    @property
    def visible_notes(self) -> list[Note]:
        """The notes to show: no news of what is not shown yet, and no others if they are muted."""
        return [
            note
            for note in self.notes
            if note.version <= self.version
            and not (self.muted and note.kind is Kind.CHAT and note.by != self.me)
        ]


_STILL = (Showing.PAUSED, Showing.BACK)
