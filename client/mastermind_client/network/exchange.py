"""Requests, answers and updates of a session, over one connection after another.

After a disconnection the session reconnects. It names the last known version of every match,
receives the missing rows, and repeats the unanswered requests under the same ids. If the server's
store has gone back to an earlier state, which its epoch shows, the session compares all rows first.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import secrets
import time
from contextlib import asynccontextmanager
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, assert_never

from mastermind_client.context import DEFAULT_NETWORK, Network
from mastermind_client.network.failures import Cause, ServerUnreachable
from mastermind_client.network.link import Link
from mastermind_client.network.mirror import Mirror
from mastermind_client.network.pending import Move, PendingRequests
from mastermind_client.network.reconnecting import (
    MIN_RETRY_SECONDS,
    RETRY_PERIODS,
    add_jitter,
    to_refused,
)
from mastermind_client.network.running import find_unfinished, to_offered_match
from mastermind_client.network.updates import (
    Announced,
    ChallengeClosed,
    ChallengeReceived,
    MatchLost,
    MatchRestored,
    Moved,
    Publisher,
    RequestDelayed,
    SessionEnded,
)
from mastermind_protocol import messages as wire
from mastermind_protocol import requests
from mastermind_protocol.errors import TRANSIENT_CODES, ErrorCode, Refused
from mastermind_protocol.events import Player
from mastermind_protocol.match import Phase

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable
    from typing import Self

    from mastermind_client.network.identity import Identity
    from mastermind_client.network.updates import Update

_LOG = logging.getLogger(__name__)
MAX_RETRY_SECONDS = 5.0  # of repeating a temporarily refused request


class Exchange(Publisher):
    """The requests and answers of a session. It publishes updates. Use `connect` to open a session.

    `player` is our player on the server. `epoch` identifies the history of the server's store; it
    is None for an old server.
    """

    def __init__(
        self,
        server: str,
        identity: Identity,
        name: str | None,
        *,
        program: bool = False,
        network: Network = DEFAULT_NETWORK,
    ) -> None:
        super().__init__()
        self.server, self.identity = server, identity
        self._stores_seats = not program  # a person cannot resume the seats of a program
        self.player = Player(id="?", name="?")
        self._link = Link(server, identity, name, self, program=program, network=network)
        self.terms: wire.Terms | None = None
        self.epoch: str | None = None
        self.challenges: dict[str, wire.Challenged] = {}  # the open ones, by match code
        self.on_match_ended: Callable[[Mirror], object] | None = None  # with a seat of ours
        self._following: dict[str, Mirror] = {}
        self._pending = PendingRequests()
        self._catching_up: dict[int, Mirror] = {}  # by the id of a request that no caller awaits
        self._ids = itertools.count(secrets.randbits(52) + 1)  # differs from the ids of other runs
        self._random = Random()  # noqa: S311 - jitter

    @classmethod
    @asynccontextmanager
    async def connect(
        cls,
        server: str,
        identity: Identity,
        name: str | None = None,
        *,
        program: bool = False,
        network: Network = DEFAULT_NETWORK,
    ) -> AsyncIterator[Self]:
        """Open a session during the block. If `program`, opponents see that a program plays.

        Raises ServerUnreachable, Refused.
        """
        exchange = cls(server, identity, name, program=program, network=network)
        runner = asyncio.create_task(exchange._run(), name="session")
        welcomed = asyncio.create_task(exchange._link.welcomed.wait())
        try:
            await asyncio.wait({welcomed, runner}, return_when=asyncio.FIRST_COMPLETED)
            if exchange.connection.ended is not None:
                raise exchange.connection.ended
            yield exchange
        finally:
            welcomed.cancel()
            runner.cancel()
            await asyncio.gather(runner, return_exceptions=True)

    @property
    def page_url(self) -> str | None:
        """The address of the server's web page, as in the message `Terms`, or None."""
        return None if self.terms is None else self.terms.page

    @property
    def host(self) -> str | None:
        """The name of the player whose own program runs the server, or None for other servers."""
        return None if self.terms is None else self.terms.host

    @property
    def connected(self) -> bool:
        """Whether the session has a connection."""
        return self._link.welcomed.is_set()

    def is_of(self, identity: Identity, name: str | None) -> bool:
        """Return whether a session with `identity` and a wished `name` would have our player."""
        wished = identity.find_hello_name(name)
        return self.identity is identity and wished in (None, self.player.name)

    def follows(self, code: str) -> bool:
        """Return whether we follow the match."""
        return code in self._following

    async def _ask(self, request: requests.AnyRequest) -> wire.AnyMessage:
        """Send a request and return its answer. Raises Refused, or the failure of the session.

        After a temporary refusal the request is repeated, and an update reports a long delay. Chat
        above the rate limit is not repeated, because it would arrive too late.
        """
        since: float | None = None
        while True:
            try:
                return await self._ask_once(request)
            except Refused as refusal:
                if refusal.retry_after is None:
                    raise
                if isinstance(request, requests.Say) and refusal.code == ErrorCode.RATE_LIMITED:
                    raise
                outage = RETRY_PERIODS.get(refusal.code)
                wait = add_jitter(max(refusal.retry_after, MIN_RETRY_SECONDS), self._random)
                now = time.monotonic()
                if since is None:
                    since = now
                    if outage is not None:
                        self.publish(RequestDelayed(refusal))
                if now + wait - since > (outage or MAX_RETRY_SECONDS):
                    raise
                await asyncio.sleep(wait)

    async def _ask_once(self, request: requests.AnyRequest) -> wire.AnyMessage:
        if self.connection.ended is not None:
            raise self.connection.ended
        deferred = self._is_deferred(request)
        answer = self._pending.add(request, deferred=deferred)
        try:
            if not deferred:
                await self._link.send(request)
            return await answer
        finally:
            self._pending.remove(request.id)  # the caller may have cancelled it

    async def _run(self) -> None:
        try:
            await self._link.stay_connected()
        except (ServerUnreachable, Refused) as failure:
            self._end(failure)
        except Exception as error:
            _LOG.exception("the session failed")
            self._end(ServerUnreachable(Cause.CRASHED, server=self.server, error=repr(error)))

    def _end(self, failure: Exception) -> None:
        self._pending.fail(failure)
        ended = replace(self.connection, ended=failure)
        self.change_connection(ended, SessionEnded(failure))

    # Called by the link.

    def next_id(self) -> int:
        """Return a new request id."""
        return next(self._ids)

    def is_urgent(self) -> bool:
        """Return whether a request is unanswered, or a live clock of a match with us runs."""
        return bool(self._pending or self._catching_up) or any(
            mirror.has_live_timer_of(self.player.id) for mirror in self._following.values()
        )

    def subscribe(
        self, on_update: Callable[[Update], None], on_failure: Callable[[Exception], None]
    ) -> None:
        """Call `on_update` for the open challenges, and for each later update."""
        super().subscribe(on_update, on_failure)
        self.publish(*map(ChallengeReceived, self.challenges.values()))

    def resume(self, welcome: wire.Welcome) -> list[requests.AnyRequest]:
        """Return the requests to send after a reconnection.

        They request the missing rows, and repeat all unanswered requests.
        """
        self.player, self.terms, self.epoch = welcome.player, welcome.terms, welcome.epoch
        self.identity.set_name(welcome.player.name)
        self.identity.set_host(self.host or "")
        self.challenges.clear()  # the server sends those that still wait again
        self._catching_up.clear()  # their answers were lost with the connection
        for mirror in self._following.values():
            mirror.set_epoch(welcome.epoch)
        catch_ups = list(map(self._make_catch_up, self._following.values()))
        return [*catch_ups, *self._pending.repeat(self._is_deferred)]

    def receive(self, message: wire.AnyMessage) -> list[requests.AnyRequest]:
        """Handle a message of the server. Returns the requests to send in reaction."""
        match message:
            case wire.Log():
                return self._take_log(message)
            case wire.Happened():
                return self._take_event(message)
            case wire.Presence():
                if mirror := self._following.get(message.match):
                    since = None if message.here else time.monotonic()
                    self.publish(*mirror.take_presence(message.player, since))
            case wire.Spectators():
                if mirror := self._following.get(message.match):
                    self.publish(*mirror.take_spectators(message.count))
            case wire.Chat():
                if mirror := self._following.get(message.match):
                    self.publish(*mirror.take_chat(*message.lines))
            case wire.Said():
                if mirror := self._following.get(message.match):
                    self.publish(*mirror.take_chat(message.line))
                if message.id is not None:
                    self._pending.resolve(message.id, message)
            case wire.Announcement():
                self.publish(Announced(message.text, message.match))
            case wire.Challenged():
                self._take_challenge(message)
            case wire.ChallengeEnded():
                if ended := self.challenges.pop(message.match, None):
                    self.publish(ChallengeClosed(ended, message.how))
            case wire.Error():
                return self._handle_error(message)
            case (
                wire.Welcome()
                | wire.Snapshot()
                | wire.Listing()
                | wire.Advice()
                | wire.Reviewing()
                | wire.Bots()
                | wire.Archived()
                | wire.OwnMatches()
                | wire.Leaderboard()
                | wire.Profile()
                | wire.Statistics()
                | wire.People()
                | wire.Transferable()
                | wire.Done()
            ):
                self._pending.resolve(message.id, message)
            case _:
                assert_never(message)
        return []

    def _take_challenge(self, challenge: wire.Challenged) -> None:
        """Publish a challenge, unless another node has sent it already.

        A rematch of a followed match is ignored, because an event of that match reports it. Any
        other rematch is stored, because the server lists it among our matches.
        """
        if challenge.previous in self._following:
            return
        if challenge.previous is not None:
            self.identity.store_match(to_offered_match(challenge))
        known = challenge.match in self.challenges
        self.challenges[challenge.match] = challenge
        if not known:
            self.publish(ChallengeReceived(challenge))

    def _make_catch_up(self, mirror: Mirror) -> requests.Follow:
        """Return a request for the rows of a match that the mirror does not have or confirm."""
        follow = requests.Follow(id=self.next_id(), match=mirror.code, v=mirror.confirmed)
        self._catching_up[follow.id] = mirror
        return follow

    def _take_log(self, message: wire.Log) -> list[requests.AnyRequest]:
        self._catching_up.pop(message.id, None)
        mirror = self._following.get(message.match)
        if mirror is None:
            if message.id not in self._pending:
                return self._pending.release(message.match)  # we have left this match
            mirror = self._following[message.match] = Mirror(message.match, self.server)
        restarted = mirror.set_epoch(message.epoch)
        if message.rows[0].v > mirror.confirmed + 1 if message.rows else restarted:
            return [self._make_next_catch_up(mirror, message)]  # the log is of another epoch
        updates = list(mirror.take_log(message, self.player.id))
        for update in updates:
            if isinstance(update, MatchRestored):
                self._pending.refuse_undone(mirror.code, update.version)
        if not message.more:
            self._store_seat(mirror)  # before the subscriber reads the player's matches
            self._report_end(mirror, updates)
        self.publish(*updates)
        if not message.more:
            self._pending.resolve(message.id, message)
            return self._pending.release(message.match)
        return [self._make_next_catch_up(mirror, message)]

    def _make_next_catch_up(self, mirror: Mirror, log: wire.Log) -> requests.Follow:
        """Return a request for the rows after `log`, a part of a log.

        If a caller awaits `log`, the caller now awaits the answer to this request.
        """
        follow = self._make_catch_up(mirror)
        if self._pending.replace(log.id, follow):
            del self._catching_up[follow.id]
        return follow

    def _take_event(self, message: wire.Happened) -> list[requests.AnyRequest]:
        mirror = self._following.get(message.match)
        missing: list[requests.AnyRequest] = []
        if mirror is not None:
            if message.v > mirror.confirmed + 1:
                missing = [self._make_catch_up(mirror)]
            else:
                updates = list(mirror.take_row(wire.Row(message.v, message.events, message.at)))
                self._store_seat(mirror)
                self._report_end(mirror, updates)
                self.publish(*updates)
        if message.id is not None:
            self._pending.resolve(message.id, message)
        return missing

    def _store_seat(self, mirror: Mirror) -> None:
        """Store a match in which we have a seat. Remove the stored match when it has ended."""
        if not self._stores_seats:
            return
        running = find_unfinished(mirror, self.player.id)
        if running is not None:
            self.identity.store_match(running)
        else:
            self.identity.remove_match(mirror.code)

    def _report_end(self, mirror: Mirror, updates: Iterable[Update]) -> None:
        """Call `on_match_ended` if one of the `updates` ends a match in which we have a seat."""
        ends = any(
            isinstance(update, Moved)
            and update.after.phase is Phase.FINISHED
            and (update.before is None or update.before.phase is not Phase.FINISHED)
            for update in updates
        )
        if ends and self.on_match_ended and mirror.state.seat_of(self.player.id) is not None:
            self.on_match_ended(mirror)

    def _handle_error(self, error: wire.Error) -> list[requests.AnyRequest]:
        if error.id is None:
            if error.code == ErrorCode.LOGGED_OUT and self.identity.tokens:
                self.identity.drop_token(self.identity.tokens[0])  # the token of this connection
            raise to_refused(error)  # the server cannot read our messages
        if mirror := self._catching_up.pop(error.id, None):
            return self._handle_catch_up_error(mirror, error)
        self._pending.reject(error.id, to_refused(error))
        return []

    def _is_deferred(self, request: requests.AnyRequest) -> bool:
        """Return whether the request must wait for rows of its match that have been requested.

        Chat waits for missing rows. A move also waits for known rows that are read again: it is for
        a position that may be undone.
        """
        return isinstance(request, requests.Say | Move) and any(
            mirror.code == request.match
            and (isinstance(request, requests.Say) or mirror.confirmed < mirror.version)
            for mirror in self._catching_up.values()
        )

    def _handle_catch_up_error(
        self, mirror: Mirror, error: wire.Error
    ) -> list[requests.AnyRequest]:
        """Handle the `error` that answers a request for missing rows. Return requests to send.

        If the server rejects our version, request the whole log. After a temporary error, raise
        ConnectionAbortedError. After any other error, we no longer follow the match.
        """
        refusal = to_refused(error)
        if error.code in TRANSIENT_CODES:
            raise ConnectionAbortedError(str(refusal))
        if error.code == ErrorCode.STALE_VERSION:
            mirror.restart()
            return [self._make_catch_up(mirror)]
        mirror.lost = refusal
        self._following.pop(mirror.code, None)
        self.identity.remove_match(mirror.code)
        self.publish(MatchLost(mirror, refusal))
        return self._pending.release(mirror.code)
