"""The attacks by their names, and what has to be possible while each is under way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from attacks import crowds, openings, questions, sockets
from attacks.honest import Honest

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable


@dataclass(frozen=True, slots=True)
class Attack:
    """What an attacker does until it is ended, and what somebody honest can do nevertheless."""

    perform: Callable[[str], Awaitable[None]]
    possible: Callable[[Honest], Awaitable[bool]] | None = None


ATTACKS = {
    "200-that-never-read": Attack(crowds.look_away_200),
    "1000-that-never-read": Attack(crowds.look_away_1000),
    "1000-that-join": Attack(crowds.join_crowd),
    "follow-unfollow": Attack(crowds.come_back),
    "headers": Attack(sockets.send_headers),
    "half-handshakes": Attack(sockets.shake_half),
    "idle-sockets": Attack(sockets.idle),
    "connect-close": Attack(sockets.come_and_go),
    "pings-of-one": Attack(sockets.ping),
    "pings-of-twenty": Attack(sockets.ping_much),
    "fragments": Attack(sockets.fragment),
    "bombs": Attack(sockets.bomb),
    "unread-logs": Attack(questions.ask_unread),
    "lists": Attack(questions.list_matches),
    "archives": Attack(questions.list_archive),
    "refused-guesses": Attack(questions.guess_refused),
    "reviews": Attack(questions.review),
    "late-advice": Attack(questions.advise),
    "devious": Attack(openings.dodge),
    "two-bots": Attack(openings.open_shows),
    "large-bots": Attack(openings.open_large),
    "seekers": Attack(openings.seek),
    "lobbies-in-lists": Attack(openings.crowd_list, Honest.lists),
    "lobbies-of-seekers": Attack(openings.crowd_lobbies, Honest.finds),
    "wrong-codes": Attack(questions.try_codes, Honest.returns),
    "new-players": Attack(openings.make_players, Honest.returns),
}
