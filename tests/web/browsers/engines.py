"""Firefox and WebKitGTK, driven by WebDriver: mouse and keyboard events, and JavaScript."""

from __future__ import annotations

import json
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from itertools import count
from pathlib import Path
from typing import Any, Protocol

from websockets.sync.client import ClientConnection, connect

from kit.processes import free_port

PATIENCE = 15.0  # seconds to wait for a change of a page, far more than any needs
# Resolves to the result of a function as soon as it is truthy, otherwise to null.
_WAIT = """(look) => new Promise((resolve) => {
  const end = Date.now() + PATIENCE;
  const again = () => {
    const found = look();
    if (found || Date.now() > end) resolve(found || null);
    else setTimeout(again, 20);
  };
  again();
})""".replace("PATIENCE", str(1000 * PATIENCE))
_FIND = """() => {
  const name = (it) =>
    it.getAttribute("aria-label") ?? it.labels?.[0]?.textContent ?? it.textContent;
  const parts = [...document.querySelectorAll("button, a, input")];
  const found = parts.find((it) => name(it).includes(WANTED) && it.offsetParent);
  if (!found) return null;
  found.scrollIntoView({ block: "center" });
  const { x, y, width, height } = found.getBoundingClientRect();
  return [Math.round(x + width / 2), Math.round(y + height / 2)];
}"""


class Engine(Protocol):
    """A page in a browser."""

    def open(self, url: str) -> None:
        """Load a page."""

    def evaluate(self, expression: str) -> Any:
        """Return the value of a JavaScript expression; a promise is awaited."""

    def act(self, source: dict[str, Any]) -> None:
        """Perform the actions of an input source, as WebDriver describes them."""


def expect(engine: Engine, text: str) -> None:
    """Wait until the page shows `text`."""
    look = f"() => document.body.innerText.replaceAll('\\u00a0', ' ').includes({json.dumps(text)})"
    if not engine.evaluate(f"({_WAIT})({look})"):
        raise AssertionError(f"{text!r} is not in {engine.evaluate('document.body.innerText')!r}")


def click(engine: Engine, name: str) -> None:
    """Wait for the button, link or field with `name` in its name, and click it."""
    look = _FIND.replace("WANTED", json.dumps(name))
    place = engine.evaluate(f"({_WAIT})({look})")
    assert place, f"{name!r} is not in {engine.evaluate('document.body.innerText')!r}"
    move = {"type": "pointerMove", "x": place[0], "y": place[1], "origin": "viewport"}
    press = [{"type": kind, "button": 0} for kind in ("pointerDown", "pointerUp")]
    engine.act({"type": "pointer", "id": "mouse", "actions": [move, *press]})


def type_keys(engine: Engine, keys: str) -> None:
    """Press and release keys."""
    actions = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
    engine.act({"type": "key", "id": "keyboard", "actions": actions})


class Firefox:
    """A page in Firefox, by WebDriver BiDi."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection, self._ids = connection, count(1)
        self._call("session.new", capabilities={})
        tree = self._call("browsingContext.getTree")
        self._context = tree["contexts"][0]["context"]

    def open(self, url: str) -> None:
        """Load a page."""
        self._call("browsingContext.navigate", context=self._context, url=url, wait="complete")

    def evaluate(self, expression: str) -> Any:
        """Return the value of a JavaScript expression; a promise is awaited."""
        target = {"context": self._context}
        written = f"Promise.resolve({expression}).then(JSON.stringify)"
        answer = self._call("script.evaluate", expression=written, target=target, awaitPromise=True)
        assert answer["type"] == "success", answer
        return json.loads(answer["result"]["value"])

    def act(self, source: dict[str, Any]) -> None:
        """Perform the actions of an input source."""
        self._call("input.performActions", context=self._context, actions=[source])

    def _call(self, method: str, **params: Any) -> Any:
        number = next(self._ids)
        self._connection.send(json.dumps({"id": number, "method": method, "params": params}))
        while (answer := json.loads(self._connection.recv(2 * PATIENCE))).get("id") != number:
            pass  # an event
        assert answer["type"] == "success", answer
        return answer["result"]


class WebKit:
    """A page in WebKitGTK, by WebDriver."""

    def __init__(self, port: int) -> None:
        self._connection = HTTPConnection("127.0.0.1", port, timeout=2 * PATIENCE)
        self._path = "/session"
        capabilities = {"alwaysMatch": {"timeouts": {"script": int(2000 * PATIENCE)}}}
        self._path += "/" + self._call("", capabilities=capabilities)["sessionId"]

    def open(self, url: str) -> None:
        """Load a page."""
        self._call("/url", url=url)

    def evaluate(self, expression: str) -> Any:
        """Return the value of a JavaScript expression; a promise is awaited."""
        script = f"Promise.resolve({expression}).then(arguments[0])"
        return self._call("/execute/async", script=script, args=[])

    def act(self, source: dict[str, Any]) -> None:
        """Perform the actions of an input source."""
        self._call("/actions", actions=[source])

    def close(self) -> None:
        """Close the browser."""
        self._request("DELETE", "", None)
        self._connection.close()

    def _call(self, path: str, **body: Any) -> Any:
        return self._request("POST", path, json.dumps(body))

    def _request(self, method: str, path: str, body: str | None) -> Any:
        headers = {"Content-Type": "application/json"}
        self._connection.request(method, self._path + path, body, headers)
        response = self._connection.getresponse()
        value = json.loads(response.read())["value"]
        assert response.status == 200, value
        return value


@contextmanager
def open_firefox(profile: Path) -> Iterator[Engine]:
    """Run Firefox with a new profile in the folder `profile`."""
    port = free_port()
    options = ["--headless", "--no-remote", f"--profile={profile}"]
    with (
        _run("firefox-esr", *options, f"--remote-debugging-port={port}"),
        _await_port(port),
        connect(f"ws://127.0.0.1:{port}/session", max_size=None) as connection,
    ):
        yield Firefox(connection)


@contextmanager
def open_webkit() -> Iterator[Engine]:
    """Run WebKitGTK's small browser on a display of its own."""
    port = free_port()
    screen = ["-displayfd", "1", "-screen", "0", "1280x1024x24"]
    with _run("Xvfb", *screen, stdout=subprocess.PIPE) as display:
        assert display.stdout is not None
        number = display.stdout.readline().strip()
        with (
            _run("env", f"DISPLAY=:{number}", "WebKitWebDriver", f"--port={port}"),
            _await_port(port),
            closing(WebKit(port)) as engine,
        ):
            yield engine


@contextmanager
def _run(*command: str, stdout: int = subprocess.DEVNULL) -> Iterator[subprocess.Popen[str]]:
    """Run a program within the block."""
    silent = subprocess.DEVNULL
    with subprocess.Popen(command, text=True, stdout=stdout, stderr=silent) as process:
        try:
            yield process
        finally:
            process.terminate()


def _await_port(port: int) -> socket.socket:
    """Return a connection to a port as soon as it accepts one."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port))
        except ConnectionRefusedError:
            if time.monotonic() > end:
                raise
            time.sleep(0.05)
