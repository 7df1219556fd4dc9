"""The leaderboard, and the profiles and statistics of players."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from msgspec.structs import replace

from mastermind_protocol.codec import encode
from mastermind_protocol.errors import Reason, Refused
from mastermind_protocol.glicko import INITIAL_RATING
from mastermind_protocol.messages import (
    MAX_COUNTED_GAMES,
    MAX_FORM_MATCHES,
    MAX_PROFILE_MATCHES,
    MAX_PROFILE_RATINGS,
    MAX_PROFILE_RECORDS,
    MAX_RANKED_PLAYERS,
    MAX_UNPLACED_PLAYERS,
    Leaderboard,
    Profile,
    RankedPlayer,
    RatedMatch,
    RatedRecord,
)
from mastermind_protocol.rules import find_rules
from mastermind_server.bots.optimal import OPTIMAL
from mastermind_server.look_alikes.skeletons import find_skeleton
from mastermind_server.matches.names import choose_name
from mastermind_server.matches.rankings import Rankings
from mastermind_server.matches.statistics import StatisticsCache
from mastermind_server.storage.rating_rows import DAY_MILLISECONDS, LEADERBOARD_WINDOW_MILLISECONDS
from mastermind_server.storage.statements.leaderboard import (
    list_recent_players,
    read_leaderboard_rows,
)
from mastermind_server.storage.statements.profiles import ProfileSize, read_profile
from mastermind_server.storage.statements.ratings import find_name_owner

if TYPE_CHECKING:
    from mastermind_protocol.requests import ShowLeaderboard, ShowProfile, ShowStatistics
    from mastermind_server.matches.rankings import Ranking
    from mastermind_server.matches.tables.call import Call
    from mastermind_server.services import Services
    from mastermind_server.storage.rating_rows import Standing
    from mastermind_server.storage.statements import profiles
    from mastermind_server.storage.statements.leaderboard import LeaderboardRow

SEARCHED_PLAYERS = 100  # those who played last, which are searched for players without a place
MEAN_DIGITS = 2  # of mean guesses
_PROFILE_SIZE = ProfileSize(
    history=MAX_PROFILE_RATINGS,
    form=MAX_FORM_MATCHES,
    matches=MAX_PROFILE_MATCHES,
    games=MAX_COUNTED_GAMES,
)


class Standings:
    """The handlers of requests for the leaderboard, for profiles and for statistics.

    Each handler pushes its answer to the peer, and raises Refused and StorageFailed.
    """

    def __init__(self, services: Services) -> None:
        self._services = services
        self._rankings = Rankings(services.store, services.clock)
        self._statistics = StatisticsCache(services.store, services.clock)

    async def show_leaderboard(self, call: Call[ShowLeaderboard]) -> None:
        """Answer with a page of the leaderboard, and the player's own row."""
        peer, player, request, _, _ = call
        rules, after = find_rules(request.rules), request.after
        mean = await asyncio.to_thread(OPTIMAL.find_mean_guesses, rules)
        ranking = await self._rankings.refresh(rules.name)
        ids, place = ranking.list_players(after, MAX_RANKED_PLAYERS), ranking.find_place(player.id)
        found = await self._services.store.read(
            read_leaderboard_rows, rules.name, {*ids, player.id}
        )
        for deleted in set(ids) - set(found):
            ranking.remove(deleted)
        now = self._services.clock.unix_milliseconds()
        own = found.get(player.id)
        rows = [found[ranked] for ranked in ids if ranked in found]
        more = bool(rows) and after + len(rows) < len(ranking)
        answer = Leaderboard(
            id=request.id,
            rules=rules.name,
            players=tuple(
                _make_ranked_player(row, n, now) for n, row in enumerate(rows, after + 1)
            ),
            total=len(ranking),
            own=_make_ranked_player(own, place, now) if own else None,
            more=more,
            unplaced=() if more else await self._list_unplaced(ranking, rules.name, now),
            bot=None if mean is None else round(mean, MEAN_DIGITS),
        )
        peer.push(encode(answer))

    async def _list_unplaced(
        self, ranking: Ranking, rules: str, now: int
    ) -> tuple[RankedPlayer, ...]:
        """Return the players without a place among those who played last, the best first."""
        read, since = self._services.store.read, now - LEADERBOARD_WINDOW_MILLISECONDS
        recent = await read(list_recent_players, rules, since, SEARCHED_PLAYERS)
        ids = [player for player in recent if ranking.find_place(player) is None]
        found = await read(read_leaderboard_rows, rules, ids[:MAX_UNPLACED_PLAYERS])
        rows = sorted(found.values(), key=lambda row: row.standing.rating, reverse=True)
        return tuple(_make_ranked_player(row, None, now) for row in rows)

    async def show_profile(self, call: Call[ShowProfile]) -> None:
        """Answer with the profile of a player.

        The request has the player's id or name. Without both, the answer is the profile of the
        player who sent the request.
        """
        peer, player, request, _, _ = call
        now = self._services.clock.unix_milliseconds()
        if request.player is not None and request.name is not None:
            raise Refused(Reason.ONE_PLAYER, field="name")
        rules = None if request.rules is None else find_rules(request.rules).name
        wanted = request.player or player.id
        if request.name is not None:
            wanted = await self._find_owner(request.name, now)
        other = None if wanted == player.id else player.id
        found = await self._services.store.read(read_profile, wanted, other, rules, _PROFILE_SIZE)
        if not found.standings and found.met is None and wanted != player.id:
            raise Refused(Reason.UNKNOWN_PLAYER, field="player", name=wanted)
        name = (
            player.name if wanted == player.id else choose_name(found.name, found.account, wanted)
        )
        if not found.standings and found.met_as is not None:
            name = found.met_as  # the requester knows it, and the account may be at another server
        ranking = await self._rankings.refresh(found.rules) if found.rules else None
        answer = Profile(
            id=request.id,
            player=wanted,
            name=name,
            records=tuple(_make_record(row, now) for row in found.standings[:MAX_PROFILE_RECORDS]),
            history=tuple(found.history),
            matches=tuple(_make_match(row, other) for row in found.matches),
            against=found.record,
            met=found.met,
            challenges=found.challenges,
            rules=found.rules,
            form=found.form,
            place=None if ranking is None else ranking.find_place(wanted),
            total=0 if ranking is None else len(ranking),
            games=found.games,
            since=None
            if found.created is None
            else found.created // DAY_MILLISECONDS * DAY_MILLISECONDS,
        )
        peer.push(encode(answer))

    async def show_statistics(self, call: Call[ShowStatistics]) -> None:
        """Answer with the statistics of the player's finished matches."""
        found = await self._statistics.find(call.player.id)
        call.peer.push(encode(replace(found, id=call.request.id)))

    async def _find_owner(self, name: str, now: int) -> str:
        """Return the id of the player who owns `name`. Raises Refused if no player owns it."""
        owner = await self._services.store.read(find_name_owner, find_skeleton(name), now)
        if owner is None:
            raise Refused(Reason.UNKNOWN_PLAYER, field="name", name=name)
        return owner


def _make_ranked_player(row: LeaderboardRow, place: int | None, now: int) -> RankedPlayer:
    player = row.standing.player
    return RankedPlayer(
        player=player,
        name=choose_name(row.name, row.account, player),
        record=_make_record(row.standing, now),
        place=place,
    )


def _make_record(row: Standing, now: int) -> RatedRecord:
    rounds = row.rounds
    return RatedRecord(
        rules=row.rules,
        rating=row.rating_at(now),
        matches=row.n,
        wins=row.wins,
        draws=row.draws,
        losses=row.losses,
        last=row.at,
        played=rounds,
        broken=row.broken,
        guesses=round(row.guesses / rounds, MEAN_DIGITS) if rounds else None,
        less_luck=(
            round((row.guesses - row.luck) / rounds, MEAN_DIGITS)
            if rounds and row.luck is not None
            else None
        ),
        best=row.best,
        best_at=row.best_at,
        fewest=row.fewest,
    )


def _make_match(row: profiles.RatedMatch, other: str | None) -> RatedMatch:
    """Return a rated match as the player who requests the profile may see it.

    `other` is the id of this player, or None for the player's own profile.
    """
    before = INITIAL_RATING.rating if row.before is None else row.before
    return RatedMatch(
        match=row.match if row.public or other in (None, row.opponent_id) else None,
        at=row.at,
        rules=row.rules,
        opponent=row.opponent,
        score=row.score,
        points=(row.mine, row.theirs),
        rating=row.after,
        change=round(row.after - before, 3),
    )
