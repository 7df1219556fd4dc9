"""The image installs what constraints.txt says, by hashes: `make hashes` has been run."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES = ("requirements.txt", "build-requirements.txt")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def tidy(name: str) -> str:
    """Return the name of a distribution as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def read(file: str) -> dict[str, str]:
    """Return the versions in a file of requirements, by name, each of which has a hash."""
    text = (ROOT / "image" / file).read_text("utf-8").replace("\\\n", "")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    found = [re.fullmatch(r"(\S+)==(\S+)( +--hash=sha256:[0-9a-f]{64})+ *", line) for line in lines]
    assert all(found), file
    return {tidy(each[1]): each[2] for each in found if each is not None}


def names(requirements: list[str]) -> set[str]:
    return {tidy(re.split(r"[\[<>=;]", requirement)[0]) for requirement in requirements}


@pytest.mark.parametrize("file", FILES)
def test_the_versions_are_those_of_the_constraints(file):
    text = (ROOT / "constraints.txt").read_text("utf-8")
    constraints = {tidy(name): version for name, version in re.findall("(?m)^(.+)==(.+)$", text)}
    found = read(file)
    assert found == {name: constraints.get(name) for name in found}


def test_everything_that_the_project_needs_is_there():
    project = PROJECT["project"]
    needed = project["dependencies"] + project["optional-dependencies"]["postgresql"]
    assert names(needed) <= set(read("requirements.txt"))
    assert names(PROJECT["build-system"]["requires"]) <= set(read("build-requirements.txt"))


def test_the_hashes_are_for_the_python_of_the_image():
    image = set(re.findall(r"FROM python:(\S+?)-", (ROOT / "Dockerfile").read_text("utf-8")))
    made_for = re.search(
        r'PYTHON: Final = "(.*)"', (ROOT / "image/requirements.py").read_text("utf-8")
    )
    assert made_for is not None
    assert image == {made_for[1]}
