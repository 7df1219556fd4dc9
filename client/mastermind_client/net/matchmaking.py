"""From what was asked for to a match: the requests to a session that open it or find it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.config.options import ANYONE, FRIEND
from mastermind_protocol.events import Seat
from mastermind_protocol.messages import ME, OPEN

if TYPE_CHECKING:
    from mastermind_client.config.options import PlayOptions
    from mastermind_client.net.mirror import Mirror
    from mastermind_client.net.session import Session
    from mastermind_protocol.code import Code

MAKER_BOT = "random"  # sets the secret where two bots play: all that keep a code set it alike


async def sit_down(session: Session, options: PlayOptions) -> Mirror:
    """Open the match that was asked for, or find it, and take a seat. Raises Refused."""
    rules, seat = options.rules.name, options.seat
    if options.versus == ANYONE:
        return await session.seek(rules, rounds=options.rounds, seat=seat, rated=options.rated)
    opponent = OPEN if options.versus == FRIEND else options.versus
    maker, breaker = (ME, opponent) if seat is Seat.MAKER else (opponent, ME)
    return await session.open(
        rules,
        maker=maker,
        breaker=breaker,
        rounds=options.rounds,
        public=options.public,
        rated=options.rated,
        seed=options.seed,
    )


async def let_bots_play(
    session: Session, rules: str, breaker: str, *, secret: Code | None = None, public: bool = False
) -> Mirror:
    """Open a match in which a bot breaks a code, and look on. Raises Refused."""
    return await session.open(rules, maker=MAKER_BOT, breaker=breaker, public=public, secret=secret)
