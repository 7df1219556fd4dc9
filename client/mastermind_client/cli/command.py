"""The command `mastermind`. What needs time to load is loaded when it is needed."""

from __future__ import annotations

import errno
import os
import signal
import sys
from argparse import ArgumentTypeError
from functools import partial
from io import TextIOWrapper
from typing import TYPE_CHECKING, Any, TypeAlias

from mastermind_client.cli.parser import make_parser
from mastermind_client.config.settings_file import read_language
from mastermind_client.language import find_language, use_language
from mastermind_protocol.errors import ErrorCode, MastermindError, Refused

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Coroutine, Sequence
    from typing import TextIO

    from mastermind_client.cli.arena import ArenaOptions
    from mastermind_client.cli.interface import Interface
    from mastermind_client.config.options import (
        BotsOptions,
        CompletionOptions,
        ConfigOptions,
        MatchOptions,
    )
    from mastermind_client.config.settings import Settings
    from mastermind_client.own_bot.options import BotOptions

    LineOptions: TypeAlias = MatchOptions | BotsOptions | BotOptions | ArenaOptions
    Options: TypeAlias = LineOptions | ConfigOptions | CompletionOptions

OK = 0
TROUBLE = 1  # the server could not be reached, or refused
USAGE = 2  # argparse's own status for a wrong command line
INTERRUPTED = 130  # what shells report of a program ended by Ctrl-C
_OWN_OPTIONS = ("-h", "--help", "--version")  # before a command; others are those of play
_OVERRIDES = ("name", "server", "language", "palette", "color", "glyphs", "mouse")  # of settings
_HOW = {*_OVERRIDES, "plain"}  # to play, and not what: with no other option there is no game yet
_WRONG_OPTION = {
    ErrorCode.UNKNOWN_BOT,
    ErrorCode.RULES_TOO_LARGE,
    ErrorCode.INVALID_NAME,
    ErrorCode.INVALID_SEATS,
    ErrorCode.RATED,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit status."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        return _obey(given)
    except KeyboardInterrupt:
        print()
        return INTERRUPTED
    except SystemExit:
        raise
    except BaseException as error:
        from mastermind_client.cli import crash_log

        return crash_log.report(error)


def _obey(given: list[str]) -> int:
    """Find out what a command line asks for, and do it."""
    use_language(find_language(_find_wish(given) or read_language(), os.environ))
    command, line, guessed = _find_command(given)
    parsed = make_parser(command).parse_args(line)
    interface: Interface = "plain"
    problems: tuple[str, ...] = ()
    if parsed.opens_interface:
        interface, problems = _settle(parsed)
    try:
        options = parsed.build(parsed)
    except ArgumentTypeError as error:
        parsed.parser.error(str(error))
    except MastermindError as error:
        from mastermind_client.words.refusals import explain_refusal

        parsed.parser.error(explain_refusal(error))
    if interface == "full":
        wanted = None if guessed and _asks_nothing(parsed) else options
        return _run(partial(_fill_screen, wanted, parsed.settings, problems))
    for problem in problems:
        _complain(problem, OK)
    return _run(partial(_obey_in_lines, options))


def _find_wish(arguments: list[str]) -> str | None:
    """Return the language that a command line asks for, which its own errors are told in."""
    wish = None
    for option, following in zip(arguments, [*arguments[1:], None], strict=False):
        if option == "--lang":
            wish = following
        elif option.startswith("--lang="):
            wish = option.partition("=")[2]
    return wish


def _find_command(arguments: list[str]) -> tuple[str, list[str], bool]:
    """Return the command, the line in which it comes first, and whether it had to be guessed.

    A line that begins with an option is one of `play`, but for those that every program has.
    """
    language: list[str] = []  # may stand before the command too
    rest = list(arguments)
    while rest and (rest[0] == "--lang" or rest[0].startswith("--lang=")):
        taken = 1 if "=" in rest[0] else 2
        language += rest[:taken]
        rest = rest[taken:]
    guessed = not rest or (rest[0].startswith("-") and rest[0] not in _OWN_OPTIONS)
    if guessed:
        rest.insert(0, "play")
    return rest[0], rest + language, guessed


def _settle(parsed: Namespace) -> tuple[Interface, tuple[str, ...]]:
    """Choose the interface and put the settings into `parsed.settings`; returns what is wrong.

    The settings are a person's: who reads or writes by a pipe gets the default ones, so that a
    script does the same for everybody. Only their language holds there too.
    """
    from dataclasses import replace

    from mastermind_client.cli.interface import choose_interface
    from mastermind_client.config.settings import Loaded, Settings, load

    reads, writes = _is_terminal(sys.stdin), _is_terminal(sys.stdout)
    loaded = load() if reads and writes else Loaded(Settings())
    given = {name: getattr(parsed, name) for name in _OVERRIDES}
    changes: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    parsed.settings = replace(loaded.settings, **changes)
    return choose_interface(parsed.plain, os.environ, reads, writes), loaded.problems


def _is_terminal(stream: TextIO | None) -> bool:
    return stream is not None and stream.isatty()


def _asks_nothing(parsed: Namespace) -> bool:
    """Tell whether a line says at most how to play, and not what."""
    unasked = vars(parsed.parser.parse_args([]))
    return all(vars(parsed)[name] == unasked[name] for name in unasked if name not in _HOW)


def _run(work: Callable[[list[int]], None]) -> int:
    """Do the work, which notes the signal that has ended it; returns the exit status."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a name may be in letters this terminal lacks
    ended: list[int] = []
    try:
        work(ended)
    except BrokenPipeError:
        _abandon(sys.stdout)
        return TROUBLE
    except OSError as error:
        if error.errno == errno.EIO and signal.SIGHUP in ended:  # the terminal has gone
            _abandon(sys.stdout)
            _abandon(sys.stderr)
            return 128 + signal.SIGHUP
        from mastermind_client.words.system import explain_failure

        return _complain(explain_failure(error), TROUBLE)
    except Refused as refusal:
        from mastermind_client.words.refusals import explain_refusal

        status = USAGE if refusal.code in _WRONG_OPTION else TROUBLE
        return _complain(explain_refusal(refusal), status)
    except BaseException as error:
        return _tell_how_it_ended(error, ended)
    return OK


def _abandon(stream: TextIO) -> None:
    """See to it that nothing is left to be flushed at the end: whoever read it has gone."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _tell_how_it_ended(error: BaseException, ended: list[int]) -> int:
    """Return the exit status for what ends an interface; what is no such thing is raised again."""
    from asyncio import CancelledError

    from mastermind_client.lines.terminal import InputEnded
    from mastermind_client.net.unreachable import ServerUnreachable

    match error:
        case CancelledError() if ended:
            return 128 + ended[0]  # as shells report a program that a signal ended
        case InputEnded():
            print()
            return OK
        case ServerUnreachable():
            return _complain(str(error), TROUBLE)
    raise error


def _fill_screen(
    options: MatchOptions | None,
    settings: Settings,
    problems: tuple[str, ...],
    ended: list[int],
) -> None:
    """Run the full-screen interface, at the home screen if nothing is asked for."""
    import asyncio

    from mastermind_client.cli import crash_log
    from mastermind_client.screen import fullscreen

    crash_log.keep_log()
    asyncio.run(_until_told_to_end(fullscreen.run(options, settings, problems), ended))


def _obey_in_lines(options: Options, ended: list[int]) -> None:
    """Run a command that only prints, or the line interface."""
    from mastermind_client.config.options import CompletionOptions, ConfigOptions

    match options:
        case ConfigOptions():
            from mastermind_client.cli import config

            config.run(options)
        case CompletionOptions():
            from mastermind_client.cli.completion import write_completion

            print(write_completion(options.shell))
        case _:
            _play_in_lines(options, ended)


def _play_in_lines(options: LineOptions, ended: list[int]) -> None:
    import asyncio

    from mastermind_client.cli import arena
    from mastermind_client.cli.arena import ArenaOptions

    if isinstance(options, ArenaOptions):
        arena.run(options)
    else:
        asyncio.run(_until_told_to_end(_start(options), ended))


async def _start(options: MatchOptions | BotsOptions | BotOptions) -> None:
    from mastermind_client.config.options import (
        BotsOptions,
        JoinOptions,
        PlayOptions,
        ReviewOptions,
        WatchOptions,
    )
    from mastermind_client.lines import app
    from mastermind_client.own_bot import runner

    match options:
        case PlayOptions():
            await app.play(options)
        case JoinOptions():
            await app.join(options)
        case WatchOptions():
            await app.look_on(options)
        case ReviewOptions():
            await app.review(options)
        case BotsOptions():
            await app.list_bots(options)
        case _:
            await runner.run(options)


async def _until_told_to_end(work: Coroutine[object, object, None], ended: list[int]) -> None:
    """Do the work; a signal to end is noted in `ended`, and the work leaves cleanly."""
    import asyncio

    running = asyncio.current_task()

    def end(number: int) -> None:
        ended.append(number)
        if running is not None:
            running.cancel()

    for number in (signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, end, number)
    await work


def _complain(message: str, status: int) -> int:
    from mastermind_client.words.foreign import sanitise

    print(f"mastermind: {sanitise(message)}", file=sys.stderr)  # it may be somebody else's words
    return status
