"""Child processes of bots: starting them, sending orders, and ending them even if the bot hangs."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from mastermind_client.bot_runner.worker import (
    Abilities,
    Choose,
    Failure,
    MakeSecret,
    Order,
    Played,
    StartGame,
    write_message,
)
from mastermind_client.language import gettext as _
from mastermind_protocol.events import Forfeit
from mastermind_protocol.text import sanitise

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from mastermind_protocol.code import Code
    from mastermind_protocol.match import BreakerView
    from mastermind_protocol.rules import Rules

_R = TypeVar("_R", Abilities, Played)
LOAD_SECONDS = 30.0  # for the user's imports, which may be heavy, and the constructor
END_SECONDS = 2.0  # for a bot to exit by itself after its last order
MAX_REPLY_BYTES = 64 * 1024
MAX_REASON_CHARACTERS = 300  # characters of the text of Forfeited
STDERR_DESCRIPTOR = 2


class Forfeited(Exception):
    """The bot failed to carry out an order. `why` is the kind of failure.

    The text of the error is one line.
    """

    def __init__(self, why: Forfeit, text: str) -> None:
        super().__init__(sanitise(" ".join(text.split()))[:MAX_REASON_CHARACTERS])
        self.why = why


class BotProcess:
    """The process of the bot MODULE:CLASS. `abilities` are the roles that the bot can play.

    Every method can raise Forfeited. After that the process cannot be used.
    """

    def __init__(
        self,
        bot: str,
        process: asyncio.subprocess.Process,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        seconds: float,
        timeout: Callable[[float], asyncio.Timeout],
    ) -> None:
        self._process, self._reader, self._writer = process, reader, writer
        self._bot, self._seconds, self._timeout = bot, seconds, timeout
        self._busy = False
        self.abilities = Abilities(chooses=False, makes=False)

    @classmethod
    @asynccontextmanager
    async def start(
        cls,
        bot: str,
        seconds: float,
        timeout: Callable[[float], asyncio.Timeout] = asyncio.timeout,  # noqa: ASYNC109 - a clock
    ) -> AsyncIterator[BotProcess]:
        """Load a bot in a new process, which ends with the block.

        The bot has `seconds` for each move. `timeout` returns a context manager that raises
        TimeoutError when the time is over.
        """
        ours, theirs = socket.socketpair()
        with theirs:
            reader, writer = await asyncio.open_connection(sock=ours, limit=MAX_REPLY_BYTES)
            try:
                process = await asyncio.create_subprocess_exec(
                    sys.executable, "-P", "-m", "mastermind_client.bot_runner.worker",
                    bot, str(os.getpid()),
                    stdin=theirs.fileno(), stdout=STDERR_DESCRIPTOR,
                    start_new_session=True,  # a Ctrl-C at the terminal is for the runner alone
                )  # fmt: skip
            except BaseException:
                writer.close()
                raise
        bot_process = cls(bot, process, reader, writer, seconds, timeout)
        try:
            await bot_process._await_instance()
            yield bot_process
        finally:
            await bot_process._end()

    async def start_game(self) -> None:
        """Use a new instance of the bot from now on. Its module stays loaded."""
        self._writer.write(write_message(StartGame()))
        await self._await_instance()

    async def _await_instance(self) -> None:
        loading = _("loading {bot}").format(bot=self._bot)
        self.abilities = await self._read(loading, LOAD_SECONDS, Abilities)

    async def choose(self, view: BreakerView, left: float | None = None) -> Code:
        """Return the bot's next guess, which is a valid code.

        `left` is the time on the bot's clock in seconds, or None without a clock.
        """
        return await self._order("choose()", Choose(view.rules.name, view.turns, left))

    async def make(self, rules: Rules) -> Code:
        """Return a secret chosen by the bot, which is a valid code."""
        return await self._order("make()", MakeSecret(rules.name))

    async def _order(self, call: str, order: Order) -> Code:
        self._writer.write(write_message(order))
        return (await self._read(call, self._seconds, Played)).code

    async def _read(self, call: str, seconds: float, kind: type[_R]) -> _R:
        """Return the reply to the last order, which is of type `kind`.

        Raises Forfeited if it does not arrive within `seconds`, or reports a failure. `call` names
        the order in the error text.
        """
        self._busy = True
        expected: Any = kind | Failure
        try:
            async with self._timeout(seconds):
                line = await self._reader.readuntil()
            reply: _R | Failure = msgspec.json.decode(line, type=expected)
        except TimeoutError:
            why = Forfeit.SLOW if self._process.returncode is None else Forfeit.FAILED
            text = _("{call} took longer than {seconds:g} s")
            raise Forfeited(why, text.format(call=call, seconds=seconds)) from None
        except (asyncio.IncompleteReadError, ConnectionError):
            raise Forfeited(Forfeit.FAILED, await self._describe_exit(call)) from None
        except (asyncio.LimitOverrunError, ValueError):
            text = _("{call} meddles with its process's messages")
            raise Forfeited(Forfeit.FAILED, text.format(call=call)) from None
        self._busy = False
        if isinstance(reply, Failure):
            raise Forfeited(reply.why, reply.text)
        return reply

    async def _describe_exit(self, call: str) -> str:
        """Return how the process has ended, or that it has closed its socket but still runs."""
        with suppress(TimeoutError):
            async with asyncio.timeout(END_SECONDS):
                await self._process.wait()
        status = self._process.returncode
        if status is None:
            return _("{call} closed the files of its process").format(call=call)
        if status < 0:
            text = _("{call} crashed its process: {signal}")
            return text.format(call=call, signal=signal.Signals(-status).name)
        return _("{call} ended its process with status {status}").format(call=call, status=status)

    async def _end(self) -> None:
        """End the process.

        A bot that is choosing a move is killed; others get END_SECONDS to clean up.
        """
        self._writer.close()
        ended = asyncio.create_task(self._process.wait())
        try:
            if not self._busy:
                await asyncio.wait([ended], timeout=END_SECONDS)
        finally:
            self._kill()
        await ended
        with suppress(OSError):
            await self._writer.wait_closed()

    def _kill(self) -> None:
        """Kill the process group, which includes programs that the bot has started.

        A program that has started its own session survives.
        """
        with suppress(ProcessLookupError, PermissionError):  # the latter for zombies on macOS
            os.killpg(self._process.pid, signal.SIGKILL)
