"""The options of `mastermind bot`."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from math import isfinite

from mastermind_client.config.options import DEFAULT_SERVER
from mastermind_client.config.values import parse_clock, parse_count
from mastermind_client.language import gettext as _
from mastermind_protocol.events import MAX_NAME
from mastermind_protocol.rules import DEFAULT, PRESETS, Rules, find_rules

DEFAULT_GAMES = 4  # at once: enough free seats for opponents, and a core of a laptop for each
MAX_GAMES = (
    32  # at once: with a rematch each they reach the 64 matches that a connection may follow
)
MAX_MATCHES = 1_000_000
DEFAULT_SECONDS = 10.0  # for a move: an opponent still waits then
MAX_SECONDS = 3600.0


@dataclass(frozen=True, slots=True)
class BotOptions:
    """A bot, as ``MODULE:CLASS``, and the matches that it offers.

    `games` is the number of matches at the same time. None means one per lobby, but at least
    DEFAULT_GAMES. The command ends after `matches` matches. None means that it never ends. `clock`
    is the name of a clock, or None.
    """

    bot: str
    rules: tuple[Rules, ...] = (DEFAULT,)
    server: str = DEFAULT_SERVER
    name: str | None = None
    rounds: int = 1
    clock: str | None = None
    games: int | None = None
    seconds: float = DEFAULT_SECONDS
    matches: int | None = None

    @property
    def shown_name(self) -> str:
        """The displayed name: `name`, or the name of the class without it."""
        return self.name or self.bot.partition(":")[2][:MAX_NAME]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options that only this command has, and its `build` function."""
    parser.add_argument(
        "bot",
        type=_bot,
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
            "{presets}, or PEGSxCOLOURS[/GUESSES]; more than once for more (default {default})"
        ).format(presets=", ".join(PRESETS), default=DEFAULT.name),
    )
    parser.add_argument(
        "--games", type=_parse_games, metavar="N",
        help=_("games at once, lobbies included (default {default}, or one for each lobby)").format(
            default=DEFAULT_GAMES
        ),
    )  # fmt: skip
    parser.add_argument(
        "--seconds", type=_seconds, default=DEFAULT_SECONDS, metavar="S",
        help=_("for one move, or the match is forfeited (default {default:g})").format(
            default=DEFAULT_SECONDS
        ),
    )  # fmt: skip
    parser.add_argument(
        "--matches",
        type=_matches,
        metavar="N",
        help=_("end after this number of games (default never)"),
    )
    parser.set_defaults(build=_build, parser=parser)


def _build(parsed: argparse.Namespace) -> BotOptions:
    named = (find_rules(name) for name in parsed.rules or (DEFAULT.name,))
    return BotOptions(
        bot=parsed.bot,
        rules=tuple(dict.fromkeys(named)),
        server=parsed.server or DEFAULT_SERVER,
        name=parsed.name,
        rounds=parsed.rounds,
        clock=parse_clock(parsed.clock),
        games=parsed.games,
        seconds=parsed.seconds,
        matches=parsed.matches,
    )


def _bot(text: str) -> str:
    module, _colon, name = text.partition(":")
    parts = [*module.split("."), name]
    if not all(part.isidentifier() for part in parts) or module.endswith(".py"):
        raise argparse.ArgumentTypeError(
            _(
                "{given} is no MODULE:CLASS: write greedy_bot:GreedyBot for the class GreedyBot "
                "in greedy_bot.py"
            ).format(given=repr(text))
        )
    return text


def _parse_games(text: str) -> int:
    return parse_count(text, MAX_GAMES, _("{given} is no number of games at once: 1 to {most}"))


def _matches(text: str) -> int:
    return parse_count(text, MAX_MATCHES, _("{given} is no number of matches: 1 to {most}"))


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not isfinite(seconds) or not 0 < seconds <= MAX_SECONDS:
        raise argparse.ArgumentTypeError(
            _("{given} is no time for a move: more than 0, at most {most:g} seconds").format(
                given=repr(text), most=MAX_SECONDS
            )
        )
    return seconds
