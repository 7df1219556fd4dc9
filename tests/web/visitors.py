"""Visitors of the page, and how accessible it is: the rules of axe, and golden files."""

from __future__ import annotations

import os
import re
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page

PATIENCE = 10_000  # milliseconds to wait for a change of a page, far more than any needs
DEFAULTS = {"locale": "en-GB", "reduced_motion": "reduce"}
"""The options of a context. Motion would make the contrast of moving pegs unstable."""
INSECURE = "game.test"  # a name of this machine that no browser trusts without TLS
WRITE = os.environ.get("GOLDEN") == "write"
_VARYING = re.compile(r"(guest-|Today's code )\w+|127\.0\.0\.1:\d+|\d+ (?:h|min)(?= left\.)")
_GOLDEN = Path(__file__).parent / "golden"
# A browser reports each failed connection, which a test of lost connections provokes at any moment,
# also while a page loads its later parts, and the request by which it then checks if the server
# still sends files, which may fail in any way.
_CHECK = "/robots.txt"
_EXPECTED = (
    "WebSocket connection to ",
    *(f"Failed to load resource: net::ERR_{why}" for why in ("CONNECTION_", "EMPTY_RESPONSE")),
)


class Visitors:
    """The visitors of a test, each with a separate storage, and the errors in their consoles."""

    def __init__(self, browser: Browser, port: int) -> None:
        self.errors: list[str] = []
        self._browser, self._port = browser, port
        self._contexts = ExitStack()

    def __call__(
        self, path: str = "/", *, host: str = "127.0.0.1", port: int | None = None, **options: Any
    ) -> Page:
        """Return a page that a new visitor has opened; `options` are those of a context."""
        context = self.arrive(f"http://{host}:{port or self._port}", **options)
        page = context.new_page()
        page.goto(path)
        return page

    def arrive(self, site: str, **options: Any) -> BrowserContext:
        """Return the context of a new visitor without a page."""
        context = self._browser.new_context(base_url=site, **DEFAULTS | options)
        self._contexts.callback(context.close)
        context.set_default_timeout(PATIENCE)
        context.on("weberror", lambda error: self.errors.append(str(error.error)))
        context.on("console", lambda line: self._note(line))
        return context

    def close(self) -> None:
        """Close all pages."""
        self._contexts.close()

    def _note(self, line: ConsoleMessage) -> None:
        is_expected = line.text.startswith(_EXPECTED) or line.location["url"].endswith(_CHECK)
        if line.type in ("error", "warning") and not is_expected:
            self.errors.append(f"{line.text} ({line.location['url']})")


def find_violations(page: Page) -> list[str]:
    """Return the violations of rules of axe in a page, in both themes."""
    found = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        found += [
            f"{scheme}: {rule['id']}: {node['html']} {node['failureSummary']}"
            for rule in Axe().run(page).response["violations"]
            for node in rule["nodes"]
        ]
    return found


def compare_golden(name: str, page: Page) -> None:
    """Compare the roles and names of a page with its golden file, or write the file."""
    path = _GOLDEN / f"{name}.yml"
    text = _VARYING.sub(lambda found: found[1] or "HERE", page.locator("body").aria_snapshot())
    if code := urlsplit(page.url).path[1:]:
        text = text.replace(code, "K7M2QX")
    if WRITE:
        path.write_text(text, encoding="utf-8")
    kept = path.read_text(encoding="utf-8") if path.exists() else ""
    assert text == kept, f"{path.name} differs. If it should: GOLDEN=write make test-web"
