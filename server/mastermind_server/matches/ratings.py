"""Ratings before a rated match, and their changes after its end."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from mastermind_protocol.errors import Reason, Refused
from mastermind_protocol.events import (
    Finished,
    Joined,
    MatchEnd,
    Opened,
    Rated,
    RatedPlayer,
    RoundEnd,
)
from mastermind_protocol.glicko import rate
from mastermind_protocol.match import list_tries
from mastermind_protocol.transitions import Decision, fold
from mastermind_server.look_alikes.skeletons import find_skeleton
from mastermind_server.matches.names import is_bot_name
from mastermind_server.storage.rating_rows import DAY_MILLISECONDS, NameClaim, RatingRow
from mastermind_server.storage.statements.ratings import (
    PairLimit,
    count_pair_matches,
    find_name_owner,
    read_last_ratings,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mastermind_protocol.events import AnyEvent, Player
    from mastermind_protocol.glicko import Rating
    from mastermind_protocol.match import Match, Round, Turn
    from mastermind_server.services import Services
    from mastermind_server.storage.rating_rows import LastRating

MAX_PAIR_MATCHES = (
    6  # rated within PAIR_MILLISECONDS: limits the rise of one friend's rating by the other
)
PAIR_MILLISECONDS = DAY_MILLISECONDS


class RatedEnding(NamedTuple):
    """Everything that one commit stores when a rated match ends.

    `decision` has the last events of the match. `rows` are the new ratings of the players, and
    `claims` their claims to names.
    """

    decision: Decision
    rows: tuple[RatingRow, ...]
    claims: tuple[NameClaim, ...]


def ends_rated_match(decision: Decision) -> bool:
    """Return whether `decision` ends a match and changes ratings.

    A match that ends as MatchEnd.CLOSED changes no ratings.
    """
    after = decision.after
    return (
        any(isinstance(event, Finished) for event in decision.events)
        and after.outcome is not None
        and after.outcome.how is not MatchEnd.CLOSED
        and after.rated
        and after.has_live_clock
    )


async def rate_ending(
    services: Services, match_code: str, decision: Decision, now: int
) -> RatedEnding:
    """Return `decision`, which ends the rated match `match_code`, with the new ratings.

    `now` is in milliseconds since 1970. Raises StorageFailed and NoWorker.
    """
    match = decision.after
    ids = [player.id for player in match.players]
    last = await services.store.look_up(read_last_ratings, match.rules.name, ids)
    luck = await services.bots.measure_luck(match.rules, list_rated_turns(match))
    return make_rated_ending(match_code, decision, now, last, luck)


def make_rated_ending(
    match_code: str,
    decision: Decision,
    now: int,
    last: Mapping[str, LastRating],
    luck: Sequence[float] | None,
) -> RatedEnding:
    """Return `decision` with the event `Rated`, and the new ratings and names of both players.

    A player claims the name that it has in the match, unless its account was deleted.

    `now` is in milliseconds since 1970. `last` has the last ratings of both players, by id. `luck`
    has the guesses lost by bad luck in each round of `list_rated_turns`, or is None if they were
    not measured.
    """
    match = decision.after
    before = {player.id: last[player.id].rating_at(now) for player in match.players}
    left = None if luck is None else iter(luck)
    changes, rows, claims = [], [], []
    for player in match.players:
        opponent = next(other.id for other in match.players if other != player)
        score = match.find_score(player.id)
        after = rate(before[player.id], [(before[opponent], score)])
        n = last[player.id].n + 1
        changes.append(RatedPlayer(player.id, n, before[player.id], after))
        rounds = find_codebreaker_rounds(match, player.id)
        row = RatingRow(
            player=player.id,
            rules=match.rules.name,
            n=n,
            at=now,
            match=match_code,
            opponent=opponent,
            established=not before[opponent].provisional,
            rating=after.rating,
            deviation=after.deviation,
            volatility=after.volatility,
            score=score,
            rounds=len(rounds),
            broken=sum(played.how is RoundEnd.BROKEN for played in rounds),
            guesses=sum(played.points for played in rounds),
            luck=None if left is None else sum(next(left) for _ in rounds),
            fewest=find_fewest_guesses(match, player.id),
        )
        rows.append(row)
        if last[player.id].name is not None and not is_bot_name(player.name):
            claims.append(NameClaim(find_skeleton(player.name), player.id, player.name))
    first, second = changes
    rated = Rated(players=(first, second))
    rated_decision = Decision((*decision.events, rated), fold((rated,), match))
    return RatedEnding(rated_decision, tuple(rows), tuple(claims))


def find_codebreaker_rounds(match: Match, player: str) -> list[Round]:
    """Return the rounds that the player with this id finished as codebreaker, successful or not.

    Rounds that ended because a player left are omitted.
    """
    return [
        played
        for played in match.played
        if played.breaker == player and played.how is not RoundEnd.LEFT
    ]


def find_fewest_guesses(match: Match, player: str) -> int | None:
    """Return the fewest guesses in which the player with this id broke a code, or None."""
    return min(filter(None, list_tries(match.played, player)), default=None)


def list_rated_turns(match: Match) -> list[tuple[Turn, ...]]:
    """Return the guesses of each round that a player finished as codebreaker.

    The rounds of the first player in `Match.players` precede those of the second.
    """
    return [
        played.turns
        for player in match.players
        for played in find_codebreaker_rounds(match, player.id)
    ]


async def find_rating(services: Services, rules: str, player: str) -> Rating:
    """Return the present rating of the player with this id by these rules. Raises StorageFailed."""
    last = await services.store.look_up(read_last_ratings, rules, [player])
    return last[player].rating_at(services.clock.unix_milliseconds())


async def read_pair_limit(services: Services, player: str, opponent: str) -> PairLimit:
    """Return the condition of the start of a rated match: whether it still changes ratings.

    `player` and `opponent` are the players' ids. A match changes no ratings after MAX_PAIR_MATCHES
    rated matches of the pair in PAIR_MILLISECONDS. Raises StorageFailed.
    """
    since = services.clock.unix_milliseconds() - PAIR_MILLISECONDS
    played = await services.store.look_up(count_pair_matches, player, opponent, since)
    return PairLimit(player, opponent, since, MAX_PAIR_MATCHES, played < MAX_PAIR_MATCHES)


async def add_opener_rating(
    services: Services, events: tuple[AnyEvent, ...], player: Player
) -> tuple[AnyEvent, ...]:
    """Return `events`, the first events of a match. If it is rated, add the rating of `player`.

    `player` opens the match. Raises Refused if the player's name is taken, and StorageFailed.
    """
    opened, *others = events
    if not (isinstance(opened, Opened) and opened.rated):
        return events
    await check_rated_name(services, player)
    rating = await find_rating(services, opened.rules, player.id)
    seated = (
        replace(event, rating=rating) if isinstance(event, Joined) else event for event in others
    )
    return (opened, *seated)


async def check_rated_name(services: Services, player: Player) -> None:
    """Raise Refused if the name of `player` is similar to a name that another player owns.

    Raises StorageFailed.
    """
    now = services.clock.unix_milliseconds()
    owner = await services.store.look_up(find_name_owner, find_skeleton(player.name), now)
    if owner not in (None, player.id):
        raise Refused(Reason.NAME_TAKEN, field="rated", name=player.name)
