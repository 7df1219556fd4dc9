"""The requests of a session, which every interface uses. Those for data are in `queries`.

A request returns when the server has acknowledged it. The events that the request causes are
published as updates, like all other events.
"""

from __future__ import annotations

from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

from mastermind_client.context import DEFAULT_NETWORK, Network
from mastermind_client.network.connection.exchange import Exchange, make_request
from mastermind_client.network.connection.link import Link
from mastermind_client.network.failures import Cause, ServerUnreachable
from mastermind_client.network.queries import Queries
from mastermind_client.network.receiver import Receiver
from mastermind_protocol import commands as game
from mastermind_protocol import messages as wire
from mastermind_protocol import requests
from mastermind_protocol.chat import normalise_chat
from mastermind_protocol.days import find_contest_day
from mastermind_protocol.errors import ErrorCode, Reason, Refused
from mastermind_protocol.events import SecretSet
from mastermind_protocol.match import is_advised

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping
    from typing import Self

    from mastermind_client.network.mirror import Mirror
    from mastermind_client.network.players.identity import Identity
    from mastermind_protocol.code import Code
    from mastermind_protocol.events import Forfeit, Player, Seat

_NO_SEAT_ERRORS = {ErrorCode.UNKNOWN_MATCH, ErrorCode.SEAT_TAKEN}  # our stored seat does not exist


class Session(Queries):
    """A player's session. Use `connect` to open one.

    `identity` is the stored player. `updates` publishes what happens, and has the state of the
    connection. `followed` has the mirrors of the followed matches, and `challenges` the open
    challenges to this player, by match code. `receiver` handles the messages of the server.

    Every request raises Refused, or ServerUnreachable if the session has ended.
    """

    def __init__(self, receiver: Receiver, exchange: Exchange) -> None:
        super().__init__(receiver.identity, exchange, receiver.pending.ids)
        self.server = receiver.server
        self.updates, self.challenges = receiver.updates, receiver.updates.challenges
        self.followed: Mapping[str, Mirror] = receiver.followed
        self.receiver, self._exchange = receiver, exchange

    @classmethod
    @asynccontextmanager
    async def connect(
        cls,
        server: str,
        identity: Identity,
        name: str | None = None,
        *,
        program: bool = False,
        match: str | None = None,
        network: Network = DEFAULT_NETWORK,
    ) -> AsyncIterator[Self]:
        """Open a session during the block. If `program`, opponents see that a program plays.

        With a `match`, connect at the address of this match.

        Raises ServerUnreachable, Refused.
        """
        # A person cannot resume the seats of a program.
        receiver = Receiver(server, identity, stores_seats=not program)
        pending, updates = receiver.pending, receiver.updates
        link = Link(
            server, identity, name, receiver, updates, pending.ids,
            program=program, match=match, network=network,
        )  # fmt: skip
        exchange = Exchange(server, link, pending, updates)
        async with exchange.running():
            yield cls(receiver, exchange)

    @property
    def player(self) -> Player:
        """Our player on the server."""
        return self.receiver.player

    @property
    def page_url(self) -> str | None:
        """The address of the server's web page, as in the message `Terms`, or None."""
        return self.receiver.page_url

    @property
    def connected(self) -> bool:
        """Whether the session has a connection."""
        return self._exchange.connected

    def is_of(self, identity: Identity, name: str | None) -> bool:
        """Return whether a session with `identity` and a wished `name` would have our player."""
        wished = identity.find_hello_name(name)
        return self.identity is identity and wished in (None, self.player.name)

    async def open(
        self,
        rules: str,
        *,
        maker: str,
        breaker: str,
        rounds: int = 1,
        public: bool = False,
        rated: bool = False,
        clock: str | None = None,
        seed: int | None = None,
        secret: Code | None = None,
    ) -> Mirror:
        """Open a match and follow it. Each seat is SEAT_FOR_ME, SEAT_FOR_ANYONE or a bot's name.

        `seed` is the random seed of a bot as `maker`. `secret` is the code of a match of two bots.
        """
        return await self._enter(
            requests.Open(
                id=next(self._ids), rules=rules, maker=maker, breaker=breaker, rounds=rounds,
                public=public, rated=rated, clock=clock, seed=seed, secret=secret,
            )
        )  # fmt: skip

    async def seek(
        self,
        rules: str,
        *,
        rounds: int = 1,
        seat: Seat | None = None,
        rated: bool = False,
        clock: str | None = None,
    ) -> Mirror:
        """Join a waiting public match with these terms, or open one. `seat` None means any."""
        return await self._enter(
            requests.Seek(
                id=next(self._ids), rules=rules, rounds=rounds, seat=seat, rated=rated, clock=clock
            )
        )

    async def join(self, code: str) -> Mirror:
        """Take the free seat of a match, or resume our own seat."""
        try:
            return await self._enter(requests.Join(id=next(self._ids), match=code))
        except Refused as refusal:
            if refusal.code in _NO_SEAT_ERRORS:
                self.identity.remove_match(code)  # if it was stored
            raise

    async def follow(self, code: str) -> Mirror:
        """Follow a match without taking a seat."""
        return await self._enter(requests.Follow(id=next(self._ids), match=code))

    async def enter_day(self, rules: str, day: int) -> Mirror:
        """Begin our try at today's code, or resume it. `day` must be the number of today."""
        return await self._enter(requests.EnterDay(id=next(self._ids), rules=rules, day=day))

    async def rematch(self, mirror: Mirror) -> Mirror:
        """Offer a rematch or accept the opponent's offer, and return the new match."""
        return await self._enter(requests.Rematch(id=next(self._ids), match=mirror.code))

    async def set_secret(self, mirror: Mirror, code: Code) -> None:
        """Send the secret. An invalid code raises Refused and is not sent.

        Raises ServerUnreachable if the server acknowledges another secret.
        """
        answer = await self.perform(mirror, game.SetSecret(code, b""))
        if not any(isinstance(event, SecretSet) and event.code == code for event in answer.events):
            raise ServerUnreachable(Cause.SWAPPED_SECRET, server=self.server)

    async def guess(self, mirror: Mirror, code: Code) -> None:
        """Send a guess. An invalid code raises Refused and is not sent."""
        await self.perform(mirror, game.GuessCode(code))

    async def perform(self, mirror: Mirror, command: game.Command) -> wire.Happened:
        """Send a command and return its row of the log.

        A command that the rules forbid now raises Refused and is not sent.
        """
        mirror.check(command, self.player.id)
        return await self._get(wire.Happened, make_request(command, next(self._ids), mirror))

    async def advise(
        self, mirror: Mirror, by: requests.Measure = "bits", most: int = 5
    ) -> wire.Advice:
        """Return at most `most` guesses, the best first by the measure `by`.

        The opponent is notified.
        """
        if not is_advised(mirror.state, self.player.id):
            mirror.check(game.TakeAdvice(), self.player.id)
        request = requests.Advise(
            id=next(self._ids), match=mirror.code, v=mirror.version, by=by, most=most
        )
        advice = await self._get(wire.Advice, request)
        mirror.check_codes(*(guess.code for guess in advice.guesses))
        return advice

    async def review(self, mirror: Mirror, number: int = 1) -> tuple[wire.ReviewedGuess, ...]:
        """Return the review of each guess in round `number` of a finished match."""
        turns: list[wire.ReviewedGuess] = []
        while True:
            request = requests.Review(
                id=next(self._ids), match=mirror.code, round=number, start=len(turns) + 1
            )
            reviewing = await self._get(wire.Reviewing, request)
            turns += reviewing.turns
            mirror.check_codes(
                *(found.code for turn in reviewing.turns for found in (turn.guess, turn.best))
            )
            if not (reviewing.more and reviewing.turns):
                return tuple(turns)

    async def challenge(
        self,
        player: str | None,
        rules: str,
        *,
        name: str | None = None,
        rounds: int = 2,
        rated: bool = False,
        clock: str | None = None,
    ) -> Mirror:
        """Challenge the player with the id `player` or this `name`, and follow the match.

        The server finds the player by the name, and draws the seats.
        """
        return await self._enter(
            requests.Challenge(
                id=next(self._ids), player=player, name=name, rules=rules, rounds=rounds,
                rated=rated, clock=clock,
            )
        )  # fmt: skip

    async def decline(self, code: str) -> wire.Happened:
        """Decline a challenge."""
        return await self._get(wire.Happened, requests.Decline(id=next(self._ids), match=code))

    async def allow_challenges(self, *, allowed: bool) -> wire.Done:
        """Allow others to challenge us, or refuse all later challenges."""
        request = requests.AllowChallenges(id=next(self._ids), allowed=allowed)
        return await self._get(wire.Done, request)

    async def offer_transfer(self) -> wire.Transferable:
        """Return a transfer code, with which another computer gets our player, and its lifetime."""
        return await self._get(wire.Transferable, requests.Transfer(id=next(self._ids)))

    async def log_out(self, *, others: bool = False) -> None:
        """Invalidate our token, which ends the session.

        With `others`, invalidate our other tokens instead.
        """
        await self._get(wire.Done, requests.Logout(id=next(self._ids), others=others))

    async def say(
        self, mirror: Mirror, text: str | None = None, *, phrase: int | None = None
    ) -> None:
        """Send chat in a followed match: a text, or a phrase by its number.

        An invalid text raises Refused and is not sent. Chat that exceeds the server's rate limit
        raises Refused at once, while other requests are repeated.
        """
        text = normalise_chat(text, phrase)
        request = requests.Say(id=next(self._ids), match=mirror.code, text=text, phrase=phrase)
        await self._get(wire.Said, request)

    async def leave(self, mirror: Mirror, why: Forfeit | None = None) -> None:
        """Give up our seat in a match, and unfollow the match.

        `why` is the reason why a user's bot forfeits the match, or None for other players. Raises
        Refused with Reason.JUST_JOINED, and follows the match, if an opponent has just joined.
        """
        mirror.check(game.LeaveMatch(why), self.player.id)
        self.receiver.followed.pop(mirror.code, None)
        try:
            await self._exchange.ask(requests.Leave(id=next(self._ids), match=mirror.code, why=why))
        except Refused as refusal:
            if refusal.reason is Reason.JUST_JOINED:
                self.receiver.followed[mirror.code] = mirror
                missed = requests.Follow(id=next(self._ids), match=mirror.code, v=mirror.version)
                await self._get(wire.Log, missed)
            raise
        self.identity.remove_match(mirror.code)

    async def unfollow(self, mirror: Mirror) -> None:
        """Unfollow a match. Our seat in it stays."""
        self.receiver.followed.pop(mirror.code, None)
        await self._exchange.ask(requests.Unfollow(id=next(self._ids), match=mirror.code))

    async def _enter(self, request: requests.AnyRequest) -> Mirror:
        answer = await self._get(wire.Log, request)
        mirror = self.followed[answer.match]
        match = mirror.state
        day = find_contest_day(match.opened.contest)
        if day is not None and any(played.awaits_proof for played in match.played):
            with suppress(Refused):  # the match is followed, also without its proof
                await self.show_day(match.rules.name, day)
        return mirror
