"""The list of a player's opponents in finished matches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_protocol.codec import encode
from mastermind_protocol.messages import (
    MAX_PEOPLE,
    MAX_STATISTICS_MATCHES,
    People,
    Person,
)
from mastermind_server.matches.statistics import find_other_id
from mastermind_server.storage.statements.people import (
    list_public_matches,
    list_refusing,
    read_people,
)
from mastermind_server.storage.statements.presence import NO_PRESENCE

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from mastermind_protocol.requests import ListPeople
    from mastermind_server.matches.nodes.presence import Presence
    from mastermind_server.matches.tables.call import Call
    from mastermind_server.matches.tables.followers import Peer
    from mastermind_server.services import Services
    from mastermind_server.storage.statements.people import Met

MAX_NAMES = 2 * MAX_PEOPLE  # read for one list: a person may have had several


class PeopleLists:
    """The handler of requests for the list of a player's opponents.

    A player who takes no challenges is shown as offline, except during a public match.
    `find_peers` takes a player's id and returns the player's connections to this node. Connections
    to other nodes are known only for players who follow a public match.
    """

    def __init__(
        self,
        presence: Presence,
        services: Services,
        find_peers: Callable[[str], Collection[Peer]],
    ) -> None:
        self._presence, self._services, self._find_peers = presence, services, find_peers

    async def list_people(self, call: Call[ListPeople]) -> None:
        """Answer with up to MAX_PEOPLE people, connected ones first. Raises StorageFailed."""
        peer, player, request, _, _ = call
        read = self._services.store.read
        found = await read(read_people, player.id, searched=MAX_STATISTICS_MATCHES, limit=MAX_NAMES)
        people = _add_names(found, player.id)
        ids = [each.player for each in people[:MAX_PEOPLE]]
        playing = await self._find_matches(ids)
        online = {each for each in ids if self._find_peers(each)}
        online -= await read(list_refusing, online) if online else set()
        listed = [
            Person(
                player=each.player,
                name=each.name,
                wins=each.wins,
                draws=each.draws,
                losses=each.losses,
                last=each.last,
                online=each.player in playing or each.player in online,
                match=playing.get(each.player),
            )
            for each in people[:MAX_PEOPLE]
        ]
        listed.sort(key=lambda each: not each.online)
        more = len(people) > MAX_PEOPLE or len(found) == MAX_NAMES
        peer.push(encode(People(id=request.id, people=tuple(listed), more=more)))

    async def _find_matches(self, players: Collection[str]) -> dict[str, str]:
        """Map the ids of players to the newest running public match that they follow."""
        running = await self._services.store.read(list_public_matches, players)
        presence = await self._presence.find({match for match, _ in running})
        return {
            player: match
            for match, player in reversed(running)
            if player in presence.get(match, NO_PRESENCE).players
        }


def _add_names(found: Iterable[Met], player: str) -> list[Person]:
    """Return the results against each person. The name is that of the last match."""
    people: dict[str, Person] = {}
    for met in found:
        other = met.player or find_other_id(met.opening, player)
        if other is None:
            continue
        known = people.get(other)
        people[other] = Person(
            player=other,
            name=known.name if known else met.name,
            wins=met.wins + (known.wins if known else 0),
            draws=met.draws + (known.draws if known else 0),
            losses=met.losses + (known.losses if known else 0),
            last=known.last if known else met.last,
        )
    return list(people.values())
