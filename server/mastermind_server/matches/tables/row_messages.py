"""The messages with a new row of a match, which are encoded once for each view of the row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_protocol.codec import decode_events, encode
from mastermind_protocol.messages import Happened
from mastermind_server.matches.tables.views import show

if TYPE_CHECKING:
    from mastermind_protocol.events import AnyEvent
    from mastermind_server.matches.tables.followers import Followers, Peer
    from mastermind_server.matches.tables.match_log import MatchLog
    from mastermind_server.storage.rows import LogRow


def answer_repeated(log: MatchLog, row: LogRow, requester: Peer | None) -> None:
    """Send a row to `requester`, if any, which has repeated the request of the row."""
    if requester is not None:
        shown = show(decode_events(row.events), row.player)
        requester.push(_encode_row(log, row, shown, row.request))


def send_row(
    log: MatchLog,
    followers: Followers,
    row: LogRow,
    events: tuple[AnyEvent, ...],
    requester: Peer | None,
) -> None:
    """Send a row with `events` to all followers.

    `requester`, if any, is first: it receives the row as the answer to its request. A message is
    encoded once for all followers with the same view of `events`.
    """
    public = show(events, None)
    if requester is not None:
        shown = public if public == events else show(events, row.player)
        requester.push(_encode_row(log, row, shown, row.request))
    others = [peer for peer in followers.seated if peer is not requester]
    if not others and not followers.watching:
        return
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
