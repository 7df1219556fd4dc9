"""One tree for everything that can be wrong with what a player or a peer asks.

::

    MastermindError            anything of ours; carries .code and .field
    ├── InvalidRules           a rules name that is neither a preset nor PEGSxCOLOURS[/GUESSES]
    ├── InvalidCode            a code that does not fit the rules; carries .peg
    ├── FrameError             bytes that are no message of this protocol
    └── Refused                a well-formed request that may not be done now

Every one of them can be sent as it is: `code` is the machine's word for it, the text is the
person's, `field` names the part of the request that is wrong.
"""

from __future__ import annotations

from enum import StrEnum


class ErrorCode(StrEnum):
    """The machine-readable names of everything a request can be answered with but success."""

    NOT_MSGPACK = "not_msgpack"
    FRAME_TOO_LARGE = "frame_too_large"
    FRAME_TOO_DEEP = "frame_too_deep"
    UNKNOWN_MESSAGE = "unknown_message"
    INVALID_MESSAGE = "invalid_message"
    HELLO_FIRST = "hello_first"
    HELLO_TWICE = "hello_twice"
    UNKNOWN_TOKEN = "unknown_token"  # noqa: S105 - the name of an error, no credential
    INVALID_NAME = "invalid_name"
    INVALID_RULES = "invalid_rules"
    INVALID_CODE = "invalid_code"
    INVALID_TEXT = "invalid_text"
    INVALID_SEATS = "invalid_seats"
    UNKNOWN_BOT = "unknown_bot"
    RULES_TOO_LARGE = "rules_too_large"
    RATED = "rated"
    UNKNOWN_MATCH = "unknown_match"
    SEAT_TAKEN = "seat_taken"
    ALREADY_SEATED = "already_seated"
    NOT_SEATED = "not_seated"
    NOT_FOLLOWED = "not_followed"
    NOT_YOUR_TURN = "not_your_turn"
    WRONG_PHASE = "wrong_phase"
    STALE_VERSION = "stale_version"
    OPPONENT_LEFT = "opponent_left"
    TOO_MANY = "too_many"
    RATE_LIMITED = "rate_limited"
    STORAGE_FAILED = "storage_failed"
    INTERNAL = "internal"


PASSING = frozenset({ErrorCode.RATE_LIMITED, ErrorCode.STORAGE_FAILED, ErrorCode.INTERNAL})
"""What the same request, asked once more, may not be refused with a moment later."""


class MastermindError(Exception):
    """The root of the tree above.

    `limit` is the number that was exceeded, `retry_after` the seconds after which the same
    request may succeed; both only where they mean something.
    """

    def __init__(
        self,
        code: ErrorCode | str,
        message: str,
        *,
        field: str | None = None,
        limit: int | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.code = str(code)
        self.message = message
        self.field = field
        self.limit = limit
        self.retry_after = retry_after


class InvalidRules(MastermindError):
    """A text that names no rules; the message says what is allowed."""

    def __init__(self, message: str) -> None:
        super().__init__(ErrorCode.INVALID_RULES, message, field="rules")


class InvalidCode(MastermindError):
    """A code that does not fit the rules. `peg` counts from 1; None if the length is wrong."""

    def __init__(self, message: str, *, peg: int | None = None) -> None:
        super().__init__(ErrorCode.INVALID_CODE, message, field="code")
        self.peg = peg


class FrameError(MastermindError):
    """Bytes that cannot be read as a message; `request` is the id in them, if it was made out."""

    request: int | None = None


class Refused(MastermindError):
    """A request that was understood and may not be done; nothing has changed."""
