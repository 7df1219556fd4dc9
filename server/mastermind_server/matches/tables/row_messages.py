"""The messages with a new row of a match, which are encoded once for each view of the row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_protocol.codec import encode
from mastermind_protocol.messages import Happened
from mastermind_server.matches.tables.views import show

if TYPE_CHECKING:
    from mastermind_protocol.events import AnyEvent
    from mastermind_server.matches.tables.followers import Followers, Peer
    from mastermind_server.matches.tables.match_log import MatchLog
    from mastermind_server.storage.rows import LogRow


def answer_requester(
    log: MatchLog, row: LogRow, events: tuple[AnyEvent, ...], requester: Peer | None
) -> None:
    """Send a row with `events` to `requester`, if any, as the answer to the row's request."""
    if requester is not None:
        requester.push(_encode_row(log, row, show(events, row.player), row.request))


def broadcast_row(
    log: MatchLog,
    followers: Followers,
    row: LogRow,
    events: tuple[AnyEvent, ...],
    requester: Peer | None,
) -> None:
    """Send a row to all followers except `requester`.

    A message is encoded once for all followers with the same view of `events`.
    """
    others = [peer for peer in followers.seated if peer is not requester]
    if not others and not followers.watching:
        return
    public = show(events, None)
    message = _encode_row(log, row, public)
    for peer in others:
        viewer = peer.player.id if peer.player else None
        shown = public if public == events else show(events, viewer)
        peer.push(message if shown == public else _encode_row(log, row, shown))
    followers.watching.broadcast(message)


def _encode_row(
    log: MatchLog, row: LogRow, events: tuple[AnyEvent, ...], request: int | None = None
) -> bytes:
    """Return the message with the events of a row.

    `request` is the id of the request that the message answers, or None.
    """
    at = log.elapsed_at(row) if log.state.clock else 0
    return encode(Happened(match=row.match, v=row.version, events=events, id=request, at=at))
