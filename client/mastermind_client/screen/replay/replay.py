"""What the review of a match shows, as one value: drawing needs nothing else."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mastermind_client.screen.match.scene import Viewpoint

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mastermind_protocol.chat import ChatLine
    from mastermind_protocol.code import Code
    from mastermind_protocol.messages import Reviewed


@dataclass(slots=True)
class Replay(Viewpoint):
    """A finished match that is reviewed.

    `reviews` are what the bots say of each round, by its number from 0, or why they say nothing;
    one that is missing is still awaited. With `hidden` a secret is shown only when its round is
    over. `top` is how many lines of the commentary are scrolled past.
    """

    reviews: Mapping[int, Sequence[Reviewed] | str] = field(default_factory=dict)
    chat: Sequence[ChatLine] = ()
    hidden: bool = False
    top: int = 0

    @property
    def secret(self) -> Code | None:
        """The secret, if it is to be shown."""
        if self.round is None or (self.hidden and not self.over):
            return None
        return self.round.secret

    @property
    def review(self) -> Sequence[Reviewed] | str | None:
        """What the bots say of this round; why they say nothing; or None, while it is awaited."""
        return self.reviews.get(self.at.round)

    @property
    def reviewed(self) -> Sequence[Reviewed]:
        """What the bots say of each guess of this round, as far as that is known."""
        return () if self.review is None or isinstance(self.review, str) else self.review
