"""The handler of each request, with its cost and its limits."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from mastermind_protocol import requests
from mastermind_server.monitoring.overload import Level, Queue
from mastermind_server.network.handlers import Handlers

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from mastermind_server.matches.tables.call import Call

LOG_COST = 4  # of an answer with a log, at most 64 rows: 1.6 ms; a snapshot may load a log
LIST_COST = 8  # of a search through the lists: 3 ms

# The queues that requests need.
_MATCH_QUEUES = (Queue.LOOKUPS, Queue.MOVES)
_OPENING_QUEUES = (*_MATCH_QUEUES, Queue.LOCKING_WRITES)
_WRITE_QUEUES = (Queue.LOOKUPS, Queue.WRITES)
_QUERY_QUEUES = (Queue.LOOKUPS, Queue.READS)


class Route(NamedTuple):
    """The handler of a request, its cost in moves, and the checks before the handler.

    If the event loop or one of `queues` has the load level `shed_level` or above, the request is
    refused; None means never. `charged_limits` and `checked_limits` contain names of limits in
    PEER_LIMITS. Before the handler runs, each of `charged_limits` loses one token. Each of
    `checked_limits` only needs a token; the handler charges it later, when the cost is known.

    `begins_match`: the request can open a match, or begin one by taking a seat. A draining node
    refuses it, unless the player joins a match in which it has a seat. The dispatcher also
    checks whether another node has marked the player as a program, because the event of taking a
    seat contains this mark. `binds_id`: the player cannot use the id of the request for another
    request. `runs_queries`: the request uses `Store.read`, and its time there is limited.
    """

    handle: Callable[[Handlers, Call[Any]], Awaitable[None]]
    cost: int = 1
    shed_level: Level | None = None
    checked_limits: tuple[str, ...] = ()
    charged_limits: tuple[str, ...] = ()
    begins_match: bool = False
    binds_id: bool = True
    queues: tuple[Queue, ...] = _MATCH_QUEUES
    runs_queries: bool = False


_OPEN_ROUTE = Route(
    Handlers.open,
    LOG_COST,
    Level.BUSY,
    ("rows",),
    ("openings",),
    begins_match=True,
    queues=_OPENING_QUEUES,
)
_MOVE_ROUTE = Route(Handlers.move)
_LIST_ROUTE = Route(
    lambda self, call: self.lists.list_matches(call),
    LIST_COST,
    Level.BUSY,
    queues=_QUERY_QUEUES,
    runs_queries=True,
)
_ADVISE_ROUTE = Route(
    lambda self, call: self.analysis.advise(call), 1, Level.BUSY, ("analysis_ms",), ("advice",)
)
_REVIEW_ROUTE = _ADVISE_ROUTE._replace(
    handle=lambda self, call: self.analysis.review(call), charged_limits=("reviews",)
)
_ANALYSE_ROUTE = _ADVISE_ROUTE._replace(
    handle=lambda self, call: self.analysis.analyse(call), charged_limits=(), queues=()
)
ROUTES: Mapping[type[requests.Request], Route] = MappingProxyType(
    {
        requests.Hello: Route(
            Handlers.refuse_second_hello,
            shed_level=Level.OVERLOADED,
            binds_id=False,
            queues=(Queue.LOOKUPS, Queue.NEW_PLAYERS),
        ),
        requests.Open: _OPEN_ROUTE,
        requests.Seek: _OPEN_ROUTE._replace(
            handle=Handlers.seek, cost=LIST_COST, queues=(*_OPENING_QUEUES, Queue.READS)
        ),
        requests.Rematch: _OPEN_ROUTE._replace(handle=Handlers.rematch),
        requests.Challenge: _OPEN_ROUTE._replace(
            handle=Handlers.challenge, charged_limits=("openings", "challenges")
        ),
        requests.EnterDay: _OPEN_ROUTE._replace(handle=Handlers.enter),
        requests.Decline: Route(Handlers.decline, LOG_COST, Level.OVERLOADED),
        requests.AllowChallenges: Route(
            Handlers.allow_challenges, 1, Level.OVERLOADED, queues=_WRITE_QUEUES
        ),
        requests.Join: Route(Handlers.join, LOG_COST, Level.OVERLOADED, begins_match=True),
        requests.Follow: Route(
            lambda self, call: self.lobby.follow(call), LOG_COST, Level.OVERLOADED
        ),
        requests.ShowSnapshot: Route(Handlers.show_snapshot, LOG_COST, Level.BUSY),
        requests.Unfollow: Route(Handlers.unfollow),
        requests.Guess: _MOVE_ROUTE,
        requests.Secret: _MOVE_ROUTE,
        requests.Resign: _MOVE_ROUTE,
        requests.Leave: Route(Handlers.leave),
        requests.Say: Route(
            Handlers.say, 1, Level.OVERLOADED, ("rows",), ("chat",), queues=_WRITE_QUEUES
        ),
        requests.Advise: _ADVISE_ROUTE,
        requests.Review: _REVIEW_ROUTE,
        requests.Analyse: _ANALYSE_ROUTE,
        requests.ShowPuzzle: _ANALYSE_ROUTE._replace(
            handle=lambda self, call: self.analysis.show_puzzle(call)
        ),
        requests.ListMatches: _LIST_ROUTE,
        requests.Archive: _LIST_ROUTE._replace(
            handle=lambda self, call: self.lists.list_archive(call)
        ),
        requests.ListOwn: _LIST_ROUTE._replace(handle=lambda self, call: self.lists.list_own(call)),
        requests.ShowLeaderboard: _LIST_ROUTE._replace(
            handle=lambda self, call: self.standings.show_leaderboard(call)
        ),
        requests.ShowProfile: _LIST_ROUTE._replace(
            handle=lambda self, call: self.standings.show_profile(call)
        ),
        requests.ShowStatistics: _LIST_ROUTE._replace(
            handle=lambda self, call: self.standings.show_statistics(call)
        ),
        requests.ListPeople: _LIST_ROUTE._replace(
            handle=lambda self, call: self.people.list_people(call)
        ),
        requests.ShowDay: _LIST_ROUTE._replace(
            handle=lambda self, call: self.day_lists.show_day(call)
        ),
        requests.ListPlaces: _LIST_ROUTE._replace(
            handle=lambda self, call: self.day_lists.list_places(call)
        ),
        requests.ListDays: _LIST_ROUTE._replace(
            handle=lambda self, call: self.day_lists.list_days(call)
        ),
        requests.ListBots: Route(Handlers.list_bots),
        requests.Transfer: Route(
            Handlers.offer_transfer, 1, Level.BUSY, (), ("transfers",), queues=_WRITE_QUEUES
        ),
        requests.Logout: Route(Handlers.log_out),
        requests.Ping: Route(Handlers.ping),
    }
)
"""The route of each request of the protocol, by the type of the request."""
