"""A connected without a connection, for which the test provides the server's answers.

The protocol's state machine decides these matches, and the server's `views` filter their events.
So players receive the same information as in a real match.
"""

import asyncio
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TypeAlias

from mastermind_client.network.connection.exchange import Exchange
from mastermind_client.network.mirror import Mirror
from mastermind_client.network.players.identity import Identity
from mastermind_client.network.receiver import Receiver
from mastermind_client.network.session import Session
from mastermind_client.network.updates import ChatReceived, Moved
from mastermind_client.screen.app import App
from mastermind_client.screen.servers.server import Server
from mastermind_protocol.chat import ChatLine, Room
from mastermind_protocol.clock import SECOND
from mastermind_protocol.commands import Command, SetSecret
from mastermind_protocol.errors import Refused
from mastermind_protocol.events import AnyEvent, Joined, Opened, Player, Seat
from mastermind_protocol.glicko import Rating
from mastermind_protocol.match import Match
from mastermind_protocol.messages import AnyMessage, Done, Row
from mastermind_protocol.requests import AnyRequest, Leave, Unfollow
from mastermind_protocol.rules import Rules
from mastermind_protocol.transitions import Moment, advance, decide, expire, fold
from mastermind_server.matches.tables.views import show

Answer: TypeAlias = Callable[[AnyRequest], AnyMessage]


class ScriptedExchange(Exchange):
    """A function that answers requests; leaving always succeeds."""

    connected = False

    def __init__(self, answer: Answer) -> None:
        self._answer = answer

    async def ask(self, request: AnyRequest) -> AnyMessage:
        """Return the answer of the function."""
        if isinstance(request, Leave | Unfollow):
            return Done(id=request.id)
        return self._answer(request)


class ScriptedSession(Session):
    """A session of `player` with a function that answers requests."""

    def __init__(self, app: App, server: str, player: Player, answer: Answer) -> None:
        super().__init__(Receiver(server, Identity()), ScriptedExchange(answer))
        self.app, self.receiver.player = app, player


def refuse_all(request: AnyRequest) -> AnyMessage:
    """Raise AssertionError, because the test expects no request."""
    raise AssertionError(f"nothing was to be asked here, and {request} was")


def settle(app: App, server: str, player: Player, answer: Answer = refuse_all) -> Server:
    """Register a connected with an app under the address `server`, and return it."""
    connected = Server(server, ScriptedSession(app, server, player, answer))

    async def reach() -> Server:
        return connected

    app.servers._servers[server, None] = asyncio.create_task(reach())
    return connected


def _draw(rules: Rules) -> SetSecret:
    return SetSecret((0,) * rules.pegs, bytes(16))


class ScriptedMatch:
    """The server's state of a match; `mirror` is the copy of a player's connected.

    `at` is the time of the match in milliseconds, which only the test advances. `ratings` are the
    players' in a rated match, by their ids.
    """

    def __init__(
        self,
        connected: Server,
        code: str,
        opened: Opened,
        maker: Player | None,
        breaker: Player | None,
        ratings: Mapping[str, Rating] = MappingProxyType({}),
    ) -> None:
        self.at = 0
        self.server, self.mirror = connected, Mirror(code, now=lambda: self.at / SECOND)
        self._match: Match | None = None
        self._lines = 0
        self.happen(opened)
        for player, seat in ((maker, Seat.MAKER), (breaker, Seat.BREAKER)):
            if player is not None:
                self.happen(Joined(player=player, seat=seat, rating=ratings.get(player.id)))

    def happen(self, *events: AnyEvent) -> None:
        """Append a row of events."""
        before = advance(self.mirror.state, self.at) if self.mirror.version else None
        self._match = fold(events, self._match, self.at)
        shown = show(events, self.server.me)
        self.mirror.apply(Row(self.mirror.version + 1, shown, self.at))
        moved = Moved(self.mirror, shown, before, self.mirror.state)
        self.server.apply(moved)
        assert isinstance(self.server.session, ScriptedSession)
        self.server.session.app._on_update(self.server, moved)

    def do(self, by: Player, *commands: Command) -> None:
        """Execute a player's commands, one after another."""
        for command in commands:
            assert self._match is not None
            decision = decide(self._match, command, by.id, Moment(self.at))
            assert not isinstance(decision, Refused), decision
            self.happen(*decision.events)

    def expire(self) -> None:
        """End the time of the player to move, which is over."""
        assert self._match is not None
        decision = expire(self._match, Moment(self.at), _draw)
        assert decision is not None
        self.happen(*decision.events)

    def say(self, by: Player, text: str, room: Room = "players") -> None:
        """Add a line of chat."""
        self._lines += 1
        line = ChatLine(room=room, n=self._lines, by=by.id, name=by.name, text=text)
        assert self.mirror.add_chat(line)
        self.server.apply(ChatReceived(self.mirror, self.mirror.state, line))
