"""Rated matches in a store, without playing them."""

from __future__ import annotations

from mastermind_protocol.glicko import PROVISIONAL_DEVIATION, Rating, rate
from mastermind_server.storage.rating_rows import NameClaim, RatingRow
from mastermind_server.storage.statements.log import read_log
from mastermind_server.storage.statements.ratings import append_rated, read_last_ratings
from mastermind_server.storage.store import Store
from server.storage.builders import row

DAY_MILLISECONDS = 24 * 3600 * 1000
RULES = "classic"


async def make_rows(
    store: Store, winner: str, loser: str, *, at: int = 0, score: float = 1.0, match: str = "AAAAAA"
) -> list[RatingRow]:
    """Return the rows of a match that `winner` won, or another `score` of it."""
    last = await store.read(read_last_ratings, RULES, (winner, loser))
    before = {player: found.rating_at(at) for player, found in last.items()}
    rows = []
    for player, opponent, points in ((winner, loser, score), (loser, winner, 1 - score)):
        after: Rating = rate(before[player], [(before[opponent], points)])
        established = before[opponent].deviation < PROVISIONAL_DEVIATION
        rows.append(
            RatingRow(
                *(player, RULES, last[player].n + 1, at, match, opponent, established),
                *(after.rating, after.deviation, after.volatility, points),
                *(1, int(points > 0), 5, 0.25),
                fewest=5 if points > 0 else None,
            )
        )
    return rows


async def beat(
    store: Store, winner: str, loser: str, *, at: int = 0, score: float = 1.0, match: str = "AAAAAA"
) -> list[RatingRow]:
    """Store a rated match; the log row of `match` has the next version."""
    rows = await make_rows(store, winner, loser, at=at, score=score, match=match)
    claims = [NameClaim(player.lower(), player, player) for player in (winner, loser)]
    new = row(match, len(await store.read(read_log, match)) + 1)
    await store.write_locking(append_rated, [new], [], rows, claims)
    return rows
