"""The image installs the versions of constraints.txt, by hashes."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def normalise(name: str) -> str:
    """Return the name of a distribution as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def read(file: str) -> dict[str, str]:
    """Return the versions in a file of requirements, by name; each must have a hash."""
    text = (ROOT / "image" / file).read_text("utf-8").replace("\\\n", "")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    found = [re.fullmatch(r"(\S+)==(\S+)( +--hash=sha256:[0-9a-f]{64})+ *", line) for line in lines]
    assert all(found), file
    return {normalise(each[1]): each[2] for each in found if each is not None}


@pytest.mark.promise("packages")
@pytest.mark.parametrize(
    ("file", "needed"),
    [
        (
            "requirements.txt",
            PROJECT["project"]["dependencies"]
            + PROJECT["project"]["optional-dependencies"]["postgresql"],
        ),
        ("build-requirements.txt", PROJECT["build-system"]["requires"]),
    ],
)
def test_the_versions_are_those_of_the_constraints(file, needed):
    text = (ROOT / "constraints.txt").read_text("utf-8")
    constraints = {normalise(name): found for name, found in re.findall("(?m)^(.+)==(.+)$", text)}
    installed = read(file)
    assert installed == {name: constraints.get(name) for name in installed}
    assert {normalise(re.split(r"[\[<>=;]", each)[0]) for each in needed} <= set(installed)


def test_the_hashes_are_for_the_python_of_the_image():
    image = set(re.findall(r"FROM python:(\S+?)-", (ROOT / "Dockerfile").read_text("utf-8")))
    script = (ROOT / "image/requirements.py").read_text("utf-8")
    assert image == set(re.findall(r'PYTHON: Final = "(.*)"', script))
