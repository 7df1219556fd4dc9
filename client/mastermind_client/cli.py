"""The command `mastermind`. What needs time to load is loaded when it is needed."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from io import TextIOWrapper
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import urlsplit

from mastermind_client.options import (
    ANYONE,
    DEFAULT_BOT,
    DEFAULT_SERVER,
    FRIEND,
    JoinOptions,
    PlayOptions,
    WatchOptions,
)
from mastermind_protocol.code import parse_code
from mastermind_protocol.errors import ErrorCode, MastermindError, Refused
from mastermind_protocol.events import (
    MATCH_CODE_ALPHABET,
    MATCH_CODE_LENGTH,
    MAX_NAME,
    MAX_SEED,
    Seat,
)
from mastermind_protocol.messages import ME, OPEN
from mastermind_protocol.rules import DEFAULT, MAX_ROUNDS, PRESETS, Rules, find_rules

if TYPE_CHECKING:
    from collections.abc import Sequence

Options: TypeAlias = PlayOptions | JoinOptions | WatchOptions

OK = 0
TROUBLE = 1  # the server could not be reached, or refused
USAGE = 2  # argparse's own status for a wrong command line
INTERRUPTED = 130  # what shells report of a program ended by Ctrl-C
_OWN_OPTIONS = ("-h", "--help", "--version")  # before a command; others are those of play
_WRONG_OPTION = {
    ErrorCode.UNKNOWN_BOT,
    ErrorCode.RULES_TOO_LARGE,
    ErrorCode.INVALID_NAME,
    ErrorCode.INVALID_SEATS,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit status."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if not given or (given[0].startswith("-") and given[0] not in _OWN_OPTIONS):
        given.insert(0, "play")
    try:
        parsed = _parser().parse_args(given)
        try:
            options: Options = parsed.build(parsed)
        except MastermindError as error:
            parsed.parser.error(error.message)
        return _run(options)
    except KeyboardInterrupt:
        print()
        return INTERRUPTED


def _run(options: Options) -> int:
    import asyncio

    from mastermind_client.plain.terminal import InputEnded
    from mastermind_client.trouble import ServerUnreachable

    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a name may be in letters this terminal lacks
    ended: list[int] = []
    try:
        asyncio.run(_start(options, ended))
    except InputEnded:
        print()
    except asyncio.CancelledError:
        return 128 + ended[0]  # as shells report a program that a signal ended
    except BrokenPipeError:
        # Whoever read our output has gone; there must be nothing left to flush at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return TROUBLE
    except (ServerUnreachable, OSError) as error:
        return _complain(str(error), TROUBLE)
    except Refused as refusal:
        return _complain(refusal.message, USAGE if refusal.code in _WRONG_OPTION else TROUBLE)
    return OK


async def _start(options: Options, ended: list[int]) -> None:
    """Run a command; a signal to end is noted in `ended`, and the command leaves cleanly."""
    import asyncio

    from mastermind_client.plain import app

    running = asyncio.current_task()

    def end(number: int) -> None:
        ended.append(number)
        if running is not None:
            running.cancel()

    for number in (signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, end, number)
    match options:
        case PlayOptions():
            await app.play(options)
        case JoinOptions():
            await app.join(options)
        case WatchOptions():
            await app.look_on(options)


def _complain(message: str, status: int) -> int:
    print(f"mastermind: {message}", file=sys.stderr)
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="mastermind",
        description="Mastermind for two over the network, against a bot, or to look on at.",
        epilog="Without a command: play.",
    )
    parser.add_argument("--version", action="version", version=f"mastermind {_version()}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _add_play(commands.add_parser("play", help="play against a bot, a friend or anyone"))
    _add_join(commands.add_parser("join", help="take the other seat of a friend's match"))
    _add_watch(commands.add_parser("watch", help="look on at a match, or at two bots"))
    return parser


def _add_play(parser: argparse.ArgumentParser) -> None:
    _add_common(parser)
    _add_rules(parser, DEFAULT)
    parser.add_argument(
        "--versus",
        type=_opponent,
        metavar="WHO",
        help=f"{FRIEND} (by invite code), {ANYONE} (a public lobby), or a bot: random, knuth "
        f"(default {DEFAULT_BOT})",
    )
    parser.add_argument(
        "--as",
        dest="seat",
        choices=[seat.value for seat in Seat],
        help="sit down as codemaker or codebreaker (default breaker; with anyone: either)",
    )
    parser.add_argument(
        "--rounds", type=_rounds, default=1, metavar="N", help="rounds to play, seats swapping (1)"
    )
    parser.add_argument(
        "--seed", type=_seed, metavar="N", help="fix the secrets of the bot you play against"
    )
    parser.add_argument("--public", action="store_true", help="let others find and watch the match")
    parser.set_defaults(build=_build_play, parser=parser)


def _add_join(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("code", type=_match_code, metavar="CODE", help="the invite code")
    _add_common(parser)
    parser.set_defaults(build=_build_join, parser=parser)


def _add_watch(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "code", type=_match_code, nargs="?", metavar="CODE",
        help="the match's code; without it, pick one from the list of public matches",
    )  # fmt: skip
    _add_common(parser)
    parser.add_argument(
        "--bot", type=_opponent, metavar="NAME", help="start a match of two bots: knuth, random"
    )
    _add_rules(parser, PRESETS["knuth"])
    parser.add_argument("--secret", metavar="CODE", help="the secret that the bot is to break")
    parser.add_argument("--public", action="store_true", help="let others find and watch it too")
    parser.set_defaults(build=_build_watch, parser=parser)


def _add_common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--server",
        type=_server,
        metavar="URL",
        help=f"ws:// or wss:// address (default {DEFAULT_SERVER})",
    )
    parser.add_argument("--name", type=_name, help="what others see you as")
    parser.add_argument(
        "--plain", action="store_true", help="the line face, for pipes and screen readers"
    )


def _add_rules(parser: argparse.ArgumentParser, default: Rules) -> None:
    parser.add_argument(
        "--rules",
        default=default.name,
        help=f"{', '.join(PRESETS)}, or PEGSxCOLOURS[/GUESSES] such as 5x8/12 (%(default)s)",
    )


def _build_play(parsed: argparse.Namespace) -> PlayOptions:
    options = PlayOptions(
        rules=find_rules(parsed.rules),
        versus=parsed.versus or DEFAULT_BOT,
        seat=Seat(parsed.seat) if parsed.seat else None,
        server=parsed.server,
        name=parsed.name,
        rounds=parsed.rounds,
        seed=parsed.seed,
        public=parsed.public,
        settled=any((parsed.versus, parsed.seat, parsed.name)),
    )
    if options.seed is not None and (not options.against_bot or options.seat is Seat.MAKER):
        raise MastermindError(
            ErrorCode.INVALID_SEATS,
            "--seed fixes a bot's secrets: it needs a bot, and yourself as codebreaker",
        )
    if options.public and not options.against_bot:
        raise MastermindError(
            ErrorCode.INVALID_SEATS,
            f"--public is for games against bots: {ANYONE} is always public, {FRIEND} never",
        )
    return options


def _build_join(parsed: argparse.Namespace) -> JoinOptions:
    return JoinOptions(parsed.code, parsed.server or DEFAULT_SERVER, parsed.name)


def _build_watch(parsed: argparse.Namespace) -> WatchOptions:
    rules = find_rules(parsed.rules)
    if (parsed.secret is not None or parsed.public) and parsed.bot is None:
        raise MastermindError(
            ErrorCode.INVALID_SEATS, "--secret and --public need --bot: a match of two bots"
        )
    if parsed.code is not None and parsed.bot is not None:
        raise MastermindError(
            ErrorCode.INVALID_SEATS, "watch a match by its CODE or start one by --bot, not both"
        )
    return WatchOptions(
        server=parsed.server,
        code=parsed.code,
        bot=parsed.bot,
        rules=rules,
        secret=parse_code(parsed.secret, rules) if parsed.secret is not None else None,
        public=parsed.public,
        name=parsed.name,
    )


def _match_code(text: str) -> str:
    code = text.upper().replace("-", "").replace(" ", "")
    if len(code) != MATCH_CODE_LENGTH or set(code) - set(MATCH_CODE_ALPHABET):
        raise argparse.ArgumentTypeError(
            f"{text!r} is no match code: {MATCH_CODE_LENGTH} of {MATCH_CODE_ALPHABET}"
        )
    return code


def _name(text: str) -> str:
    name = text.strip()
    if not name or len(name) > MAX_NAME or not name.isprintable():
        raise argparse.ArgumentTypeError(f"a name has 1 to {MAX_NAME} characters that can be shown")
    return name


def _opponent(text: str) -> str:
    name = text.lower()
    if name in (ME, OPEN):  # what the protocol calls seats that are no bot's
        raise argparse.ArgumentTypeError(f"{text!r} is nobody to play with")
    return name


def _server(text: str) -> str:
    try:
        address = urlsplit(text)
        valid = address.scheme in ("ws", "wss") and bool(address.hostname) and address.port != 0
    except ValueError:  # brackets that do not close, a port out of range
        valid = False
    if not valid:
        raise argparse.ArgumentTypeError(
            f"{text!r} is no server address: use ws://HOST:PORT or wss://HOST:PORT"
        )
    return text


def _rounds(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= MAX_ROUNDS:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of rounds: 1 to {MAX_ROUNDS}")
    return int(text)


def _seed(text: str) -> int:
    try:
        seed = int(text)
    except ValueError:
        seed = MAX_SEED + 1
    if not -MAX_SEED <= seed <= MAX_SEED:
        raise argparse.ArgumentTypeError(f"{text!r} is no seed: a whole number of at most 64 bits")
    return seed


def _version() -> str:
    from importlib.metadata import version

    return version("networked-mastermind")
