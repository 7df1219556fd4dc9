"""A page in each of the other browsers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from shutil import which

import pytest

from web.browsers.engines import Engine, open_firefox, open_webkit

PROGRAMS = ("firefox-esr", "WebKitWebDriver", "Xvfb")


@pytest.fixture(scope="session", autouse=True)
def _programs() -> None:
    if missing := [program for program in PROGRAMS if which(program) is None]:
        pytest.exit(
            f"{', '.join(missing)} not found: apt-get install firefox-esr webkit2gtk-driver xvfb",
            returncode=1,
        )


@pytest.fixture(params=["firefox", "webkit"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    """A browser that was never started before, with an empty page."""
    profile = tmp_path / "profile"
    profile.mkdir()
    with open_firefox(profile) if request.param == "firefox" else open_webkit() as engine:
        yield engine
