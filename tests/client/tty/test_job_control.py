"""Stop and continue, with a terminal whose foreground program the test chooses."""

from __future__ import annotations

import asyncio
import os
import pty
import signal
import termios
from contextlib import ExitStack

import pytest
from prompt_toolkit.layout import Layout, Window
from prompt_toolkit.output import DummyOutput

from mastermind_client.tty.job_control import JobControl, TerminalApplication, TerminalInput


@pytest.fixture
def application(monkeypatch):
    """Yield an application at a pseudo-terminal."""
    with ExitStack() as stack:
        master, slave = pty.openpty()
        stack.callback(os.close, master)
        monkeypatch.setattr("sys.stdin", stack.enter_context(os.fdopen(slave)))
        yield TerminalApplication(Layout(Window()), input=TerminalInput(), output=DummyOutput())


async def test_an_application_that_ends_in_the_background_no_longer_reads(application, monkeypatch):
    started, away = asyncio.Event(), asyncio.Event()
    jobs = JobControl(application, leave=lambda: None, enter=lambda: None)
    with jobs:
        running = asyncio.create_task(
            application.run_async(started.set, set_exception_handler=False, handle_sigint=False)
        )
        await started.wait()
        monkeypatch.setattr("os.tcgetpgrp", lambda _terminal: os.getpgrp() + 1)
        detach = application.input.detach

        def detach_now():
            away.set()
            return detach()

        monkeypatch.setattr(application.input, "detach", detach_now)
        signal.raise_signal(signal.SIGCONT)
        await away.wait()
        application.exit()
        await running
    assert not asyncio.get_running_loop().remove_reader(application.input.fileno())


async def test_a_continue_before_the_end_leaves_the_terminal_as_it_is(application):
    terminal = application.input.fileno()
    before = termios.tcgetattr(terminal)
    with JobControl(application, leave=lambda: None, enter=lambda: None):
        signal.raise_signal(signal.SIGCONT)
    ended = asyncio.Event()
    asyncio.get_running_loop().call_soon(ended.set)
    await ended.wait()
    assert termios.tcgetattr(terminal) == before
