"""The matches that a session follows: what the server says of them is taken up, and told as news.

A server is not trusted: what cannot be, by the rules that both sides have, ends the session.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from mastermind_client.net.failures import Cause, ServerUnreachable
from mastermind_client.net.mirror import Mirror
from mastermind_client.net.updates import Heard, Moved, PresenceChanged, SpectatorsChanged
from mastermind_protocol.errors import InvalidRules

if TYPE_CHECKING:
    from collections.abc import Callable

    from mastermind_client.net.updates import Update
    from mastermind_protocol import messages as wire
    from mastermind_protocol.chat import ChatLine


class Following(dict[str, Mirror]):
    """The mirrors by their match codes; `publish` is given every update.

    What is said of a match that is not among them is passed over: it has been left meanwhile.
    """

    def __init__(self, server: str, publish: Callable[[Update], None]) -> None:
        super().__init__()
        self._server, self._publish = server, publish

    def take_log(self, mirror: Mirror, log: wire.Log, me: str) -> None:
        """Take up rows, and who is there but the player `me`. Raises ServerUnreachable."""
        again = bool(mirror.states)
        for row in log.rows:
            self.take_row(mirror, row)
        now = time.monotonic()
        gone = {absent.player: now - absent.seconds for absent in log.absent}
        for player in mirror.state.players:
            if player.bot is None and player.id != me:
                since = None if player.id in log.present else gone.get(player.id, now)
                self._take_presence(mirror, player.id, since, with_us=again)
        self._take_count(mirror, log.spectators)

    def take_row(self, mirror: Mirror, row: wire.Row) -> None:
        """Take up a row. Raises ServerUnreachable for one that cannot be."""
        before = mirror.state if mirror.version else None
        try:
            news = mirror.apply(row)
        except InvalidRules as error:
            raise ServerUnreachable(
                Cause.UNKNOWN_RULES, server=self._server, error=error
            ) from error
        except ValueError as error:
            raise ServerUnreachable(
                Cause.WRONG_VERSION, server=self._server, match=mirror.code, version=row.v
            ) from error
        if news:
            self._publish(Moved(mirror, row.events, before, mirror.state))

    def take_presence(self, news: wire.Presence) -> None:
        """Take up that a seated player is gone now, or is here now."""
        if mirror := self.get(news.match):
            since = None if news.here else time.monotonic()
            self._take_presence(mirror, news.player, since)

    def take_spectators(self, news: wire.Spectators) -> None:
        """Take up how many look on."""
        if mirror := self.get(news.match):
            self._take_count(mirror, news.count)

    def hear(self, code: str, *lines: ChatLine) -> None:
        """Take up what is said. Raises ServerUnreachable for a line that cannot be."""
        mirror = self.get(code)
        if mirror is None:
            return
        for line in lines:
            if (line.text is None) is (line.phrase is None):
                raise ServerUnreachable(Cause.WRONG_CHAT, server=self._server)
            if mirror.hear(line):
                self._publish(Heard(mirror, mirror.state, line))

    def _take_presence(
        self, mirror: Mirror, player: str, gone_since: float | None, *, with_us: bool = False
    ) -> None:
        if not mirror.note_presence(player, gone_since=gone_since):
            return
        here = gone_since is None
        if here:
            with_us = player in mirror.cut_off
            mirror.cut_off.discard(player)
        elif with_us:
            mirror.cut_off.add(player)
        self._publish(PresenceChanged(mirror, mirror.state, player, here, with_us))

    def _take_count(self, mirror: Mirror, count: int) -> None:
        if count != mirror.spectators:
            mirror.spectators = count
            self._publish(SpectatorsChanged(mirror))
