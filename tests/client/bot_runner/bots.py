"""Bots for the tests."""

from __future__ import annotations

import atexit
import itertools  # noqa: F401 - used by expressions of tests
import os
import re
import signal
import socket
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from mastermind_client.bot_runner.worker import Abilities, write_message  # noqa: F401 - of tests
from mastermind_protocol.match import BreakerView
from mastermind_protocol.rules import Rules


def note(name: str) -> bool:
    """Create a file in the user's home; return whether it is new."""
    try:
        (Path(os.environ["HOME"]) / name).touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


def ring_up() -> socket.socket:
    """Open a connection to the test, as a sign that the bot thinks."""
    return socket.create_connection(("127.0.0.1", int(os.environ["LINE"])))


class Breaker:
    """Guesses all of the first colour, then all of the second, and so on."""

    def choose(self, view: BreakerView) -> Sequence[int]:
        return [len(view.turns) % view.rules.colours] * view.rules.pegs


class Maker:
    """Makes all of the second colour."""

    def make(self, rules: Rules) -> Sequence[int]:
        return [1] * rules.pegs


class Both(Breaker, Maker):
    """Plays either seat."""


def make_a_bot() -> Both:
    """Return a bot, as any factory may."""
    return Both()


class Answering(Maker):
    """Makes the code given by the test as an expression."""

    def make(self, rules: Rules) -> Sequence[int]:
        made: Sequence[int] = eval(os.environ["ANSWER"], globals(), {"rules": rules})  # noqa: S307
        return made


class AtFirst(Breaker):
    """Makes the first guess given by the test as an expression."""

    def choose(self, view: BreakerView) -> Sequence[int]:
        if note("guessed"):
            guess: Sequence[int] = eval(os.environ["ANSWER"])  # noqa: S307
            return guess
        return super().choose(view)


def fail(error: BaseException) -> NoReturn:
    """Raise an error."""
    raise error


def linger() -> NoReturn:
    """Ignore the signal to end."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while True:
        pass


def hang() -> NoReturn:
    """Close the connection to the runner, and never answer."""
    for descriptor in range(3, 16):
        with suppress(OSError):
            socket.socket(fileno=descriptor).shutdown(socket.SHUT_RDWR)
    while True:
        time.sleep(1)


def meddle(written: bytes) -> list[int]:
    """Write bytes to every open file; return a code."""
    for descriptor in range(3, 16):
        with suppress(OSError):
            os.write(descriptor, written)
    return [1, 1, 1, 1]


class Talking(Both):
    """Prints, and reads from an empty input."""

    def choose(self, view: BreakerView) -> Sequence[int]:
        print("I guess", len(view.turns))
        os.write(1, b"written at the lowest level\n")
        subprocess.run(["/bin/echo", "said by a program of mine"], check=True)
        try:
            return [int(peg) for peg in input("Which one? ")]
        except EOFError:
            return super().choose(view)


class Tidy(Maker):
    """Creates a file at its regular end."""

    def __init__(self) -> None:
        atexit.register(note, "tidied")


class Parent(Maker):
    """Starts a long program with an open connection, and waits."""

    def make(self, rules: Rules) -> Sequence[int]:
        with ring_up() as line:
            subprocess.run(["/bin/sleep", "1000"], stdout=line.fileno(), check=True)
        return super().make(rules)


class Leaving(Maker):
    """Starts a long program with an open connection, and does not wait."""

    def make(self, rules: Rules) -> Sequence[int]:
        with ring_up() as line:
            subprocess.Popen(["/bin/sleep", "1000"], stdout=line.fileno())
        return super().make(rules)


class Abandoning(Leaving):
    """Leaves its program and ends its own process."""

    def make(self, rules: Rules) -> Sequence[int]:
        super().make(rules)
        os._exit(3)


class Forking(Both):
    """Forks; the child answers something else."""

    def __init__(self) -> None:
        if os.fork() == 0:
            raise RuntimeError
        os.wait()

    def choose(self, view: BreakerView) -> Sequence[int]:
        if os.fork() == 0:
            return [5] * view.rules.pegs
        os.wait()
        return super().choose(view)


class Pondering(Breaker):
    """Thinks forever, with an open connection."""

    def choose(self, view: BreakerView) -> Sequence[int]:  # noqa: ARG002
        self.line = ring_up()
        while True:
            time.sleep(1)


class Dawdling(Both):
    """Chooses its first guess when the test hangs up."""

    def choose(self, view: BreakerView) -> Sequence[int]:
        if note("guessed"):
            with ring_up() as line:
                line.recv(1)
        return super().choose(view)


class Matching(Breaker):
    """Blocks all threads forever, with an open connection."""

    def choose(self, view: BreakerView) -> Sequence[int]:
        self.line = ring_up()
        re.match(r"(a+)+$", "a" * 60 + "b")
        return super().choose(view)


class Endless:
    def __init__(self) -> None:
        while True:
            time.sleep(1)


class Broken:
    def __init__(self) -> None:
        raise RuntimeError("no\nopening book")


class Idle:
    """Has neither method."""


class Silent(Exception):
    def __str__(self) -> NoReturn:
        raise ValueError


class Unspeakable:
    """Has no text."""

    def __repr__(self) -> str:
        return "\udc80"


VALUE = 7
