"""Who may see what: the one function between the log and everybody's frames."""

from __future__ import annotations

import msgspec

from mastermind_protocol.events import AnyEvent, Guessed, Opened, SecretSet


def show(events: tuple[AnyEvent, ...], viewer: str | None) -> tuple[AnyEvent, ...]:
    """Return the events as the player with this id may see them; None is a spectator.

    A secret is for the codemaker who set it, until `RoundEnded` shows it to all; what fixes a
    bot's secrets, and what a bot that keeps none has in hand, is for nobody.
    """
    return tuple(_show(event, viewer) for event in events)


def _show(event: AnyEvent, viewer: str | None) -> AnyEvent:
    match event:
        case SecretSet(by=by) if by != viewer:
            return msgspec.structs.replace(event, code=None, nonce=None)
        case Guessed(held=held) if held is not None:
            return msgspec.structs.replace(event, held=None)
        case Opened():
            return msgspec.structs.replace(event, seed=None, drawn=0, secret=None)
        case _:
            return event
