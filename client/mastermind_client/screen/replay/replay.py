"""What the review of a match shows, as one value: drawing needs nothing else."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mastermind_client.screen.match.browse import Position, is_over, list_rounds

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mastermind_protocol.chat import ChatLine
    from mastermind_protocol.code import Code
    from mastermind_protocol.match import Match, Round, Turn
    from mastermind_protocol.messages import Reviewed


@dataclass(frozen=True, slots=True)
class Replay:
    """A match as it is looked back on by the player with id `me`, at a position in it.

    `reviews` are what the bots say of each round, by its number from 0, or why they say nothing;
    one that is missing is still awaited. With `hidden` a secret is shown only when its round is
    over. `top` is how many lines of what is told are scrolled past; `trouble` what is wrong with
    our connection.
    """

    code: str
    match: Match
    me: str
    position: Position
    reviews: Mapping[int, Sequence[Reviewed] | str] = field(default_factory=dict)
    chat: Sequence[ChatLine] = ()
    hidden: bool = False
    top: int = 0
    trouble: str = ""

    @property
    def round(self) -> Round | None:
        """The round that is looked at; None in a match that has none."""
        rounds = list_rounds(self.match)
        return rounds[self.position.round] if rounds else None

    @property
    def turns(self) -> Sequence[Turn]:
        """The guesses of this round that have been made at this position."""
        return self.round.turns[: self.position.turns] if self.round is not None else ()

    @property
    def over(self) -> bool:
        """Whether the round is over at this position."""
        return is_over(self.match, self.position)

    @property
    def secret(self) -> Code | None:
        """The secret, if it is to be shown."""
        if self.round is None or (self.hidden and not self.over):
            return None
        return self.round.secret

    @property
    def review(self) -> Sequence[Reviewed] | str | None:
        """What the bots say of this round; why they say nothing; or None, while it is awaited."""
        return self.reviews.get(self.position.round)

    @property
    def reviewed(self) -> Sequence[Reviewed]:
        """What the bots say of each guess of this round, as far as that is known."""
        return () if self.review is None or isinstance(self.review, str) else self.review
