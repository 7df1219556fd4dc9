"""How much a server has to do, and what it refuses when that is too much: moves last."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, assert_never

from mastermind_protocol import requests
from mastermind_protocol.errors import Reason, Refused
from mastermind_server import tuning

if TYPE_CHECKING:
    from mastermind_protocol.requests import AnyRequest


class Level(IntEnum):
    """What is refused, each with all that is before it.

    No level refuses a move, nor what brings a player back to its match: these are done as long as
    there is room in the queue of the store.
    """

    CALM = 0  # nothing
    BUSY = 1  # what nobody waits for in a match: new ones, lists, reviews, advice
    OVERLOADED = 2  # what brings somebody to a match, new players, talk


class Load:
    """What a server feels of its load, and whether that lets it do a request."""

    __slots__ = ("level",)

    def __init__(self) -> None:
        self.level = Level.CALM

    def feel(self, lag: float, wait: float) -> None:
        """Take note of how late the event loop is, and how long the store has somebody wait.

        Both in seconds; either is enough.
        """
        if lag > tuning.OVERLOADED_LAG_SECONDS or wait > tuning.OVERLOADED_STORE_SECONDS:
            self.level = Level.OVERLOADED
        elif lag > tuning.BUSY_LAG_SECONDS or wait > tuning.BUSY_STORE_SECONDS:
            self.level = Level.BUSY
        else:
            self.level = Level.CALM

    def check(self, request: AnyRequest) -> None:
        """Raise Refused, which tells when to ask again, if there is too much to do for this.

        Whose match it is, whom a `follow` brings back, is not known here.
        """
        if self.level is Level.CALM:
            return
        first = find_first_refusal(request)
        if first is not None and self.level >= first:
            raise Refused(Reason.OVERLOADED, retry_after=tuning.OVERLOADED_RETRY_SECONDS)


def find_first_refusal(request: AnyRequest) -> Level | None:
    """Return the lowest level at which a request is refused, None if at none."""
    match request:
        case (
            requests.Open()
            | requests.Seek()
            | requests.Rematch()
            | requests.ListMatches()
            | requests.ListOwn()
            | requests.Archive()
            | requests.Advise()
            | requests.Review()
            | requests.Transfer()
        ):
            return Level.BUSY
        case requests.Join() | requests.Follow() | requests.Say():
            return Level.OVERLOADED
        case requests.Hello():
            return Level.OVERLOADED if request.token is None else None
        case (
            requests.Guess()
            | requests.Secret()
            | requests.Resign()
            | requests.Leave()
            | requests.Unfollow()
            | requests.ListBots()
            | requests.Logout()
            | requests.Ping()
        ):
            return None
        case _:
            assert_never(request)
