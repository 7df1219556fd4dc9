"""What a server tells about itself and its bots, and its answers without other content."""

from __future__ import annotations

from typing import Annotated

import msgspec

from mastermind_protocol.errors import MAX_DETAIL_LENGTH, MastermindError
from mastermind_protocol.events import MatchCode, Name, Player
from mastermind_protocol.messages.base import ServerMessage
from mastermind_protocol.messages.matches import Epoch
from mastermind_protocol.requests import Count, Number, RequestId, Token, TransferCode

MAX_ANNOUNCEMENT_LENGTH = 200  # characters: two sentences
MAX_DETAILS = 12  # values of an error, and items of a list value; this version uses at most 6

DetailText = Annotated[str, msgspec.Meta(max_length=MAX_DETAIL_LENGTH)]
DetailTexts = Annotated[tuple[DetailText, ...], msgspec.Meta(max_length=MAX_DETAILS)]
Details = Annotated[
    dict[DetailText, int | float | DetailText | DetailTexts], msgspec.Meta(max_length=MAX_DETAILS)
]


class Allowance(msgspec.Struct, frozen=True):
    """A rate limit: `burst` requests at once, then `per_second` requests in a second."""

    burst: Count
    per_second: float


class Rates(msgspec.Struct, frozen=True):
    """The rate limits of a server. Each limits the requests of one kind.

    docs/protocol/limits.md lists the requests that a limit counts.
    """

    requests: Allowance
    openings: Allowance
    advice: Allowance
    reviews: Allowance
    chat: Allowance


class Bounds(msgspec.Struct, frozen=True):
    """The limits of a server, in the units that docs/protocol/values.md gives.

    `name`, `chat` and `request_bytes` limit lengths: characters of a name, characters of a chat
    line, and bytes of a request. `phrases` is the largest number of a canned phrase. `followed`
    limits the matches that one connection follows, `rounds` the rounds of a match, and `pegs`,
    `colours` and `guesses` the rules.
    """

    request_bytes: Count
    followed: Count
    name: Count
    chat: Count
    phrases: Count
    rounds: Count
    pegs: Count
    colours: Count
    guesses: Count


class Terms(msgspec.Struct, frozen=True, omit_defaults=True):
    """The features and limits of a server.

    `can` lists the `op` of each request that the server accepts, among them requests that an older
    client does not know. `bounds` are limits of size and number. `rates` limit requests per second.
    `page` is the address of the server's web page, with a slash at the end: a URL, or "/" for the
    address to which the client has connected. It is absent if the server has no page. The link to a
    match is `page` followed by the match code. `host` is the name of the player whose own program
    runs the server, and absent for other servers. Such a server stops with the program.

    With `match_addresses`, several nodes may serve clients. The players of a match meet at one node
    if they connect at the address of the server followed by ``/m/`` and the part of the match (see
    `find_part`).
    """

    can: tuple[str, ...]
    bounds: Bounds
    rates: Rates
    page: str | None = None
    host: Name | None = None
    match_addresses: bool = False


class Welcome(ServerMessage, frozen=True, tag="welcome"):
    """Answer to `hello`: the player of the connection.

    A new player receives a `token`. `terms` are the features and limits of the server. `epoch`
    identifies the history of the server's store.
    """

    id: RequestId
    player: Player
    token: Token | None = None
    terms: Terms | None = None
    epoch: Epoch | None = None


class KnownBot(msgspec.Struct, frozen=True, omit_defaults=True):
    """A bot of the server. It guesses in games with up to `largest` possible codes.

    `hides` describes how it hides codes; older servers omit it.
    """

    name: str
    about: str
    largest: Number
    aliases: tuple[str, ...] = ()
    hides: str = ""


class Bots(ServerMessage, frozen=True, tag="bots"):
    """Answer to `bots`: the weakest bots first."""

    id: RequestId
    bots: tuple[KnownBot, ...]


class Transferable(ServerMessage, frozen=True, tag="transferable"):
    """Answer to `transfer`: a transfer code that is valid for `seconds`."""

    id: RequestId
    code: TransferCode
    seconds: Number


class Announcement(ServerMessage, frozen=True, tag="announcement"):
    """A message of the operator to all clients.

    With `match`, it goes to the followers of this match, and gives the reason why the operator ends
    the match.
    """

    text: Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_ANNOUNCEMENT_LENGTH)]
    match: MatchCode | None = None


class Done(ServerMessage, frozen=True, tag="done"):
    """Answer to a request without a result."""

    id: RequestId


class Error(ServerMessage, frozen=True, tag="error"):
    """The refusal of a request, which had no effect.

    `id` is None if the request could not be decoded. `details` contain the key of the `reason` and
    the values of its sentence.
    """

    code: str
    message: str
    id: int | None = None
    field: str | None = None
    limit: int | None = None
    retry_after: float | None = None
    details: Details | None = None

    @classmethod
    def of(cls, error: MastermindError, request: int | None = None) -> Error:
        """Return the message that reports `error`; `request` is the id of the refused request."""
        return cls(
            id=request,
            code=error.code,
            message=error.message,
            field=error.field,
            limit=error.limit,
            retry_after=error.retry_after,
            details=error.details,
        )
