"""Commit and reveal: the commitment to a secret binds the codemaker during a round.

When a secret is set, all players receive SHA-256 of a random nonce and the code. When the round
ends, they receive the nonce and the code. The nonce has 128 random bits, so the commitment alone
reveals nothing.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mastermind_protocol.code import Code

NONCE_BYTES = 16
COMMITMENT_BYTES = 32


def commit(nonce: bytes, code: Code) -> bytes:
    """Return SHA-256 of the nonce and the code. Each peg is one byte: the index of its colour."""
    return hashlib.sha256(nonce + bytes(code)).digest()
