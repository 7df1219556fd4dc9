"""The child process of a user's bot: ``python -m`` this module ``MODULE:CLASS RUNNER_PID``.

Orders and replies are JSON lines on a socket, which is standard input at the start. The socket
moves to another descriptor before the user's code is imported. Standard output is redirected to the
runner's standard error.

The process ends with the runner: on Linux at once, elsewhere after GRACE_SECONDS, unless C code
blocks all threads. Programs that the bot has started can survive the runner.
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
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from mastermind_client.language import find_language, use_language
from mastermind_client.language import gettext as _
from mastermind_client.messages.failures import explain_refusal
from mastermind_protocol.code import check_code
from mastermind_protocol.errors import InvalidCode
from mastermind_protocol.events import Forfeit, WireCode
from mastermind_protocol.match import BreakerView, Turn
from mastermind_protocol.rules import Rules, find_rules

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

GRACE_SECONDS = 2.0  # for a bot that still thinks after the runner has ended
MAX_ERROR_CHARACTERS = (
    200  # characters of an exception's text; the file and line follow in the reason
)
MAX_REASON_CHARACTERS = 1000  # characters of a reason
PR_SET_PDEATHSIG = 1  # option of Linux's prctl: a signal to this process when its parent dies
_SEQUENCE_ERRORS = (TypeError, ValueError, LookupError, OverflowError)  # raised by reading one


class _Message(msgspec.Struct, frozen=True, tag=True):
    """The base of orders and replies."""


class Choose(_Message, frozen=True):
    """An order to choose a guess, with the name of the rules and the turns so far.

    `seconds` is the time left on the bot's clock, or None in a match without a clock.
    """

    rules: str
    turns: tuple[Turn, ...]
    seconds: float | None = None


class BotView(BreakerView, frozen=True):
    """The argument of a user's method `choose`: the codebreaker's view, and the time left.

    `seconds` is the time left on the bot's clock, or None in a match without a clock.
    """

    seconds: float | None = None


class MakeSecret(_Message, frozen=True):
    """An order to make a secret."""

    rules: str


class StartGame(_Message, frozen=True):
    """An order to use a new instance of the bot from now on."""


class Abilities(_Message, frozen=True):
    """The reply after making an instance: whether it has the methods `choose` and `make`."""

    chooses: bool
    makes: bool


class Played(_Message, frozen=True):
    """The reply with the bot's move, which is a valid code."""

    code: WireCode


class Failure(_Message, frozen=True):
    """The reply after a failure of the bot, with its kind `why` and a text.

    The bot was not loaded, raised an exception, or returned an invalid code.
    """

    why: Forfeit
    text: str


Move: TypeAlias = Choose | MakeSecret
Order: TypeAlias = Move | StartGame
Reply: TypeAlias = Abilities | Played | Failure
_orders: msgspec.json.Decoder[Order] = msgspec.json.Decoder(Order)


class CannotLoad(Exception):
    """MODULE:CLASS cannot be loaded as a bot. The text gives the reason."""


def write_message(message: Order | Reply) -> bytes:
    """Return a message as a line of JSON."""
    return msgspec.json.encode(message) + b"\n"


def main(bot_name: str, runner_pid: int) -> None:
    """Load the bot, and carry out orders until the runner's process closes the socket."""
    _die_with(runner_pid)
    channel, own = _take_channel(), os.getpid()

    def send(reply: Reply) -> None:
        if os.getpid() != own:
            os._exit(0)  # a child that the bot has forked returns here; only the parent replies
        channel.sendall(write_message(reply))

    orders: SimpleQueue[Order | None] = SimpleQueue()
    threading.Thread(target=_read_orders, args=(channel, orders), daemon=True).start()
    bot: Any = None
    order: Order | None = StartGame()
    while order is not None:
        if isinstance(order, StartGame):
            try:
                bot = load(bot_name)
            except CannotLoad as error:
                send(Failure(Forfeit.FAILED, _make_printable(str(error))))
                return
            send(Abilities(chooses=_has_method(bot, "choose"), makes=_has_method(bot, "make")))
        else:
            send(carry_out(order, bot))
        order = orders.get()


def load(bot_name: str) -> Any:
    """Return a new instance of MODULE:CLASS, made without arguments. Raises CannotLoad."""
    module_name, _colon, name = bot_name.partition(":")
    folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        module = importlib.import_module(module_name)
    except BaseException as error:
        raise CannotLoad(_explain_import(error, module_name, folder)) from error
    if not callable(factory := getattr(module, name, None)):
        text = _("{module} has no class {name}; it has {known}")
        known = ", ".join(_list_bots(module)) or _("none")
        raise CannotLoad(text.format(module=module_name, name=repr(name), known=known))
    try:
        bot = factory()
    except BaseException as error:
        raise CannotLoad(
            _describe_raised(f"{bot_name}()", describe_error(error, module.__file__))
        ) from error
    if not _has_method(bot, "choose") and not _has_method(bot, "make"):
        raise CannotLoad(_("{bot} has neither choose(view) nor make(rules)").format(bot=bot_name))
    return bot


def carry_out(order: Move, bot: Any) -> Reply:
    """Return the reply to an order: a Failure if the bot raises anything, even SystemExit."""
    rules = find_rules(order.rules)
    call = "choose()" if isinstance(order, Choose) else "make()"
    try:
        if isinstance(order, Choose):
            answer = bot.choose(BotView(rules, order.turns, order.seconds))
        else:
            answer = bot.make(rules)
        return _read_answer(answer, call, rules)
    except BaseException as error:
        traceback.print_exception(error.with_traceback(_skip_own_frames(error)))
        module = sys.modules.get(type(bot).__module__)
        why = _describe_raised(call, describe_error(error, getattr(module, "__file__", None)))
        return Failure(Forfeit.FAILED, _make_printable(why))


def describe_error(error: BaseException, file: str | None) -> str:
    """Return an exception as one line, with the last line number of `file` in its traceback."""
    try:
        text = _shorten(" ".join(str(error).split()), MAX_ERROR_CHARACTERS)
    except Exception:
        text = _("its text cannot be read")
    named = f"{type(error).__name__}: {text}" if text else type(error).__name__
    if isinstance(error, SyntaxError):
        return named  # with file and line
    frames = [
        (frame.f_code.co_filename, line)
        for frame, line in traceback.walk_tb(error.__traceback__)
        if frame.f_code.co_filename != __file__ and "importlib" not in frame.f_code.co_filename
    ]
    of_file = [frame for frame in frames if frame[0] == file] or frames
    return f"{named} ({Path(of_file[-1][0]).name}:{of_file[-1][1]})" if of_file else named


def _read_answer(answer: Any, call: str, rules: Rules) -> Reply:
    """Return the reply for the value that the bot's method `call` has returned.

    A valid code is any sequence of integers, for example a NumPy array.
    """
    returned = reprlib.repr(answer)
    try:
        return Played(check_code(_read_colours(answer, rules), rules))
    except _SEQUENCE_ERRORS:
        reason = _("that is no sequence of colour numbers")
    except InvalidCode as error:
        reason = explain_refusal(error)
    text = _("{call} returned {answer}: {reason}")
    return Failure(
        Forfeit.ILLEGAL, _make_printable(text.format(call=call, answer=returned, reason=reason))
    )


def _read_colours(answer: Any, rules: Rules) -> Sequence[int]:
    """Return the colours of the answer. Raises InvalidCode, or one of _SEQUENCE_ERRORS."""
    if isinstance(answer, str | Mapping | AbstractSet):
        raise TypeError
    pegs = len(answer)
    if pegs != rules.pegs:
        check_code(range(pegs), rules)  # raises before a very long answer is read
    return [_read_colour(answer[index]) for index in range(pegs)]


def _read_colour(value: Any) -> int:
    if isinstance(value, bool):  # an int in Python, but a mistake here
        raise TypeError
    return operator.index(value)


def _explain_import(error: BaseException, module_name: str, folder: str) -> str:
    if isinstance(error, ModuleNotFoundError) and f"{module_name}.".startswith(f"{error.name}."):
        text = _("there is no module {module} in {folder}")
        return text.format(module=repr(error.name), folder=folder)
    text = _("{module} cannot be imported: {error}")
    return text.format(module=module_name, error=describe_error(error, None))


def _describe_raised(call: str, error: str) -> str:
    return _("{call} raised {error}").format(call=call, error=error)


def _list_bots(module: ModuleType) -> list[str]:
    """Return the names of the bot classes that the module defines."""
    return [
        name
        for name, found in vars(module).items()
        if inspect.isclass(found) and found.__module__ == module.__name__
        and (_has_method(found, "choose") or _has_method(found, "make"))
    ]  # fmt: skip


def _has_method(bot: Any, method: str) -> bool:
    return callable(getattr(bot, method, None))


def _skip_own_frames(error: BaseException) -> Any:
    """Return the traceback without the first frames, which are this module's."""
    found = error.__traceback__
    while found is not None and found.tb_frame.f_code.co_filename == __file__:
        found = found.tb_next
    return found


def _shorten(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 3]}..."


def _make_printable(why: str) -> str:
    """Return a reason, cropped and without characters that UTF-8 cannot encode."""
    return _shorten(why, MAX_REASON_CHARACTERS).encode(errors="replace").decode()


def _die_with(runner_pid: int) -> None:
    """Make the kernel kill this process when the runner ends. Linux only."""
    if sys.platform == "linux":  # the signal follows the runner's main thread, which started us
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != runner_pid:
            os._exit(1)  # the runner died before prctl


def _take_channel() -> socket.socket:
    """Return the socket that was standard input, and open an empty file as standard input."""
    channel = socket.socket(fileno=os.dup(0))
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(line_buffering=True)  # the bot's output appears while it thinks
    return channel


def _read_orders(channel: socket.socket, orders: SimpleQueue[Order | None]) -> None:
    """Queue orders until the runner closes the socket. Then end the process after GRACE_SECONDS."""
    with channel.makefile("rb") as lines:
        for line in lines:
            orders.put(_orders.decode(line))
    orders.put(None)
    time.sleep(GRACE_SECONDS)
    os._exit(1)


if __name__ == "__main__":
    use_language(find_language(None, os.environ))  # the runner's environment
    faulthandler.enable()  # prints a traceback if the bot crashes the interpreter
    main(sys.argv[1], int(sys.argv[2]))
