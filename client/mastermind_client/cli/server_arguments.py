"""The arguments of the commands for the data of servers, and for bots."""

from __future__ import annotations

from argparse import ArgumentTypeError
from contextlib import contextmanager
from math import isfinite
from typing import TYPE_CHECKING

from mastermind_client.cli.arguments import (
    add_clock_option,
    add_language_option,
    add_rounds_option,
    add_server_and_name_options,
    add_server_options,
    describe_rule_choices,
    find_usual_server,
    write_command_for_argparse,
)
from mastermind_client.config.options import (
    DEFAULT_BOT_MATCHES,
    DEFAULT_MOVE_SECONDS,
    DEFAULT_SERVER,
    BotListOptions,
    BotOptions,
    LeaderboardOptions,
    LogoutOptions,
    ProfileOptions,
    StatsOptions,
    TransferOptions,
)
from mastermind_client.config.values import (
    parse_clock,
    parse_count,
    parse_name,
    parse_place,
    parse_transfer_code,
)
from mastermind_client.language import gettext as _
from mastermind_protocol.rules import DEFAULT, PRESETS, find_rules

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Callable, Iterator

    from mastermind_client.bot_runner.arena import OwnBot
    from mastermind_client.context import ClientContext

MAX_GAMES = 32  # with a rematch each they reach the 64 matches that a connection may follow
MAX_MATCHES = 1_000_000
MAX_MOVE_SECONDS = 3600.0  # for a move


def add_bots(parser: ArgumentParser) -> None:
    """Add the arguments of `bots`."""
    add_server_and_name_options(parser)
    add_language_option(parser)
    parser.set_defaults(build=lambda parsed: BotListOptions(parsed.server, parsed.name))


def add_stats(parser: ArgumentParser) -> None:
    """Add the arguments of `stats`."""
    about = _("the server to ask (default: the settings' one, if you have played there)")
    add_server_options(parser, about)
    parser.add_argument("--json", action="store_true", help=_("write them as JSON, for a program"))
    add_language_option(parser)
    parser.set_defaults(
        build=lambda parsed: StatsOptions(
            parsed.server, usual_server=find_usual_server(), json=parsed.json
        )
    )


def add_leaderboard(parser: ArgumentParser) -> None:
    """Add the arguments of `leaderboard`."""
    parser.add_argument(
        "rules",
        nargs="?",
        default=DEFAULT.name,
        metavar=_("RULES"),
        help=_("{rules} (default: {default})").format(
            rules=describe_rule_choices(), default=DEFAULT.name
        ),
    )
    parser.add_argument(
        "--after",
        type=parse_place,
        default=0,
        metavar="N",
        help=_("begin after this place, for the next page"),
    )
    add_server_options(parser)
    parser.add_argument("--json", action="store_true", help=_("write it as JSON, for a program"))
    add_language_option(parser)
    parser.set_defaults(
        build=lambda parsed: LeaderboardOptions(
            parsed.server or find_usual_server(), find_rules(parsed.rules), parsed.after,
            json=parsed.json,
        )
    )  # fmt: skip


def add_profile(parser: ArgumentParser) -> None:
    """Add the arguments of `profile`."""
    parser.add_argument(
        "player_name",
        nargs="?",
        type=parse_name,
        metavar=_("NAME"),
        help=_("a name on the leaderboard (default: you)"),
    )
    parser.add_argument(
        "--rules",
        metavar=_("RULES"),
        help=_("the rules of the place and the matches (default: those of the last rated match)"),
    )
    parser.add_argument(
        "--challenges",
        choices=("off", "on"),
        help=_("take no challenges from now on and be offline to others, or not"),
    )
    add_server_options(parser)
    parser.add_argument("--json", action="store_true", help=_("write it as JSON, for a program"))
    add_language_option(parser)
    parser.set_defaults(
        build=lambda parsed: ProfileOptions(
            parsed.server or find_usual_server(), parsed.player_name, json=parsed.json,
            rules=parsed.rules and find_rules(parsed.rules).name,
            challenges=parsed.challenges and parsed.challenges == "on",
            is_usual=parsed.server is None,
        )
    )  # fmt: skip


def add_transfer(parser: ArgumentParser) -> None:
    """Add the arguments of `transfer`."""
    parser.add_argument(
        "code",
        type=parse_transfer_code,
        nargs="?",
        metavar=_("CODE"),
        help=_("the code that the other computer shows; without it, show one here"),
    )
    add_server_options(parser)
    add_language_option(parser)
    parser.epilog = _(
        "The code works once, for a few minutes. The computer where you type it plays as you, "
        "with your name and your matches. To undo that, log out there."
    )
    parser.set_defaults(
        build=lambda parsed: TransferOptions(parsed.server or find_usual_server(), parsed.code)
    )


def add_logout(parser: ArgumentParser) -> None:
    """Add the arguments of `logout`."""
    parser.add_argument(
        "--everywhere",
        action="store_true",
        help=_(
            "log every other computer out, and anyone who copied your token; "
            "this one gets a new token"
        ),
    )
    add_server_options(parser)
    add_language_option(parser)
    parser.epilog = _(
        "This logs the computer out of the server. If it is your only one there, your player and "
        "its matches are lost. Transfer it to another computer first: {command}."
    ).format(command=write_command_for_argparse("transfer"))
    parser.set_defaults(
        build=lambda parsed: LogoutOptions(
            parsed.server or find_usual_server(), everywhere=parsed.everywhere
        )
    )


def add_arena(parser: ArgumentParser) -> None:
    """Add the arguments of `arena`, which are those of the server's command."""
    from mastermind_server.commands import arena  # late: slow, and other commands need none

    arena.add_arena_command(parser, _load_own_bot)
    add_language_option(parser)


def play_arena(_context: ClientContext, play: Callable[[], None]) -> None:
    """Run the command `arena`: call `play`, which the command's parser made from the arguments."""
    play()


@contextmanager
def _load_own_bot(bot: str) -> Iterator[OwnBot]:
    """Yield the user's bot MODULE:CLASS for the arena. Raises CannotPlay."""
    from mastermind_client.bot_runner.arena import load_own_bot  # late, as above

    with load_own_bot(bot) as loaded:
        yield loaded


def add_bot(parser: ArgumentParser) -> None:
    """Add the arguments of `bot`."""
    parser.add_argument(
        "bot",
        type=_parse_bot,
        metavar=_("MODULE:CLASS"),
        help=_(
            "your bot: a class with choose(view), make(rules) or both, in a module that can be "
            "imported from the current folder"
        ),
    )
    parser.add_argument(
        "--rules",
        action="append",
        metavar=_("NAME"),
        help=_(
            "{presets}, or PEGSxCOLOURS[u][/GUESSES]; more than once for more (default {default})"
        ).format(presets=", ".join(PRESETS), default=DEFAULT.name),
    )
    parser.add_argument(
        "--games", type=_parse_games, metavar="N",
        help=_("games at once, lobbies included (default {default}, or one for each lobby)").format(
            default=DEFAULT_BOT_MATCHES
        ),
    )  # fmt: skip
    parser.add_argument(
        "--seconds", type=_parse_seconds, default=DEFAULT_MOVE_SECONDS, metavar="S",
        help=_("for one move, or the match is forfeited (default {default:g})").format(
            default=DEFAULT_MOVE_SECONDS
        ),
    )  # fmt: skip
    parser.add_argument(
        "--matches",
        type=_parse_matches,
        metavar="N",
        help=_("end after this number of games (default never)"),
    )
    add_rounds_option(parser, _("rounds of each match, seats swapping (1)"), default=1)
    add_clock_option(parser)
    add_server_and_name_options(parser)
    add_language_option(parser)
    parser.set_defaults(build=_build_bot)


def _build_bot(parsed: Namespace) -> BotOptions:
    named = (find_rules(name) for name in parsed.rules or (DEFAULT.name,))
    return BotOptions(
        bot=parsed.bot,
        rules=tuple(dict.fromkeys(named)),
        server=parsed.server or DEFAULT_SERVER,
        name=parsed.name,
        rounds=parsed.rounds,
        clock=parse_clock(parsed.clock),
        games=parsed.games,
        move_seconds=parsed.seconds,
        matches=parsed.matches,
    )


def _parse_bot(text: str) -> str:
    module, _colon, name = text.partition(":")
    parts = [*module.split("."), name]
    if not all(part.isidentifier() for part in parts) or module.endswith(".py"):
        raise ArgumentTypeError(
            _(
                "{given} is no MODULE:CLASS: write greedy_bot:GreedyBot for the class GreedyBot "
                "in greedy_bot.py"
            ).format(given=repr(text))
        )
    return text


def _parse_games(text: str) -> int:
    return parse_count(text, MAX_GAMES, _("{given} is no number of games at once: 1 to {most}"))


def _parse_matches(text: str) -> int:
    return parse_count(text, MAX_MATCHES, _("{given} is no number of matches: 1 to {most}"))


def _parse_seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not isfinite(seconds) or not 0 < seconds <= MAX_MOVE_SECONDS:
        raise ArgumentTypeError(
            _("{given} is no time for a move: more than 0, at most {most:g} seconds").format(
                given=repr(text), most=MAX_MOVE_SECONDS
            )
        )
    return seconds
