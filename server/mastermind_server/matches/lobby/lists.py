"""Lists of matches: public matches, and a player's finished and unfinished matches."""

from __future__ import annotations

from collections import Counter
from operator import itemgetter
from typing import TYPE_CHECKING, TypeVar

from mastermind_protocol.codec import encode
from mastermind_protocol.errors import Reason, Refused
from mastermind_protocol.events import Seat
from mastermind_protocol.match import Phase
from mastermind_protocol.messages import (
    MAX_ARCHIVED_MATCHES,
    MAX_LISTED_MATCHES,
    MAX_OWN_MATCHES,
    Archived,
    Listed,
    Listing,
    OwnMatches,
)
from mastermind_server.storage.records import (
    find_move_deadline,
    make_archived_match,
    make_own_match,
)
from mastermind_server.storage.statements.matches import (
    list_archive,
    list_public,
    list_public_archive,
    list_running,
)
from mastermind_server.storage.statements.presence import NO_PRESENCE, PresenceRow

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping

    from mastermind_protocol.requests import (
        Archive,
        ListMatches,
        ListOwn,
    )
    from mastermind_server.matches.lobby.lobby_index import LobbyIndex
    from mastermind_server.matches.nodes.presence import Presence
    from mastermind_server.matches.tables.call import Call
    from mastermind_server.matches.tables.tables import Tables
    from mastermind_server.services import Services
    from mastermind_server.storage.records import MatchRecord, RunningMatch

MAX_SEARCHED_MATCHES = 500  # the newest matches, which are read to find those for a list
_T = TypeVar("_T")
_LISTED_PHASES = {"waiting": (Phase.GATHERING,), "running": (Phase.SETTING, Phase.BREAKING)}


class MatchLists:
    """The handlers of requests that list matches. Each pushes its answer to the peer.

    The handlers raise Refused and StorageFailed.
    """

    def __init__(
        self, tables: Tables, presence: Presence, services: Services, index: LobbyIndex
    ) -> None:
        self._tables, self._presence, self._services = tables, presence, services
        self._index = index

    async def list_matches(self, call: Call[ListMatches]) -> None:
        """Answer with up to MAX_LISTED_MATCHES public matches: lobbies, or running matches.

        `request.what` chooses the kind. A match is listed while at least one of its players follows
        it. A match of two bots is listed while any client follows it.
        """
        peer, _, request, _, _ = call
        phases = _LISTED_PHASES[request.what]
        found = await self._services.store.read(list_public, phases, MAX_SEARCHED_MATCHES)
        free = [match for match in found if match.phase != Phase.GATHERING or not match.reserved]
        presence = await self._presence.find([match.match for match in free])
        followed = {
            match.match: match
            for match in free
            if _is_followed(match, presence.get(match.match, NO_PRESENCE))
        }
        chosen = set(self._order_fairly(followed, presence)[:MAX_LISTED_MATCHES])
        listed = tuple(
            _make_listed(match) for match_code, match in followed.items() if match_code in chosen
        )
        peer.push(encode(Listing(id=request.id, matches=listed)))

    async def list_archive(self, call: Call[Archive]) -> None:
        """Answer with up to MAX_ARCHIVED_MATCHES finished matches of the player of the request.

        With `request.player`, answer with public matches of that player instead.
        """
        peer, player, request, _, _ = call
        store, limit = self._services.store, MAX_ARCHIVED_MATCHES + 1
        if request.player is None:
            found = await store.read(list_archive, player.id, request.before, limit=limit)
        else:
            found = await store.read(
                list_public_archive, request.player, request.before,
                searched=MAX_SEARCHED_MATCHES, limit=limit,
            )  # fmt: skip
        if found is None:
            raise Refused(Reason.NOT_IN_ARCHIVE, field="before", match=str(request.before))
        page = tuple(make_archived_match(row) for row in found[:MAX_ARCHIVED_MATCHES])
        peer.push(encode(Archived(id=request.id, matches=page, more=len(found) > len(page))))

    async def list_own(self, call: Call[ListOwn]) -> None:
        """Answer with up to MAX_OWN_MATCHES unfinished matches of the player."""
        peer, player, request, _, _ = call
        found = await self._services.store.read(
            list_running, player.id, searched=MAX_SEARCHED_MATCHES, limit=MAX_OWN_MATCHES + 1
        )
        presence = await self._presence.find([match.row.match for match in found[:MAX_OWN_MATCHES]])
        now = self._services.clock.unix_milliseconds()
        own = tuple(
            make_own_match(
                match,
                self._find_disconnect_time(match, presence.get(match.row.match, NO_PRESENCE)),
                self._find_deadline(match),
                now,
            )
            for match in found[:MAX_OWN_MATCHES]
        )
        peer.push(encode(OwnMatches(id=request.id, matches=own, more=len(found) > MAX_OWN_MATCHES)))

    def _find_disconnect_time(self, found: RunningMatch, presence: PresenceRow) -> int | None:
        """Return the time when the opponent disconnected, in milliseconds since 1970.

        If this node does not know it, return the time of the match's last change. Return None for
        an opponent who is connected, for a bot, and for a free seat.
        """
        table, opponent = self._tables.get(found.row.match), found.row.opponent_id
        if opponent is None or opponent in presence.players:
            return None
        seconds = table.followers.find_seconds_since_disconnect(opponent) if table else None
        if seconds is None:
            return found.changed
        return self._services.clock.unix_milliseconds() - int(1000 * seconds)

    def _find_deadline(self, found: RunningMatch) -> int | None:
        """Return the end of the time of the player to move, in milliseconds since 1970.

        Return None if no clock runs, and if only the rows of the match have this time.
        """
        table = self._tables.get(found.row.match)
        if table is not None and table.log.version == found.version:
            return table.time.find_deadline()
        return find_move_deadline(found)

    def _order_fairly(self, codes: Iterable[str], presence: Mapping[str, PresenceRow]) -> list[str]:
        """Return match codes in an order that alternates between players and addresses.

        So the matches of one player or address cannot fill a list. All matches without a connected
        player are treated as one player's.
        """
        players = {
            match_code: next(iter(presence[match_code].players), None) for match_code in codes
        }
        by_player = round_robin(players, players.__getitem__)
        return round_robin(
            by_player,
            lambda match_code: self._index.find_address(match_code) or players[match_code],
        )


def round_robin(items: Iterable[_T], group: Callable[[_T], Hashable]) -> list[_T]:
    """Return the first item of each group, then the second of each group, and so on."""
    seen: Counter[Hashable] = Counter()
    ranked: list[tuple[int, _T]] = []
    for item in items:
        key = group(item)
        ranked.append((seen[key], item))
        seen[key] += 1
    ranked.sort(key=itemgetter(0))
    return [item for _, item in ranked]


def _is_followed(match: MatchRecord, presence: PresenceRow) -> bool:
    """Return whether a player of the match follows it or, if two bots play, a spectator."""
    return bool(presence.players) or (match.bots_only and presence.spectators > 0)


def _make_listed(match: MatchRecord) -> Listed:
    return Listed(
        match=match.match,
        rules=match.rules,
        rounds=match.rounds,
        phase=Phase(match.phase),
        maker=match.maker,
        breaker=match.breaker,
        bots=tuple(map(Seat, match.bots.split())),
        rated=bool(match.rated),  # SQLite has numbers
        clock=match.clock,
    )
