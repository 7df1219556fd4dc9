"""The process that a user's bot runs in, as ``python -m`` this module ``MODULE:CLASS``.

Its standard input is the socket to the runner; it is moved away before anything of the user's is
imported, and its standard output is the runner's standard error. When the runner has gone, so is
the process, whatever the bot is doing.
"""

from __future__ import annotations

import faulthandler
import importlib
import inspect
import operator
import os
import reprlib
import socket
import sys
import threading
import time
import traceback
from io import TextIOWrapper
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from mastermind_client.own_bot.wire import (
    HEADER,
    Choose,
    Failed,
    Illegal,
    Loaded,
    Order,
    Played,
    Reply,
    Unloadable,
    pack,
    read_length,
    read_order,
)
from mastermind_protocol.breaker import BreakerView
from mastermind_protocol.code import check_code
from mastermind_protocol.errors import InvalidCode
from mastermind_protocol.rules import Rules, find_rules

if TYPE_CHECKING:
    from types import ModuleType

GRACE_SECONDS = 2.0  # for a bot that still thinks when the runner has gone
_UNUSUAL = (TypeError, ValueError, KeyError, IndexError)  # what is no sequence raises when read


class CannotLoad(Exception):
    """There is no bot where the user said; the text says what is wrong."""


def main(bot_name: str) -> None:
    """Load the bot and carry out orders until no more can come."""
    channel = _take_channel()
    orders: SimpleQueue[Order | None] = SimpleQueue()
    threading.Thread(target=_listen, args=(channel, orders), name="orders", daemon=True).start()
    try:
        bot = load(bot_name)
    except CannotLoad as error:
        channel.sendall(pack(Unloadable(str(error))))
        return
    channel.sendall(pack(Loaded(chooses=_can(bot, "choose"), makes=_can(bot, "make"))))
    while (order := orders.get()) is not None:
        channel.sendall(pack(carry_out(order, bot)))


def load(bot_name: str) -> Any:
    """Return what MODULE:CLASS makes, called without arguments. Raises CannotLoad."""
    module_name, _, name = bot_name.partition(":")
    folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    module = _import(module_name, folder)
    factory = getattr(module, name, None)
    if not callable(factory):
        known = ", ".join(_list_bots(module))
        raise CannotLoad(
            f"{module_name} has no class {name!r}" + (f"; it has {known}" if known else "")
        )
    try:
        bot = factory()
    except BaseException as error:
        raise CannotLoad(f"{bot_name}() raised {describe(error, module.__file__)}") from error
    if not _can(bot, "choose") and not _can(bot, "make"):
        raise CannotLoad(f"{bot_name} has neither choose(view) nor make(rules)")
    return bot


def carry_out(order: Order, bot: Any) -> Reply:
    """Let the bot make its move; whatever it raises, sys.exit too, is its failure."""
    rules = find_rules(order.rules)
    called = "choose()" if isinstance(order, Choose) else "make()"
    try:
        if isinstance(order, Choose):
            answer = bot.choose(BreakerView(rules, order.turns))
        else:
            answer = bot.make(rules)
        return _read_answer(answer, called, rules)
    except BaseException as error:
        traceback.print_exception(error.with_traceback(_leave_out_ours(error)))
        module = sys.modules.get(type(bot).__module__)
        return Failed(f"{called} raised {describe(error, getattr(module, '__file__', None))}")


def describe(error: BaseException, file: str | None) -> str:
    """Say in one line what was raised, and where: in the user's file if that is known."""
    try:
        text = " ".join(str(error).split())
    except Exception:
        text = "its text cannot be had"
    named = f"{type(error).__name__}: {text}" if text else type(error).__name__
    if isinstance(error, SyntaxError):
        return named  # which says where
    frames = [
        (frame.f_code.co_filename, line)
        for frame, line in traceback.walk_tb(error.__traceback__)
        if frame.f_code.co_filename != __file__ and "importlib" not in frame.f_code.co_filename
    ]
    theirs = [place for place in frames if place[0] == file] or frames
    return f"{named} ({Path(theirs[-1][0]).name}:{theirs[-1][1]})" if theirs else named


def _read_answer(answer: Any, called: str, rules: Rules) -> Reply:
    """Return the answer as a move. Whatever can be read by index will do, and any whole numbers."""
    shown = reprlib.repr(answer)
    try:
        colours = [operator.index(answer[index]) for index in range(len(answer))]
    except _UNUSUAL:
        return Illegal(f"{called} returned {shown}: that is no sequence of colour numbers")
    try:
        return Played(check_code(colours, rules))
    except InvalidCode as error:
        return Illegal(f"{called} returned {shown}: {error.message}")


def _import(module_name: str, folder: str) -> ModuleType:
    try:
        return importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module_name}.".startswith(f"{error.name}."):
            raise CannotLoad(
                f"{module_name} cannot be imported: {describe(error, None)}"
            ) from error
        raise CannotLoad(f"there is no module {error.name!r} in {folder}") from None
    except BaseException as error:
        raise CannotLoad(f"{module_name} cannot be imported: {describe(error, None)}") from error


def _list_bots(module: ModuleType) -> list[str]:
    """Return the names of the module's own classes that could be bots."""
    return [
        name
        for name, found in vars(module).items()
        if inspect.isclass(found) and found.__module__ == module.__name__
        and (_can(found, "choose") or _can(found, "make"))
    ]  # fmt: skip


def _can(bot: Any, method: str) -> bool:
    return callable(getattr(bot, method, None))


def _leave_out_ours(error: BaseException) -> Any:
    """Return the traceback from the user's first frame on."""
    found = error.__traceback__
    while found is not None and found.tb_frame.f_code.co_filename == __file__:
        found = found.tb_next
    return found


def _take_channel() -> socket.socket:
    """Return the socket that is standard input, which has nothing to read from then on."""
    channel = socket.socket(fileno=os.dup(0))
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(line_buffering=True)  # what a bot prints is seen as it thinks
    return channel


def _listen(channel: socket.socket, orders: SimpleQueue[Order | None]) -> None:
    """Take orders until the runner closes the socket, and end the process if nobody else does."""
    with channel.makefile("rb") as stream:
        while len(header := stream.read(HEADER.size)) == HEADER.size:
            orders.put(read_order(stream.read(read_length(header))))
    orders.put(None)
    time.sleep(GRACE_SECONDS)
    os._exit(1)


if __name__ == "__main__":
    faulthandler.enable()  # where a bot crashed the interpreter, if it does
    main(sys.argv[1])
