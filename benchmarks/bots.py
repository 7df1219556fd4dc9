"""Rewrite the tables of guesses in docs/BOTS.md with the results of `mastermind arena --json`.

It takes some twenty minutes of CPU time for all bots. The result is the same on every machine.

    make table
    make table ARGS="--bot knuth"
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from mastermind_protocol.rules import find_rules
from mastermind_server.bots import BOTS
from mastermind_server.bots.bot import Bot, DeterministicBot
from mastermind_server.bots.devious import DeviousBot
from mastermind_server.bots.hiding import BY_CHANCE
from mastermind_server.bots.tree import find_tree

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

MASTERMIND = Path(sys.executable).with_name("mastermind")
DOCUMENT = Path(__file__).parents[1] / "docs" / "BOTS.md"
ALL = "--all"
# Rules, with the games of bots that always guess alike, and of bots that guess by chance.
GAMES = {
    **dict.fromkeys(("classic", "4x7", "eight"), (ALL, ALL)),
    **dict.fromkeys(("4x10", "5x6", "5x8"), (ALL, "--games=1000")),
    "6x9": ("--games=400", "--games=1000"),
    "bulls": (ALL, ALL),
}
# Contests of codemakers: rules, codebreaker, and the games of makers that choose their codes.
MAKER_CONTESTS = (
    *((rules, "optimal", games) for rules, games in (("classic", 2000), ("eight", 1000))),
    ("5x8", "optimal", 400),
    *(("classic", breaker, 2000) for breaker in ("entropy", "knuth", "random")),
)


def play(name: str, bots: Iterable[Bot]) -> list[dict[str, Any]]:
    """Return the arena's results under some rules, of `bots` with a method of their own there."""
    results = []
    rules = find_rules(name)
    for bot in bots:
        own = not bot.name.startswith("optimal") or find_tree(rules.space, bot.name)
        if bot.max_codes and own:
            games = GAMES[name][not isinstance(bot, DeterministicBot)]
            command = [MASTERMIND, "arena", f"--rules={name}", f"--bot={bot.name}", games]
            line = subprocess.check_output([*map(str, command), "--seed=1", "--json"])
            results.append({**msgspec.json.decode(line), "rules": name})
    return results


def group_makers() -> dict[str, list[Bot]]:
    """Return the bots that hide codes alike, by their names."""
    groups: dict[str, list[Bot]] = {}
    for bot in BOTS.values():
        groups.setdefault(bot.hiding.about, []).append(bot)
    return {", ".join(bot.name for bot in group): group for group in groups.values()}


def play_against_makers(bots: Collection[Bot]) -> dict[str, list[dict[str, Any]]]:
    """Return the results of the contests against makers that hide codes as one of `bots` does."""
    return {
        names: [play_against(group[0], *contest) for contest in MAKER_CONTESTS]
        for names, group in group_makers().items()
        if any(bot in bots for bot in group)
    }


def play_against(maker: Bot, rules: str, breaker: str, number: int) -> dict[str, Any]:
    """Return the result of a contest. All codes are played if they are equally likely."""
    games = [f"--maker={maker.name}", f"--games={number}"]
    if maker.hiding is BY_CHANCE:
        games = [ALL]
    if isinstance(maker, DeviousBot) and isinstance(BOTS[breaker], DeterministicBot):
        games[1] = "--games=1"  # all are alike
    command = [MASTERMIND, "arena", f"--rules={rules}", f"--bot={breaker}", *games]
    line = subprocess.check_output([*map(str, command), "--seed=1", "--json"])
    result: dict[str, Any] = msgspec.json.decode(line)
    return result


def describe_guesses(result: dict[str, Any]) -> str:
    """Return the mean, with its error if the secrets were drawn, and the worst case."""
    if "error" in result:
        return f"{result['mean']:.3f} ± {result['error']:.3f} / {result['max']}"
    return f"{result['mean']:.4f} / {result['max']}"


def write_table(document: str, results: list[dict[str, Any]]) -> str:
    """Return the document with the rows of these codebreakers replaced or added."""
    rows = {}
    for bot in dict.fromkeys(result["bot"] for result in results):
        cells = {one["rules"]: describe_guesses(one) for one in results if one["bot"] == bot}
        rows[bot] = f"| {bot} | {' | '.join(cells.get(rules, '') for rules in GAMES)} |"
    return _replace_rows(document, "guesses", rows, BOTS)


def write_maker_table(document: str, results: dict[str, list[dict[str, Any]]]) -> str:
    """Return the document with the rows of these ways of hiding codes replaced or added."""
    rows = {
        makers: f"| {makers} | {' | '.join(map(describe_guesses, row))} |"
        for makers, row in results.items()
    }
    return _replace_rows(document, "hiding", rows, group_makers())


def _replace_rows(document: str, table: str, rows: Mapping[str, str], names: Iterable[str]) -> str:
    """Return the document with new `rows` of a table, by name, among its others.

    `names` is the order of the rows. Rows of other names are removed.
    """
    begin, head, body = document.partition(f"<!-- {table}:")
    top, rule, body = re.split(r"(\n\|[ :|-]+\|\n)", body, maxsplit=1)
    former, mark, rest = body.partition("\n\n<!-- end -->")
    assert mark, f"the document has no table of {table}"
    all_rows = {**{line.split("|")[1].strip(): line for line in former.splitlines()}, **rows}
    lines = "\n".join(all_rows[name] for name in names if name in all_rows)
    return "".join((begin, head, top, rule, lines, mark, rest))


def main() -> None:
    """Play, and rewrite the rows of the tables."""
    parser = argparse.ArgumentParser(prog="make table", description="Measure bots.")
    parser.add_argument("--bot", choices=BOTS, help="only the rows of this bot; default: all")
    name = parser.parse_args().bot
    bots = [bot for bot in BOTS.values() if name in (None, bot.name)]
    results = [result for rules in GAMES for result in play(rules, bots)]
    document = write_table(DOCUMENT.read_text("utf-8"), results)
    DOCUMENT.write_text(write_maker_table(document, play_against_makers(bots)), "utf-8")


if __name__ == "__main__":
    main()
