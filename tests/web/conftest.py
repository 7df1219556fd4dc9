"""The page in Debian's Chromium: one browser for all tests, a context for each visitor."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from shutil import which

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from kit.processes import Machine, Server
from kit.proxy import Proxy, ThreadedProxy, proxy_in_thread
from web.visitors import INSECURE, PATIENCE, Visitors


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The browser of all tests."""
    if (program := which("chromium")) is None:
        pytest.exit("make test-web needs a browser: apt-get install chromium", returncode=1)
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        rules = f"--host-resolver-rules=MAP {INSECURE} 127.0.0.1"
        yield playwright.chromium.launch(executable_path=program, args=[rules])


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server for all tests that need none of their own."""
    machine = Machine(tmp_path_factory.mktemp("server"))
    yield machine.serve()
    machine.close()


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    """A machine for the commands and the servers of a test."""
    machine = Machine(tmp_path)
    yield machine
    machine.close()


@pytest.fixture
def proxy(server: Server) -> Iterator[ThreadedProxy]:
    """A proxy to the server, which can hold, cut and delay data."""
    with proxy_in_thread(Proxy(server.port)) as proxy:
        yield proxy


@pytest.fixture
def visit(
    browser: Browser,
    server: Server,
    machine: Machine,  # noqa: ARG001 - closes after the pages
) -> Iterator[Visitors]:
    """Opens the page as a new visitor; fails if a console has an error, such as one of the CSP.

    The pages close before the servers of `machine`, from which they may still load modules.
    """
    visitors = Visitors(browser, server.port)
    yield visitors
    visitors.close()
    assert visitors.errors == []
    assert server.find_errors() == []
