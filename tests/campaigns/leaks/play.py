"""A script played at a house, against one secret; what comes of it is the house's transcript."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count, zip_longest
from typing import Any, assert_never

from msgspec.structs import replace
from websockets.frames import Opcode

from campaigns.leaks.house import House
from campaigns.leaks.line import Line
from campaigns.leaks.scripts import (
    ALONE,
    SEATED,
    WITHOUT_SCRIPT,
    Act,
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
ABUSES = 20  # more bad frames than anybody may send
WAIT_SECONDS = 60.0


@dataclass
class Person:
    """Somebody with a token, and perhaps a line."""

    player: str
    token: str
    ids: Iterator[int]
    line: Line | None = None
    known: int = 0  # the version from which it goes on when it comes back
    last: int = 1  # the id of its last request


class Play:
    """One performance of a script. `other` chooses the second of two secrets and of two seeds."""

    def __init__(self, house: House, script: Script, secret: Code, *, other: bool) -> None:
        self._house, self._script, self._secret = house, script, secret
        self._other = other
        self._rules = find_rules(script.rules)
        self._people: dict[Who, Person] = {}
        self._match = ""
        self.commitments: set[bytes] = set()

    async def perform(self) -> int:
        """Play; return how much of the transcript was told before the round ended."""
        await self._invite()
        await self._begin()
        for _ in range(self._script.before):
            await self._play_round()
        await self._come(Who.EARLY)
        for step in self._script.steps[0]:
            await self._do(step)
        await self._set_secret()
        self._note_commitments()
        if self._script.opening not in WITHOUT_SCRIPT:
            await self._play_round_looked_at()
        before = len(self._house.transcript.told)
        if self._script.opening not in WITHOUT_SCRIPT:
            assert self._state.phase is Phase.BREAKING, f"{self._script} has ended early"
            self._house.note_metrics()
            if self._script.exported:
                self._house.note_export(self._people[Who.BREAKER].player)
            before = len(self._house.transcript.told)
            await self._end()
        await self._clear()
        return before

    async def _play_round_looked_at(self) -> None:
        guesses = self._script.guesses
        if self._script.ending is Ending.EXHAUSTED:
            guesses = guesses[:-1]
        for steps, guess in zip_longest(self._script.steps[1:], guesses):
            for step in steps or ():
                await self._do(step)
            if guess is not None:
                asked = Guess(id=1, match=self._match, v=self._version, code=guess)
                await self._ask(Who.BREAKER, asked)

    @property
    def _state(self) -> Match:
        table = self._house.server.tables.get(self._match)
        assert table is not None
        return table.log.state

    async def _invite(self) -> None:
        for who in Who:
            owner = Who.BREAKER if who is Who.SECOND else who
            if owner is who:
                program = who is Who.PROGRAM
                player, token = await self._house.make_player(who, program=program)
                self._people[who] = Person(player, token, count(1))
            else:
                known = self._people[owner]
                self._people[who] = Person(known.player, known.token, known.ids)

    async def _begin(self) -> None:
        """Bring two together at a match."""
        script = self._script
        terms: Any = {"rules": script.rules, "rounds": script.rounds, "public": script.public}
        match script.opening:
            case Opening.MAKER_OPENS:
                await self._meet(Who.MAKER, Who.BREAKER, terms)
            case Opening.BREAKER_OPENS:
                await self._meet(Who.BREAKER, Who.MAKER, terms)
            case Opening.SEEK:
                del terms["public"]
                for who in (Who.MAKER, Who.BREAKER):
                    seek = Seek(id=1, **terms, seat=self._first_seat(who), rated=script.rated)
                    await self._open(who, seek)
            case Opening.REMATCH:
                odd = script.rounds % 2 == 1  # the last round has the seats of the first
                await self._meet(Who.BREAKER, Who.MAKER, terms, swapped=odd)
                for _ in range(script.rounds):
                    await self._play_round()
                first = self._match
                await self._ask(Who.BREAKER, Rematch(id=1, match=first))
                self._match = self._state.rematch or ""
                await self._ask(Who.MAKER, Rematch(id=1, match=first))
            case Opening.BOT:
                self._house.chance.made = list(self._secret)
                await self._open(Who.BREAKER, Open(id=1, **terms, maker="random", breaker="me"))
            case Opening.SEEDED:
                seed = script.seeds[self._other]
                await self._open(
                    Who.BREAKER, Open(id=1, **terms, maker="random", breaker="me", seed=seed)
                )
            case Opening.DEVIOUS:
                self._house.bots.other = self._other
                await self._open(Who.BREAKER, Open(id=1, **terms, maker="devious", breaker="me"))
            case Opening.SOLVER:
                await self._open(Who.MAKER, Open(id=1, **terms, maker="me", breaker="knuth"))
            case Opening.BOTS:
                secret = self._secret
                await self._open(
                    Who.EARLY, Open(id=1, **terms, maker="random", breaker="knuth", secret=secret)
                )
            case _:
                assert_never(script.opening)

    async def _meet(self, first: Who, second: Who, terms: Any, *, swapped: bool = False) -> None:
        """Let one open and the other join."""
        mine, other = ("me", "open")
        if (self._first_seat(first) is Seat.MAKER) is swapped:
            mine, other = other, mine
        rated = self._script.rated
        await self._open(first, Open(id=1, **terms, maker=mine, breaker=other, rated=rated))
        await self._ask(second, Join(id=1, match=self._match))

    def _first_seat(self, who: Who) -> Seat:
        """Return the seat in the first round of who has its own in the round that is looked at."""
        seat = Seat.MAKER if who is Who.MAKER else Seat.BREAKER
        return seat.other if self._script.before % 2 else seat

    async def _open(self, who: Who, request: Request) -> None:
        """Let somebody ask for a match, and find out its code."""
        await self._ask(who, request)
        followed = self._house.find_followed(self._people[who].player)
        assert len(followed) == 1, f"{request} led to {followed}"
        (self._match,) = followed

    async def _play_round(self) -> None:
        """Play a round that is the same whatever the secret of the later one is."""
        maker = self._state.maker
        assert maker is not None
        seats = (Who.MAKER, Who.BREAKER)
        if maker.id != self._people[Who.MAKER].player:
            seats = (Who.BREAKER, Who.MAKER)
        code = (0,) * self._rules.pegs
        await self._ask(seats[0], Secret(id=1, match=self._match, v=self._version, code=code))
        await self._ask(seats[1], Resign(id=1, match=self._match, v=self._version))

    async def _set_secret(self) -> None:
        if self._script.opening not in (*ALONE, Opening.BOTS):
            secret = Secret(id=1, match=self._match, v=self._version, code=self._secret)
            await self._ask(Who.MAKER, secret)

    def _note_commitments(self) -> None:
        """Remember what is as random to everybody as it is to us."""
        match = self._state
        rounds = [match.current, *match.played] if match.current else match.played
        self.commitments = {each.commitment for each in rounds if each.commitment}

    async def _end(self) -> None:
        """Let the round end, which shows the secret to all."""
        here: Any = {"id": 1, "match": self._match}
        match self._script.ending:
            case Ending.RESIGNED:
                await self._ask(Who.BREAKER, Resign(**here, v=self._version))
            case Ending.BREAKER_LEAVES:
                await self._ask(Who.BREAKER, Leave(**here))
            case Ending.MAKER_LEAVES:
                await self._ask(Who.MAKER, Leave(**here))
            case Ending.EXHAUSTED:
                guess = Guess(**here, v=self._version, code=self._script.guesses[-1])
                await self._ask(Who.BREAKER, guess)
            case _:
                assert_never(self._script.ending)

    async def _clear(self) -> None:
        """Leave nothing behind that another match would show."""
        if self._state.phase is not Phase.FINISHED:
            await self._ask(Who.BREAKER, Leave(id=1, match=self._match))
        for person in self._people.values():
            if person.line is not None:
                person.line.abort()
        await self._house.settle()

    # What anybody does.

    async def _do(self, step: Step) -> None:
        line = await self._come(step.who)
        match step.what:
            case Ask(request=request, here=here, off=off):
                await self._ask(step.who, self._let_do_no_harm(step.who, request, off), here=here)
                return
            case Act.GARBAGE:
                line.send(GARBAGE)
            case Act.TEXT:
                line.send(b"{}", Opcode.TEXT)
            case Act.LARGE:
                line.send(LARGE)
            case Act.ABUSE:
                for _ in range(ABUSES):
                    line.send(GARBAGE)
            case Act.DROP:
                line.abort()
            case Act.FAREWELL:
                line.bid_farewell()
            case Act.AGAIN:
                line.send(line.last)
            case Act.REUSE:
                line.send(encode(Join(id=self._people[step.who].last, match=self._match)))
            case Act.WAIT:
                await self._house.pass_time(WAIT_SECONDS)
            case _:
                assert_never(step.what)
        await self._house.settle()
        await self._house.pass_time()

    def _let_do_no_harm(self, who: Who, request: Request, off: int) -> Request:
        """Return a request that does not end the round, or play it otherwise than the script."""
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

    async def _ask(self, who: Who, request: Request, *, here: bool = True) -> None:
        """Let somebody ask for something at this match, and wait until it is done."""
        line = await self._come(who)
        person = self._people[who]
        person.last = next(person.ids)
        changes: dict[str, Any] = {"id": person.last}
        for name in ("match", "before"):
            if here and name in request.__struct_fields__ and self._match:
                changes[name] = self._match
        if isinstance(request, Rematch | Join) and here:
            changes["match"] = request.match if isinstance(request, Rematch) else self._match
        line.send(encode(replace(request, **changes)))
        await self._house.settle()
        await self._house.pass_time()

    async def _come(self, who: Who) -> Line:
        """Return the line of somebody, who says hello again, and looks on, if it has none."""
        person = self._people[who]
        if person.line is not None and not person.line.closed:
            return person.line
        person.line = line = self._house.connect(who, person.ids)
        program = who is Who.PROGRAM
        line.send(encode(Hello(id=next(person.ids), token=person.token, program=program)))
        await self._house.settle()
        if self._match and who is not Who.STRANGER:
            line.send(encode(Follow(id=next(person.ids), match=self._match, v=person.known)))
            await self._house.settle()
            person.known = self._version
        return line

    @property
    def _version(self) -> int:
        return self._house.read_version(self._match)
