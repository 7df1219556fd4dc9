"""Rewrite the tables of docs/BOTS.md with the results of `mastermind arena --json`.

It takes some twenty minutes of CPU time. All but the milliseconds is the same on every machine.
The figures that others published stay as they are in the document.

    make table
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec

from mastermind_protocol.rules import find_rules
from mastermind_server.bots import BOTS
from mastermind_server.bots.bot import Deterministic
from mastermind_server.bots.tree import find_tree

MASTERMIND = Path(sys.executable).with_name("mastermind")
DOCUMENT = Path(__file__).parents[1] / "docs" / "BOTS.md"
ALL = "--all"
# Rules, with the games of bots that always guess alike, and of bots that guess by chance.
GAMES = {
    **dict.fromkeys(("classic", "4x7", "eight"), (ALL, ALL)),
    **dict.fromkeys(("4x10", "5x6", "5x8"), (ALL, "--games=1000")),
    "6x9": ("--games=400", "--games=1000"),
}


def play(name: str) -> list[dict[str, Any]]:
    """Return the arena's results under some rules, of bots with a method of their own there."""
    results = []
    rules = find_rules(name)
    for bot in BOTS.values():
        own = not bot.name.startswith("optimal") or find_tree(rules.pegs, rules.colours, bot.name)
        if bot.largest and own:
            games = GAMES[name][not isinstance(bot, Deterministic)]
            command = [MASTERMIND, "arena", f"--rules={name}", f"--bot={bot.name}", games]
            line = subprocess.check_output([*map(str, command), "--seed=1", "--json"])
            results.append({**msgspec.json.decode(line), "rules": name})
    return results


def describe(result: dict[str, Any]) -> str:
    """Return a result as the first cells of its row."""
    cells = f"| {result['rules']} | {result['bot']} |"
    if "error" in result:
        mean = f"{result['mean']:.3f} ± {result['error']:.3f}"
        return f"{cells} {result['games']} drawn |  | {mean} | {result['max']} |"
    mean = f"{result['mean']:.4f}"
    return f"{cells} all {result['games']} | {result['total']} | {mean} | {result['max']} |"


def main() -> None:
    """Play, and rewrite the rows of both tables."""
    results = [result for name in GAMES for result in play(name)]
    document = DOCUMENT.read_text(encoding="utf-8")
    published = dict(re.findall(r"(?m)^(\| \S+ \| \S+ \|) (?:.*\|){4}(.*\|)$", document))
    rows = [describe(result) for result in results]
    rows = [f"{row}{published.get(' '.join(row.split()[:5]), '  |')}" for row in rows]
    times = []
    for bot in dict.fromkeys(result["bot"] for result in results):
        of = {one["rules"]: one["move_ms"] for one in results if one["bot"] == bot}
        cells = [
            f" {of[name]['median']:.2f} / {of[name]['max']:.1f} " if name in of else "  "
            for name in GAMES
        ]
        times.append(f"| {bot} |{'|'.join(cells)}|")
    for name, lines in (("guesses", rows), ("times", times)):
        table = re.compile(rf"(?s)(<!-- {name}.*?\n\| -[^\n]*\n).*?(?=\n\n<!-- end -->)")
        document, count = table.subn(lambda found: found[1] + "\n".join(lines), document)  # noqa: B023
        assert count == 1, f"{DOCUMENT} has no table of {name}"
    DOCUMENT.write_text(document, encoding="utf-8")


if __name__ == "__main__":
    main()
