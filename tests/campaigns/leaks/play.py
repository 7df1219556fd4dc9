"""Run a script on a recording server with one secret."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count, zip_longest
from typing import Any, assert_never

from msgspec.structs import replace
from websockets.frames import Opcode

from campaigns.leaks.connection import MemoryConnection
from campaigns.leaks.recording_server import RecordingServer
from campaigns.leaks.scripts import (
    ALONE,
    LIVE_CLOCK,
    SEATED,
    WITHOUT_SCRIPT,
    Action,
    Ask,
    Ending,
    Opening,
    Script,
    Step,
    Who,
)
from mastermind_protocol.code import Code
from mastermind_protocol.codec import encode
from mastermind_protocol.events import Seat
from mastermind_protocol.match import Match, Phase
from mastermind_protocol.requests import (
    EnterDay,
    Follow,
    Guess,
    Hello,
    Join,
    Leave,
    ListBots,
    Logout,
    Open,
    Rematch,
    Request,
    Resign,
    Secret,
    Seek,
)
from mastermind_protocol.rules import find_rules

GARBAGE = b"\xc1"
LARGE = bytes(20_000)
ABUSES = 20  # more bad frames than the rate limit allows
WAIT_SECONDS = 60.0
CLOCKED_WAIT_SECONDS = 6.0  # three times in a phase leave time to set a code
ROUND_SECONDS = 400.0  # more than the time of a round by LIVE_CLOCK


@dataclass
class Client:
    """A client with a token and, when connected, a connection."""

    player: str
    token: str
    ids: Iterator[int]
    connection: MemoryConnection | None = None
    known: int = 0  # the version from which it resumes after a reconnect
    last: int = 1  # the id of its last request


class Play:
    """Runs a script once with `secret`. `other` selects the second seed and bot variant."""

    def __init__(
        self, server: RecordingServer, script: Script, secret: Code, *, other: bool
    ) -> None:
        self._server, self._script, self._secret = server, script, secret
        self._other = other
        self._rules = find_rules(script.rules)
        self._clients: dict[Who, Client] = {}
        self._match = ""
        self.commitments: set[bytes] = set()

    async def perform(self) -> int:
        """Run the script. Return the length of the transcript before the round ended."""
        await self._make_people()
        await self._start_match()
        for _ in range(self._script.before):
            await self._play_round()
        await self._get_connection(Who.EARLY)
        for step in self._script.steps[0]:
            await self._run_step(step)
        await self._set_secret()
        self._store_commitments()
        if self._script.opening not in WITHOUT_SCRIPT:
            await self._play_compared_round()
        before = len(self._server.transcript.sent)
        if self._script.opening not in WITHOUT_SCRIPT:
            assert self._state.phase is Phase.BREAKING, f"{self._script} ended early"
            self._server.record_metrics()
            await self._server.record_page(self._match)
            if self._script.exported:
                self._server.record_export(self._clients[Who.BREAKER].player)
            before = len(self._server.transcript.sent)
            await self._end_round()
        if self._script.opening is Opening.DAY and not self._script.rival:
            for step in self._script.steps[-1]:
                await self._run_step(step)
            before = len(self._server.transcript.sent)
        await self._clean_up()
        return before

    async def _play_compared_round(self) -> None:
        guesses = self._script.guesses
        if self._script.ending is Ending.EXHAUSTED:
            guesses = guesses[:-1]
        for steps, guess in zip_longest(self._script.steps[1:], guesses):
            for step in steps or ():
                await self._run_step(step)
            if guess is not None:
                asked = Guess(id=1, match=self._match, v=self._version, code=guess)
                await self._request(Who.BREAKER, asked)

    @property
    def _state(self) -> Match:
        table = self._server.server.tables.get(self._match)
        assert table is not None
        return table.log.state

    async def _make_people(self) -> None:
        for who in Who:
            owner = Who.BREAKER if who is Who.SECOND else who
            if owner is who:
                program = who is Who.PROGRAM
                player, token = await self._server.make_player(who, program=program)
                self._clients[who] = Client(player, token, count(1))
            else:
                known = self._clients[owner]
                self._clients[who] = Client(known.player, known.token, known.ids)

    async def _start_match(self) -> None:
        """Open a match and fill its seats."""
        script = self._script
        terms: Any = {
            "rules": script.rules, "rounds": script.rounds, "public": script.public,
            "clock": script.clock,
        }  # fmt: skip
        match script.opening:
            case Opening.MAKER_OPENS:
                await self._open_and_join(Who.MAKER, Who.BREAKER, terms)
            case Opening.BREAKER_OPENS:
                await self._open_and_join(Who.BREAKER, Who.MAKER, terms)
            case Opening.SEEK:
                del terms["public"]
                for who in (Who.MAKER, Who.BREAKER):
                    seek = Seek(id=1, **terms, seat=self._first_seat(who), rated=script.rated)
                    await self._open(who, seek)
            case Opening.REMATCH:
                odd = script.rounds % 2 == 1  # the last round has the seats of the first
                await self._open_and_join(Who.BREAKER, Who.MAKER, terms, swapped=odd)
                for _ in range(script.rounds):
                    await self._play_round()
                first = self._match
                await self._request(Who.BREAKER, Rematch(id=1, match=first))
                self._match = self._state.rematch or ""
                await self._request(Who.MAKER, Rematch(id=1, match=first))
            case Opening.BOT:
                self._server.bots.secret = self._secret
                await self._open(Who.BREAKER, Open(id=1, **terms, maker="random", breaker="me"))
            case Opening.SEEDED:
                seed = script.seeds[self._other]
                await self._open(
                    Who.BREAKER, Open(id=1, **terms, maker="random", breaker="me", seed=seed)
                )
            case Opening.DEVIOUS:
                self._server.bots.other = self._other
                await self._open(Who.BREAKER, Open(id=1, **terms, maker="devious", breaker="me"))
            case Opening.SOLVER:
                await self._open(Who.MAKER, Open(id=1, **terms, maker="me", breaker="knuth"))
            case Opening.BOTS:
                secret = self._secret
                await self._open(
                    Who.EARLY, Open(id=1, **terms, maker="random", breaker="knuth", secret=secret)
                )
            case Opening.DAY:
                await self._enter_day()
            case _:
                assert_never(script.opening)

    async def _enter_day(self) -> None:
        """Begin the codebreaker's try. If there is a rival, it breaks the code, or gives it up."""
        rules = self._script.rules
        enter = EnterDay(id=1, rules=rules, day=await self._server.add_day(rules, self._secret))
        if self._script.rival:
            await self._open(Who.MAKER, enter)
            here: Any = {"id": 1, "match": self._match, "v": self._version}
            guess = Guess(**here, code=self._secret)
            await self._request(Who.MAKER, Resign(**here) if self._other else guess)
        await self._open(Who.BREAKER, enter)

    async def _open_and_join(
        self, first: Who, second: Who, terms: Any, *, swapped: bool = False
    ) -> None:
        """Make `first` open a match and `second` join it."""
        mine, other = ("me", "open")
        if (self._first_seat(first) is Seat.MAKER) is swapped:
            mine, other = other, mine
        rated = self._script.rated
        await self._open(first, Open(id=1, **terms, maker=mine, breaker=other, rated=rated))
        await self._request(second, Join(id=1, match=self._match))

    def _first_seat(self, who: Who) -> Seat:
        """Return a player's seat in the first round. Seats swap after each round."""
        seat = Seat.MAKER if who is Who.MAKER else Seat.BREAKER
        return seat.other if self._script.before % 2 else seat

    async def _open(self, who: Who, request: Request) -> None:
        """Send a request that opens a match, and set `_match` to its code."""
        await self._request(who, request)
        followed = self._server.find_followed(self._clients[who].player)
        assert len(followed) == 1, f"after {request} the player follows {followed}"
        (self._match,) = followed

    async def _play_round(self) -> None:
        """Play a round that does not depend on the compared secret."""
        maker = self._state.maker
        assert maker is not None
        seats = (Who.MAKER, Who.BREAKER)
        if maker.id != self._clients[Who.MAKER].player:
            seats = (Who.BREAKER, Who.MAKER)
        code = self._rules.some_code
        await self._request(seats[0], Secret(id=1, match=self._match, v=self._version, code=code))
        await self._request(seats[1], Resign(id=1, match=self._match, v=self._version))

    async def _set_secret(self) -> None:
        if self._script.opening not in (*ALONE, Opening.BOTS):
            secret = Secret(id=1, match=self._match, v=self._version, code=self._secret)
            await self._request(Who.MAKER, secret)

    def _store_commitments(self) -> None:
        """Store the commitments: they differ between secrets, but reveal nothing."""
        match = self._state
        rounds = [match.current, *match.played] if match.current else match.played
        self.commitments = {each.commitment for each in rounds if each.commitment}

    async def _end_round(self) -> None:
        """End the round, which reveals the secret to all."""
        here: Any = {"id": 1, "match": self._match}
        match self._script.ending:
            case Ending.RESIGNED:
                await self._request(Who.BREAKER, Resign(**here, v=self._version))
            case Ending.BREAKER_LEAVES:
                await self._request(Who.BREAKER, Leave(**here))
            case Ending.MAKER_LEAVES:
                await self._request(Who.MAKER, Leave(**here))
            case Ending.EXHAUSTED:
                guess = Guess(**here, v=self._version, code=self._script.guesses[-1])
                await self._request(Who.BREAKER, guess)
            case Ending.TIME:
                await self._server.pass_time(ROUND_SECONDS)
            case _:
                assert_never(self._script.ending)

    async def _clean_up(self) -> None:
        """Finish the match and abort all connections, so that later transcripts are independent."""
        if self._state.phase is not Phase.FINISHED:
            await self._request(Who.BREAKER, Leave(id=1, match=self._match))
        for client in self._clients.values():
            if client.connection is not None:
                client.connection.abort()
        await self._server.settle()

    # Steps and requests.

    async def _run_step(self, step: Step) -> None:
        connection = await self._get_connection(step.who)
        match step.what:
            case Ask(request=request, here=here, off=off):
                await self._request(
                    step.who, self._make_harmless(step.who, request, off), here=here
                )
                return
            case Action.GARBAGE:
                connection.send(GARBAGE)
            case Action.TEXT:
                connection.send(b"{}", Opcode.TEXT)
            case Action.LARGE:
                connection.send(LARGE)
            case Action.ABUSE:
                for _ in range(ABUSES):
                    connection.send(GARBAGE)
            case Action.DROP:
                connection.abort()
            case Action.FAREWELL:
                connection.send_close()
            case Action.AGAIN:
                connection.send(connection.last)
            case Action.REUSE:
                connection.send(encode(Join(id=self._clients[step.who].last, match=self._match)))
            case Action.WAIT:
                live = self._script.clock == LIVE_CLOCK
                await self._server.pass_time(CLOCKED_WAIT_SECONDS if live else WAIT_SECONDS)
            case _:
                assert_never(step.what)
        await self._server.settle()
        await self._server.pass_time()

    def _make_harmless(self, who: Who, request: Request, off: int) -> Request:
        """Return a harmless variant of `request`, which neither ends the round nor makes a move."""
        version = max(0, self._version + off)
        if who in SEATED:
            if isinstance(request, Guess | Secret | Resign) and version == self._version:
                version += 1
            if isinstance(request, Leave):
                return ListBots(id=1)
            if isinstance(request, Logout):
                return Logout(id=1, others=True)
        if "v" in request.__struct_fields__:
            return replace(request, v=version)
        return request

    async def _request(self, who: Who, request: Request, *, here: bool = True) -> None:
        """Send a request, mostly for this match, and wait until it is done."""
        connection = await self._get_connection(who)
        client = self._clients[who]
        client.last = next(client.ids)
        changes: dict[str, Any] = {"id": client.last}
        for name in ("match", "before"):
            if here and name in request.__struct_fields__ and self._match:
                changes[name] = self._match
        if here and "day" in request.__struct_fields__ and self._script.opening is Opening.DAY:
            changes |= {"day": self._server.read_today(), "rules": self._script.rules}
        if isinstance(request, Rematch | Join) and here:
            changes["match"] = request.match if isinstance(request, Rematch) else self._match
        connection.send(encode(replace(request, **changes)))
        await self._server.settle()
        await self._server.pass_time()

    async def _get_connection(self, who: Who) -> MemoryConnection:
        """Return an open connection. A new one sends Hello and follows the match."""
        client = self._clients[who]
        if client.connection is not None and not client.connection.closed:
            return client.connection
        client.connection = connection = self._server.connect(who, client.ids)
        program = who is Who.PROGRAM
        connection.send(encode(Hello(id=next(client.ids), token=client.token, program=program)))
        await self._server.settle()
        if self._match and who is not Who.STRANGER:
            connection.send(encode(Follow(id=next(client.ids), match=self._match, v=client.known)))
            await self._server.settle()
            client.known = self._version
        return connection

    @property
    def _version(self) -> int:
        return self._server.read_version(self._match)
