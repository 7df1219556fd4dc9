"""Commit and reveal: how players can check that a secret was not changed during a round.

When the secret is set everybody gets SHA-256 over a fresh random nonce and the code; when the
round is over, nonce and code follow. Until then the commitment tells nothing: the nonce has 128
random bits.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mastermind_protocol.code import Code

NONCE_BYTES = 16
COMMITMENT_BYTES = 32


def commit(nonce: bytes, code: Code) -> bytes:
    """Return SHA-256(nonce, code), the code as one byte a peg: its colour's index."""
    return hashlib.sha256(nonce + bytes(code)).digest()
