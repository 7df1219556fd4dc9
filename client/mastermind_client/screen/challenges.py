"""The question whether to challenge a player, and how."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from mastermind_client.config.options import CLOCKS
from mastermind_client.language import gettext as _
from mastermind_client.messages.listings import describe_terms
from mastermind_client.screen.screen import MatchPage
from mastermind_client.screen.toolkit.overlays import Answer, Card
from mastermind_protocol.text import sanitise

if TYPE_CHECKING:
    from mastermind_client.screen.app_screen import AppScreen

CHALLENGE_ROUNDS = 2  # each of the two hides a code once


def ask_to_challenge(
    screen: AppScreen, address: str, player: str, name: str, rules: str, back: str
) -> None:
    """Ask on the top `screen` whether to challenge the player with the id `player`, and how.

    The match is by the rules with this name, on the server at the address. `back` explains the
    answer that does nothing.
    """

    def challenge(*, rated: bool) -> None:
        opening = _open_challenge(screen, address, player, rules, rated=rated)
        screen.app.spawn(opening, _("One moment ..."))

    screen.app.ask(
        Card(
            _("Challenge {name}?").format(name=sanitise(name)),
            Answer(_("Not now"), back, screen.app.redraw),
            Answer(
                _("Rated"),
                describe_terms(rules, CHALLENGE_ROUNDS, rated=True, clock=CLOCKS[0]),
                partial(challenge, rated=True),
            ),
            Answer(
                _("Not rated"), describe_terms(rules, CHALLENGE_ROUNDS),
                partial(challenge, rated=False),
            ),
        )
    )  # fmt: skip


async def _open_challenge(
    screen: AppScreen, address: str, player: str, rules: str, *, rated: bool
) -> None:
    """Open the match and show it. If the user has gone to another page, leave the match."""
    server = await screen.app.connect(address)
    mirror = await server.session.challenge(
        player, rules, rounds=CHALLENGE_ROUNDS, rated=rated, clock=CLOCKS[0] if rated else None
    )
    if screen.app.shows(screen):
        screen.app.go(MatchPage(server, mirror))
    else:
        await server.session.leave(mirror)
