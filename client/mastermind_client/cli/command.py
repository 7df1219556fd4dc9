"""The command `mastermind`. Functions import their slow modules when they are called."""

from __future__ import annotations

import errno
import os
import signal
import stat
import sys
from argparse import ArgumentTypeError
from functools import partial
from io import TextIOWrapper
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from mastermind_client.cli.commands import COMMANDS, Parser, load_function, make_parser
from mastermind_client.cli.process import (
    localise,
    make_context,
    open_standard_streams,
    settings_path,
)
from mastermind_client.config.settings_file import read_language
from mastermind_client.invocation import find_programs, use_programs, write_command
from mastermind_client.language import Language, bind_language, find_language
from mastermind_client.language import gettext as _
from mastermind_protocol.errors import ErrorCode, InvalidRules, MastermindError, Refused

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Coroutine, Sequence
    from typing import TextIO

    from mastermind_client.config.options import ContinueOptions, DayOptions, MatchOptions
    from mastermind_client.config.settings import Settings
    from mastermind_client.context import ClientContext

Interface: TypeAlias = Literal["full", "plain"]

EXIT_OK = 0
EXIT_ERROR = 1  # the server could not be reached, or refused; or the result is negative
EXIT_USAGE = 2  # argparse's own status for a wrong command line
EXIT_INTERRUPTED = 130  # the status that shells report after Ctrl-C
_OWN_OPTIONS = ("-h", "--help", "--version")  # without a command, all others belong to `play`
_SETTINGS_OPTIONS = ("name", "server", "language", "palette", "color", "glyphs", "mouse", "pace")
_MATCHLESS_OPTIONS = {*_SETTINGS_OPTIONS, "plain", "cafile"}  # options that name no match
_OPTION_ERRORS = {
    ErrorCode.UNKNOWN_BOT,
    ErrorCode.INVALID_NAME,
    ErrorCode.INVALID_SEATS,
    ErrorCode.RATED,
    ErrorCode.INVALID_CLOCK,
    ErrorCode.INVALID_RULES,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return the exit status."""
    open_standard_streams()
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        try:
            return _run_command(given)
        except KeyboardInterrupt:
            print(flush=True)
            return EXIT_INTERRUPTED
        except SystemExit:
            print(end="", flush=True)
            raise
    except SystemExit:
        raise
    except OSError as error:
        return _explain_end(error, [])
    except BaseException as error:
        from mastermind_client.cli import crash_log

        return crash_log.report(error)


def _run_command(given: list[str]) -> int:
    """Run a command line and return the exit status.

    A command line that starts with an option runs `play`, except for the options in _OWN_OPTIONS.
    """
    by_make = "MASTERMIND_MAKE" in os.environ  # set by the Makefile
    use_programs(find_programs(sys.argv[0], os.environ.get("PATH", ""), by_make=by_make))
    language, line = _take_language(given)
    environ = dict(os.environ)  # before `localise` changes it
    wanted = find_language(language or read_language(settings_path()), environ)
    bind_language(Language(wanted, localise))
    guessed = not line or (line[0].startswith("-") and line[0] not in _OWN_OPTIONS)
    if guessed:
        line.insert(0, "play")
    command = line[0]
    if language is not None:
        line += ["--lang", language]  # to be checked
    parser = make_parser(command)
    parsed, unknown = parser.parse_known_args(line)
    if unknown:
        parser.error(_explain_unknown(unknown, line[1:] if guessed else []))
    interface: Interface = "plain"
    problems: tuple[str, ...] = ()
    if parsed.opens_interface:
        interface, problems = _apply_settings(parsed)
    try:
        if parsed.cafile is not None:
            _check_cafile(parsed.cafile)
        options = parsed.build(parsed)
    except (ArgumentTypeError, MastermindError) as error:
        from mastermind_client.messages.failures import explain_failure

        parsed.parser.error(explain_failure(error))
    context = make_context(environ, parsed.cafile)
    if interface == "full":
        asked = None if guessed and _names_no_match(parsed) else options
        return _run_for_status(partial(_run_full_screen, context, asked, parsed.settings, problems))
    for problem in problems:
        _print_error(problem)
    arguments = (options, parsed.settings.pace) if parsed.opens_interface else (options,)
    run = _run_line_interface if parsed.opens_interface else _run_plain
    return _run_for_status(partial(run, COMMANDS[command].run_function, (context, *arguments)))


def _explain_unknown(unknown: list[str], guessed: list[str]) -> str:
    """Return why arguments are `unknown`: no command has them, or a command follows its options.

    `guessed` is the command line if it starts with an option, or else empty.
    """
    command = next((word for word in unknown if word in COMMANDS), None)
    if command is None or not guessed:
        return _("unrecognized arguments: %s") % " ".join(unknown)
    from shlex import join

    guessed.remove(command)
    text = _("options follow the command: {command}")
    return text.format(command=write_command(command, join(guessed)))


def _take_language(arguments: list[str]) -> tuple[str | None, list[str]]:
    """Return the value of --lang, which can be anywhere, and the arguments without it."""
    parser = Parser(prog="mastermind", add_help=False, allow_abbrev=False)
    parser.add_argument("--lang")
    found, rest = parser.parse_known_args(arguments)
    return found.lang, rest


def _apply_settings(parsed: Namespace) -> tuple[Interface, tuple[str, ...]]:
    """Set `parsed.settings`. Returns the interface and the problems of the settings file.

    If input or output is a pipe, only the language is read from the settings file, so that a script
    works alike for all users. If output is a pipe, the setting `pace` is 0.
    """
    from msgspec.structs import replace

    from mastermind_client.config.settings import LoadedSettings, Settings, load
    from mastermind_client.lines.terminal import DUMB_TERMINALS

    reads, writes = _is_terminal(sys.stdin), _is_terminal(sys.stdout)
    loaded = load(settings_path()) if reads and writes else LoadedSettings(Settings())
    given = {name: getattr(parsed, name, None) for name in _SETTINGS_OPTIONS}
    changes: dict[str, Any] = {} if writes else {"pace": 0.0}
    changes |= {name: value for name, value in given.items() if value is not None}
    parsed.settings = replace(loaded.settings, **changes)
    printing = parsed.plain or getattr(parsed, "json", False)
    lines = printing or not (reads and writes) or os.environ.get("TERM", "") in DUMB_TERMINALS
    return "plain" if lines else "full", loaded.problems


def _check_cafile(file: str) -> None:
    """Raise ArgumentTypeError if the file has no usable certificates."""
    from mastermind_client.messages.failures import explain_failure
    from mastermind_client.network.connection.line import make_tls_context
    from mastermind_client.network.failures import CertificatesUnreadable

    try:
        make_tls_context(file)
    except CertificatesUnreadable as error:
        raise ArgumentTypeError(explain_failure(error)) from None


def _is_terminal(stream: TextIO | None) -> bool:
    return stream is not None and stream.isatty()


def _names_no_match(parsed: Namespace) -> bool:
    """Return whether the command line has only options that do not choose a match."""
    unasked = vars(parsed.parser.parse_args([]))
    return all(
        vars(parsed)[name] == unasked[name] for name in unasked if name not in _MATCHLESS_OPTIONS
    )


def _run_for_status(work: Callable[[list[int]], None]) -> int:
    """Call `work` and return the exit status. `work` gets a list, and appends received signals."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # for names with letters that the terminal lacks
    signals: list[int] = []
    try:
        work(signals)
        print(end="", flush=True)  # the interpreter would print a failure at its exit
    except BaseException as error:
        return _explain_end(error, signals)
    return EXIT_OK


def _explain_end(error: BaseException, signals: list[int]) -> int:
    """Print a message for an expected error and return its exit status. Raise other errors again.

    `signals` has the number of the signal that ended the command, if any.
    """
    from asyncio import CancelledError

    from mastermind_client.lines.terminal import InputEnded, NegativeResult
    from mastermind_client.messages.failures import explain_failure
    from mastermind_client.network.failures import (
        NothingToContinue,
        SeatOpenElsewhere,
        ServerUnreachable,
        UnknownHere,
    )

    if type(error).__module__ == "termios":  # no OSError, and Windows has no such module
        error = OSError(*error.args)
    match error:
        case CancelledError() if signals:
            return 128 + signals[0]  # the status that shells report after a signal
        case InputEnded():
            print(flush=True)
            return EXIT_OK
        case NegativeResult():
            return EXIT_ERROR
        case BrokenPipeError():
            _discard(sys.stdout)
            return EXIT_ERROR
        case OSError(errno=errno.EIO) if _has_hung_up(sys.stdout):
            _discard(sys.stdout)
            _discard(sys.stderr)
            return 128 + signal.SIGHUP
        case (
            Refused()
            | InvalidRules()
            | ServerUnreachable()
            | SeatOpenElsewhere()
            | NothingToContinue()
            | UnknownHere()
            | OSError()
        ):
            _print_error(explain_failure(error))
            _flush_or_discard(sys.stdout)
            wrong = isinstance(error, MastermindError) and error.code in _OPTION_ERRORS
            return EXIT_USAGE if wrong else EXIT_ERROR
    raise error


def _has_hung_up(stream: TextIO) -> bool:
    """Return whether the terminal has been closed.

    Does not rely on SIGHUP, which can arrive later, or only at the shell.
    """
    return stat.S_ISCHR(os.fstat(stream.fileno()).st_mode) and not stream.isatty()


def _flush_or_discard(stream: TextIO) -> None:
    try:
        stream.flush()
    except OSError:  # reported before
        _discard(stream)


def _discard(stream: TextIO) -> None:
    """Discard buffered output, which the interpreter would write at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _run_full_screen(
    context: ClientContext,
    options: MatchOptions | ContinueOptions | DayOptions | None,
    settings: Settings,
    problems: tuple[str, ...],
    signals: list[int],
) -> None:
    """Run the full-screen interface. It starts on the home screen if `options` is None."""
    import asyncio

    from mastermind_client.cli import crash_log
    from mastermind_client.screen import fullscreen

    crash_log.log_to_file()
    work = fullscreen.run(context, options, settings, problems)
    asyncio.run(_until_signalled(_run_guarded(work), signals))


def _run_line_interface(run: str, arguments: tuple[object, ...], signals: list[int]) -> None:
    """Run the line interface. `run` is "module:function"."""
    import asyncio

    asyncio.run(_until_signalled(_run_guarded(load_function(run)(*arguments)), signals))


def _run_plain(run: str, arguments: tuple[object, ...], signals: list[int]) -> None:
    """Run a command without an interface. `run` is "module:function"."""
    work = load_function(run)(*arguments)
    if work is not None:
        import asyncio

        asyncio.run(_until_signalled(work, signals))


async def _run_guarded(work: Coroutine[object, object, None]) -> None:
    """Await `work`. An exception in a callback of the event loop cancels `work`, and is raised.

    Otherwise the event loop would print this exception and continue. If the window is closed, each
    drawing raises one.
    """
    import asyncio

    running, strays = asyncio.current_task(), list[BaseException]()

    def end(_loop: object, context: dict[str, Any]) -> None:
        strays.append(context.get("exception") or RuntimeError(context["message"]))
        if running is not None:
            running.cancel()

    asyncio.get_running_loop().set_exception_handler(end)
    try:
        await work
    finally:
        if strays:
            raise strays[0]


async def _until_signalled(work: Coroutine[object, object, None], signals: list[int]) -> None:
    """Await `work`. A signal cancels `work`, and its number is appended to `signals`."""
    import asyncio

    running = asyncio.current_task()

    def end(number: int) -> None:
        signals.append(number)
        if running is not None:
            running.cancel()

    for number in (signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, end, number)
    await work


def _print_error(message: str) -> None:
    from mastermind_protocol.text import sanitise

    print(f"mastermind: {sanitise(message)}", file=sys.stderr)  # may quote a server
