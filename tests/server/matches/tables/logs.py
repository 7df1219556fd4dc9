"""Logs of matches with many guesses."""

from __future__ import annotations

from kit.matches import pegs
from mastermind_protocol.codec import encode_events
from mastermind_protocol.commitment import commit
from mastermind_protocol.events import AnyEvent, Guessed, Joined, Opened, Player, Seat, SecretSet
from mastermind_server.storage.rows import LogRow


def long_log(match: str, length: int, maker: Player, breaker: Player) -> list[LogRow]:
    """Return the rows of a match with wrong guesses only; the secret is 1234."""
    code, nonce = pegs("1234"), bytes(16)
    wrong = Guessed(code=pegs("5555"), black=0, white=0)
    opened = (
        Opened(rules="knuth", rounds=1),
        Joined(player=maker, seat=Seat.MAKER),
        Joined(player=breaker, seat=Seat.BREAKER),
    )
    secret = SecretSet(by=maker.id, commitment=commit(nonce, code), code=code, nonce=nonce)
    rows: list[tuple[AnyEvent, ...]] = [opened, (secret,), *[(wrong,)] * (length - 2)]
    return [LogRow(match, at, 0, encode_events(row)) for at, row in enumerate(rows, 1)]
