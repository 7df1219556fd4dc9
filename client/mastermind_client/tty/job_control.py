"""Stop and continue: the shell has the terminal while the client is stopped or in the background.

- SIGTSTP, which Ctrl-Z sends as a key of raw mode: the terminal is restored, and the process stops.
- SIGSTOP stops the process without notice. The shell then changes the terminal.
- SIGCONT ends both. In the foreground the terminal enters raw mode again, and everything is drawn
  anew. In the background (`bg`) the client neither reads nor writes nor sets the terminal, which
  would stop the process again, and a server in this process keeps running. A shell sends no signal
  when it brings a running process to the foreground, so the client polls.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import termios
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from prompt_toolkit.application import Application
from prompt_toolkit.input.vt100 import Vt100Input, raw_mode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

FOREGROUND_POLL_SECONDS = 0.2  # a user who types `fg` does not notice it; a poll is a system call


class TerminalApplication(Application[None]):
    """An application that draws nothing while `is_away`: another program has the terminal."""

    is_away = False

    def _redraw(self, render_as_done: bool = False) -> None:
        if not self.is_away:
            super()._redraw(render_as_done)

    def _on_resize(self) -> None:
        if not self.is_away:
            super()._on_resize()


class TerminalInput(Vt100Input):
    """Standard input. A process that ends in the background leaves the terminal's settings."""

    def __init__(self) -> None:
        super().__init__(sys.stdin)

    @contextmanager
    def raw_mode(self) -> Iterator[None]:
        """Set raw mode during the block."""
        with ExitStack() as stack:
            stack.enter_context(super().raw_mode())
            try:
                yield
            finally:
                if not _is_in_foreground(self.fileno()):
                    stack.pop_all()


def _is_in_foreground(terminal: int) -> bool:
    """Return whether this process may use the terminal with this file descriptor."""
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except OSError:  # it is not the terminal of a shell, or it has been closed
        return True


class JobControl:
    """Lets a shell stop and continue an application while this context manager is entered.

    Does nothing for an input other than TerminalInput, and if the process was started with SIGTSTP
    ignored. `leave` is called before the process stops by SIGTSTP, and restores what the
    application has changed besides the drawing and the terminal's settings. `enter` is called
    before the next drawing, also after SIGSTOP.
    """

    def __init__(
        self, application: TerminalApplication, leave: Callable[[], None], enter: Callable[[], None]
    ) -> None:
        self._application, self._leave, self._enter = application, leave, enter
        self.is_active = False  # whether the process can be stopped
        self._handlers = ExitStack()
        self._detached = ExitStack()
        self._poll: asyncio.Handle | None = None  # the next attempt to return

    def __enter__(self) -> None:
        source = self._application.input
        if signal.getsignal(signal.SIGTSTP) is signal.SIG_IGN or not isinstance(
            source, TerminalInput
        ):
            return
        self.is_active = True
        self._terminal = source.fileno()
        self._settings: list[Any] = termios.tcgetattr(self._terminal)  # before raw mode
        self._loop = asyncio.get_running_loop()
        self._loop.add_signal_handler(signal.SIGTSTP, self._stop)
        previous = signal.signal(signal.SIGCONT, self._on_continue)
        # the application has ended then, and must not read again: `detach` adds its reader again
        self._handlers.callback(self._loop.remove_reader, self._terminal)
        self._handlers.callback(self._detached.close)
        self._handlers.callback(self._loop.remove_signal_handler, signal.SIGTSTP)
        self._handlers.callback(signal.signal, signal.SIGCONT, previous)

    def __exit__(self, *_error: object) -> None:
        self.is_active = False
        self._handlers.close()

    def suspend(self) -> None:
        """Stop the process group, as Ctrl-Z does in a terminal without raw mode."""
        if self.is_active:
            os.kill(0, signal.SIGTSTP)

    def _stop(self) -> None:
        if not self._application.is_away:
            self._application.renderer.erase()
            self._leave()
            self._go_away()
            termios.tcsetattr(self._terminal, termios.TCSADRAIN, self._settings)
        self._loop.remove_signal_handler(signal.SIGTSTP)  # the default stops the process
        signal.raise_signal(signal.SIGTSTP)  # returns after SIGCONT, or at once without a shell
        self._loop.add_signal_handler(signal.SIGTSTP, self._stop)
        self._try_to_return()

    def _on_continue(self, *_signal: object) -> None:
        """Handle SIGCONT at once: in the background nothing may be drawn from now on."""
        if not _is_in_foreground(self._terminal):
            self._application.is_away = True
        self._loop.call_soon_threadsafe(self._try_to_return)

    def _try_to_return(self) -> None:
        if self._poll is not None:
            self._poll.cancel()
            self._poll = None
        if not self.is_active:
            return
        if not _is_in_foreground(self._terminal):
            self._go_away()
            self._poll = self._loop.call_later(FOREGROUND_POLL_SECONDS, self._try_to_return)
            return
        raw_mode(self._terminal).__enter__()  # the input restores the settings when it ends
        self._detached.close()
        self._application.is_away = False
        self._application.renderer.reset()
        self._enter()
        self._application.invalidate()

    def _go_away(self) -> None:
        """Stop drawing and reading."""
        self._application.is_away = True
        self._detached.close()
        self._detached.enter_context(self._application.input.detach())
