"""`python -m tree_builder`: make the decision trees of the bots."""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import TYPE_CHECKING

from mastermind_server.bots.tree import TREES_FOLDER, DecisionTree, find_tree_path, write_tree
from tree_builder.book import make_book
from tree_builder.maker import make_tree
from tree_builder.recipes import RECIPES, BookRecipe, Recipe, get_tree_name

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the trees that the `arguments` name, or all trees. Print their numbers of guesses."""
    known = {get_tree_name(recipe): recipe for recipe in RECIPES}
    parser = argparse.ArgumentParser(
        prog="python -m tree_builder",
        description="Make the decision trees of the bots.",
    )
    parser.add_argument(
        "trees", nargs="*", metavar="TREE", help=f"one of {', '.join(known)} (default: all)"
    )
    parser.add_argument(
        "--to", type=Path, default=TREES_FOLDER, metavar="FOLDER", help="folder of the tree files"
    )
    options = parser.parse_args(arguments)
    unknown = sorted(set(options.trees) - set(known))
    if unknown:
        parser.error(f"unknown tree {', '.join(unknown)}: choose from {', '.join(known)}")
    for title in options.trees or known:
        _make_tree_file(known[title], options.to)


def _make_tree_file(recipe: Recipe | BookRecipe, folder: Path) -> None:
    started = time.process_time()
    print(get_tree_name(recipe), flush=True)
    if isinstance(recipe, Recipe):
        tree = make_tree(recipe, report=lambda found: print(f"  {found}", flush=True))
    else:
        tree = make_book(recipe)
    path = find_tree_path(tree.space, tree.name, folder)
    write_tree(tree, path)
    print(f"  {_describe_tree(tree)}, {time.process_time() - started:.0f} s of CPU", flush=True)


def _describe_tree(tree: DecisionTree) -> str:
    nodes = sum(1 for _ in tree.walk())
    if tree.total is None:
        return f"book of {nodes} guesses"
    average = tree.total / tree.space.codes
    return f"total {tree.total}, average {average:.4f}, worst {tree.worst}, {nodes} nodes"


if __name__ == "__main__":
    main()
