"""The question whether to accept a challenge."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.config.options import JoinOptions
from mastermind_client.language import gettext as _
from mastermind_client.messages.listings import describe_terms
from mastermind_client.messages.players import format_name
from mastermind_client.messages.ratings import format_rating
from mastermind_client.messages.updates import describe_challenge_by
from mastermind_client.screen.toolkit.overlays import Answer, Card

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from mastermind_client.screen.servers.server import Server
    from mastermind_protocol.messages import Challenged


def make_challenge_card(
    server: Server,
    challenge: Challenged,
    join: Callable[[JoinOptions], None],
    spawn: Callable[[Coroutine[object, object, None]], object],
) -> Card:
    """Return a card that asks whether to accept a challenge. It closes when the challenge ends.

    Any answer removes the challenge from the session. `join` opens the match. `spawn` sends a
    refusal in the background.
    """
    name = format_name(challenge.by)
    if challenge.rating is not None:
        name = f"{name} {format_rating(challenge.rating)}"
    waiting = server.session.challenges

    async def send_decline() -> None:
        await server.session.decline(challenge.match)

    def accept() -> None:
        waiting.pop(challenge.match, None)
        join(JoinOptions(challenge.match, server.address))

    def put_off() -> None:
        waiting.pop(challenge.match, None)

    def decline() -> None:
        spawn(send_decline())
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
