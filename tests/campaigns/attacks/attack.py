"""The attacks by name, with their limits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from campaigns.attacks import crowds, neighbour, openings, pages, questions, sockets
from campaigns.attacks.honest import Honest

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

MOST_GROWN = 128.0  # MiB: 5,000 connections and their send buffers
LITTLE = 32.0  # MiB, for attacks that leave nothing open


@dataclass(frozen=True, slots=True)
class Attack:
    """An attack, which runs until it is cancelled.

    It must open and send at least `least` sockets and messages, and the server's memory may grow
    by `grown` MiB. `possible` is an action that must succeed for honest players during the attack.
    The server's database is PostgreSQL if `postgresql`, and a SQLite file otherwise.
    """

    perform: Callable[[str], Awaitable[None]]
    least: int
    possible: Callable[[Honest], Awaitable[bool]] | None = None
    grown: float = MOST_GROWN
    postgresql: bool = False


CONTROL = "neighbour"
ATTACKS = {
    CONTROL: Attack(neighbour.talk_to_itself, 1000, grown=LITTLE),
    "200-that-never-read": Attack(crowds.spectate_unread_200, 400),
    "1000-that-never-read": Attack(crowds.spectate_unread_1000, 1000),
    "1000-that-join": Attack(crowds.spectate_reading, 1000),
    "follow-unfollow": Attack(crowds.follow_unfollow, 500),
    "headers": Attack(sockets.send_headers, 1000),
    "half-handshakes": Attack(sockets.handshake_half, 1000),
    "idle-sockets": Attack(sockets.idle, 1000),
    "connect-close": Attack(sockets.connect_close, 1000, grown=LITTLE),
    "half-frames": Attack(sockets.break_frames, 1000, grown=LITTLE),
    "pings-of-one": Attack(sockets.ping, 1),
    "pings-of-twenty": Attack(sockets.ping_on_twenty, 20),
    "fragments": Attack(sockets.fragment, 5),
    "bombs": Attack(sockets.bomb, 5),
    "unread-logs": Attack(questions.ask_unread, 2000),
    "lists": Attack(questions.list_matches, 50),
    "archives": Attack(questions.list_archives, 100, Honest.browses),
    "leaderboards": Attack(questions.list_ranked, 100, Honest.browses),
    "leaderboards-postgresql": Attack(questions.list_ranked, 100, Honest.browses, postgresql=True),
    "statistics": Attack(questions.sum_archives, 30, Honest.browses),
    "snapshots": Attack(questions.take_snapshots, 50),
    "refused-guesses": Attack(questions.guess_refused, 50),
    "reviews": Attack(questions.review, 50),
    "late-advice": Attack(questions.advise, 100),
    "positions": Attack(questions.analyse, 50),
    "devious": Attack(openings.play_devious, 100),
    "two-bots": Attack(openings.open_shows, 200),
    "large-bots": Attack(openings.open_large, 50),
    "seekers": Attack(openings.seek, 200),
    "lobbies-in-lists": Attack(openings.fill_list, 30, Honest.lists),
    "lobbies-of-seekers": Attack(openings.fill_lobbies, 100, Honest.finds),
    "wrong-codes": Attack(questions.try_codes, 100, Honest.returns),
    "page-loads": Attack(pages.load_pages, 500, Honest.loads),
    "page-flood": Attack(pages.flood, 500, Honest.loads),
    "new-players": Attack(openings.make_players, 100, Honest.returns),
}
