"""Commit and reveal: how players can check that a secret was not changed during a round.

When the secret is set everybody gets SHA-256 over a fresh random nonce and the code; when the
round is over, nonce and code follow. Until then the commitment tells nothing: the nonce has 128
random bits.
"""

from __future__ import annotations

import hashlib
import hmac
from typing import TYPE_CHECKING

from mastermind_protocol.code import check_code
from mastermind_protocol.errors import InvalidCode
from mastermind_protocol.feedback import score

if TYPE_CHECKING:
    from mastermind_protocol.code import Code
    from mastermind_protocol.match import Round
    from mastermind_protocol.rules import Rules

NONCE_BYTES = 16
COMMITMENT_BYTES = 32


def commit(nonce: bytes, code: Code) -> bytes:
    """Return SHA-256(nonce, code), the code as one byte a peg: its colour's index."""
    return hashlib.sha256(nonce + bytes(code)).digest()


def find_fraud(played: Round, rules: Rules) -> str | None:
    """Say in words how a finished round contradicts itself, or None if it is proven.

    It must show a code of these rules, whose every feedback was the one given, and the very one
    that was committed to, if any was. A round in which nothing is revealed is no proof either.
    """
    if played.secret is None or (played.nonce is None) is not (played.commitment is None):
        return "the code was not shown"
    if played.nonce is not None and played.commitment is not None:
        shown = commit(played.nonce, played.secret)
        if not hmac.compare_digest(shown, played.commitment):
            return "the code shown is not the one that was committed to"
    try:
        check_code(played.secret, rules)
    except InvalidCode as error:
        return f"the code shown is none of this game: {error.message}"
    for number, turn in enumerate(played.turns, start=1):
        if score(played.secret, turn.code) != turn.feedback:
            return f"the feedback to guess {number} does not fit the code shown"
    return None
