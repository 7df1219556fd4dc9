"""The questions before a challenge: to the player who challenges, and to the challenged one."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from mastermind_client.config.options import CLOCKS, JoinOptions
from mastermind_client.language import gettext as _
from mastermind_client.messages.listings import describe_terms
from mastermind_client.messages.players import describe_challenge_by, format_name
from mastermind_client.messages.ratings import format_rating
from mastermind_client.screen.screen import MatchPage
from mastermind_client.screen.toolkit.overlays import Answer, Card
from mastermind_protocol.text import sanitise

if TYPE_CHECKING:
    from mastermind_client.screen.app import App, AppScreen
    from mastermind_client.screen.servers.servers import Server
    from mastermind_protocol.messages import Challenged

CHALLENGE_ROUNDS = 2  # each of the two hides a code once


def make_challenge_card(app: App, server: Server, challenge: Challenged) -> Card:
    """Return a card that asks whether to accept a challenge. It closes when the challenge ends.

    Any answer removes the challenge from the session.
    """
    name = format_name(challenge.by)
    if challenge.rating is not None:
        name = f"{name} {format_rating(challenge.rating)}"
    waiting = server.session.challenges

    async def send_decline() -> None:
        await server.session.decline(challenge.match)

    def accept() -> None:
        waiting.pop(challenge.match, None)
        app.go(JoinOptions(challenge.match, server.address))

    def put_off() -> None:
        waiting.pop(challenge.match, None)

    def decline() -> None:
        app.spawn(send_decline())
        put_off()

    later = _("It stays on the home screen.") if challenge.previous else _("It ends by itself.")
    return Card(
        describe_challenge_by(challenge, name),
        Answer(_("Not now"), later, put_off),
        Answer(
            _("Accept"),
            describe_terms(
                challenge.rules, challenge.rounds, rated=challenge.rated, clock=challenge.clock
            ),
            accept,
        ),
        Answer(_("Decline"), _("There is no match."), decline),
        when=lambda: challenge.match in waiting,
    )


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
