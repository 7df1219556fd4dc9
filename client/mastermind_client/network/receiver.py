"""Handles the messages of a server, and has the mirrors of the followed matches.

After a disconnection the receiver names the last known version of every match, receives the missing
rows, and repeats the unanswered requests under the same ids. If the server's store has gone back to
an earlier state, which its epoch shows, the receiver compares all rows first.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, assert_never

from mastermind_client.network.connection.exchange import PendingRequests
from mastermind_client.network.connection.reconnecting import to_refused
from mastermind_client.network.match_messages import (
    take_chat,
    take_log,
    take_presence,
    take_proof,
    take_row,
    take_spectators,
)
from mastermind_client.network.mirror import Mirror, check_codes
from mastermind_client.network.running import find_unfinished, to_offered_match
from mastermind_client.network.updates import (
    Announced,
    ChallengeClosed,
    ChallengeReceived,
    MatchLost,
    MatchRestored,
    Moved,
    Publisher,
)
from mastermind_protocol import messages as wire
from mastermind_protocol.days import make_day_contest
from mastermind_protocol.errors import TRANSIENT_CODES, ErrorCode
from mastermind_protocol.events import Player
from mastermind_protocol.match import Phase
from mastermind_protocol.rules import find_rules

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mastermind_client.network.players.identity import Identity
    from mastermind_client.network.updates import Update
    from mastermind_protocol.requests import AnyRequest


class Receiver:
    """Applies the messages of a server: to mirrors, pending requests, and the stored player.

    It is the `MessageHandler` of a link. `player` is our player on the server, and `terms` are the
    server's. `followed` has the mirrors of the followed matches by match code. `pending` are the
    requests whose answers it receives, and `updates` publishes what has changed. Without
    `stores_seats`, our matches are not stored in the `identity`.
    """

    def __init__(self, server: str, identity: Identity, *, stores_seats: bool = True) -> None:
        self.server, self.identity = server, identity
        self.player = Player(id="?", name="?")
        self.page_url: str | None = None
        self.followed: dict[str, Mirror] = {}
        self.pending = PendingRequests()
        self.updates = Publisher()
        self._stores_seats = stores_seats
        self._has_match_addresses = False  # the server

    def is_urgent(self) -> bool:
        """Return whether a request is unanswered, or a live clock of a match with us runs."""
        return bool(self.pending) or any(
            mirror.has_live_timer_of(self.player.id) for mirror in self.followed.values()
        )

    def find_meeting(self) -> str | None:
        """Return the match at whose address its players should meet, or None.

        It is the only unfinished match that we follow. While its live clock runs, the result is
        None: an absent player loses time, and the end of a player's time waits for the lease of the
        node that the player has just left.
        """
        if not self._has_match_addresses:
            return None
        running = [
            mirror
            for mirror in self.followed.values()
            if mirror.states and mirror.state.phase is not Phase.FINISHED
        ]
        if len(running) != 1:
            return None
        match = running[0].state
        return None if match.has_live_clock and match.timer is not None else running[0].code

    def resume(self, welcome: wire.Welcome) -> list[AnyRequest]:
        """Return the requests to send after a reconnection.

        They request the missing rows, and repeat all unanswered requests.
        """
        self.player, terms = welcome.player, welcome.terms
        self.page_url, host = (None, None) if terms is None else (terms.page, terms.host)
        self._has_match_addresses = terms is not None and terms.match_addresses
        self.identity.set_player(welcome.player.name, host or "")
        self.updates.challenges.clear()  # the server sends those that still wait again
        for mirror in self.followed.values():
            mirror.set_epoch(welcome.epoch)
        return self.pending.repeat(self.followed.values())

    def receive(self, message: wire.AnyMessage) -> list[AnyRequest]:
        """Handle a message of the server. Returns the requests to send in reaction."""
        match message:
            case wire.Log():
                return self._take_log(message)
            case wire.Happened():
                return self._take_event(message)
            case wire.Presence():
                if mirror := self.followed.get(message.match):
                    since = None if message.here else time.monotonic()
                    self.updates.publish(*take_presence(mirror, message.player, since))
            case wire.Spectators():
                if mirror := self.followed.get(message.match):
                    self.updates.publish(*take_spectators(mirror, message.count))
            case wire.Chat():
                if mirror := self.followed.get(message.match):
                    self.updates.publish(*take_chat(mirror, *message.lines))
            case wire.Said():
                if mirror := self.followed.get(message.match):
                    self.updates.publish(*take_chat(mirror, message.line))
                if message.id is not None:
                    self.pending.resolve(message.id, message)
            case wire.Announcement():
                self.updates.publish(Announced(message.text, message.match))
            case wire.Challenged():
                self._take_challenge(message)
            case wire.ChallengeEnded():
                if ended := self.updates.challenges.pop(message.match, None):
                    self.updates.publish(ChallengeClosed(ended, message.how))
            case wire.Error():
                return self._handle_error(message)
            case wire.Day():
                self._take_day(message)
                self.pending.resolve(message.id, message)
            case (
                wire.Welcome()
                | wire.Snapshot()
                | wire.Listing()
                | wire.Advice()
                | wire.Analysed()
                | wire.Puzzle()
                | wire.Reviewing()
                | wire.Bots()
                | wire.Archived()
                | wire.OwnMatches()
                | wire.Leaderboard()
                | wire.Profile()
                | wire.Statistics()
                | wire.People()
                | wire.Places()
                | wire.Days()
                | wire.Transferable()
                | wire.Done()
            ):
                self.pending.resolve(message.id, message)
            case _:
                assert_never(message)
        return []

    def _take_challenge(self, challenge: wire.Challenged) -> None:
        """Publish a challenge, unless another node has sent it already.

        A rematch of a followed match is ignored, because an event of that match reports it. Any
        other rematch is stored, because the server lists it among our matches.
        """
        if challenge.previous in self.followed:
            return
        if challenge.previous is not None:
            self.identity.store_match(to_offered_match(challenge))
        known = challenge.match in self.updates.challenges
        self.updates.challenges[challenge.match] = challenge
        if not known:
            self.updates.publish(ChallengeReceived(challenge))

    def _take_day(self, day: wire.Day) -> None:
        """Add the code of a day, if it is revealed, to the followed tries at it.

        Raises ServerUnreachable if the code does not fit the rules.
        """
        if day.code is not None:
            check_codes((day.code,), find_rules(day.rules), self.server)
        if day.code is None or day.nonce is None:
            return
        contest = make_day_contest(day.day)
        followed = list(self.followed.values())  # a subscriber may leave one
        for mirror in (each for each in followed if each.is_entry_of(contest, day.rules)):
            self.updates.publish(*take_proof(mirror, day.code, day.nonce))

    def _take_log(self, log: wire.Log) -> list[AnyRequest]:
        self.pending.remove_catch_up(log.id)
        mirror = self.followed.get(log.match)
        if mirror is None:
            if not self.pending.is_awaited(log.id):
                return self.pending.release(log.match)  # we have left this match
            mirror = self.followed[log.match] = Mirror(log.match, self.server)
        restarted = mirror.set_epoch(log.epoch)
        if log.rows[0].v > mirror.confirmed + 1 if log.rows else restarted:
            return [self.pending.add_next_catch_up(mirror, log)]  # the log is of another epoch
        updates = list(take_log(mirror, log, self.player.id))
        for update in updates:
            if isinstance(update, MatchRestored):
                self.pending.refuse_undone(mirror.code, update.version)
        if not log.more:
            self._store_seat(mirror)  # before the subscriber reads the player's matches
            self._report_end(mirror, updates)
        self.updates.publish(*updates)
        if log.more:
            return [self.pending.add_next_catch_up(mirror, log)]
        self.pending.resolve(log.id, log)
        return self.pending.release(log.match)

    def _take_event(self, message: wire.Happened) -> list[AnyRequest]:
        mirror = self.followed.get(message.match)
        missing: list[AnyRequest] = []
        if mirror is not None:
            if message.v > mirror.confirmed + 1:
                missing = [self.pending.add_catch_up(mirror)]
            else:
                updates = list(take_row(mirror, wire.Row(message.v, message.events, message.at)))
                self._store_seat(mirror)
                self._report_end(mirror, updates)
                self.updates.publish(*updates)
        if message.id is not None:
            self.pending.resolve(message.id, message)
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
        if ends and mirror.state.seat_of(self.player.id) is not None:
            self.updates.on_match_ended(mirror)

    def _handle_error(self, error: wire.Error) -> list[AnyRequest]:
        if error.id is None:
            if error.code == ErrorCode.LOGGED_OUT and self.identity.tokens:
                self.identity.drop_token(self.identity.tokens[0])  # the token of this connection
            raise to_refused(error)  # the server cannot read our messages
        if mirror := self.pending.remove_catch_up(error.id):
            return self._handle_catch_up_error(mirror, error)
        self.pending.reject(error.id, to_refused(error))
        return []

    def _handle_catch_up_error(self, mirror: Mirror, error: wire.Error) -> list[AnyRequest]:
        """Handle the `error` that answers a request for missing rows. Return requests to send.

        If the server rejects our version, request the whole log. After a temporary error, raise
        ConnectionAbortedError. After any other error, we no longer follow the match.
        """
        refusal = to_refused(error)
        if error.code in TRANSIENT_CODES:
            raise ConnectionAbortedError(str(refusal))
        if error.code == ErrorCode.STALE_VERSION:
            mirror.restart()
            return [self.pending.add_catch_up(mirror)]
        mirror.lost = refusal
        self.followed.pop(mirror.code, None)
        self.identity.remove_match(mirror.code)
        self.updates.publish(MatchLost(mirror, refusal))
        return self.pending.release(mirror.code)
