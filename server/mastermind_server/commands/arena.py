"""The command `arena`: measures bots. Each bot breaks all secrets, or random ones.

Texts use the standard library's gettext, as argparse does. The server prints them in English; the
client, which has this command too, binds a catalogue of its language.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from contextlib import ExitStack
from functools import partial
from gettext import gettext as _
from gettext import ngettext, pgettext
from random import SystemRandom
from typing import TYPE_CHECKING

from mastermind_protocol.errors import DIGIT_GROUPS, group_digits
from mastermind_protocol.events import MAX_SEED
from mastermind_protocol.rules import DEFAULT, PRESETS, find_rules
from mastermind_protocol.text import gettext_noop as N_

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

    from rich.console import Console

    from mastermind_protocol.rules import Rules
    from mastermind_server.bots.arena import Codebreaker, Contest, Tally

    LoadBot = Callable[[str], AbstractContextManager[Codebreaker]]

SUMMARY = N_("measure bots: they break every code, or random codes")
MAX_GAMES_BY_DEFAULT = 10_000  # without --all or --games: half a minute at most
MAKER_GAMES = 1_000  # with --maker: a standard error of 0.03 guesses, in seconds
MAX_GAMES = 1_000_000  # far more than a comparison of two bots needs
MAX_DRAWN_SEED = 999_999  # largest default of --seed: short enough to be typed
BAR_COLUMNS = 50  # characters of the longest bar of a histogram
_BLOCKS_BY_EIGHTHS = " ▏▎▍▌▋▊▉█"


def add_arena_command(parser: argparse.ArgumentParser, load_bot: LoadBot | None = None) -> None:
    """Add the arguments of `arena`, and set the parser's default `build`.

    `load_bot` loads a user's bot, MODULE:CLASS. Without it, there are only the server's bots.

    `build` is a function that takes the parsed arguments and returns a function that runs the
    command. `build` raises InvalidRules and ArgumentTypeError; the returned function raises
    Refused.
    """
    parser.add_argument(
        "--rules",
        default=DEFAULT.name,
        help=_("{rules} (default {default})").format(
            rules=_(
                "{presets}, or PEGSxCOLOURS[u][/GUESSES] such as 5x8/12, or 4x10u for no colour "
                "twice"
            ).format(presets=", ".join(PRESETS)),
            default=DEFAULT.name,
        ),
    )
    parser.add_argument(
        "--bot",
        action="append",
        type=_parse_bot,
        required=True,
        dest="bots",
        metavar=_("NAME"),
        help=_("bot to measure; may be given several times")
        if load_bot is None
        else _("bot to measure, or MODULE:CLASS for your own; may be given several times"),
    )
    parser.add_argument(
        "--maker",
        type=str.lower,
        metavar=_("NAME"),
        help=_("bot that hides the secrets: --games of them, by default {number}").format(
            number=MAKER_GAMES
        ),
    )
    games = parser.add_mutually_exclusive_group()
    games.add_argument(
        "--all",
        action="store_true",
        help=_("play every secret (the default for rules with up to {most} codes)").format(
            most=MAX_GAMES_BY_DEFAULT
        ),
    )
    games.add_argument(
        "--games",
        type=_make_integer_parser(1, MAX_GAMES, _("{given} is no number of games: 1 to {most}")),
        metavar="N",
        help=_("play N random secrets"),
    )
    parser.add_argument(
        "--json", action="store_true", help=_("print one line of JSON for each bot")
    )
    parser.add_argument(
        "--seed",
        type=_make_integer_parser(
            -MAX_SEED, MAX_SEED, _("{given} is no seed: a whole number of at most 64 bits")
        ),
        metavar="N",
        help=_("seed of the random secrets and guesses"),
    )
    parser.set_defaults(build=partial(_build_run, load_bot), perform=_perform)


def run(
    rules: Rules,
    bots: Sequence[str],
    sample_size: int | None,
    seed: int,
    maker: str | None = None,
    load_bot: LoadBot | None = None,
    *,
    json_lines: bool,
) -> None:
    """Have each bot break `sample_size` random secrets; if None, every secret.

    The bot `maker` hides the secrets, if it is not None. `load_bot` loads the bots whose name is
    MODULE:CLASS.

    Prints a table of the results of all bots at the end. With `json_lines`, prints a line of JSON
    whenever a bot has finished. Raises Refused if a bot fails or only makes codes.
    """
    # imported here because NumPy takes long
    from mastermind_server.bots import find_bot
    from mastermind_server.bots.arena import Contest, find_breaker

    hider = None if maker is None else find_bot(maker)
    tallies = []
    with ExitStack() as stack:
        entered: list[Codebreaker] = [
            find_breaker(name)
            if load_bot is None or ":" not in name
            else stack.enter_context(load_bot(name))
            for name in bots
        ]
        for bot in {bot.name: bot for bot in entered}.values():
            tally = _play_contest(Contest(bot, rules, sample_size, seed, hider))
            tallies.append(tally)
            if json_lines:
                print(json.dumps(describe(tally), separators=(",", ":")), flush=True)
    if not json_lines:
        _print_results(tallies)


def describe(tally: Tally) -> dict[str, object]:
    """Return `tally`, the results of a bot, as a map for JSON.

    The keys `maker`, `error` and `seed` are omitted if the tally has none.
    """
    described: dict[str, object] = {
        "rules": tally.rules.name,
        "bot": tally.bot,
        "codes": tally.rules.codes,
        "games": tally.games,
        "total": tally.total_guesses,
        "mean": round(tally.mean, 4),
        "max": tally.worst,
        "histogram": {str(guesses): games for guesses, games in tally.histogram.items()},
        "seconds": round(tally.seconds, 3),
        "move_ms": {"median": tally.median_ms, "max": tally.longest_ms},
    }
    if tally.maker is not None:
        described["maker"] = tally.maker
    if tally.standard_error is not None:
        described["error"] = round(tally.standard_error, 4)
    if tally.seed is not None:
        described["seed"] = tally.seed
    return described


def _perform(options: argparse.Namespace) -> None:
    options.build(options)()


def _parse_bot(text: str) -> str:
    """Return the name of a bot, in small letters unless it is MODULE:CLASS."""
    return text if ":" in text else text.lower()


def _build_run(load_bot: LoadBot | None, parsed: argparse.Namespace) -> Callable[[], None]:
    rules = find_rules(parsed.rules)
    if parsed.maker is not None:
        if parsed.all:
            raise argparse.ArgumentTypeError(
                _("--maker hides codes of its choice: use --games N instead of --all")
            )
        parsed.games = parsed.games or MAKER_GAMES
    if not parsed.all and parsed.games is None and rules.codes > MAX_GAMES_BY_DEFAULT:
        raise argparse.ArgumentTypeError(
            _(
                "{rules} has {codes} codes: choose --all to play every one, "
                "or --games N to play some"
            ).format(rules=rules, codes=_group_digits(rules.codes))
        )
    seed = SystemRandom().randint(0, MAX_DRAWN_SEED) if parsed.seed is None else parsed.seed
    return partial(
        run, rules, parsed.bots, parsed.games, seed, parsed.maker, load_bot, json_lines=parsed.json
    )


def _make_integer_parser(least: int, most: int, wrong: str) -> Callable[[str], int]:
    """Return a parser of integers from `least` to `most`, which raises ArgumentTypeError.

    `wrong` is the text of the error, with the placeholders `given` and `most`.
    """

    def read(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = most + 1
        if not least <= number <= most:
            raise argparse.ArgumentTypeError(wrong.format(given=repr(text), most=most))
        return number

    return read


def _play_contest(contest: Contest) -> Tally:
    """Play a contest and return the result. A terminal shows a progress bar.

    A user's bot, which computes in its own process, is measured in real time.
    """
    from mastermind_server.bots import Bot

    clock = time.thread_time_ns if isinstance(contest.bot, Bot) else time.perf_counter_ns
    if not sys.stderr.isatty():
        return contest.play(lambda _over: None, clock)
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    # The bar must not redirect standard output, which may be a file.
    with Progress(
        *columns,
        console=Console(stderr=True),
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    ) as progress:
        task = progress.add_task(contest.bot.name, total=contest.games)
        return contest.play(lambda over: progress.update(task, completed=over), clock)


def _print_results(tallies: Sequence[Tally]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    table.add_column(pgettext("arena", "bot"), no_wrap=True)
    headings = (
        pgettext("arena", "games"),
        pgettext("arena", "total"),
        pgettext("arena", "mean"),
        pgettext("arena", "worst"),
        pgettext("arena", "ms a move"),
        pgettext("arena", "at most"),
    )
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)
    for tally in tallies:
        table.add_row(
            tally.bot,
            f"{tally.games}",
            f"{tally.total_guesses}",
            _format_mean(tally, console),
            f"{tally.worst}",
            f"{tally.median_ms:.2f}",
            f"{tally.longest_ms:.1f}",
        )
    console.print(_describe_contest(tallies), markup=False)
    console.print(table)
    _print_histograms(tallies, console)


def _group_digits(number: int) -> str:
    return group_digits(number, _(DIGIT_GROUPS))


def _describe_contest(tallies: Sequence[Tally]) -> str:
    rules, drawn = tallies[0].rules, tallies[0].is_sample
    symbols = (
        ngettext("{number} digit", "{number} digits", rules.colours)
        if rules.digits_only
        else ngettext("{number} colour", "{number} colours", rules.colours)
    )
    seeds = {f" (--seed {tally.seed})" for tally in tallies if tally.seed is not None}
    text = (
        _("{rules}: {pegs}, {colours}, {codes}, {games} hidden by {maker}")
        if tallies[0].maker
        else _("{rules}: {pegs}, {colours}, {codes}, {games} drawn")
        if drawn
        else _("{rules}: {pegs}, {colours}, {codes}, all played")
    ).format(
        rules=rules,
        pegs=ngettext("{number} peg", "{number} pegs", rules.pegs).format(number=rules.pegs),
        colours=symbols.format(number=rules.colours),
        codes=ngettext("{number} code", "{number} codes", rules.codes).format(
            number=_group_digits(rules.codes)
        ),
        games=_group_digits(tallies[0].games),
        maker=tallies[0].maker,
    )
    return text + "".join(seeds)


def _format_mean(tally: Tally, console: Console) -> str:
    if tally.standard_error is None:
        return f"{tally.mean:.4f}"
    return (
        f"{tally.mean:.3f} {'+-' if console.options.ascii_only else '±'} {tally.standard_error:.3f}"
    )


def _print_histograms(tallies: Sequence[Tally], console: Console) -> None:
    """Print each bot's histogram of guesses per game, all to the same scale."""
    from rich.text import Text

    most = max(max(tally.histogram.values()) for tally in tallies)
    for tally in tallies:
        console.print(tally.bot, markup=False)
        for guesses in range(1, tally.worst + 1):
            games = tally.histogram.get(guesses, 0)
            bar = _draw_bar(games / most, ascii_only=console.options.ascii_only)
            line = f"{guesses:5} {games:{len(str(most))}}"
            console.print(Text.assemble(line, (f" {bar}" if bar else "", "green")), no_wrap=True)
        console.print()


def _draw_bar(share: float, *, ascii_only: bool) -> str:
    """Return a bar of `share` * BAR_COLUMNS characters, at least one unless `share` is 0."""
    if ascii_only:
        return "#" * max(round(BAR_COLUMNS * share), share > 0)
    whole, eighths = divmod(max(round(8 * BAR_COLUMNS * share), share > 0), 8)
    return ("█" * whole + _BLOCKS_BY_EIGHTHS[eighths]).rstrip()
