"""Faults of the machine: a full disk, no descriptors."""

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
    """Let this process write to no file, as when the disk is full."""
    return _spent(resource.RLIMIT_FSIZE)


def no_descriptors_left() -> AbstractContextManager[None]:
    """Let this process open no file, pipe or socket more."""
    return _spent(resource.RLIMIT_NOFILE)
