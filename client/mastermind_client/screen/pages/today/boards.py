"""The board of a day without an own try."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import structs

from mastermind_protocol.days import make_day_contest
from mastermind_protocol.events import SERVER, Joined, Opened, Player, RoundEnd, Seat, SecretSet
from mastermind_protocol.match import Match, Phase, Round
from mastermind_protocol.transitions import fold

if TYPE_CHECKING:
    from mastermind_protocol.messages import Day

_MAKER = Player(id="day", name="day", bot="day")


def make_empty_board(day: Day, player: Player) -> Match:
    """Return the match that a try of `player` would be before its first guess.

    If the code is revealed, the round is over, so that the board shows the code and its proof. A
    day without a code has no secret.
    """
    opened = Opened(rules=day.rules, rounds=1, contest=make_day_contest(day.day))
    joined = Joined(player=_MAKER, seat=Seat.MAKER), Joined(player=player, seat=Seat.BREAKER)
    if day.commitment is None:
        return fold((opened, *joined))
    match = fold((opened, *joined, SecretSet(by=SERVER, commitment=day.commitment)))
    if day.code is None or day.nonce is None:
        return match
    over = Round(
        maker=_MAKER.id, breaker=player.id, commitment=day.commitment, secret=day.code,
        nonce=day.nonce, how=RoundEnd.LEFT, drawn=True,
    )  # fmt: skip
    return structs.replace(match, played=(over,), current=None, phase=Phase.FINISHED)
