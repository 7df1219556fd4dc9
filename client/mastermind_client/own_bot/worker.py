"""The process that a user's bot runs in, as ``python -m`` this module ``MODULE:CLASS``.

Its standard input is the socket to the runner; it is moved away before anything of the user's is
imported, and its standard output is the runner's standard error. When the runner has gone, so is
the process: on Linux whatever the bot is doing, elsewhere unless it is in C code that lets no other
thread run. What a bot has started and the runner could not kill is left.
"""

from __future__ import annotations

import ctypes
import faulthandler
import importlib
import inspect
import operator
import os
import reprlib
import signal
import socket
import sys
import threading
import time
import traceback
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from io import TextIOWrapper
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from mastermind_client.language import find_language, use_language
from mastermind_client.language import gettext as _
from mastermind_client.own_bot.wire import (
    HEADER,
    LOADING,
    Abilities,
    Choose,
    Failure,
    Order,
    Played,
    Reply,
    pack,
    read_header,
    read_order,
)
from mastermind_client.words.refusals import explain_refusal
from mastermind_protocol.code import check_code
from mastermind_protocol.errors import InvalidCode
from mastermind_protocol.events import Forfeit
from mastermind_protocol.match import BreakerView
from mastermind_protocol.rules import Rules, find_rules

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

GRACE_SECONDS = 2.0  # for a bot that still thinks when the runner has gone
MAX_ERROR = 200  # characters of what a bot raises: the place behind it is to be read too
MAX_WHY = 1000  # characters of a reason
PR_SET_PDEATHSIG = 1  # of Linux's prctl: the signal to get when the parent dies
_UNUSUAL = (TypeError, ValueError, LookupError, OverflowError)  # of what is no sequence when read


class CannotLoad(Exception):
    """There is no bot where the user said; the text says what is wrong."""


def main(bot_name: str, runner: int) -> None:
    """Load the bot and carry out the orders of the process `runner` until no more can come."""
    _die_with(runner)
    channel, own = _take_channel(), os.getpid()

    def say(reply: Reply, number: int) -> None:
        if os.getpid() != own:
            os._exit(0)  # the bot has forked, and the child has come back here: it was not asked
        channel.sendall(pack(reply, number))

    orders: SimpleQueue[tuple[int, Order] | None] = SimpleQueue()
    threading.Thread(target=_listen, args=(channel, orders), name="orders", daemon=True).start()
    try:
        bot = load(bot_name)
    except CannotLoad as error:
        say(Failure(Forfeit.FAILED, _clean(str(error))), LOADING)
        return
    say(Abilities(chooses=_can(bot, "choose"), makes=_can(bot, "make")), LOADING)
    while (ordered := orders.get()) is not None:
        number, order = ordered
        say(carry_out(order, bot), number)


def load(bot_name: str) -> Any:
    """Return what MODULE:CLASS makes, called without arguments. Raises CannotLoad."""
    module_name, _colon, name = bot_name.partition(":")
    folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    module = _import(module_name, folder)
    factory = getattr(module, name, None)
    if not callable(factory):
        known = ", ".join(_list_bots(module))
        text = (
            _("{module} has no class {name}; it has {known}")
            if known
            else _("{module} has no class {name}")
        )
        raise CannotLoad(text.format(module=module_name, name=repr(name), known=known))
    try:
        bot = factory()
    except BaseException as error:
        raise CannotLoad(_raised(f"{bot_name}()", describe(error, module.__file__))) from error
    if not _can(bot, "choose") and not _can(bot, "make"):
        raise CannotLoad(_("{bot} has neither choose(view) nor make(rules)").format(bot=bot_name))
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
        why = _raised(called, describe(error, getattr(module, "__file__", None)))
        return Failure(Forfeit.FAILED, _clean(why))


def describe(error: BaseException, file: str | None) -> str:
    """Say in one line what was raised, and where: in the user's file if that is known."""
    try:
        text = _shorten(" ".join(str(error).split()), MAX_ERROR)
    except Exception:
        text = _("its text cannot be had")
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
    returned = reprlib.repr(answer)
    try:
        return Played(check_code(_read_colours(answer, rules), rules))
    except _UNUSUAL:
        text = _("{call} returned {answer}: that is no sequence of colour numbers")
        return Failure(Forfeit.ILLEGAL, _clean(text.format(call=called, answer=returned)))
    except InvalidCode as error:
        text = _("{call} returned {answer}: {reason}")
        why = text.format(call=called, answer=returned, reason=explain_refusal(error))
        return Failure(Forfeit.ILLEGAL, _clean(why))


def _read_colours(answer: Any, rules: Rules) -> Sequence[int]:
    """Return the colours of the answer. Raises InvalidCode, or one of _UNUSUAL."""
    if isinstance(answer, str | Mapping | AbstractSet):
        raise TypeError
    pegs = len(answer)
    if pegs != rules.pegs:
        check_code(range(pegs), rules)  # raises: what is too long is not read at all
    return [_read_colour(answer[index]) for index in range(pegs)]


def _read_colour(value: Any) -> int:
    if isinstance(value, bool):  # a mistake, though Python counts with them
        raise TypeError
    return operator.index(value)


def _import(module_name: str, folder: str) -> ModuleType:
    try:
        return importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module_name}.".startswith(f"{error.name}."):
            raise CannotLoad(_cannot_import(module_name, error)) from error
        text = _("there is no module {module} in {folder}")
        raise CannotLoad(text.format(module=repr(error.name), folder=folder)) from None
    except BaseException as error:
        raise CannotLoad(_cannot_import(module_name, error)) from error


def _cannot_import(module_name: str, error: BaseException) -> str:
    text = _("{module} cannot be imported: {error}")
    return text.format(module=module_name, error=describe(error, None))


def _raised(called: str, error: str) -> str:
    return _("{call} raised {error}").format(call=called, error=error)


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


def _shorten(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 3]}..."


def _clean(why: str) -> str:
    """Return a reason as it can be sent, whatever names and texts of the user's are in it."""
    return _shorten(why, MAX_WHY).encode(errors="replace").decode()


def _die_with(runner: int) -> None:
    """Have the kernel end this process with the runner, where it can; elsewhere `_listen` does."""
    if sys.platform == "linux":  # where it is the end of the thread that started us: the main one
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != runner:
            os._exit(1)  # it has died before that


def _take_channel() -> socket.socket:
    """Return the socket that is standard input, which has nothing to read from then on."""
    channel = socket.socket(fileno=os.dup(0))
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(line_buffering=True)  # what a bot prints is seen as it thinks
    return channel


def _listen(channel: socket.socket, orders: SimpleQueue[tuple[int, Order] | None]) -> None:
    """Take orders until the runner closes the socket, and end the process if nobody else does."""
    with channel.makefile("rb") as stream:
        while len(header := stream.read(HEADER.size)) == HEADER.size:
            number, length = read_header(header)
            orders.put((number, read_order(stream.read(length))))
    orders.put(None)
    time.sleep(GRACE_SECONDS)
    os._exit(1)


if __name__ == "__main__":
    use_language(find_language(None, os.environ))  # the runner's
    faulthandler.enable()  # where a bot crashed the interpreter, if it does
    main(sys.argv[1], int(sys.argv[2]))
