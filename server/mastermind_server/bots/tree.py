"""Decision trees: precomputed guesses for the opening and after every feedback.

A tree file is text. docs/TREES.md documents the format and how the trees were made::

    mastermind-tree 1
    sha256 5d8c...                                of all bytes after this line
    size 4x6
    name optimal
    codes 1296
    total 5625                                    "-" in a book
    histogram 1:1 2:8 3:83 4:662 5:541 6:1        "-" in a book
    nodes 355
                                                  an empty line, then the nodes in preorder:
    1 - 0012                                      depth, feedback that leads here, guess
    2 00 2344

A *cell* is the set of candidates that remain after some feedbacks. Each node has the guess for one
cell. A cell of one or two candidates has no node, because its best guess is the lowest candidate. A
*book* is a tree of the first guesses only: later cells of any size have no node.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from mastermind_protocol.errors import InvalidRules
from mastermind_protocol.feedback import Feedback
from mastermind_protocol.rules import CodeSpace, find_rules

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mastermind_protocol.code import Code
    from mastermind_protocol.match import Turn

FORMAT_NAME = "mastermind-tree"
FORMAT_VERSION = "1"
COLOUR_SYMBOLS = "0123456789ab"
"""The symbols of colours in a tree file, by index in the palette."""

HEADER_LINES = 6
"""The number of header lines after the checksum."""

TREES_FOLDER = Path(__file__).parent / "trees"


class TreeDamaged(ValueError):
    """The tree file `path` is invalid, because of `reason`. The message names both."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path.name}: {reason}")


@dataclass(frozen=True, slots=True)
class Node:
    """One guess of a tree. `replies` maps each feedback to this guess to the next node.

    Feedback without a node is a win, leaves one or two candidates, or is impossible. In a book (a
    tree of the first guesses only), such feedback can also leave more candidates.
    """

    guess: Code
    replies: dict[Feedback, Node] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DecisionTree:
    """A strategy for all codes of one space.

    `total` is the number of guesses for all secrets, including the winning guesses. `histogram`
    maps each number of guesses to the number of secrets that need it. In a book, which is a tree of
    the first guesses only, `total` is None and `histogram` is empty.
    """

    space: CodeSpace
    name: str
    root: Node
    total: int | None = None
    histogram: Mapping[int, int] = field(default_factory=dict)

    @property
    def worst(self) -> int | None:
        """The number of guesses for the hardest secret, or None if `histogram` is empty."""
        return max(self.histogram, default=None)

    def find_guess(self, turns: Sequence[Turn]) -> Code | None:
        """Return the guess after `turns`, or None if the tree has no node there.

        A node is missing after a win, after a guess that the tree does not make, if one or two
        candidates remain, and after the last guesses of a book.
        """
        node: Node | None = self.root
        for turn in turns:
            if node is None or node.guess != turn.code:
                return None
            node = node.replies.get(turn.feedback)
        return None if node is None else node.guess

    def walk(self) -> Iterator[tuple[int, Feedback | None, Node]]:
        """Yield the depth, the feedback that leads to the node, and the node, in preorder.

        The root has the depth 1 and no feedback.
        """
        open_nodes: list[tuple[int, Feedback | None, Node]] = [(1, None, self.root)]
        while open_nodes:
            depth, feedback, node = open_nodes.pop()
            yield depth, feedback, node
            replies = sorted(node.replies.items(), reverse=True)
            open_nodes.extend((depth + 1, reply, below) for reply, below in replies)


@lru_cache(maxsize=64)
def find_tree(space: CodeSpace, name: str = "optimal") -> DecisionTree | None:
    """Return the tree of this space and name from `TREES_FOLDER`, or None if the file is missing.

    The result is cached. Raises TreeDamaged, and OSError if reading fails.
    """
    path = find_tree_path(space, name)
    try:
        tree = read_tree(path)
    except FileNotFoundError:
        return None
    if (tree.space, tree.name) != (space, name):
        raise TreeDamaged(path, f"is the tree of {tree.space} {tree.name}")
    return tree


def find_tree_path(space: CodeSpace, name: str, folder: Path = TREES_FOLDER) -> Path:
    """Return the path of the tree of this space and name in `folder`."""
    return folder / f"{space}-{name}.tree"


def write_tree(tree: DecisionTree, path: Path) -> None:
    """Write a tree file. Equal trees give equal bytes."""
    path.write_bytes(_format_tree(tree))


def read_tree(path: Path) -> DecisionTree:
    """Return the tree in a file. Raises TreeDamaged for invalid content, OSError if reading fails.

    Checks the format and the checksum. Does not play the strategy to check the `histogram`.
    """
    content = path.read_bytes()
    first, _, rest = content.partition(b"\n")
    checksum, _, body = rest.partition(b"\n")
    name, _, version = first.partition(b" ")
    if name != FORMAT_NAME.encode("ascii"):
        raise TreeDamaged(path, "is not a decision tree")
    if version != FORMAT_VERSION.encode("ascii"):
        raise TreeDamaged(path, f"has another version than {FORMAT_VERSION}")
    if checksum != _make_checksum(body):
        raise TreeDamaged(path, "its checksum is wrong")
    try:
        tree = _parse_tree(body.decode("ascii").split("\n"))
    except (ValueError, KeyError, IndexError) as error:
        raise TreeDamaged(path, f"cannot be read: {error}") from error
    if _format_tree(tree) != content:
        raise TreeDamaged(path, "is not in the canonical form")
    return tree


def _format_tree(tree: DecisionTree) -> bytes:
    nodes = [
        f"{depth} {_format_feedback(feedback)} {_format_code(node.guess)}"
        for depth, feedback, node in tree.walk()
    ]
    histogram = " ".join(
        f"{guesses}:{tree.histogram[guesses]}" for guesses in sorted(tree.histogram)
    )
    body = "\n".join(
        [
            f"size {tree.space}",
            f"name {tree.name}",
            f"codes {tree.space.codes}",
            f"total {'-' if tree.total is None else tree.total}",
            f"histogram {histogram or '-'}",
            f"nodes {len(nodes)}",
            "",
            *nodes,
            "",
        ]
    ).encode("ascii")
    return f"{FORMAT_NAME} {FORMAT_VERSION}\n".encode("ascii") + _make_checksum(body) + b"\n" + body


def _format_code(code: Code) -> str:
    return "".join(COLOUR_SYMBOLS[colour] for colour in code)


def _make_checksum(body: bytes) -> bytes:
    return f"sha256 {sha256(body).hexdigest()}".encode("ascii")


def _parse_tree(lines: list[str]) -> DecisionTree:
    """Return the tree in `lines`, the lines of a tree file after the checksum.

    Raises ValueError, KeyError or IndexError for most kinds of invalid lines. `read_tree` finds
    the other kinds.
    """
    header = dict(line.split(" ", 1) for line in lines[:HEADER_LINES])
    space = _parse_space(header["size"])
    counts = [item.split(":") for item in header["histogram"].split(" ") if item != "-"]
    histogram = {int(guesses): int(secrets) for guesses, secrets in counts}
    if histogram and sum(histogram.values()) != space.codes:
        raise ValueError("its histogram does not count every code")
    total = sum(guesses * secrets for guesses, secrets in histogram.items()) or None
    root = _parse_nodes(lines[HEADER_LINES + 1 : -1], space)
    return DecisionTree(space, header["name"], root, total, histogram)


def _parse_space(size: str) -> CodeSpace:
    try:
        return find_rules(size).space
    except InvalidRules as error:
        raise ValueError(f"no tree can have the size {size}") from error


def _parse_nodes(lines: list[str], space: CodeSpace) -> Node:
    """Return the root of the nodes in `lines`.

    Raises ValueError, KeyError or IndexError for an invalid line.
    """
    pegs = space.pegs
    colour_of = {symbol: colour for colour, symbol in enumerate(COLOUR_SYMBOLS[: space.colours])}
    feedbacks = {
        _format_feedback(feedback): feedback
        for black in range(pegs)
        for white in range(pegs - black + 1)
        if (feedback := Feedback(black, white)) != (pegs - 1, 1)
    }
    above: list[Node] = []
    for line in lines:
        depth, reply, guess = line.split(" ")
        node = Node(tuple([colour_of[symbol] for symbol in guess]))
        if len(guess) != pegs or not (space.repeats or len(set(guess)) == pegs):
            raise ValueError(f"{line!r} does not guess a code of {space}")
        del above[int(depth) - 1 :]
        if above:
            above[-1].replies[feedbacks[reply]] = node
        above.append(node)
    return above[0]


def _format_feedback(feedback: Feedback | None) -> str:
    return "-" if feedback is None else f"{feedback.black}{feedback.white}"
