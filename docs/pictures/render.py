"""Makes the pictures of the README: real screens of the real program, on a terminal of our own.

    make pictures

A server is started, and three people play on it by keys; nothing moves. What would be another one
each time is made the same: the server's chance is a generator with a seed (match codes, what
commitments are made of), put in place by what Python runs before any program; and the port, which
the system picks, is replaced in the pictures by PORT, the time by TIME. Nothing else is changed.
Needs the tests' terminal on the path.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
from copy import deepcopy
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parent))

from svg import write_svg

from e2e import screen
from kit.processes import BIN, Machine, Server

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import pyte

    from e2e.screen import Terminal

HERE = Path(__file__).parent
PORT = 42000
TIME = "14:03"
SEED = 8
WIDE = (100, 32)
SEEDED = f"import random\nrandom.SystemRandom = lambda: random.Random({SEED})\n"
TITLES = {
    "home": "The home screen: the name of the game in tiles, and what can be done.",
    "waiting": "A match that waits for a friend: the link to it, and its QR code.",
    "match": "A match, as its codebreaker sees it: two guesses, a third one begun, and the talk.",
    "help": "The help over a match: its keys.",
    "mono": "The same match without colours, as its codemaker sees it: the secret is shown.",
    "result": "The end of a match: the code is cracked, and the game as marks to be copied.",
    "review": "The review of a match: how good each guess was, and what one of them has brought.",
}


def make_pictures(folder: Path, expected: Mapping[str, str] | None = None) -> dict[str, str]:
    """Play, in a folder for whatever is kept meanwhile, and return the pictures by their names.

    Each is taken when its terminal has been quiet for a while, or when it is the one `expected`,
    however long a busy machine takes to draw it. Raises AssertionError if it never is.
    """
    machine = Machine(folder)
    pictures: dict[str, str] = {}
    try:
        server = _serve(machine)

        def take(name: str, terminal: Terminal) -> None:
            def draw() -> str:
                return write_svg(_mask(terminal.screen, server.port), TITLES[name])

            if expected is None:
                terminal.until_quiet()
            else:
                terminal.wait(lambda: draw() == expected[name], f"{name}.svg is another picture")
            pictures[name] = draw()

        _show_home(machine, take)
        _play(machine, server.address, take)
    finally:
        machine.close()
    return pictures


def _serve(machine: Machine) -> Server:
    (machine.home("server") / "sitecustomize.py").write_text(SEEDED, encoding="utf-8")
    options = [
        "--port=0",
        "--public-url=https://play.example.org",
        f"--database={machine.database}",
    ]
    command = [str(BIN / "mastermind-server"), *options]
    return machine.run(Server, command, "server", {"PYTHONPATH": str(machine.home("server"))})


def _show_home(machine: Machine, take: Callable[[str, Terminal], None]) -> None:
    home = screen.start(machine, "--name=Ada")
    home.until("Play a bot", "F10 quit")
    take("home", home)
    home.press("f10")
    home.end_sanely(0)


def _play(machine: Machine, address: str, take: Callable[[str, Terminal], None]) -> None:
    ada = screen.start(
        machine,
        "play",
        "--versus=friend",
        "--rounds=1",
        "--as=breaker",
        "--name=Ada",
        "--server",
        address,
    )
    code = ada.until_fits(r"mastermind join \S+/(\w{6})")[1]
    ada.until("F10 quit")
    take("waiting", ada)
    bob = screen.start(
        machine, "join", code, "--palette=mono", "--name=Bob", "--server", address, user="bob"
    )
    bob.until("► Accept")
    bob.press("enter")
    bob.until("Four pegs that Ada will not guess.")
    ada.resize(*WIDE)
    bob.press("tab")
    bob.until("Say:", "Good luck!")
    bob.press("2", "enter")
    ada.until("Bob  Good luck!")
    bob.press(*"2513", "enter")
    ada.until("Your turn", "guess 1 of 12")
    eve = screen.start(machine, "watch", code, "--server", address, user="eve")
    for player in (ada, bob):
        player.until("1 watching")
    for number, guess in enumerate(("1122", "2344"), start=2):
        ada.press(*guess, "enter")
        ada.until("Your turn", f"guess {number} of 12")
    _say(ada, "orange, perhaps?")
    bob.until("orange,", "perhaps?", "( G ) ( B ) ( Y ) ( Y )")
    ada.press("2", "5")
    ada.until("Two more pegs")
    for player in (ada, bob):
        player.until_gone("is here.")  # a notice passes
    bob.until_gone("your server for friends")
    take("match", ada)
    take("mono", bob)
    ada.press("f1")
    ada.until("how to play", "Esc close")
    take("help", ada)
    ada.press("escape")
    ada.until_gone("Esc close")
    ada.press("3", "6", "enter")
    ada.until("Your turn", "guess 4 of 12")
    ada.press(*"2513", "enter")
    ada.until("You win", "F7 review")
    take("result", ada)
    ada.press("f7")
    ada.until("Review")
    ada.press("right", "right")
    ada.until("guess 3 of 4", "bits")
    take("review", ada)
    for terminal in (eve, bob, ada):
        terminal.press("f10")
        terminal.end_sanely(0)


def _say(terminal: Terminal, words: str) -> None:
    terminal.press("tab")
    terminal.until("Say:")
    terminal.type(words)
    terminal.press("enter")
    terminal.until(f"You  {words}")


def _mask(shown: pyte.Screen, port: int) -> pyte.Screen:
    """Return a screen with another port and time written over the real ones, which are as long."""
    masks = {f":{port}": f":{PORT}", r"since \d\d:\d\d": f"since {TIME}"}
    screen = deepcopy(shown)
    for row, line in enumerate(shown.display):
        for real, masked in masks.items():
            if (found := re.search(real, line)) is None:
                continue
            if len(found[0]) != len(masked):
                raise ValueError(f"{found[0]} has another length than {masked}")
            cells = screen.buffer[row]
            for place, letter in enumerate(masked, start=found.start()):
                cells[place] = cells[place]._replace(data=letter)
    return screen


def main() -> None:
    """Write the pictures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--folder", type=Path, default=HERE, help="where they go (here)")
    folder: Path = parser.parse_args().folder
    os.environ.update({"LANGUAGE": "en", "LANG": "C.UTF-8"})
    for name in ("NO_COLOR", "COLORTERM"):
        os.environ.pop(name, None)
    with tempfile.TemporaryDirectory() as kept:
        pictures = make_pictures(Path(kept))
    for name, text in pictures.items():
        (folder / f"{name}.svg").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
