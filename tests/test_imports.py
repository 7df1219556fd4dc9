"""Folders of tests share code through `kit` and `tools` alone."""

import ast
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
SHARED = {"kit", "tools"}
FOLDERS = {folder.name for folder in TESTS.iterdir() if any(folder.rglob("*.py"))} - SHARED


def list_imports(path: Path) -> set[str]:
    """Return the top packages that a module imports."""
    modules = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom):
            modules.add(node.module or "")
        elif isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
    return {module.partition(".")[0] for module in modules}


@pytest.mark.parametrize("folder", sorted(FOLDERS | SHARED))
def test_a_folder_imports_no_other_folder_of_tests(folder):
    imported = {name for path in (TESTS / folder).rglob("*.py") for name in list_imports(path)}
    assert not imported & FOLDERS - {folder}
