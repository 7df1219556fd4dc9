"""The limits and requests of this server, which its welcome message lists."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from mastermind_protocol.chat import MAX_CHAT, MAX_PHRASE
from mastermind_protocol.events import MAX_NAME
from mastermind_protocol.messages import Allowance, Bounds, Rates, Terms
from mastermind_protocol.requests import MAX_REQUEST_BYTES, AnyRequest
from mastermind_protocol.rules import MAX_COLOURS, MAX_GUESSES, MAX_PEGS, MAX_ROUNDS

if TYPE_CHECKING:
    from mastermind_server.limits import Limits, Rate


def describe_terms(limits: Limits) -> Terms:
    """Return the terms of a server with `limits`."""
    return Terms(
        can=tuple(str(kind.__struct_config__.tag) for kind in get_args(AnyRequest)),
        bounds=Bounds(
            request_bytes=MAX_REQUEST_BYTES,
            followed=limits.followed,
            name=MAX_NAME,
            chat=MAX_CHAT,
            phrases=MAX_PHRASE,
            rounds=MAX_ROUNDS,
            pegs=MAX_PEGS,
            colours=MAX_COLOURS,
            guesses=MAX_GUESSES,
        ),
        rates=Rates(
            requests=_allow(limits.frames),
            openings=_allow(limits.openings),
            advice=_allow(limits.advice),
            reviews=_allow(limits.reviews),
            chat=_allow(limits.chat),
        ),
    )


def _allow(rate: Rate) -> Allowance:
    return Allowance(burst=rate.burst, per_second=float(rate.per_second))
