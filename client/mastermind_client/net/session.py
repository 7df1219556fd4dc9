"""One session with a server: ask, follow matches, resume.

Every interface uses it. What happens comes as updates in order, whoever caused it; a request
returns when the server has acknowledged it. When the connection is lost the session comes back by
itself: it says the last version it has of every match and is sent exactly the rest, and it asks
again, under the same ids, whatever was not answered.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import secrets
from collections import deque
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeVar, assert_never

import msgspec

from mastermind_client.net.failures import Cause, ServerUnreachable
from mastermind_client.net.following import Following
from mastermind_client.net.link import Link
from mastermind_client.net.reconnecting import to_refused
from mastermind_protocol import commands as game
from mastermind_protocol import messages as wire
from mastermind_protocol.chat import check_words
from mastermind_protocol.code import check_code
from mastermind_protocol.errors import PASSING, ErrorCode, InvalidCode, Refused
from mastermind_protocol.events import Player, SecretSet
from mastermind_protocol.match import is_advised

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator

    from mastermind_client.net.identity import Identity
    from mastermind_client.net.mirror import Mirror
    from mastermind_client.net.updates import Update
    from mastermind_protocol.code import Code
    from mastermind_protocol.events import Forfeit, Seat

_LOG = logging.getLogger(__name__)
_T = TypeVar("_T")
RETRIES = 3  # of a request that the server asks to send again later
PATIENCE_SECONDS = 5.0  # a request is asked again by itself if it is to wait no longer than that


@dataclass(slots=True)
class _Pending:
    request: wire.AnyRequest
    answer: asyncio.Future[wire.AnyMessage]
    held: bool = False  # until its match has been caught up with


class Session:
    """A player's session, made by `Session.connect`; `player` is who the server says we are."""

    def __init__(
        self, server: str, identity: Identity, name: str | None, *, program: bool = False
    ) -> None:
        self.server = server
        self.player = Player(id="?", name="?")
        self._link = Link(server, identity, name, self, program=program)
        self._following = Following(server, self.tell)
        self._pending: dict[int, _Pending] = {}
        self._catching_up: dict[int, Mirror] = {}  # by the ids of follows that nobody awaits
        self._updates: deque[Update] = deque()
        self._news = asyncio.Event()  # another update, or the end
        self._read = self._over = False
        self._ids = itertools.count(secrets.randbits(52) + 1)  # another run's ids are not met again
        self._failure: Exception | None = None

    @classmethod
    @asynccontextmanager
    async def connect(
        cls, server: str, identity: Identity, name: str | None = None, *, program: bool = False
    ) -> AsyncIterator[Session]:
        """Be connected while the block lasts, as a person or as a `program`.

        Raises ServerUnreachable, Refused.
        """
        session = cls(server, identity, name, program=program)
        runner = asyncio.create_task(session._run(), name="session")
        try:
            await session._until_welcomed(runner)
            yield session
        finally:
            runner.cancel()
            await asyncio.gather(runner, return_exceptions=True)

    async def updates(self) -> AsyncGenerator[Update, None]:
        """Yield what happens, what has happened already too, until the session is closed.

        One reader at a time: a second one is a RuntimeError. What a reader has not taken when it
        is cancelled or closed is left for the next. Raises what ended the session, when all that
        happened before that has been taken.
        """
        if self._read:
            raise RuntimeError("the updates of this session have a reader already")
        self._read = True
        try:
            while True:
                while self._updates:
                    yield self._updates.popleft()
                if self._failure is not None:
                    raise self._failure
                if self._over:
                    return
                self._news.clear()
                await self._news.wait()
        finally:
            self._read = False

    @property
    def connected(self) -> bool:
        """Whether there is a connection now."""
        return self._link.welcomed.is_set()

    async def open(
        self,
        rules: str,
        *,
        maker: str,
        breaker: str,
        rounds: int = 1,
        public: bool = False,
        rated: bool = False,
        seed: int | None = None,
        secret: Code | None = None,
    ) -> Mirror:
        """Open a match and follow it; the seats are as in `messages.Open`."""
        return await self._enter(
            wire.Open(
                id=self.next_id(), rules=rules, maker=maker, breaker=breaker, rounds=rounds,
                public=public, rated=rated, seed=seed, secret=secret,
            )
        )  # fmt: skip

    async def seek(
        self, rules: str, *, rounds: int = 1, seat: Seat | None = None, rated: bool = False
    ) -> Mirror:
        """Take a seat in a waiting public match of these rules, or open one."""
        return await self._enter(
            wire.Seek(id=self.next_id(), rules=rules, rounds=rounds, seat=seat, rated=rated)
        )

    async def join(self, code: str) -> Mirror:
        """Take the free seat of a match, or get our own back."""
        return await self._enter(wire.Join(id=self.next_id(), match=code))

    async def follow(self, code: str) -> Mirror:
        """Follow a match without a seat."""
        return await self._enter(wire.Follow(id=self.next_id(), match=code))

    async def rematch(self, mirror: Mirror) -> Mirror:
        """Offer a rematch, or take the one that is offered; returns the new match."""
        return await self._enter(wire.Rematch(id=self.next_id(), match=mirror.code))

    async def list_matches(self, what: Literal["waiting", "running"]) -> tuple[wire.Listed, ...]:
        """Return the public matches that are waiting, or running."""
        answer = await self._ask(wire.ListMatches(id=self.next_id(), what=what))
        return _expect(answer, wire.Listing).matches

    async def set_secret(self, mirror: Mirror, code: Code) -> None:
        """Set the secret. Refused at once, with nothing sent, if the rules forbid it.

        What the server acknowledges must be this very secret.
        """
        self._check(mirror, game.SetSecret(code, b""))
        request = wire.Secret(id=self.next_id(), match=mirror.code, v=mirror.version, code=code)
        answer = _expect(await self._ask(request), wire.Happened)
        if not any(isinstance(event, SecretSet) and event.code == code for event in answer.events):
            raise ServerUnreachable(Cause.SWAPPED_SECRET, server=self.server)

    async def guess(self, mirror: Mirror, code: Code) -> None:
        """Guess. Refused at once, with nothing sent, if the rules forbid it."""
        self._check(mirror, game.Guess(code))
        await self._ask(
            wire.Guess(id=self.next_id(), match=mirror.code, v=mirror.version, code=code)
        )

    async def advise(self, mirror: Mirror, by: wire.Measure = "bits", most: int = 5) -> wire.Advice:
        """Take advice for the next guess; the opponent is told of it."""
        if not is_advised(mirror.state, self.player.id):
            self._check(mirror, game.TakeAdvice())
        answer = await self._ask(
            wire.Advise(id=self.next_id(), match=mirror.code, v=mirror.version, by=by, most=most)
        )
        advice = _expect(answer, wire.Advice)
        self._check_codes(mirror, *(guess.code for guess in advice.guesses))
        return advice

    async def review(self, mirror: Mirror, number: int = 1) -> tuple[wire.Reviewed, ...]:
        """Return how well round `number` of a finished match was played, guess by guess."""
        turns: list[wire.Reviewed] = []
        while True:
            start = len(turns) + 1
            answer = await self._ask(
                wire.Review(id=self.next_id(), match=mirror.code, round=number, start=start)
            )
            reviewing = _expect(answer, wire.Reviewing)
            turns += reviewing.turns
            self._check_codes(
                mirror,
                *(found.code for turn in reviewing.turns for found in (turn.guess, turn.best)),
            )
            if not (reviewing.more and reviewing.turns):
                return tuple(turns)

    async def list_bots(self) -> tuple[wire.KnownBot, ...]:
        """Return the bots of the server."""
        answer = await self._ask(wire.ListBots(id=self.next_id()))
        return _expect(answer, wire.Bots).bots

    async def list_archive(self, before: str | None = None) -> wire.Archived:
        """Return a page of our own matches that are over, the newest first: those `before` one."""
        answer = await self._ask(wire.Archive(id=self.next_id(), before=before))
        return _expect(answer, wire.Archived)

    async def say(
        self, mirror: Mirror, text: str | None = None, *, phrase: int | None = None
    ) -> None:
        """Say a text, or a phrase by its number, at a match that we follow.

        Refused at once, with nothing sent, if it cannot be said. Said too soon it is refused too,
        with `retry_after`: nothing is said later by itself.
        """
        text = check_words(text, phrase)
        request = wire.Say(id=self.next_id(), match=mirror.code, text=text, phrase=phrase)
        _expect(await self._ask(request, in_time=True), wire.Said)

    async def resign(self, mirror: Mirror) -> None:
        """Give the round up."""
        self._check(mirror, game.Resign())
        await self._ask(wire.Resign(id=self.next_id(), match=mirror.code, v=mirror.version))

    async def leave(self, mirror: Mirror, why: Forfeit | None = None) -> None:
        """Leave a match for good, and follow it no more; a program says `why` it had to."""
        self._check(mirror, game.Leave(why))
        self._following.drop(mirror.code)
        await self._ask(wire.Leave(id=self.next_id(), match=mirror.code, why=why))

    async def unfollow(self, mirror: Mirror) -> None:
        """Follow a match no more; a seat in it is kept."""
        self._following.drop(mirror.code)
        await self._ask(wire.Unfollow(id=self.next_id(), match=mirror.code))

    def _check_codes(self, mirror: Mirror, *codes: Code) -> None:
        for code in codes:
            try:
                check_code(code, mirror.state.rules)
            except InvalidCode as error:
                raise ServerUnreachable(
                    Cause.WRONG_CODE, server=self.server, reason=error
                ) from error

    def _check(self, mirror: Mirror, command: game.Command) -> None:
        if refusal := game.refuse(mirror.state, command, self.player.id):
            raise refusal

    async def _enter(self, request: wire.AnyRequest) -> Mirror:
        answer = _expect(await self._ask(request), wire.Log)
        return self._following[answer.match]

    async def _ask(self, request: wire.AnyRequest, *, in_time: bool = False) -> wire.AnyMessage:
        """Send a request until it is answered. Raises Refused, or what ended the session.

        What is worth something only `in_time` does not wait for a rate.
        """
        for _retry in range(RETRIES):
            try:
                return await self._ask_once(request)
            except Refused as refusal:
                if refusal.retry_after is None or refusal.retry_after > PATIENCE_SECONDS:
                    raise
                if in_time and refusal.code == ErrorCode.RATE_LIMITED:
                    raise
                await asyncio.sleep(refusal.retry_after)
        return await self._ask_once(request)

    async def _ask_once(self, request: wire.AnyRequest) -> wire.AnyMessage:
        if self._failure is not None:
            raise self._failure
        answer: asyncio.Future[wire.AnyMessage] = asyncio.get_running_loop().create_future()
        self._pending[request.id] = _Pending(request, answer)
        try:
            await self._link.send(request)
            return await answer
        finally:
            self._pending.pop(request.id, None)  # it may have been given up

    async def _until_welcomed(self, runner: asyncio.Task[None]) -> None:
        welcomed = asyncio.create_task(self._link.welcomed.wait())
        try:
            await asyncio.wait({welcomed, runner}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            welcomed.cancel()
        if self._failure is not None:
            raise self._failure

    async def _run(self) -> None:
        try:
            await self._link.stay_connected()
        except (ServerUnreachable, Refused) as failure:
            self._failure = failure
        except Exception as error:
            _LOG.exception("the session failed")
            self._failure = ServerUnreachable(Cause.CRASHED, server=self.server, error=repr(error))
        finally:
            self._over = True
            self._news.set()
            for pending in self._pending.values():
                if self._failure is not None and not pending.answer.done():
                    pending.answer.set_exception(self._failure)

    # What follows is what the link asks of its owner.

    def next_id(self) -> int:
        """Return a request id that was never used."""
        return next(self._ids)

    def tell(self, update: Update) -> None:
        """Put an update where the interface finds it."""
        self._updates.append(update)
        self._news.set()

    def resume(self, welcome: wire.Welcome) -> list[wire.AnyRequest]:
        """Ask for what is missing of every match, and again for what was not answered."""
        self.player = welcome.player
        self._catching_up.clear()  # the last connection's answers come no more
        asked = [pending.request for pending in self._pending.values() if not pending.held]
        return [*(self._catch_up(mirror) for mirror in self._following), *asked]

    def receive(self, message: wire.AnyMessage) -> list[wire.AnyRequest]:
        """Take a message; return what is to be asked because of it."""
        match message:
            case wire.Log():
                return self._take_log(message)
            case wire.Happened():
                return self._take_event(message)
            case wire.Presence():
                self._following.take_presence(message)
            case wire.Spectators():
                self._following.take_spectators(message)
            case wire.Chat():
                self._following.hear(message.match, *message.lines)
            case wire.Said():
                self._following.hear(message.match, message.line)
                if message.id is not None:
                    self._settle(message.id, message)
            case wire.Error():
                return self._refuse(message)
            case (
                wire.Welcome()
                | wire.Listing()
                | wire.Advice()
                | wire.Reviewing()
                | wire.Bots()
                | wire.Archived()
                | wire.Done()
            ):
                self._settle(message.id, message)
            case _:
                assert_never(message)
        return []

    def _catch_up(self, mirror: Mirror) -> wire.Follow:
        follow = wire.Follow(id=self.next_id(), match=mirror.code, v=mirror.version)
        self._catching_up[follow.id] = mirror
        return follow

    def _take_log(self, message: wire.Log) -> list[wire.AnyRequest]:
        asked = self._pending.get(message.id)
        self._catching_up.pop(message.id, None)
        mirror = self._following.find(message.match)
        if mirror is None:
            if asked is None:
                return self._release(message.match)  # a match that we have left meanwhile
            mirror = self._following.add(message.match)
        self._following.take_log(mirror, message, self.player.id)
        if not message.more:
            self._settle(message.id, message)
            return self._release(message.match)
        follow = self._catch_up(mirror)
        if asked is not None:  # it is answered when the whole log is here
            del self._pending[message.id]
            self._pending[follow.id] = _Pending(follow, asked.answer)
            del self._catching_up[follow.id]
        return [follow]

    def _take_event(self, message: wire.Happened) -> list[wire.AnyRequest]:
        mirror = self._following.find(message.match)
        missing: list[wire.AnyRequest] = []
        if mirror is not None:
            if message.v > mirror.version + 1:
                missing = [self._catch_up(mirror)]
            else:
                self._following.take_row(mirror, wire.Row(message.v, message.events))
        if message.id is not None:
            self._settle(message.id, message)
        return missing

    def _settle(self, request: int, answer: wire.AnyMessage) -> None:
        pending = self._pending.pop(request, None)
        if pending is not None and not pending.answer.done():
            pending.answer.set_result(answer)

    def _refuse(self, error: wire.Error) -> list[wire.AnyRequest]:
        if error.id is None:
            raise to_refused(error)  # we are not understood
        if mirror := self._catching_up.pop(error.id, None):
            return [self._start_anew(mirror, error)]
        pending = self._pending.pop(error.id, None)
        if pending is None or pending.answer.done():
            return []
        if error.code == ErrorCode.NOT_FOLLOWED and self._hold(pending):
            return []
        pending.answer.set_exception(to_refused(error))
        return []

    def _hold(self, pending: _Pending) -> bool:
        """Ask again later what is said at a match that we only do not follow yet.

        Under another id, for the server remembers the refusal of this one.
        """
        said = pending.request
        late = isinstance(said, wire.Say) and any(
            mirror.code == said.match for mirror in self._catching_up.values()
        )
        if late:
            again = msgspec.structs.replace(said, id=self.next_id())
            self._pending[again.id] = _Pending(again, pending.answer, held=True)
        return late

    def _release(self, match: str) -> list[wire.AnyRequest]:
        """Return what was held until this match would be caught up with."""
        released: list[wire.AnyRequest] = []
        for pending in self._pending.values():
            said = pending.request
            if pending.held and isinstance(said, wire.Say) and said.match == match:
                pending.held = False
                if not pending.answer.done():  # it may have been given up
                    released.append(said)
        return released

    def _start_anew(self, mirror: Mirror, error: wire.Error) -> wire.AnyRequest:
        """Follow a match from its beginning where the server's log is not the one it was."""
        if error.code in PASSING:
            raise ConnectionAbortedError(str(to_refused(error)))
        if error.code != ErrorCode.STALE_VERSION:
            raise to_refused(error)  # the match is lost to us
        mirror.restart()
        return self._catch_up(mirror)


def _expect(answer: wire.AnyMessage, kind: type[_T]) -> _T:
    if not isinstance(answer, kind):
        raise ServerUnreachable(Cause.WRONG_ANSWER, kind=type(answer).__name__.lower())
    return answer
