"""A bot's process as the runner has it: started, asked, and ended whatever the bot does."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, TypeVar

from mastermind_client.language import gettext as _
from mastermind_client.own_bot.wire import (
    HEADER,
    LOADING,
    Abilities,
    Choose,
    Failure,
    Make,
    Order,
    Played,
    Reply,
    pack,
    read_header,
    read_reply,
)
from mastermind_protocol.events import Forfeit
from mastermind_protocol.text import sanitise

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from mastermind_protocol.code import Code
    from mastermind_protocol.match import BreakerView
    from mastermind_protocol.rules import Rules

_R = TypeVar("_R", Abilities, Played)
LOAD_SECONDS = 30.0  # for the user's imports, which may be heavy, and the constructor
END_SECONDS = 2.0  # for a bot to end by itself when there are no more orders
MAX_TEXT = 300  # characters of a reason: one line, and not a bot's whole life
STDERR = 2


class Forfeited(Exception):
    """The bot did not do what it was asked to; the text says why in one line."""

    def __init__(self, why: Forfeit, text: str) -> None:
        super().__init__(sanitise(" ".join(text.split()))[:MAX_TEXT])
        self.why = why


class BotProcess:
    """A bot, MODULE:CLASS, in a process of its own; `abilities` are what it can do.

    Every method raises Forfeited, after which it is of no more use.
    """

    def __init__(
        self,
        process: asyncio.subprocess.Process,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        seconds: float,
        timeout: Callable[[float], asyncio.Timeout],
    ) -> None:
        self._process, self._reader, self._writer = process, reader, writer
        self._seconds, self._timeout = seconds, timeout
        self._number = LOADING
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
        """Load a bot, which has so many `seconds` for each move, and end it with the block.

        `timeout` is the clock: what bounds a wait for the bot by so many seconds.
        """
        ours, theirs = socket.socketpair()
        with theirs:
            reader, writer = await asyncio.open_connection(sock=ours)
            try:
                process = await asyncio.create_subprocess_exec(
                    sys.executable, "-P", "-m", "mastermind_client.own_bot.worker",
                    bot, str(os.getpid()),
                    stdin=theirs.fileno(), stdout=STDERR,
                    start_new_session=True,  # a Ctrl-C at the terminal is for the runner alone
                )  # fmt: skip
            except BaseException:
                writer.close()
                raise
        made = cls(process, reader, writer, seconds, timeout)
        try:
            loading = _("loading {bot}").format(bot=bot)
            made.abilities = await made._ask(loading, None, LOAD_SECONDS, Abilities)
            yield made
        finally:
            await made._end()

    async def choose(self, view: BreakerView) -> Code:
        """Return the bot's next guess, a code of the view's rules."""
        order = Choose(view.rules.name, view.turns)
        return (await self._ask("choose()", order, self._seconds, Played)).code

    async def make(self, rules: Rules) -> Code:
        """Return the bot's secret, a code of the rules."""
        return (await self._ask("make()", Make(rules.name), self._seconds, Played)).code

    async def _ask(self, called: str, order: Order | None, seconds: float, kind: type[_R]) -> _R:
        self._busy = True
        try:
            async with self._timeout(seconds):
                if order is not None:
                    self._number += 1
                    self._writer.write(pack(order, self._number))
                    await self._writer.drain()
                reply = await self._read()
        except TimeoutError:
            why = Forfeit.SLOW if self._process.returncode is None else Forfeit.FAILED
            text = _("{call} took longer than {seconds:g} s")
            raise Forfeited(why, text.format(call=called, seconds=seconds)) from None
        except (asyncio.IncompleteReadError, ConnectionError):
            raise Forfeited(Forfeit.FAILED, await self._describe_end(called)) from None
        except ValueError as error:
            raise Forfeited(Forfeit.FAILED, f"{_meddles(called)}: {error}") from None
        self._busy = False
        match reply:
            case kind():
                return reply
            case Failure(why, text):
                raise Forfeited(why, text)
            case _:
                raise Forfeited(Forfeit.FAILED, _meddles(called))

    async def _read(self) -> Reply:
        """Return the reply to the last order. Raises ValueError for anything else."""
        number, length = read_header(await self._reader.readexactly(HEADER.size))
        reply = read_reply(await self._reader.readexactly(length))
        if number != self._number:
            text = _("an answer to order {number}, and not to {asked}")
            raise ValueError(text.format(number=number, asked=self._number))
        return reply

    async def _describe_end(self, called: str) -> str:
        """Say how the process ended, or that it has cut its line without an end."""
        with suppress(TimeoutError):
            async with asyncio.timeout(END_SECONDS):
                await self._process.wait()
        status = self._process.returncode
        if status is None:
            return _("{call} closed the files of its process").format(call=called)
        if status < 0:
            text = _("{call} crashed its process: {signal}")
            return text.format(call=called, signal=signal.Signals(-status).name)
        return _("{call} ended its process with status {status}").format(call=called, status=status)

    async def _end(self) -> None:
        """End the process: at once if the bot still thinks, otherwise when it has tidied up."""
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
        """Kill the process and whatever it has started, which may have outlived it.

        What has made itself a session of its own gets away.
        """
        with suppress(ProcessLookupError, PermissionError):  # the latter of zombies, on macOS
            os.killpg(self._process.pid, signal.SIGKILL)


def _meddles(called: str) -> str:
    return _("{call} meddles with its process's messages").format(call=called)
