"""What a request is known by: its id is its content's for ever, on disk and in memory."""

from __future__ import annotations

from collections import OrderedDict
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

from mastermind_protocol.codec import encode
from mastermind_protocol.errors import Reason, Refused
from mastermind_server.tuning import REQUESTS_KEPT

if TYPE_CHECKING:
    from mastermind_protocol.requests import Request

DIGEST_BYTES = 8  # who finds two requests with one digest deceives nobody else


class ReusedId(Refused):
    """The id is that of another request of the same player, which asked something else."""

    def __init__(self) -> None:
        super().__init__(Reason.REUSED_ID, field="id")


class Stamp(NamedTuple):
    """A request's id, unique for its player, and a digest of the request.

    The digest is None of what an older version of the server has kept.
    """

    id: int
    digest: bytes | None

    @classmethod
    def of(cls, request: Request) -> Stamp:
        """Return the stamp of a request. However it was packed, the same content has the same."""
        return cls(request.id, blake2b(encode(request), digest_size=DIGEST_BYTES).digest())

    def check(self, first: bytes | None) -> None:
        """Raise ReusedId unless the first request of this id had this digest, or none is kept."""
        if first is not None and first != self.digest:
            raise ReusedId


class Requests:
    """The last requests of all players, and how those were refused that were; bounded in number.

    What a request has caused is on disk with its stamp, so nothing is done twice by forgetting one.
    """

    def __init__(self) -> None:
        # By player and id: the digest, and how it was refused.
        self._known: OrderedDict[tuple[str, int], tuple[bytes | None, bytes | None]] = OrderedDict()

    def bind(self, player: str, stamp: Stamp) -> bytes | None:
        """Bind an id to its request; return the frame by which it was refused, if it was.

        Raises ReusedId if the id is bound to another request.
        """
        digest, refusal = self._known.setdefault((player, stamp.id), (stamp.digest, None))
        if len(self._known) > REQUESTS_KEPT:
            self._known.popitem(last=False)
        stamp.check(digest)
        return refusal

    def refuse(self, player: str, stamp: Stamp, refusal: bytes) -> None:
        """Remember how a request was refused, if it is not forgotten already."""
        if (player, stamp.id) in self._known:
            self._known[player, stamp.id] = (stamp.digest, refusal)

    def release(self, player: str, stamp: Stamp) -> None:
        """Forget a request whose id turned out to be another's."""
        self._known.pop((player, stamp.id), None)
