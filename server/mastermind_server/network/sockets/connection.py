"""One client's connection: websockets' protocol without I/O, on a transport of the event loop.

There is no task, queue or lock for a frame that comes or goes, and of whole messages the protocol
need not even know: frames.py reads and writes those. What is read at once is bounded, what is read
ahead too, and whoever does not read what it was sent is served nothing further.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections import deque
from contextlib import suppress
from enum import StrEnum
from typing import TYPE_CHECKING, Any, cast

from websockets.frames import CloseCode
from websockets.protocol import State

from mastermind_server import tuning
from mastermind_server.logs import about
from mastermind_server.network.sockets import frames
from mastermind_server.network.sockets.access import PLAIN
from mastermind_server.network.sockets.address import NOWHERE, PROXY
from mastermind_server.network.sockets.handshake import Handshake, NoClient
from mastermind_server.network.sockets.outboxes import Outbox, Outboxes

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine

    from websockets.frames import Frame
    from websockets.http11 import Request
    from websockets.protocol import Event

    from mastermind_protocol.events import Player
    from mastermind_server.clock import Clock
    from mastermind_server.limits import Limiter
    from mastermind_server.network.rate_limits import InboundRates
    from mastermind_server.network.sockets.access import Access
    from mastermind_server.network.sockets.admission import Admission
    from mastermind_server.network.sockets.turns import Turns

_LOG = logging.getLogger(__name__)
_NUMBERS = itertools.count(1)
_AGAIN = f"retry_after={tuning.REFUSED_SECONDS:.3f}"


class Stage(StrEnum):
    """What a connection waits for, or that it is a player's."""

    HANDSHAKE = "handshake"
    HELLO = "hello"
    PLAYER = "player"
    CLOSING = "closing"


class Connection(asyncio.BufferedProtocol):
    """A Peer to the game. What it is sent it has received, one message after the other.

    `receive` is given each message, or None for one of text, and returns what is to be awaited
    before the next, if anything; so does `forget`, when the connection has ended and what it asked
    for is done. `worker` does that, if there is something to do. `taken` and `sent` are how many
    frames have come and gone; of a connection that we have `ended` nothing more is to be done.
    One timer watches over what the client owes next: the handshake, a hello, a sign of life, its
    half of the closing.
    """

    def __init__(
        self,
        clock: Clock,
        turns: Turns,
        admission: Admission,
        outboxes: Outboxes,
        rates: InboundRates,
        limiter: Limiter,
        receive: Callable[[Connection, bytes | None], Awaitable[None] | None],
        forget: Callable[[Connection], Coroutine[Any, Any, None] | None],
        access: Access = PLAIN,
    ) -> None:
        self._limits = limiter.limits
        self._met = limiter.met
        self.player: Player | None = None
        self.followed: set[str] = set()
        self.address = NOWHERE
        self.number = next(_NUMBERS)
        self.refused = 0  # messages
        self.taken = self.sent = 0
        self.ended = False  # by us: what still comes is ignored
        self.worker: asyncio.Task[None] | None = None
        self._clock, self._turns, self._admission = clock, turns, admission
        self._outboxes, self._receive, self._forget = outboxes, receive, forget
        self._handshake = Handshake(limiter, admission, access)
        self._protocol = self._handshake.protocol
        self._new = False  # and has to say hello
        self._transport: asyncio.Transport
        self._outbox: Outbox
        self._timer: asyncio.TimerHandle | None = None
        self._buffer = bytearray(tuning.READ_BYTES)
        self._rates = rates
        self._paused: asyncio.TimerHandle | None = None  # too fast: nothing is read until then
        self._late = b""  # read in a turn of the loop that had no time for it
        self._reading = True
        self._heard = True
        self._between_messages = False
        self._pieces = frames.Pieces()
        self._inbox: deque[bytes | None] = deque()
        self._closing = False
        self._lost = self._let_gone = False

    @property
    def open(self) -> bool:
        """Whether it can be sent to: the handshake is done, and nobody has begun to close it."""
        return self._protocol.state is State.OPEN and not self._transport.is_closing()

    @property
    def stage(self) -> Stage:
        """How far it has come."""
        if self._protocol.state is State.CONNECTING:
            return Stage.HANDSHAKE
        if not self.open:
            return Stage.CLOSING
        return Stage.HELLO if self.player is None else Stage.PLAYER

    def push(self, *messages: bytes) -> None:
        """Send messages, if the connection is open; who reads too slowly is cut off."""
        if not self.open:
            return
        self.sent += len(messages)
        self._outbox.write(b"".join(map(frames.pack, messages)))

    def end(self, code: CloseCode, reason: str) -> None:
        """Close the connection behind what was pushed; nothing more that it sends is looked at."""
        self.ended = True
        self._between_messages = False
        self._inbox.clear()
        if self.open:
            self._protocol.send_close(code, reason)
            self._flush()
        elif self._timer is not None and not self._closing:  # else there is no transport yet
            self._transport.abort()

    def charge(self) -> None:
        """Count a read of the socket that has not completed a TLS record as one frame."""
        self._charge(1, 0)

    def give_way(self, limit: str) -> None:
        """Go, for there are too many that have said nothing, of which this is the oldest."""
        self._new = False
        self.push(self._admission.describe(limit))
        self.end(CloseCode.TRY_AGAIN_LATER, f"no hello in time; {_AGAIN}")

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Wait for a handshake, if there is room for one more connection."""
        self._transport = cast("asyncio.Transport", transport)
        if name := transport.get_extra_info("peername"):
            self._handshake.peer = str(name[0])
            self.address = self._handshake.find_client()
        self._outbox = Outbox(self._outboxes, self._transport, self.number)
        if self._admission.enter(self.address):
            self._watch(self._limits.handshake_seconds, self._expect_handshake)
            self._enter()
        else:
            self._transport.abort()

    def get_buffer(self, sizehint: int) -> bytearray:  # noqa: ARG002 - the size is ours to choose
        """Return where to read to."""
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        """Take what was read, now or in a later turn of the loop."""
        data = bytes(memoryview(self._buffer)[:nbytes])
        if self._late:  # more has come before its turn: that is enough for now
            self._late += data
            self._regulate()
        elif (
            self._turns.postpone_newcomer(self._take_late)
            if self._new
            else self._turns.postpone(self.address, self._take_late)
        ):
            self._late = data
        else:
            self._take(data)

    def eof_received(self) -> bool:
        """Take what came before, and let the transport close: no more is sent there either.

        It writes what waits first, for which a client that does not read is given no more time
        than for its half of a closing.
        """
        self._take_late()
        self._outbox.hand_over()
        self._close_soon()
        return False

    def pause_writing(self) -> None:
        """Keep what the client does not read; it is served nothing further when that is much."""
        self._outbox.pause()
        self._regulate()

    def resume_writing(self) -> None:
        """Go on: it has read most of what it was sent."""
        self._outbox.resume()
        self._regulate()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - the close code tells
        """Do nothing more that was asked; what else there is to do, in a turn of the loop."""
        self._lost = True
        self._inbox.clear()
        self._turns.serve_newcomer(self._let_go)  # a crowd may be lost as one, such as a proxy's

    def _let_go(self) -> None:
        """Let the game be told when what was begun is done: the rest will come again."""
        self._let_gone = True
        self._leave()
        self._outbox.close()
        self._admission.close()
        if self._paused is not None:
            self._paused.cancel()
        if self._timer is not None:
            self._timer.cancel()
        if self._protocol.state is not State.CONNECTING:
            received = self._protocol.close_rcvd
            how = f"closed with {received.code}" if received else "lost"
            level = logging.INFO if self.player or self.refused else logging.DEBUG  # or a stranger
            about(_LOG, connection=self.number).log(
                level, "%s, %d frames refused", how, self.refused
            )
        self._handshake.close()
        if self.worker is None and (farewell := self._take_leave()):
            self.worker = asyncio.get_running_loop().create_task(farewell)

    def _take_late(self) -> None:
        data, self._late = self._late, b""
        if data and not self._lost:
            self._take(data)

    def _take(self, data: bytes) -> None:
        self._heard = True
        count = 0
        if self._between_messages:  # those are so short that the rate of frames bounds their bytes
            messages, data = frames.unpack(data)
            self._inbox += messages
            count = len(messages)
        if data:
            count = max(1, count + self._take_frames(data))
        self.taken += count
        self._charge(count, len(data))

    def _charge(self, frames: int, size: int) -> None:
        """Count received frames and bytes; pause reading while they exceed a rate."""
        wait = self._rates.reserve(self.number, frames, size)
        if wait > 0:
            if self._paused is not None:
                self._paused.cancel()
            self._paused = self._clock.call_later(wait, self._resume)
        self._regulate()

    def _resume(self) -> None:
        self._paused = None
        self._regulate()

    def _take_frames(self, data: bytes) -> int:
        """Let the protocol take what it must know of; return how many frames have come."""
        protocol = self._protocol
        protocol.receive_data(data)
        events = protocol.events_received()
        if protocol.state is State.CONNECTING:
            self._shake_hands(events, len(data))
        else:
            messages = self._pieces.join(cast("list[Frame]", events), len(data))
            if not self.ended:
                self._inbox.extend(messages)
            self._between_messages = not (
                self._pieces.unfinished  # after a handshake too that a piece of a frame came with
                or self.ended
                or protocol.state is not State.OPEN
                or protocol.current_size is not None
            )
        self._flush()
        return len(events)

    def _shake_hands(self, events: list[Event], size: int) -> None:
        try:
            request = self._handshake.read(events, size)
        except NoClient:
            self._transport.abort()
            return
        if request is None:
            return
        if self.address == PROXY and not self._find_client(request):
            self._transport.abort()
            return
        self._handshake.answer(request)
        if self.open:
            self._flush()
            about(_LOG, connection=self.number).debug("open")
            self._watch(self._limits.hello_seconds, self._expect_hello)
            if crowded := self._admission.refuse(self.address):
                self.push(crowded)  # a page could not see an HTTP status
                self.end(CloseCode.TRY_AGAIN_LATER, f"too many connections; {_AGAIN}")

    def _find_client(self, request: Request) -> bool:
        """Count for whom a proxy comes, if it tells; tell whether there is room for it."""
        self._leave()  # under the address that it had
        self.address = self._handshake.find_client(request)
        if welcome := self._admission.introduce(self.address):
            self._enter()
        return welcome

    def _enter(self) -> None:
        self._new = True
        self._admission.newcomers.enter(self, shared=self.address == PROXY)

    def _leave(self) -> None:
        self._new = False
        self._admission.newcomers.leave(self)

    def _flush(self) -> None:
        """Write what the protocol has to say; it says the last when the connection is closing."""
        for data in self._protocol.data_to_send():
            if self._transport.is_closing():
                return
            if data:
                self._outbox.write(data)
                continue
            self._outbox.hand_over()
            if self._protocol.state is State.CONNECTING:
                self._transport.close()
            else:
                with suppress(OSError):  # it was reset meanwhile, of which we are still to hear
                    self._transport.write_eof()
        if self._protocol.state is State.CLOSING:
            self._close_soon()

    def _close_soon(self) -> None:
        if not self._closing:
            self._closing = True
            self._watch(tuning.CLOSE_SECONDS, self._transport.abort)

    def _regulate(self) -> None:
        """Read on only while there is credit and room, and work on what was read."""
        reading = not (
            self._outbox.full
            or self._paused is not None
            or len(self._inbox) >= tuning.RECEIVE_QUEUE
            or len(self._late) > tuning.READ_BYTES
        )
        if reading is not self._reading:
            self._reading = reading
            if reading:
                self._transport.resume_reading()
            else:
                self._transport.pause_reading()
        if self._inbox and self.worker is None and not self._outbox.full:
            self.worker = asyncio.get_running_loop().create_task(self._work())

    async def _work(self) -> None:
        """Have what has come received, one message after the other."""
        try:
            while self._inbox and not self._outbox.full:
                if work := self._receive(self, self._inbox.popleft()):
                    await work
                if self._new and self.player is not None:
                    self._leave()
                if not self._reading:
                    self._regulate()
                if self._inbox:  # the first of them had its turn when it was read
                    await self._turns.wait(self.address)
        except Exception:  # else nobody would ever be served here, nor hear why
            about(_LOG, connection=self.number).exception("closed, for a message could not be done")
            self.end(CloseCode.INTERNAL_ERROR, "a fault of the server's")
        if self._let_gone and (farewell := self._take_leave()):
            await farewell
        self.worker = None

    def _take_leave(self) -> Coroutine[Any, Any, None] | None:
        """Be counted no more: not sooner, for as long as it has the server at work it counts.

        Of a stranger there is nothing to be done, and a crowd of them may be gone at once.
        """
        self._admission.forget(self.address)
        return self._forget(self)

    def _expect_handshake(self) -> None:
        self._turns.serve_newcomer(self._give_up)  # a crowd that came as one is late as one

    def _give_up(self) -> None:
        if self._protocol.state is State.CONNECTING and not self._lost:
            self._met["handshake_seconds"] += 1
            self._transport.abort()

    def _expect_hello(self) -> None:
        if self.player is None:
            self._turns.serve_newcomer(self._send_away)
        else:
            self._expect_life()

    def _send_away(self) -> None:
        if not self.open:
            return
        if self.player is None:
            self._met["hello_seconds"] += 1
            self.end(CloseCode.POLICY_VIOLATION, "no hello")
        else:  # it was said before its turn came
            self._expect_life()

    def _expect_life(self) -> None:
        """Ask for a sign of life; without one since the last time the connection has failed.

        Not where we do not read what may be there, unless it is because the client does not.
        """
        if self._heard or not (self._reading or self._outbox.full):
            self._heard = False
            self._protocol.send_ping(b"")
            self._watch(self._limits.ping_seconds, self._expect_life)
        else:
            self._between_messages = False
            self._met["ping_seconds"] += 1
            self._protocol.fail(CloseCode.INTERNAL_ERROR, "no pong in time")
        self._flush()

    def _watch(self, seconds: float, callback: Callable[[], object]) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._clock.call_later(seconds, callback)
