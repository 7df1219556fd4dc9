"""Count what hostile clients send and receive, and find answers that no server may give."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from campaigns.fuzz.payloads import Tape
from mastermind_protocol.codec import decode_message
from mastermind_protocol.errors import ErrorCode, MessageError
from mastermind_protocol.messages import Error, Log, Welcome

CODES = frozenset({1000, 1001, 1002, 1007, 1008, 1009, 1011, 1012, 1013, 3000, 4999})
"""Close codes that a server may send: its own, and those it echoes to clients."""


@dataclass
class Tally:
    """Numbers of frames and handshakes by kind, of errors and closings by code, and of faults."""

    sent: Counter[str] = field(default_factory=Counter)
    handshakes: Counter[str] = field(default_factory=Counter)
    answers: int = 0
    errors: Counter[str] = field(default_factory=Counter)
    closings: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)

    @property
    def frames(self) -> int:
        """Return the number of frames sent."""
        return self.sent.total()

    def take_answer(self, answer: bytes, tape: Tape) -> Welcome | None:
        """Count a message of the server. Return it if it is a Welcome."""
        try:
            message = decode_message(answer)
        except MessageError as error:
            self.faults[f"an answer is not a message: {error}"] += 1
            return None
        self.answers += 1
        match message:
            case Error(code=code):
                self.errors[code] += 1
                if code == ErrorCode.INTERNAL:
                    self.faults[f"answered with an internal error: {message.message}"] += 1
            case Log(match=match):
                tape.matches.append(match)
            case Welcome():
                return message
            case _:
                pass
        return None

    def take_status(self, status: str) -> None:
        """Count the HTTP status that answers a handshake."""
        self.closings[f"HTTP {status}"] += 1
        if status == "500":
            self.faults[f"a handshake was answered with HTTP {status}"] += 1

    def take_code(self, code: int) -> None:
        """Count a close frame of the server."""
        self.closings[str(code)] += 1
        if code not in CODES:
            self.faults[f"closed with {code}"] += 1
