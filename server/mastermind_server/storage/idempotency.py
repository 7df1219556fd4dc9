"""Request keys, which make requests idempotent: a repeated request changes nothing twice."""

from __future__ import annotations

from collections import OrderedDict
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

from mastermind_protocol.codec import encode
from mastermind_protocol.errors import Reason, Refused

if TYPE_CHECKING:
    from mastermind_protocol.requests import Request

REQUEST_DIGEST_BYTES = 8  # short: a player who finds a collision affects only their own requests
REQUESTS_KEPT = 50_000  # requests with their refusals: 14 to 28 MiB


class ReusedId(Refused):
    """The request's id belongs to another request of the same player."""

    def __init__(self) -> None:
        super().__init__(Reason.REUSED_ID, field="id")


class RequestKey(NamedTuple):
    """A request's id, unique for its player, and a digest of the request's content.

    The digest is None in rows that an older version of the server wrote.
    """

    id: int
    digest: bytes | None

    @classmethod
    def of(cls, request: Request) -> RequestKey:
        """Return the key of `request`. Its digest does not depend on the client's encoding."""
        return cls(request.id, blake2b(encode(request), digest_size=REQUEST_DIGEST_BYTES).digest())

    def check_same_request(self, stored: bytes | None) -> None:
        """Raise ReusedId if `stored`, the digest of a stored request, differs from this digest.

        If `stored` is None, its digest is unknown, and any request is accepted.
        """
        if stored is not None and stored != self.digest:
            raise ReusedId


class RecentRequests:
    """The last `REQUESTS_KEPT` requests of all players, and the refusals of refused requests.

    A repeated request that is not kept here still changes a match only once: the log contains the
    keys of all requests that changed a match.
    """

    def __init__(self) -> None:
        # By player and id: the digest, and the message of the refusal.
        self._known: OrderedDict[tuple[str, int], tuple[bytes | None, bytes | None]] = OrderedDict()

    def bind(self, player: str, key: RequestKey) -> bytes | None:
        """Bind the id of `key` to this request of the player with the id `player`.

        If this request was refused before, return its message; otherwise return None.

        Raises ReusedId if the id of `key` belongs to another request.
        """
        digest, refusal = self._known.setdefault((player, key.id), (key.digest, None))
        if len(self._known) > REQUESTS_KEPT:
            self._known.popitem(last=False)
        key.check_same_request(digest)
        return refusal

    def keep_refusal(self, player: str, key: RequestKey, refusal: bytes) -> None:
        """Keep `refusal`, a message, as the answer to repetitions of the request `key`.

        Does nothing if the request has been evicted.
        """
        if (player, key.id) in self._known:
            self._known[player, key.id] = (key.digest, refusal)

    def clear(self) -> None:
        """Drop all requests: in another history of the store, a refused one may be accepted."""
        self._known.clear()

    def release(self, player: str, key: RequestKey) -> None:
        """Drop the request `key`, because the store has a different request with the same id.

        Otherwise `bind` would reject a repetition of that stored request.
        """
        self._known.pop((player, key.id), None)
