"""Test folders share code through `kit` alone."""

import ast
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
FOLDERS = {folder.name for folder in TESTS.iterdir() if any(folder.rglob("*.py"))} - {"kit"}
KNOWN = {  # older imports, to be moved into the kit
    ("campaigns", "protocol"),
    ("e2e", "campaigns"),
    ("e2e", "client"),
}


def list_imports(path: Path) -> set[str]:
    """Return the top packages that a module imports."""
    modules = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom):
            modules.add(node.module or "")
        elif isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
    return {module.partition(".")[0] for module in modules}


@pytest.mark.parametrize("folder", sorted(FOLDERS | {"kit"}))
def test_a_folder_imports_no_other_folder_but_kit(folder):
    imported = {name for path in (TESTS / folder).rglob("*.py") for name in list_imports(path)}
    others = imported & FOLDERS - {folder}
    assert {(folder, other) for other in others} <= KNOWN
