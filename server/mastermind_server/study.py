"""Advice for a codebreaker who asks, and the review of a match that is over."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_protocol.codec import encode
from mastermind_protocol.errors import ErrorCode, Refused
from mastermind_protocol.match import Phase
from mastermind_protocol.messages import (
    MAX_REVIEWED,
    Advice,
    Advise,
    Review,
    Reviewing,
)
from mastermind_server.bots.bot import LARGEST

if TYPE_CHECKING:
    from mastermind_protocol.events import Player
    from mastermind_protocol.rules import Rules
    from mastermind_server.bots.runner import BotRunner
    from mastermind_server.lobby import Lobby
    from mastermind_server.peer import Peer
    from mastermind_server.requests import Stamp


class Study:
    """Answers from the solver. What it is told is what the codebreaker sees."""

    def __init__(self, lobby: Lobby, bots: BotRunner) -> None:
        self._lobby, self._bots = lobby, bots

    async def advise(self, peer: Peer, player: Player, request: Advise, stamp: Stamp) -> None:
        """Tell everybody that advice is taken, and answer with it. Raises Refused."""
        async with self._lobby.at(request.match) as table:
            _check_size(table.state.rules)
            view = await table.take_advice(player.id, stamp, request.v)
            found = await self._bots.advise(view, request.by, request.most)
        advice = Advice(
            id=request.id,
            match=request.match,
            guess=len(view.turns) + 1,
            left=found.left,
            guesses=found.guesses,
            sampled=found.sampled,
        )
        peer.push(encode(advice))

    async def review(self, peer: Peer, request: Review) -> None:
        """Answer with the review of a round of a finished match. Raises Refused."""
        async with self._lobby.at(request.match) as table:
            match = table.state
        _check_size(match.rules)
        if match.phase is not Phase.FINISHED:
            raise Refused(ErrorCode.WRONG_PHASE, "a match is reviewed when it is over")
        if request.round > len(match.played):
            raise Refused(
                ErrorCode.INVALID_MESSAGE,
                f"there is no round {request.round}: {len(match.played)} were played",
                field="round",
                limit=len(match.played),
            )
        turns = match.played[request.round - 1].turns
        start = request.start - 1
        end = min(start + MAX_REVIEWED, len(turns))
        found = await self._bots.review(match.rules, turns, start, end)
        reviewing = Reviewing(
            id=request.id,
            match=request.match,
            round=request.round,
            turns=tuple(found),
            more=end < len(turns),
        )
        peer.push(encode(reviewing))


def _check_size(rules: Rules) -> None:
    """Raise Refused if there are too many codes to weigh."""
    if rules.codes > LARGEST:
        raise Refused(
            ErrorCode.RULES_TOO_LARGE,
            f"{rules} has {rules.codes} codes: advice and reviews are for at most {LARGEST}",
            limit=LARGEST,
        )
