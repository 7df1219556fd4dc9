from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

import pytest

from mastermind_client.config.settings_file import BrokenFile
from mastermind_client.words.system import explain_failure

if TYPE_CHECKING:
    from pathlib import Path


def test_a_failure_is_told_by_the_file_and_the_reason_without_numbers(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="Errno") as raised:
        (tmp_path / "nowhere" / "file").touch()
    assert explain_failure(raised.value) == f"{tmp_path}/nowhere/file: No such file or directory"


def test_one_without_a_file_is_told_by_its_reason() -> None:
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    assert explain_failure(full) == "No space left on device"


@pytest.mark.parametrize("error", [OSError("64 clients"), BrokenFile("64 clients")])
def test_one_of_our_own_says_it_itself(error: OSError) -> None:
    assert explain_failure(error) == "64 clients"
