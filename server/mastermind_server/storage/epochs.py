"""The epoch of a store: the name of its history.

A store goes back to an earlier state when a backup is restored, or when a standby that was behind
is promoted. A version of a match may then be another row than before. The new history has another
epoch. A row that a node decided in one epoch must not be written in another.

Each session reads its epoch when it connects. Each job has the epoch that the event loop knew when
the job was submitted. If the two differ, the job fails, and the event loop adopts the new epoch.
"""

from __future__ import annotations

import logging
from hashlib import blake2b
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_LOG = logging.getLogger(__name__)
EPOCH_BYTES = 8  # in hexadecimal 16 characters, of the 40 that the protocol allows


class Epochs:
    """The epoch `current` that an event loop knows. `watchers` are called after it has changed."""

    def __init__(self, current: str) -> None:
        self.current = current
        self.watchers: list[Callable[[], None]] = []

    def adopt(self, epoch: str) -> None:
        """Set `current` to the epoch that a session has read. Must be called on the event loop."""
        if epoch != self.current:
            _LOG.warning("the store has another history: epoch %s after %s", epoch, self.current)
            self.current = epoch
            for watcher in self.watchers:
                watcher()


def make_epoch(*parts: object) -> str:
    """Return the epoch of a history that `parts` identify: a digest, so clients learn no part."""
    return blake2b(repr(parts).encode(), digest_size=EPOCH_BYTES).hexdigest()
