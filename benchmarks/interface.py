"""What the player's side costs, beside the bare start of Python in the same run.

What counts is CPU time (user and system): wall-clock says little on a shared machine, and is
printed beside it. The screens are real ones, with a real match against a bot in this process.

    make bench-client             # or: python benchmarks/interface.py --check
"""

from __future__ import annotations

import argparse
import asyncio
import fcntl
import io
import os
import pty
import resource
import select
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from prompt_toolkit.application import create_app_session
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output.vt100 import Vt100_Output

from mastermind_client.config.options import OFFLINE
from mastermind_client.config.settings import Settings
from mastermind_client.net.updates import SpectatorsChanged
from mastermind_client.screen.app import App
from mastermind_client.screen.navigation import make_screen
from mastermind_client.screen.pages.player import PlayerScreen
from mastermind_client.screen.scene.feed import Kind, Note

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

MASTERMIND = Path(sys.executable).with_name("mastermind")
CLOCK_TICKS = os.sysconf("SC_CLK_TCK")
ENVIRON = {**os.environ, "TERM": "xterm-256color", "LANG": "C.UTF-8", "LANGUAGE": "en"}
PATIENCE = 60.0  # seconds for one answer of a program: far more than any takes
USUAL, LARGE = (80, 24), (120, 40)
REDRAW_MS = {USUAL: 8.0, LARGE: 12.0}  # of CPU at most, where two redraws are 20 ms apart
BATCHES = 10  # of redraws
BURST = 100  # things that happen at once
PROBE = """
import sys
from mastermind_client.cli.command import main
try:
    main(["--help"])
except SystemExit:
    print("prompt_toolkit" in sys.modules)
"""


class Cost(NamedTuple):
    """Seconds of CPU, and of the clock on the wall."""

    cpu: float
    wall: float


class Line(NamedTuple):
    """One line of the table: `value` is in `unit`s, and may be up to the limit."""

    name: str
    value: float
    unit: str
    limit: float | None = None
    note: str = ""

    @property
    def held(self) -> bool:
        """Whether the limit is kept."""
        return self.limit is None or self.value <= self.limit


def run_command(*command: str | Path) -> Cost:
    """Return what a command costs that only prints."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, env=ENVIRON, stdout=subprocess.DEVNULL, check=True)
    after, took = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter() - began
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(cpu, took)


def measure_command(times: int, *command: str | Path) -> Cost:
    """Return the median of what a command costs, run so many times after a first one."""
    run_command(*command)
    costs = [run_command(*command) for _ in range(times)]
    return Cost(
        statistics.median(cost.cpu for cost in costs),
        statistics.median(cost.wall for cost in costs),
    )


def loads_screen_library() -> bool:
    """Tell whether showing the help imports what only the screen needs."""
    shown = subprocess.run(
        [sys.executable, "-c", PROBE], env=ENVIRON, capture_output=True, text=True, check=True
    )
    return shown.stdout.splitlines()[-1] == "True"


@contextmanager
def on_terminal(size: tuple[int, int], *arguments: str) -> Iterator[tuple[int, int]]:
    """Run `mastermind` on a pseudo-terminal; yields its process id and the terminal."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
    process = subprocess.Popen(
        [MASTERMIND, *arguments], env=ENVIRON, stdin=theirs, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    try:
        yield process.pid, ours
    finally:
        process.terminate()
        read_rest(ours)
        process.wait()
        os.close(ours)


def read_until(terminal: int, text: bytes) -> None:
    """Read what is written to a terminal until this text is."""
    shown, deadline = b"", time.monotonic() + PATIENCE
    while text not in shown:
        left = deadline - time.monotonic()
        assert select.select([terminal], [], [], max(0, left))[0], shown
        shown += os.read(terminal, 65536)


def read_rest(terminal: int) -> None:
    """Read until nobody writes any more."""
    try:
        while os.read(terminal, 65536):
            pass
    except OSError:  # how Linux reports that a terminal's last user has gone
        return


def read_cpu(pid: int) -> float:
    """Return the CPU seconds that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / CLOCK_TICKS


def measure_start(times: int) -> Cost:
    """Return the median of what it costs until the first whole screen is on the terminal."""
    costs = []
    for _ in range(times + 1):
        began = time.perf_counter()
        with on_terminal(USUAL) as (pid, terminal):
            read_until(terminal, b"F10")  # on the last row
            costs.append(Cost(read_cpu(pid), time.perf_counter() - began))
    return Cost(
        statistics.median(cost.cpu for cost in costs[1:]),
        statistics.median(cost.wall for cost in costs[1:]),
    )


def measure_waiting(seconds: float) -> float:
    """Return the share of a core that is used while nothing happens in a match."""
    with on_terminal(LARGE, "play", "--versus=hard", "--name=Ada") as (pid, terminal):
        read_until(terminal, b"guess 1 of 12")
        time.sleep(1.0)  # what belongs to the start is done by then
        before, began = read_cpu(pid), time.perf_counter()
        time.sleep(seconds)
        return (read_cpu(pid) - before) / (time.perf_counter() - began)


@asynccontextmanager
async def showing_match(size: tuple[int, int]) -> AsyncIterator[tuple[App, PlayerScreen]]:
    """Show a match against a bot on a terminal that nobody looks at; nothing moves by itself."""
    output = Vt100_Output(io.StringIO(), lambda: Size(rows=size[1], columns=size[0]))
    with create_pipe_input() as keyboard, create_app_session(input=keyboard, output=output):
        app = App(Settings(motion=False), ENVIRON, make_screen)
        place = await app.places.connect(OFFLINE, "Ada")
        mirror = await place.session.open("classic", maker="optimal", breaker="me")
        while mirror.state.current is None:  # noqa: ASYNC110 - the place reads what happens
            await asyncio.sleep(0)
        screen = PlayerScreen(app, place, mirror)
        app.open(screen)
        running = asyncio.create_task(app.run())
        while not app.terminal.application.render_counter:  # noqa: ASYNC110 - painting tells nobody
            await asyncio.sleep(0)
        try:
            yield app, screen
        finally:
            app.quit()
            await running


async def measure_redraw(size: tuple[int, int], times: int) -> float:
    """Return the CPU seconds of a redraw after a peg and a note have been added.

    It is the median of a batch, and of the quietest batch: what others do at the same time slows
    the processor's caches, too.
    """
    async with showing_match(size) as (app, screen):
        rules, notes = screen.mirror.state.rules, screen.place.feed(screen.mirror).notes
        costs = []
        for number in range(BATCHES * times):
            screen.entry = screen.entry.type(rules.alphabets[0][number % rules.colours], rules)
            notes.append(Note(Kind.CHAT, f"Bob says: this is line number {number} of many"))
            began = time.process_time()
            app.terminal.application._redraw()
            costs.append(time.process_time() - began)
        starts = range(0, len(costs), times)
        return min(statistics.median(costs[start : start + times]) for start in starts)


async def count_renders(size: tuple[int, int]) -> int:
    """Return how often the screen is painted for many updates that come at once."""
    async with showing_match(size) as (app, screen):
        await asyncio.sleep(0.5)  # what the opening of the match has still to draw
        session, before = screen.place.session, app.terminal.application.render_counter
        for number in range(BURST):
            screen.mirror.spectators = number
            session.publish(SpectatorsChanged(screen.mirror))
        await asyncio.sleep(0.5)  # far more than lies between two drawings
        return app.terminal.application.render_counter - before


def measure(times: int, seconds: float) -> list[Line]:
    """Measure everything."""
    bare = measure_command(times, sys.executable, "-c", "pass")
    helped = measure_command(times, MASTERMIND, "--help")
    home = measure_start(times)
    redraws = {size: asyncio.run(measure_redraw(size, 4 * times)) for size in (USUAL, LARGE)}
    return [
        Line("python -c pass", bare.cpu, "s", None, f"{bare.wall:.3f} s on the wall"),
        Line(
            "mastermind --help", helped.cpu, "s", 0.15,
            f"{helped.wall:.3f} s on the wall, {helped.cpu / bare.cpu:.1f} bare starts",
        ),
        Line("  and prompt_toolkit with it", loads_screen_library(), "imports", 0),
        Line(
            "home on the screen", home.cpu, "s", 0.6,
            f"{home.wall:.3f} s on the wall, {home.cpu / bare.cpu:.1f} bare starts",
        ),
        *(
            Line(f"match redrawn, {size[0]}x{size[1]}", cost * 1000, "ms", REDRAW_MS[size])
            for size, cost in redraws.items()
        ),
        Line(f"{BURST} updates at once", asyncio.run(count_renders(LARGE)), "renders", 1),
        Line("waiting in a match", measure_waiting(seconds) * 100, "% of a core", 2.0),
    ]  # fmt: skip


def main() -> int:
    """Print the table; with --check, fail if a limit is not kept."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--times", type=int, default=10, help="how often each start is measured")
    parser.add_argument("--seconds", type=float, default=5.0, help="how long waiting is measured")
    parser.add_argument("--check", action="store_true", help="fail if a limit is not kept")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for name in ("CONFIG", "DATA", "STATE"):
            ENVIRON[f"XDG_{name}_HOME"] = os.environ[f"XDG_{name}_HOME"] = f"{folder}/{name}"
        lines = measure(options.times, options.seconds)
    print(f"{'':<30}{'measured':>10} {'limit':>8}")
    for name, value, unit, limit, note in lines:
        most = "" if limit is None else f"{limit:g}"
        print(f"{name:<30}{value:>10.3g} {most:>8} {unit:<12} {note}".rstrip())
    over = [line.name.strip() for line in lines if not line.held]
    if over:
        print(f"over the limit: {', '.join(over)}")
    return 1 if over and options.check else 0


if __name__ == "__main__":
    sys.exit(main())
