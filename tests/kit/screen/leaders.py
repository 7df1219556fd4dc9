"""A leaderboard and profiles as a server sends them, with days that depend on the time now."""

import time

from mastermind_protocol import messages as wire
from mastermind_protocol import requests
from mastermind_protocol.clock import DAY, SECOND
from mastermind_protocol.events import MatchEnd, Player, Seat
from mastermind_protocol.glicko import PROVISIONAL_DEVIATION, Rating

ADA, BOB = Player(id="ADA", name="Ada"), Player(id="BOB", name="Bob")
RANKED = (
    ("Noor", 1934, 42, 311, 4.31, 0), ("Kasia", 1877, 51, 190, 4.42, 0),
    ("tor", 1820, 60, 88, 4.38, 2), ("Liwen", 1799, 45, 402, 4.51, 0),
    ("Bob", 1741, 58, 120, 4.6, 1), ("Bartholomew Featherston", 1736, 71, 41, 4.44, 5),
    ("Ravi", 1702, 49, 233, 4.63, 0), ("Ola", 1688, 66, 58, 4.7, 0),
    ("Mme. K", 1671, 52, 177, 4.58, 8), ("zed", 1660, 80, 29, 4.49, 0),
)  # fmt: skip
"""Players of a leaderboard: name, rating, deviation, matches, mean guesses, days since the last."""
OWN_PLACE, PLAYERS = 38, 40
PLAYED = wire.ArchivedMatch(
    match="K7M2QX", rules="classic", rounds=2, rated=True, at=0, seat=Seat.BREAKER, opponent="Eve",
    won=True, how=MatchEnd.PLAYED, guesses=14, points=(9, 5), clock="5+3",
)  # fmt: skip
"""The public match of each player."""
SINCE = 1_773_446_400_000  # 14 March 2026
RATINGS = (
    1420, 1432, 1441, 1436, 1449, 1462, 1458, 1471, 1483, 1480, 1472, 1476, 1488, 1497, 1511,
    1505, 1523, 1541, 1533, 1517, 1526, 1519, 1503, 1512,
)  # fmt: skip


def answer_leaders(request: requests.AnyRequest) -> wire.AnyMessage:
    """Answer a request for the leaderboard, for a profile, or for the matches of a player."""
    match request:
        case requests.ShowLeaderboard():
            return make_leaderboard(request)
        case requests.ShowProfile():
            return make_profile(request)
        case requests.Archive():
            return wire.Archived(id=request.id, matches=(PLAYED,))
        case _:
            raise AssertionError(f"no leader asks {request}")


def days_ago(days: int) -> int:
    """Return the time of a number of days ago, in milliseconds since 1970."""
    return round(time.time() * SECOND) - days * DAY


def make_record(
    rating: float, deviation: float, matches: int, guesses: float, days: int, rules: str = "classic"
) -> wire.RatedRecord:
    """Return a record of a player, with a third of the matches lost."""
    return wire.RatedRecord(
        rules=rules, rating=Rating(rating, deviation, 0.06), matches=matches,
        wins=matches - matches // 3, draws=0, losses=matches // 3, last=days_ago(days),
        played=matches, broken=matches - 1, guesses=guesses, less_luck=guesses + 0.13,
        best=None if deviation >= PROVISIONAL_DEVIATION else rating + 29,
        best_at=days_ago(days + 3), fewest=3,
    )  # fmt: skip


def make_leaderboard(request: requests.ShowLeaderboard) -> wire.Leaderboard:
    """Return a page of a leaderboard on which Ada has the place OWN_PLACE.

    The first ten players are RANKED, and later ones have numbers.
    """
    own = wire.RankedPlayer(
        player=ADA.id, name=ADA.name, place=OWN_PLACE, record=make_record(1512, 83, 24, 5.3, 0)
    )
    players = []
    for place in range(request.after + 1, min(request.after + 10, PLAYERS) + 1):
        name, record = f"player {place}", make_record(1700 - place, 90, 20, 5.2, 6)
        if place <= len(RANKED):
            name, rating, deviation, matches, guesses, days = RANKED[place - 1]
            record = make_record(rating, deviation, matches, guesses, days)
        ranked = wire.RankedPlayer(player=name.upper(), name=name, place=place, record=record)
        players.append(own if place == OWN_PLACE else ranked)
    return wire.Leaderboard(
        id=request.id, rules=request.rules, players=tuple(players), total=PLAYERS, own=own,
        more=request.after + 10 < PLAYERS, bot=4.34,
    )  # fmt: skip


def make_profile(request: requests.ShowProfile) -> wire.Profile:
    """Return the profile of Bob, or of Ada with the same matches.

    They have played classic last, and earlier a match of eight.
    """
    rules = request.rules or "classic"
    player = BOB if request.player == BOB.id else ADA
    matches = (
        (0, "classic", "Eve", 1.0, (9, 5), 9.2),
        (1, "classic", "Noor", 0.0, (4, 9), -16.3),
        (12, "eight", "Bartholomew Featherston", 0.5, (7, 7), -2.1),
    )
    return wire.Profile(
        id=request.id, player=player.id, name=player.name,
        records=(
            make_record(1512, 83, 24, 5.3, 0), make_record(1388, 121, 4, 6.25, 12, "eight"),
        ),
        history=RATINGS if rules == "classic" else (1407, 1388),
        against=(0, 0, 0) if player == ADA else (4, 1, 7), rules=rules,
        met=None if player == ADA else days_ago(0),
        form=(16, 0, 8) if rules == "classic" else (2, 1, 1),
        place=OWN_PLACE if rules == "classic" else None,
        total=PLAYERS if rules == "classic" else 0, games=131, since=SINCE,
        matches=tuple(
            wire.RatedMatch(
                match="K7M2QX", at=days_ago(days), rules=by, opponent=name, score=score,
                points=points, rating=1388 if by == "eight" else 1512, change=change,
            )
            for days, by, name, score, points, change in matches
            if by == rules
        ),
    )  # fmt: skip
