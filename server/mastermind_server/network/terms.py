"""What clients are told of this server when they come in: nothing here is a number of its own."""

from __future__ import annotations

from typing import get_args

from mastermind_protocol.chat import MAX_CHAT, MAX_PHRASE
from mastermind_protocol.events import MAX_NAME
from mastermind_protocol.messages import (
    MAX_REQUEST_BYTES,
    Allowance,
    AnyRequest,
    Bounds,
    Rates,
    Terms,
)
from mastermind_protocol.rules import MAX_COLOURS, MAX_GUESSES, MAX_PEGS, MAX_ROUNDS
from mastermind_server.limits import (
    ADVICE,
    CHAT,
    MAX_FOLLOWED,
    OPENINGS,
    REQUESTS,
    REVIEWS,
    Rate,
)


def _allow(rate: Rate) -> Allowance:
    return Allowance(burst=rate.burst, per_second=float(rate.per_second))


TERMS = Terms(
    can=tuple(str(kind.__struct_config__.tag) for kind in get_args(AnyRequest)),
    bounds=Bounds(
        request_bytes=MAX_REQUEST_BYTES,
        followed=MAX_FOLLOWED,
        name=MAX_NAME,
        chat=MAX_CHAT,
        phrases=MAX_PHRASE,
        rounds=MAX_ROUNDS,
        pegs=MAX_PEGS,
        colours=MAX_COLOURS,
        guesses=MAX_GUESSES,
    ),
    rates=Rates(
        requests=_allow(REQUESTS),
        openings=_allow(OPENINGS),
        advice=_allow(ADVICE),
        reviews=_allow(REVIEWS),
        chat=_allow(CHAT),
    ),
)
