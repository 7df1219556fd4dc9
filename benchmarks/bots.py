"""How strong the bots are and how long they think: the tables of docs/BOTS.md, measured again.

Some twenty minutes of processor time. Everything but the milliseconds is the same on every
machine: the seed is fixed.

    make table
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from mastermind_protocol.rules import find_rules
from mastermind_server.bots import BOTS
from mastermind_server.bots.arena import Contest
from mastermind_server.bots.bot import Deterministic
from mastermind_server.bots.tree import find_tree

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mastermind_protocol.rules import Rules
    from mastermind_server.bots import Bot
    from mastermind_server.bots.arena import Tally

DOCUMENT = Path(__file__).parents[1] / "docs" / "BOTS.md"
BLOCK = re.compile(r"(?s)(<!-- table: .*? -->\n).*?(<!-- end of table -->)")
RULES = ("classic", "4x7", "eight", "4x10", "5x6", "5x8", "6x9")
SEED = 1
ALL_OF_TREES = 32_768  # codes that a bot without chance plays in full: three minutes at 5x8
ALL_OF_GAMES = 4096  # codes that a bot with chance plays in full: half a minute
DRAWN_OF_GAMES = 1000  # else; to a thirtieth of a guess
DRAWN_OF_TREES = 400  # the same, by bots that differ less from game to game, and take longer

# Total and worst case: the heuristics as Mike Magruder's program has them (github.com/mikemag/
# Mastermind; classic: in the papers too); classic's trees by K. Koyama and T. W. Lai, 4x7's by
# G. Ville (arXiv:1305.1010), eight's by arfst23.
PUBLISHED = {
    "classic": {
        "knuth": (5801, 5), "expected-size": (5696, 6), "entropy": (5722, 6),
        "most-parts": (5668, 6), "optimal-5": (5626, 5), "optimal": (5625, 6),
    },
    "4x7": {
        "knuth": (11613, 6), "expected-size": (11412, 6), "entropy": (11374, 6),
        "most-parts": (11388, 6), "optimal": (11228, 6),
    },
    "eight": {
        "knuth": (21230, 6), "expected-size": (20725, 7), "entropy": (20695, 7),
        "most-parts": (20838, 7), "optimal": (20471, 7),
    },
    "4x10": {
        "knuth": (58103, 7), "expected-size": (56453, 7), "entropy": (56225, 8),
        "most-parts": (57320, 8),
    },
    "5x6": {
        "knuth": (37925, 6), "expected-size": (37137, 6), "entropy": (37104, 7),
        "most-parts": (37127, 7),
    },
    "5x8": {
        "knuth": (183775, 7), "expected-size": (180215, 7), "entropy": (179751, 7),
        "most-parts": (181834, 8),
    },
    "6x9": {
        "knuth": (3416564, 9), "expected-size": (3435784, 9), "entropy": (3339961, 9),
        "most-parts": (3396961, 9),
    },
}  # fmt: skip

ABOUT = f"""
Found by the arena, where every bot plays as many guesses as it takes. `games` of *all* are of
every secret once; where it says *drawn*, the secrets are drawn with `--seed {SEED}`, and the mean
has its standard error. The chance in `forgetful` and `random` is of that seed too, so that all of
this table is the same on every machine. `optimal` is left out where it has no tree and plays as
`entropy` does. The last column has what others have published of the same method (of `optimal`:
the best that is known), for all secrets. It need not be the same: methods leave open which of
equally good guesses is played, and ours look at a sample where there are too many codes to answer
in time.

"""
ABOUT_TIMES = """
Milliseconds of processor time a move, median and longest, on the machine on which this was last
made. A guess that many games share is thought out once and counts in each of them.

"""


def find_players(rules: Rules) -> Iterator[Bot]:
    """Give the bots whose play under these rules is their own."""
    for bot in BOTS.values():
        has_tree = find_tree(rules.pegs, rules.colours, bot.name) is not None
        if bot.largest and (has_tree or not bot.name.startswith("optimal")):
            yield bot


def prepare(bot: Bot, rules: Rules) -> Contest:
    """Return what a bot is to play under these rules."""
    if isinstance(bot, Deterministic):
        most, drawn = ALL_OF_TREES, DRAWN_OF_TREES
    else:
        most, drawn = ALL_OF_GAMES, DRAWN_OF_GAMES
    return Contest(bot, rules, None if rules.codes <= most else drawn, SEED)


def measure(name: str) -> list[Tally]:
    """Let every bot play under the rules of this name, and print how it goes on."""
    tallies = []
    rules = find_rules(name)
    for bot in find_players(rules):
        tally = prepare(bot, rules).play(lambda _: None)
        print(f"{name:8} {bot.name:14} {tally.mean:.4f} {tally.seconds:6.1f} s", flush=True)
        tallies.append(tally)
    return tallies


def write_row(cells: Iterable[object]) -> str:
    """Return a row of a table."""
    return f"| {' | '.join(map(str, cells))} |\n"


def write_head(*cells: str, left: int) -> str:
    """Return the head of a table, whose first so many columns are words."""
    return write_row(cells) + write_row(
        "---" if column < left else "---:" for column in range(len(cells))
    )


def write_guesses(name: str, tally: Tally) -> str:
    """Return the row of how many guesses a bot needs."""
    published = ""
    if tally.bot in PUBLISHED[name]:
        total, worst = PUBLISHED[name][tally.bot]
        published = f"{total} / {total / tally.rules.codes:.4f} / {worst}"
    if tally.error is None:
        games, sum_, mean = f"all {tally.games}", f"{tally.total}", f"{tally.mean:.4f}"
    else:
        games, sum_ = f"{tally.games} drawn", ""
        mean = f"{tally.mean:.3f} ± {tally.error:.3f}"
    return write_row((name, tally.bot, games, sum_, mean, tally.worst, published))


def write_times(measured: dict[str, list[Tally]]) -> Iterator[str]:
    """Give the rows of how long the bots think, one a bot."""
    for bot in BOTS:
        cells = []
        for tallies in measured.values():
            own = [tally for tally in tallies if tally.bot == bot]
            cells.append(f"{own[0].median:.2f} / {own[0].longest:.1f}" if own else "")
        if any(cells):
            yield write_row((bot, *cells))


def write_tables(measured: dict[str, list[Tally]]) -> str:
    """Return the block of the document."""
    head = ("rules", "bot", "games", "total", "mean", "worst", "published: total / mean / worst")
    guesses = (write_guesses(name, tally) for name in measured for tally in measured[name])
    return "".join(
        (
            ABOUT,
            write_head(*head, left=2),
            *guesses,
            ABOUT_TIMES,
            write_head("bot", *measured, left=1),
            *write_times(measured),
            "\n",
        )
    )


def main() -> None:
    """Measure, and rewrite the block between the document's two comments."""
    document = DOCUMENT.read_text(encoding="utf-8")
    assert BLOCK.search(document), f"{DOCUMENT} has no place for the tables"
    tables = write_tables({name: measure(name) for name in RULES})
    document = BLOCK.sub(lambda found: found[1] + tables + found[2], DOCUMENT.read_text("utf-8"))
    DOCUMENT.write_text(document, encoding="utf-8")


if __name__ == "__main__":
    main()
