"""Faults of the machine: a full disk, no free file descriptors."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager


@contextmanager
def _spent(resource_number: int) -> Iterator[None]:
    limits = resource.getrlimit(resource_number)
    resource.setrlimit(resource_number, (0, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource_number, limits)


def full_disk() -> AbstractContextManager[None]:
    """Make every write to a file fail in this process, as on a full disk."""
    return _spent(resource.RLIMIT_FSIZE)


def no_descriptors_left() -> AbstractContextManager[None]:
    """Prevent this process from opening any file, pipe or socket."""
    return _spent(resource.RLIMIT_NOFILE)
