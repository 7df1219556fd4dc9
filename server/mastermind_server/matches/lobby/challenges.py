"""Challenges: matches with a free seat for one player. Notifies that player, also of rematches."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Literal, Protocol

from mastermind_protocol.codec import decode_events, encode
from mastermind_protocol.errors import Reason, Refused
from mastermind_protocol.events import Declined, Joined, Player, Seat
from mastermind_protocol.match import Phase
from mastermind_protocol.messages import Challenged, ChallengeEnded
from mastermind_protocol.transitions import fold
from mastermind_server.look_alikes.skeletons import find_skeleton
from mastermind_server.matches.lobby.first_events import make_challenge_events
from mastermind_server.matches.statistics import find_other_id
from mastermind_server.storage.conditions import ConditionFailed
from mastermind_server.storage.notices import ChallengeOpened
from mastermind_server.storage.records import CHALLENGE_MILLISECONDS, add_days, is_challenge
from mastermind_server.storage.statements.challenges import read_challenged, read_named_players
from mastermind_server.storage.statements.lobby import SameChallengers
from mastermind_server.storage.statements.matches import list_challenges, list_offers
from mastermind_server.storage.statements.presence import send_notice
from mastermind_server.timekeeping.due_times import DueTimes

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection, Sequence

    from mastermind_protocol.match import Match
    from mastermind_protocol.requests import Challenge
    from mastermind_server.background import BackgroundTasks
    from mastermind_server.matches.lobby.lobby import Lobby
    from mastermind_server.matches.tables.call import Call
    from mastermind_server.matches.tables.followers import Peer
    from mastermind_server.matches.tables.table import Table
    from mastermind_server.matches.tables.tables import Tables
    from mastermind_server.services import Services

MAX_DELIVERED_OFFERS = 20  # to a player who connects: more than it can remember
CHALLENGES_PER_POLL = 2000  # some 5 ms
_END_TASK = "end a challenge"
_DELIVER_TASK = "notify a connecting player of challenges"


class Bucket(Protocol):
    """The token buckets of a rate limit, by key."""

    def check_bucket(self, key: str) -> None:
        """Raise Refused if the bucket is empty."""

    def reserve(self, key: str) -> float:
        """Take a token, and return the seconds to wait until the bucket has no debt."""


class Challenges:
    """Opens challenges, and notifies challenged players with a connection to this node.

    `find_peers` takes a player's id and returns the player's connections to this node. `end_if_due`
    takes a match code, and ends a challenge whose time has passed. `interruptions` has a bucket for
    each challenged player.

    Challenges are in the store. So a node that misses a notice finds the challenge by polling, and
    a player who connects later still receives it. A node knows only its own connections: if other
    nodes use the store, a challenge is opened although the player may be connected to none.
    """

    def __init__(
        self,
        lobby: Lobby,
        tables: Tables,
        services: Services,
        find_peers: Callable[[str], Collection[Peer]],
        find_ids: Callable[[str], Collection[str]],
        end_if_due: Callable[[str], Awaitable[None]],
        background: BackgroundTasks,
        interruptions: Bucket,
    ) -> None:
        self._lobby, self._tables, self._services = lobby, tables, services
        self._interruptions = interruptions
        self._find_all_peers, self._find_ids = find_peers, find_ids
        self._background = background
        self._end_if_due, self._due = end_if_due, DueTimes(services.clock, self._wake)
        # The challenged players by match code. These tables are kept, so they get new rows.
        self._notified: dict[str, str] = {}
        tables.watchers.append(self._on_change)

    async def challenge(self, call: Call[Challenge]) -> None:
        """Open the match, answer with its log, and notify the challenged player.

        Raises Refused if that player is unknown, is the challenger, is certainly not connected,
        takes no challenges or has too many, or if the challenger may not open the match. Raises
        InvalidRules, InvalidClock and StorageFailed.
        """
        player, request, store = call.player, call.request, self._services.store
        if request.name is not None and await self._lobby.answer_if_repeated(call):
            return  # since then, the name may mean another player
        wanted = await self._find_player(player.id, request)
        if wanted == player.id:
            raise Refused(Reason.CHALLENGED_SELF, field="player")
        seat = request.seat or self._services.random.choice(list(Seat))
        skeleton, now = find_skeleton(player.name), self._services.clock.unix_milliseconds()
        while True:
            challenged = await store.look_up(read_challenged, wanted, skeleton, now)
            if await self._lobby.answer_if_repeated(call):
                return
            account, takes_challenges, challengers, name_owner = challenged
            others = [] if name_owner is None else [Player(id=name_owner, name=player.name)]
            others += [account] if account else []
            events = make_challenge_events(player, request, wanted, seat, others)
            self._check_limits(player.id, wanted, challengers)
            reachable = store.shared or self._find_peers(wanted, fold(events))
            if account is None or not reachable:
                name = account.name if account else request.name or wanted
                raise Refused(Reason.NOT_ONLINE, field="player", name=name)
            if not takes_challenges:
                raise Refused(Reason.NO_CHALLENGES, field="player", name=account.name)
            try:
                known = SameChallengers(wanted, challengers)
                match_code = await self._lobby.open_with(call, events, [known])
            except ConditionFailed:
                continue  # another challenge was opened at the same moment, or one has ended
            break
        self._interruptions.reserve(wanted)
        await self._notify(match_code, wanted)
        if store.shared:
            await store.write(send_notice, ChallengeOpened(match_code))

    def send_waiting(self, peer: Peer, player: str) -> None:
        """Start to send a player's unanswered challenges and rematches to `peer`, its connection.

        `player` is the player's id. Do nothing if the client does not know challenges.
        """
        if peer.dialect.challenges:
            self._background.run(partial(self._send_waiting, peer, player), _DELIVER_TASK)

    async def poll(self) -> None:
        """Notify challenged players with a connection to this node, once for each challenge.

        The notice of another node may have been lost. Also schedule the ends of all challenges, and
        forget those of players who have disconnected. Raises StorageFailed.
        """
        for match_code, player in list(self._notified.items()):
            if not self._find_all_peers(player):
                self._forget(match_code)
        until = self._services.clock.unix_milliseconds() + CHALLENGE_MILLISECONDS
        look_up = self._services.store.look_up
        for match_code, player, due in await look_up(list_challenges, until, CHALLENGES_PER_POLL):
            self._due.add(match_code, due)
            if match_code not in self._notified:
                await self._notify(match_code, player)

    def cancel_timer(self) -> None:
        """Cancel the timer that ends challenges."""
        self._due.cancel_timer()

    def _wake(self, due: Sequence[str]) -> None:
        for match_code in due:
            self._background.run(partial(self._end_if_due, match_code), _END_TASK)

    async def handle_opened(self, match_code: str) -> None:
        """Notify the player whom another node's match challenges. Raises StorageFailed."""
        if match_code not in self._notified:
            async with self._tables.use(match_code) as table:
                player = table.log.state.opened.reserved
            await self._notify(match_code, str(player))

    async def _send_waiting(self, peer: Peer, player: str) -> None:
        offers = await self._services.store.look_up(list_offers, player, MAX_DELIVERED_OFFERS)
        for match_code in offers:
            await self._notify(match_code, player, peer)

    async def _notify(self, match_code: str, player: str, peer: Peer | None = None) -> None:
        """Send the challenge or rematch `match_code` to the connections here of its player.

        If `peer` is given, send it only to this connection.
        """
        if not self._find_all_peers(player):
            return
        async with self._tables.use(match_code) as table:
            state = table.log.state
            peers = self._find_peers(player, state)
            if not peers or state.phase is not Phase.GATHERING or state.opened.reserved is None:
                return
            if match_code not in self._notified:
                self._notified[match_code] = player
                self._tables.keep_table(match_code)
            challenged = encode(self._make_message(table))
            for each in peers:
                if peer in (None, each) and match_code not in each.followed:
                    each.push(challenged)

    def _on_change(self, table: Table) -> None:
        """If a challenge has ended, notify the challenged player."""
        match_code = table.log.code
        waiting = table.log.state.phase is Phase.GATHERING and not table.dropped
        if match_code not in self._notified or waiting:
            return
        player = self._forget(match_code)
        how = "withdrawn" if table.dropped else _find_end(table)
        ended = encode(ChallengeEnded(match=match_code, how=how))
        for peer in self._find_peers(player, table.log.state):
            peer.push(ended)

    def _forget(self, match_code: str) -> str:
        """Remove a challenge, and release its table. Return the id of the challenged player."""
        self._tables.release_table(match_code)
        return self._notified.pop(match_code)

    async def _find_player(self, challenger: str, request: Challenge) -> str:
        """Return the id of the player in `request`, which the player id `challenger` sent.

        A name is looked up in this order: its owner, so that no other player can receive a
        challenge to a rated player; the challenger's last opponent with this name, as in
        statistics; a player with a connection to this node. Raises Refused without such a player,
        if two are connected, or if the request has no name and no id, or both. Raises
        StorageFailed.
        """
        name, now = request.name, self._services.clock.unix_milliseconds()
        if name is None and request.player is not None:
            return request.player
        if name is None or request.player is not None:
            raise Refused(Reason.ONE_PLAYER, field="name")
        owner, opening = await self._services.store.read(read_named_players, challenger, name, now)
        known = owner or find_other_id(opening, challenger)
        if known is not None:
            return known
        connected = [player for player in self._find_ids(name) if player != challenger]
        if not connected:
            raise Refused(Reason.UNKNOWN_NAME, field="name", name=name)
        if len(connected) > 1:
            raise Refused(Reason.AMBIGUOUS_NAME, field="name", name=name)
        return connected[0]

    def _check_limits(self, challenger: str, player: str, waiting: list[str]) -> None:
        """Raise Refused if the player with the id `player` has too many challenges.

        One limit is on unanswered challenges to a player, one on those by the same `challenger`,
        and one on the rate of all challenges, because a challenge that is taken back interrupts as
        well. `waiting` has the challenger's id for each unanswered challenge, so ids can be
        repeated.
        """
        limiter, own = self._services.limiter, waiting.count(challenger)
        limiter.check_count("challenges_of_pair", own, Reason.CHALLENGED_ALREADY)
        limiter.check_count("challenges_to_player", len(waiting), Reason.IS_CHALLENGED)
        self._interruptions.check_bucket(player)

    def _find_peers(self, player: str, match: Match) -> list[Peer]:
        """Return the player's connections whose clients understand challenges and `match`."""
        return [
            peer
            for peer in self._find_all_peers(player)
            if peer.dialect.challenges and not peer.dialect.find_refusal(match)
        ]

    def _make_message(self, table: Table) -> Challenged:
        """Return the challenge or rematch of a lobby, with the seconds until it expires."""
        state, first = table.log.state, table.log.rows[0]
        (joined,) = (e for e in decode_events(first.events) if isinstance(e, Joined))
        until = add_days(first.at, self._services.abandon_days)
        if is_challenge(state):
            until = first.at + CHALLENGE_MILLISECONDS
        left = max(0, until - self._services.clock.unix_milliseconds())
        return Challenged(
            match=table.log.code,
            by=joined.player,
            rules=state.opened.rules,
            rounds=state.opened.rounds,
            seat=joined.seat.other,
            seconds=left // 1000,
            rated=state.opened.rated,
            clock=state.opened.clock,
            rating=joined.rating,
            previous=state.opened.previous,
        )


def _find_end(table: Table) -> Literal["accepted", "declined", "withdrawn", "expired"]:
    """Return how a challenge ended. The row after the match's first one shows it."""
    match decode_events(table.log.rows[1].events)[0]:
        case Joined():
            return "accepted"
        case Declined(late=late):
            return "expired" if late else "declined"
        case _:
            return "withdrawn"
