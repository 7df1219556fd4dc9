"""Bots for the tests, good and bad; those that fail do so in their first match and then play."""

from __future__ import annotations

import atexit
import itertools  # noqa: F401 - for what a test asks of Answering
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from mastermind_protocol.breaker import BreakerView
from mastermind_protocol.rules import Rules


def note(name: str) -> bool:
    """Leave a file of this name in the user's home; tell whether it is the first one."""
    try:
        (Path(os.environ["HOME"]) / name).touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


def ring_up() -> socket.socket:
    """Return a line to the test: that it is open tells that the bot has begun to think."""
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
    """Return a bot; a factory will do as well as a class."""
    return Both()


class Raising(Breaker):
    def choose(self, view: BreakerView) -> Sequence[int]:
        if note("raised"):
            1 / 0  # noqa: B018
        return super().choose(view)


class Slow(Breaker):
    def choose(self, view: BreakerView) -> Sequence[int]:
        if note("slow"):
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            while True:
                pass
        return super().choose(view)


class Illegal(Breaker):
    def choose(self, view: BreakerView) -> Sequence[int]:
        return [0, 1, 2, 9] if note("illegal") else super().choose(view)


class Exiting(Breaker):
    def choose(self, view: BreakerView) -> Sequence[int]:
        if note("exited"):
            os._exit(3)
        return super().choose(view)


class Quitting(Maker):
    def make(self, rules: Rules) -> Sequence[int]:
        sys.exit(f"no code of {rules} today")


class Crashing(Maker):
    def make(self, rules: Rules) -> Sequence[int]:  # noqa: ARG002
        os.kill(os.getpid(), signal.SIGSEGV)
        raise AssertionError


class Hanging(Maker):
    """Cuts the line to its runner, and never answers."""

    def make(self, rules: Rules) -> Sequence[int]:  # noqa: ARG002
        for descriptor in range(3, 16):
            with suppress(OSError):
                socket.socket(fileno=descriptor).shutdown(socket.SHUT_RDWR)
        while True:
            time.sleep(1)


class Talking(Both):
    """Says what it does, and asks; nobody is there to answer."""

    def choose(self, view: BreakerView) -> Sequence[int]:
        print("I guess", len(view.turns))
        os.write(1, b"written at the lowest level\n")
        subprocess.run(["/bin/echo", "said by a program of mine"], check=True)
        try:
            return [int(peg) for peg in input("Which one? ")]
        except EOFError:
            return super().choose(view)


class Meddling(Maker):
    """Writes to every file that it has open."""

    def make(self, rules: Rules) -> Sequence[int]:
        for descriptor in range(3, 16):
            with suppress(OSError):
                os.write(descriptor, b"\x00\x00\x00\x01\xc1")
        return super().make(rules)


class Flooding(Maker):
    """Announces a message that would fill the memory."""

    def make(self, rules: Rules) -> Sequence[int]:
        for descriptor in range(3, 16):
            with suppress(OSError):
                os.write(descriptor, b"\xff" * 8)
        return super().make(rules)


class Tidy(Maker):
    """Leaves a note when it ends by itself."""

    def __init__(self) -> None:
        atexit.register(note, "tidied")


class Parent(Maker):
    """Starts a program that would run for long, with a line open, and waits for it."""

    def make(self, rules: Rules) -> Sequence[int]:
        with ring_up() as line:
            subprocess.run(["/bin/sleep", "1000"], stdout=line.fileno(), check=True)
        return super().make(rules)


class Leaving(Maker):
    """Starts a program that would run for long, with a line open, and goes on without it."""

    def make(self, rules: Rules) -> Sequence[int]:
        with ring_up() as line:
            subprocess.Popen(["/bin/sleep", "1000"], stdout=line.fileno())
        return super().make(rules)


class Abandoning(Leaving):
    """Leaves its program behind and ends its own process."""

    def make(self, rules: Rules) -> Sequence[int]:
        super().make(rules)
        os._exit(3)


class Forking(Both):
    """Goes on twice, and the second time, in a child, is not what was asked."""

    def __init__(self) -> None:
        if os.fork() == 0:
            raise RuntimeError
        os.wait()

    def choose(self, view: BreakerView) -> Sequence[int]:
        if os.fork() == 0:
            return [5] * view.rules.pegs
        os.wait()
        return super().choose(view)


class Prompt(Maker):
    """Answers the next order too, on every file that it has open."""

    def make(self, rules: Rules) -> Sequence[int]:
        for descriptor in range(3, 16):
            with suppress(OSError):
                os.write(descriptor, bytes.fromhex(os.environ["REPLY"]))
        return super().make(rules)


class Pondering(Breaker):
    """Thinks for ever, with a line open."""

    def choose(self, view: BreakerView) -> Sequence[int]:  # noqa: ARG002
        self.line = ring_up()
        while True:
            time.sleep(1)


class Matching(Breaker):
    """Thinks for ever where no other thread can run, with a line open."""

    def choose(self, view: BreakerView) -> Sequence[int]:
        self.line = ring_up()
        re.match(r"(a+)+$", "a" * 60 + "b")
        return super().choose(view)


class Answering(Maker):
    """Makes whatever code the test asks for, as an expression."""

    def make(self, rules: Rules) -> Sequence[int]:  # noqa: ARG002
        made: Sequence[int] = eval(os.environ["ANSWER"])  # noqa: S307
        return made


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


class Complaining(Maker):
    """Raises the text that the test asks for, as an expression."""

    def make(self, rules: Rules) -> Sequence[int]:  # noqa: ARG002
        raise ValueError(eval(os.environ["TEXT"]))  # noqa: S307


class Unspeakable(Maker):
    """Returns what is no code, and cannot be shown either."""

    def make(self, rules: Rules) -> Sequence[int]:  # noqa: ARG002
        return self  # type: ignore[return-value]

    def __repr__(self) -> str:
        return "\udc80"


class Mute(Maker):
    def make(self, rules: Rules) -> Sequence[int]:  # noqa: ARG002
        raise Silent


VALUE = 7
