"""The command `mastermind`. What needs time to load is loaded when it is needed."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from io import TextIOWrapper
from typing import TYPE_CHECKING, TypeAlias

from mastermind_client import arena
from mastermind_client.arena import ArenaOptions
from mastermind_client.arguments import (
    parse_match_code,
    parse_name,
    parse_opponent,
    parse_rounds,
    parse_seed,
    parse_server,
)
from mastermind_client.options import (
    ANYONE,
    DEFAULT_BOT,
    DEFAULT_SERVER,
    FRIEND,
    BotsOptions,
    JoinOptions,
    PlayOptions,
    ReviewOptions,
    WatchOptions,
)
from mastermind_client.own_bot import options as own_bot
from mastermind_client.own_bot.options import BotOptions
from mastermind_protocol.code import parse_code
from mastermind_protocol.errors import ErrorCode, MastermindError, Refused
from mastermind_protocol.events import Seat
from mastermind_protocol.rules import DEFAULT, PRESETS, Rules, find_rules

if TYPE_CHECKING:
    from collections.abc import Sequence

ServerOptions: TypeAlias = (
    PlayOptions | JoinOptions | WatchOptions | ReviewOptions | BotsOptions | BotOptions
)
Options: TypeAlias = ServerOptions | ArenaOptions

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
    ErrorCode.RATED,
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
        if isinstance(options, ArenaOptions):
            arena.run(options)
        else:
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


async def _start(options: ServerOptions, ended: list[int]) -> None:
    """Run a command; a signal to end is noted in `ended`, and the command leaves cleanly."""
    import asyncio

    from mastermind_client.own_bot import runner
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
        case ReviewOptions():
            await app.review(options)
        case BotsOptions():
            await app.list_bots(options)
        case BotOptions():
            await runner.run(options)


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
    _add_join(commands.add_parser("join", help="take the free seat of a match"))
    _add_watch(commands.add_parser("watch", help="look on at a match, or at two bots"))
    _add_review(commands.add_parser("review", help="see how well a finished match was played"))
    _add_bots(commands.add_parser("bots", help="list the bots there are to play with"))
    _add_arena(commands.add_parser("arena", help="let bots break every code, or many"))
    _add_bot(commands.add_parser("bot", help="let your own bot play on a server"))
    return parser


def _add_play(parser: argparse.ArgumentParser) -> None:
    _add_common(parser)
    _add_face(parser)
    _add_rules(parser, DEFAULT)
    parser.add_argument(
        "--versus",
        type=parse_opponent,
        metavar="WHO",
        help=f"{FRIEND} (by invite code), {ANYONE} (a public lobby), or a bot: easy, medium, hard "
        f"or one that `mastermind bots` lists (default {DEFAULT_BOT})",
    )
    parser.add_argument(
        "--as",
        dest="seat",
        choices=[seat.value for seat in Seat],
        help="sit down as codemaker or codebreaker (default breaker; with anyone: either)",
    )
    parser.add_argument(
        "--rounds",
        type=parse_rounds,
        default=1,
        metavar="N",
        help="rounds to play, seats swapping (1)",
    )
    parser.add_argument(
        "--seed", type=parse_seed, metavar="N", help="fix the secrets of the bot you play against"
    )
    parser.add_argument("--public", action="store_true", help="let others find and watch the match")
    parser.add_argument(
        "--rated", action="store_true", help=f"no advice, no programs: with {FRIEND} or {ANYONE}"
    )
    parser.set_defaults(build=_build_play, parser=parser)


def _add_join(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "code", type=parse_match_code, nargs="?", metavar="CODE",
        help="the invite code; without it, pick one of the public matches that wait",
    )  # fmt: skip
    _add_common(parser)
    _add_face(parser)
    parser.set_defaults(build=_build_join, parser=parser)


def _add_watch(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "code", type=parse_match_code, nargs="?", metavar="CODE",
        help="the match's code; without it, pick one from the list of public matches",
    )  # fmt: skip
    _add_common(parser)
    _add_face(parser)
    parser.add_argument(
        "--bot",
        type=parse_opponent,
        metavar="NAME",
        help="start a match in which this bot breaks a code",
    )
    _add_rules(parser, PRESETS["knuth"])
    parser.add_argument("--secret", metavar="CODE", help="the secret that the bot is to break")
    parser.add_argument("--public", action="store_true", help="let others find and watch it too")
    parser.set_defaults(build=_build_watch, parser=parser)


def _add_review(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("code", type=parse_match_code, metavar="CODE", help="the match's code")
    _add_common(parser)
    parser.set_defaults(
        build=lambda parsed: ReviewOptions(
            parsed.code, parsed.server or DEFAULT_SERVER, parsed.name
        ),
        parser=parser,
    )


def _add_bots(parser: argparse.ArgumentParser) -> None:
    _add_common(parser)
    parser.set_defaults(build=lambda parsed: BotsOptions(parsed.server, parsed.name), parser=parser)


def _add_arena(parser: argparse.ArgumentParser) -> None:
    _add_rules(parser, DEFAULT)
    arena.add_arguments(parser)
    parser.add_argument(
        "--seed", type=parse_seed, metavar="N", help="fix all that chance has a part in"
    )


def _add_bot(parser: argparse.ArgumentParser) -> None:
    own_bot.add_arguments(parser)
    _add_common(parser)
    parser.add_argument(
        "--rounds",
        type=parse_rounds,
        default=1,
        metavar="N",
        help="rounds of each match, seats swapping (1)",
    )


def _add_common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--server",
        type=parse_server,
        metavar="URL",
        help=f"ws:// or wss:// address (default {DEFAULT_SERVER})",
    )
    parser.add_argument("--name", type=parse_name, help="what others see you as")


def _add_face(parser: argparse.ArgumentParser) -> None:
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
        rated=parsed.rated,
        settled=any((parsed.versus, parsed.seat, parsed.name)),
    )
    if options.seed is not None and (not options.against_bot or options.seat is Seat.MAKER):
        raise MastermindError(
            ErrorCode.INVALID_SEATS,
            "--seed fixes a bot's secrets: it needs a bot, and yourself as codebreaker",
        )
    if options.rated and options.against_bot:
        raise MastermindError(
            ErrorCode.RATED, f"--rated is for games of two people: --versus {FRIEND} or {ANYONE}"
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


def _version() -> str:
    from importlib.metadata import version

    return version("networked-mastermind")
