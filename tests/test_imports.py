"""Folders of tests share code through `kit` and `tools` alone."""

import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
# A line imports one module, or ruff complains. Reading lines takes a tenth of parsing them.
IMPORT = re.compile(r"^\s*(?:from|import) (\w+)", re.MULTILINE)
SHARED = {"kit", "tools"}
FOLDERS = {folder.name for folder in TESTS.iterdir() if any(folder.rglob("*.py"))} - SHARED


def list_imports(path: Path) -> set[str]:
    """Return the top packages that a module imports."""
    return {*IMPORT.findall(path.read_text("utf-8"))}


@pytest.mark.parametrize("folder", sorted(FOLDERS | SHARED))
def test_a_folder_imports_no_other_folder_of_tests(folder):
    imported = {name for path in (TESTS / folder).rglob("*.py") for name in list_imports(path)}
    assert not imported & FOLDERS - {folder}
