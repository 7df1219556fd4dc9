"""What clients are told of this server when they come in: nothing here is a number of its own."""

from __future__ import annotations

from typing import get_args

from mastermind_protocol.chat import MAX_CHAT, MAX_PHRASE
from mastermind_protocol.events import MAX_NAME
from mastermind_protocol.messages import Allowance, Bounds, Rates, Terms
from mastermind_protocol.requests import MAX_REQUEST_BYTES, AnyRequest
from mastermind_protocol.rules import MAX_COLOURS, MAX_GUESSES, MAX_PEGS, MAX_ROUNDS
from mastermind_server import limits


def _allow(rate: limits.Rate) -> Allowance:
    return Allowance(burst=rate.burst, per_second=float(rate.per_second))


TERMS = Terms(
    can=tuple(str(kind.__struct_config__.tag) for kind in get_args(AnyRequest)),
    bounds=Bounds(
        request_bytes=MAX_REQUEST_BYTES,
        followed=limits.MAX_FOLLOWED,
        name=MAX_NAME,
        chat=MAX_CHAT,
        phrases=MAX_PHRASE,
        rounds=MAX_ROUNDS,
        pegs=MAX_PEGS,
        colours=MAX_COLOURS,
        guesses=MAX_GUESSES,
    ),
    rates=Rates(
        requests=_allow(limits.REQUESTS),
        openings=_allow(limits.OPENINGS),
        advice=_allow(limits.ADVICE),
        reviews=_allow(limits.REVIEWS),
        chat=_allow(limits.CHAT),
    ),
)
