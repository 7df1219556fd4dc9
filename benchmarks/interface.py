"""CPU time of the client: starting, redrawing a match, and waiting in one.

make bench-client             # ARGS="--times 3" is quicker
"""

from __future__ import annotations

import argparse
import asyncio
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

import pexpect

from kit.processes import BIN, read_cpu
from kit.screen.seats import player_of, seats_at
from mastermind_client.screen.scene.feed import Note, NoteKind

ENVIRON = {"TERM": "xterm-256color", "LANG": "C.UTF-8", "LANGUAGE": "en"}
SIZE, LARGE_SIZE = (80, 24), (120, 40)
BATCHES = 10  # of redraws; the fastest one counts: other programs slow the others


def run_command(*command: str) -> float:
    """Return the CPU seconds of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def run_screen(size: tuple[int, int], text: str, seconds: float, *arguments: str) -> list[float]:
    """Return the CPU seconds until a text is on the screen, and of waiting afterwards."""
    command, (columns, rows) = str(BIN / "mastermind"), size
    with pexpect.spawn(command, [*arguments], dimensions=(rows, columns), timeout=60) as terminal:
        terminal.expect_exact(text)
        shown = read_cpu(terminal.pid)
        terminal.expect(pexpect.TIMEOUT, timeout=min(seconds, 1.0))  # the start finishes
        before = read_cpu(terminal.pid)
        terminal.expect(pexpect.TIMEOUT, timeout=seconds)
        waited = read_cpu(terminal.pid) - before
        terminal.close(force=True)
    return [shown, waited]


async def measure_redraw(size: tuple[int, int], times: int) -> float:
    """Return the median CPU seconds of a redraw with one more peg and one more note."""
    costs = []
    async with seats_at() as seats:
        shown = await seats.against("optimal", columns=size[0], rows=size[1], motion=False)
        shown.glass.write = len  # type: ignore[assignment,method-assign] # no parsing
        screen = player_of(shown)
        rules, notes = screen.rules, screen.server.feed(screen.mirror).notes
        for number in range(BATCHES * times):
            screen.entry = screen.entry.type(rules.alphabets[0][number % rules.colours], rules)
            notes.append(Note(NoteKind.CHAT, f"Bob says: this is line number {number} of many"))
            began = time.process_time()
            shown.terminal.application._redraw()
            costs.append(time.process_time() - began)
    batches = [costs[start : start + times] for start in range(0, len(costs), times)]
    return min(map(statistics.median, batches))


def main() -> None:
    """Print the table; its limits are goals, and nothing fails above them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--times", type=int, default=10, help="runs of each start (%(default)s)")
    parser.add_argument("--seconds", type=float, default=5.0, help="of waiting (%(default)s)")
    options = parser.parse_args()
    times, seconds = range(options.times), options.seconds
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(ENVIRON)
        os.environ.update({f"XDG_{name}_HOME": folder for name in ("CONFIG", "DATA", "STATE")})
        bare = statistics.median(run_command(sys.executable, "-c", "pass") for _ in times)
        helped = statistics.median(run_command(str(BIN / "mastermind"), "--help") for _ in times)
        home = statistics.median(run_screen(SIZE, "F10", 0.0)[0] for _ in times)
        match = ("play", "--versus=hard", "--name=Ada")
        _, waited = run_screen(LARGE_SIZE, "guess 1 of 12", seconds, *match)
        redraws = [asyncio.run(measure_redraw(size, 4 * len(times))) for size in (SIZE, LARGE_SIZE)]
    print(f"{'CPU time':<26}{'measured':>10} {'limit':>6}")
    for name, value, unit, limit in (
        ("python -c pass", bare, "s", ""),
        ("mastermind --help", helped, "s", "0.15"),
        ("home screen", home, "s", "0.6"),
        ("redraw at 80x24", redraws[0] * 1e3, "ms", "8"),
        ("redraw at 120x40", redraws[1] * 1e3, "ms", "12"),
        ("waiting in a match", waited / seconds * 100, "%", "2"),
    ):
        print(f"{name:<26}{value:>10.3g} {limit:>6} {unit}")


if __name__ == "__main__":
    main()
