"""Faults of the machine: a full disk, little memory, no free file descriptors."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path


@contextmanager
def _limited(resource_number: int, limit: int = 0) -> Iterator[None]:
    limits = resource.getrlimit(resource_number)
    resource.setrlimit(resource_number, (limit, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource_number, limits)


def full_disk() -> AbstractContextManager[None]:
    """Make every write to a file fail in this process, as on a full disk."""
    return _limited(resource.RLIMIT_FSIZE)


def little_memory(size: int) -> AbstractContextManager[None]:
    """Let this process get at most `size` more bytes of memory."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    return _limited(resource.RLIMIT_AS, pages * resource.getpagesize() + size)


def no_descriptors_left() -> AbstractContextManager[None]:
    """Prevent this process from opening any file, pipe or socket."""
    return _limited(resource.RLIMIT_NOFILE)
