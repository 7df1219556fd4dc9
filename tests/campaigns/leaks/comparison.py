"""Compare all output of two servers that run the same script with different secrets."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path

from msgspec.structs import replace

from campaigns.leaks.play import Play
from campaigns.leaks.recording_server import RecordingServer
from campaigns.leaks.scripts import ALONE, WITHOUT_SCRIPT, Ask, Script, Who
from kit.client import list_frames
from mastermind_protocol.code import Code
from mastermind_protocol.codec import decode_message, encode
from mastermind_protocol.errors import MessageError
from mastermind_protocol.events import AnyEvent, Guessed, RoundEnded
from mastermind_protocol.feedback import score
from mastermind_protocol.messages import AnyMessage, Error, Happened, Log

SEED = 20
MASK = b"?" * 32


@dataclass
class Covered:
    """Numbers of actions and messages in all pairs, by kind, to show untested ones."""

    kinds: dict[str, Counter[str]] = field(default_factory=dict)

    def count(self, kind: str, *names: str) -> None:
        """Count `names` of a kind."""
        self.kinds.setdefault(kind, Counter()).update(names)

    def add(self, script: Script, sent: Sequence[tuple[str, bytes]]) -> None:
        """Count the parts of `script` and the messages in the transcript `sent`."""
        self.count("rules", script.rules)
        self.count("opening", script.opening)
        self.count("round", str(script.before + 1))
        self.count("guesses", str(len(script.guesses)))
        if script.opening not in WITHOUT_SCRIPT:
            self.count("ending", script.ending)
        for step in (step for steps in script.steps for step in steps):
            self.count("who", step.who)
            if isinstance(step.what, Ask):
                self.count("request", str(type(step.what.request).__struct_config__.tag))
            else:
                self.count("act", step.what)
        for recipient, frame in sent:
            self.count("sent", recipient)
            for message in read(frame):
                self.count("message", str(type(message).__struct_config__.tag))
                if isinstance(message, Error):
                    self.count("refusal", message.code)


class Comparison:
    """Two equal servers, which run the same scripts with different secrets."""

    def __init__(self, left: RecordingServer, right: RecordingServer, covered: Covered) -> None:
        self.covered = covered
        self._left, self._right = left, right

    @classmethod
    async def between(cls, stack: AsyncExitStack, covered: Covered | None = None) -> Comparison:
        """Start two equal servers; the stack stops them."""
        servers = []
        for _ in range(2):
            server = RecordingServer(Path(stack.enter_context(tempfile.TemporaryDirectory())), SEED)
            await server.start()
            stack.push_async_callback(server.stop)
            servers.append(server)
        for server in servers:
            await server.rest()
        left, right = servers
        return cls(left, right, Covered() if covered is None else covered)

    async def compare(self, script: Script, first: Code, second: Code) -> None:
        """Raise AssertionError if output for others than the codemaker depends on the secret."""
        seen, before = await self._perform(self._left, script, first, other=False)
        others, _ = await self._perform(self._right, script, second, other=True)
        self.covered.add(script, seen)
        if script.opening in WITHOUT_SCRIPT:
            before = find_divergence(seen, first, second)
            others = others[:before]
            seen = seen[:before]
        for place, (this, that) in enumerate(zip_longest(seen, others, fillvalue=("nothing", b""))):
            if place >= before:
                this, that = (this[0], hide_codes(this[1])), (that[0], hide_codes(that[1]))
            assert this == that, (
                f"{this[0]} can distinguish {first} from {second}: {this} is not {that}"
            )

    async def _perform(
        self, server: RecordingServer, script: Script, secret: Code, *, other: bool
    ) -> tuple[list[tuple[str, bytes]], int]:
        await server.start_transcript()
        play = Play(server, script, secret, other=other)
        with server.recording():
            before = await play.perform()
        sent = []
        shown = 0  # messages before the end of the round, without the codemaker's
        for place, (recipient, what) in enumerate(server.transcript.sent):
            if recipient == Who.MAKER and (script.rival or script.opening not in ALONE):
                continue
            if script.rival and recipient not in set(Who):
                continue  # logs and metrics show that the rival resigned
            for commitment in play.commitments:
                what = what.replace(commitment, MASK).replace(commitment.hex().encode(), 2 * MASK)
            sent.append((recipient, what))
            shown += place < before
        return sent, shown


def find_divergence(sent: Sequence[tuple[str, bytes]], first: Code, second: Code) -> int:
    """Return the index of the first guess with different feedback, or of the round's end."""
    for place, (_, frame) in enumerate(sent):
        for event in (event for message in read(frame) for event in events_of(message)):
            if isinstance(event, RoundEnded):
                return place
            if isinstance(event, Guessed) and score(first, event.code) != score(second, event.code):
                return place
    return len(sent)


def read(frames: bytes) -> Iterator[AnyMessage]:
    """Yield the messages in one write of the server. A handshake has none."""
    if frames.startswith(b"\x82"):
        for frame in list_frames(frames):
            try:
                yield decode_message(frame)
            except MessageError:
                continue


def events_of(message: AnyMessage) -> Sequence[AnyEvent]:
    """Return the events in a message."""
    if isinstance(message, Log):
        return [event for row in message.rows for event in row.events]
    return message.events if isinstance(message, Happened) else ()


def hide_codes(frames: bytes) -> bytes:
    """Return `frames` without the codes that ended rounds reveal."""
    shown = []
    for message in read(frames):
        match message:
            case Happened(events=events):
                message = replace(message, events=tuple(map(_hide, events)))
            case Log(rows=rows):
                hidden = (replace(row, events=tuple(map(_hide, row.events))) for row in rows)
                message = replace(message, rows=tuple(hidden))
        shown.append(encode(message))
    return b"".join(shown) or frames


def _hide(event: AnyEvent) -> AnyEvent:
    return replace(event, code=(0,)) if isinstance(event, RoundEnded) else event
