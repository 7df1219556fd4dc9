"""The terms of the welcome message: the requests and limits of this server."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from mastermind_protocol.chat import MAX_CHAT, MAX_PHRASE
from mastermind_protocol.events import MAX_NAME
from mastermind_protocol.messages import Allowance, Bounds, Rates, Terms
from mastermind_protocol.requests import MAX_REQUEST_BYTES, AnyRequest
from mastermind_protocol.rules import MAX_COLOURS, MAX_GUESSES, MAX_PEGS, MAX_ROUNDS

if TYPE_CHECKING:
    from mastermind_server.limits import Limits, Rate


def make_welcome_terms(limits: Limits, page: str | None = None) -> Terms:
    """Return the requests, bounds and rates of a server with `limits` and the address `page`."""
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
            requests=_make_allowance(limits.frames),
            openings=_make_allowance(limits.openings),
            advice=_make_allowance(limits.advice),
            reviews=_make_allowance(limits.reviews),
            chat=_make_allowance(limits.chat),
        ),
        page=page,
    )


def _make_allowance(rate: Rate) -> Allowance:
    return Allowance(burst=rate.burst, per_second=float(rate.per_second))
