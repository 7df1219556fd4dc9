"""The attacks by their names, and what has to be possible while each is under way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from campaigns.attacks import crowds, neighbour, openings, questions, sockets
from campaigns.attacks.honest import Honest

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

MOST_GROWN = 128.0  # MiB: 5,000 connections are 80, and what waits for some of them
LITTLE = 32.0  # MiB, where nothing is left open


@dataclass(frozen=True, slots=True)
class Attack:
    """What an attacker does until it is ended, and what somebody honest can do nevertheless.

    It has opened and sent `least` at the end, or it was none, and the server has grown by no more
    than `grown` MiB.
    """

    perform: Callable[[str], Awaitable[None]]
    least: int
    possible: Callable[[Honest], Awaitable[bool]] | None = None
    grown: float = MOST_GROWN


CONTROL = "neighbour"
ATTACKS = {
    CONTROL: Attack(neighbour.talk_to_itself, 1000, grown=LITTLE),
    "200-that-never-read": Attack(crowds.look_away_200, 400),
    "1000-that-never-read": Attack(crowds.look_away_1000, 1000),
    "1000-that-join": Attack(crowds.join_crowd, 1000),
    "follow-unfollow": Attack(crowds.come_back, 500),
    "headers": Attack(sockets.send_headers, 1000),
    "half-handshakes": Attack(sockets.shake_half, 1000),
    "idle-sockets": Attack(sockets.idle, 1000),
    "connect-close": Attack(sockets.come_and_go, 1000, grown=LITTLE),
    "half-frames": Attack(sockets.break_frames, 1000, grown=LITTLE),
    "pings-of-one": Attack(sockets.ping, 1),
    "pings-of-twenty": Attack(sockets.ping_much, 20),
    "fragments": Attack(sockets.fragment, 5),
    "bombs": Attack(sockets.bomb, 5),
    "unread-logs": Attack(questions.ask_unread, 2000),
    "lists": Attack(questions.list_matches, 50),
    "archives": Attack(questions.list_archive, 100),
    "refused-guesses": Attack(questions.guess_refused, 50),
    "reviews": Attack(questions.review, 50),
    "late-advice": Attack(questions.advise, 100),
    "devious": Attack(openings.dodge, 100),
    "two-bots": Attack(openings.open_shows, 200),
    "large-bots": Attack(openings.open_large, 50),
    "seekers": Attack(openings.seek, 200),
    "lobbies-in-lists": Attack(openings.crowd_list, 30, Honest.lists),
    "lobbies-of-seekers": Attack(openings.crowd_lobbies, 100, Honest.finds),
    "wrong-codes": Attack(questions.try_codes, 100, Honest.returns),
    "new-players": Attack(openings.make_players, 100, Honest.returns),
}
