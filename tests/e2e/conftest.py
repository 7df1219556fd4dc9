from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kit.processes import Machine, Server


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    """A machine without running programs."""
    machine = Machine(tmp_path)
    yield machine
    machine.close()


@pytest.fixture
def server(machine: Machine) -> Server:
    """A server running on `machine`."""
    return machine.serve()
