"""Applies the server's messages about a followed match to its mirror.

Each function yields an update for each change. A message that contradicts the rules or the log ends
the session.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from mastermind_client.network.failures import Cause, ServerUnreachable
from mastermind_client.network.updates import (
    ChatReceived,
    CodeRevealed,
    MatchRestored,
    Moved,
    PresenceChanged,
    SpectatorsChanged,
)
from mastermind_protocol.errors import InvalidClock, InvalidRules
from mastermind_protocol.transitions import advance

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mastermind_client.network.mirror import Mirror
    from mastermind_client.network.updates import Update
    from mastermind_protocol.chat import ChatLine
    from mastermind_protocol.code import Code
    from mastermind_protocol.messages import Log, Row


def take_log(mirror: Mirror, log: Log, me: str) -> Iterator[Update]:
    """Apply the rows of a log, and the presence of all players except `me`.

    After the last part of a log, states without a row in it are dropped. Raises
    ServerUnreachable for an impossible row.
    """
    again = bool(mirror.states)
    for row in log.rows:
        yield from take_row(mirror, row)
    if not log.more:
        if mirror.confirmed < mirror.version:
            mirror.drop_unconfirmed()
            yield MatchRestored(mirror, mirror.state, mirror.version)
        mirror.update_time_offset(log.now)
    now = time.monotonic()
    gone = {absent.player: now - absent.seconds for absent in log.absent}
    for player in mirror.state.players:
        if player.bot is None and player.id != me:
            since = None if player.id in log.present else gone.get(player.id, now)
            yield from take_presence(mirror, player.id, since, after_reconnect=again)
    yield from take_spectators(mirror, log.spectators)


def take_row(mirror: Mirror, row: Row) -> Iterator[Update]:
    """Apply a row of the log. Raises ServerUnreachable for an impossible row."""
    before, known = mirror.confirmed_state, mirror.version
    try:
        is_new = mirror.apply(row)
    except (InvalidRules, InvalidClock) as error:
        raise ServerUnreachable(Cause.UNKNOWN_RULES, server=mirror.server, error=error) from error
    except ValueError as error:
        raise ServerUnreachable(
            Cause.WRONG_VERSION, server=mirror.server, match=mirror.code, version=row.v
        ) from error
    if is_new:
        if before is not None and mirror.version <= known:
            yield MatchRestored(mirror, before, row.v - 1)
        yield Moved(mirror, row.events, before and advance(before, row.at), mirror.state)


def take_proof(mirror: Mirror, code: Code, nonce: bytes) -> Iterator[Update]:
    """Add the secret and the nonce that the contest of an entry reveals. `code` fits the rules."""
    if mirror.reveal(code, nonce) and mirror.state.played:
        yield CodeRevealed(mirror, mirror.state)


def take_presence(
    mirror: Mirror, player: str, gone_since: float | None, *, after_reconnect: bool = False
) -> Iterator[Update]:
    """Mark a seated player as disconnected since `gone_since`, or for None as connected.

    `gone_since` is in seconds of `time.monotonic`. It replaces an earlier time, because the
    player may have been connected in between. `after_reconnect` is whether we have just
    reconnected ourselves.
    """
    here = gone_since is None
    if player in mirror.state.departed or (here and player not in mirror.away):
        return
    known = player in mirror.away
    if gone_since is None:
        del mirror.away[player]
        after_reconnect = player in mirror.cut_off
        mirror.cut_off.discard(player)
    else:
        mirror.away[player] = gone_since
        if known:
            return
        if after_reconnect:
            mirror.cut_off.add(player)
    yield PresenceChanged(mirror, mirror.state, player, here, after_reconnect)


def take_spectators(mirror: Mirror, count: int) -> Iterator[Update]:
    """Set the number of spectators."""
    if count != mirror.spectators:
        mirror.spectators = count
        yield SpectatorsChanged(mirror)


def take_chat(mirror: Mirror, *lines: ChatLine) -> Iterator[Update]:
    """Add chat. Raises ServerUnreachable if a line has both text and phrase, or none."""
    for line in lines:
        if (line.text is None) is (line.phrase is None):
            raise ServerUnreachable(Cause.WRONG_CHAT, server=mirror.server)
        if mirror.add_chat(line):
            yield ChatReceived(mirror, mirror.state, line)
