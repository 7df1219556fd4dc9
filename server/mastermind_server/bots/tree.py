"""Decision trees: what to guess first, and then after every feedback, worked out beforehand.

A tree file is text. docs/TREES.md tells the format line by line and how the trees were made::

    mastermind-tree 1
    sha256 5d8c...                                of all that follows this line
    size 4x6
    name optimal
    codes 1296
    total 5625                                    "-" in a book
    histogram 1:1 2:8 3:83 4:662 5:541 6:1        "-" in a book
    nodes 355
                                                  an empty line; then the nodes in preorder:
    1 - 0012                                      depth, feedback that leads here, guess
    2 00 2344

A cell of one or two candidates has no node: there the lowest candidate left is as good as any. A
*book* is a tree of the first guesses only; its cells without a node may be of any size.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from mastermind_protocol.feedback import Feedback

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mastermind_protocol.code import Code
    from mastermind_protocol.match import Turn

FORMAT = "mastermind-tree"
VERSION = "1"
SYMBOLS = "0123456789ab"
"""A peg's colour in a tree file, by its index in the palette."""

TREES = Path(__file__).parent / "trees"


class TreeDamaged(ValueError):
    """A file is not the decision tree that it should be; the message names it and says why."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path.name}: {reason}")
        self.path = path
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Node:
    """What to guess in one cell, and the nodes of the cells this divides it into.

    A feedback without a node wins, leaves one or two candidates, or never comes.
    """

    guess: Code
    replies: dict[Feedback, Node] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DecisionTree:
    """A strategy for codes of one size.

    `total` is the number of guesses it needs for all the secrets, the winning ones included, and
    `histogram` how many secrets need how many. A book has None and {}.
    """

    pegs: int
    colours: int
    name: str
    root: Node
    total: int | None = None
    histogram: Mapping[int, int] = field(default_factory=dict)

    @property
    def codes(self) -> int:
        """The number of different codes."""
        return int(self.colours**self.pegs)

    @property
    def worst(self) -> int | None:
        """The most guesses that any secret needs, or None in a book."""
        return max(self.histogram, default=None)

    def find(self, turns: Sequence[Turn]) -> Code | None:
        """Return the guess after these turns.

        None where the tree has none: another guess was played, one or two candidates are left,
        the game is won, or the book ends.
        """
        node: Node | None = self.root
        for code, feedback in turns:
            if node is None or node.guess != code:
                return None
            node = node.replies.get(feedback)
        return None if node is None else node.guess

    def walk(self) -> Iterator[tuple[int, Feedback | None, Node]]:
        """Give each node with its depth from 1 and the feedback that leads to it, in preorder."""
        open_nodes: list[tuple[int, Feedback | None, Node]] = [(1, None, self.root)]
        while open_nodes:
            depth, feedback, node = open_nodes.pop()
            yield depth, feedback, node
            replies = sorted(node.replies.items(), reverse=True)
            open_nodes.extend((depth + 1, reply, below) for reply, below in replies)


@lru_cache(maxsize=64)
def find_tree(pegs: int, colours: int, name: str = "optimal") -> DecisionTree | None:
    """Return the shipped tree of this size and name, or None if there is none.

    It is read when it is first asked for. Raises TreeDamaged.
    """
    path = find_path(pegs, colours, name)
    try:
        tree = read_tree(path)
    except FileNotFoundError:
        return None
    if (tree.pegs, tree.colours, tree.name) != (pegs, colours, name):
        raise TreeDamaged(path, f"is of {tree.pegs}x{tree.colours} {tree.name}")
    return tree


def find_path(pegs: int, colours: int, name: str, folder: Path = TREES) -> Path:
    """Return where the tree of this size and name is, if there is one."""
    return folder / f"{pegs}x{colours}-{name}.tree"


def write_tree(tree: DecisionTree, path: Path) -> None:
    """Write the file that `read_tree` reads: equal trees give equal bytes."""
    nodes = [
        f"{depth} {_write_feedback(feedback)} {_write_code(node.guess)}"
        for depth, feedback, node in tree.walk()
    ]
    histogram = " ".join(
        f"{guesses}:{tree.histogram[guesses]}" for guesses in sorted(tree.histogram)
    )
    body = "\n".join(
        [
            f"size {tree.pegs}x{tree.colours}",
            f"name {tree.name}",
            f"codes {tree.codes}",
            f"total {'-' if tree.total is None else tree.total}",
            f"histogram {histogram or '-'}",
            f"nodes {len(nodes)}",
            "",
            *nodes,
            "",
        ]
    ).encode("ascii")
    head = f"{FORMAT} {VERSION}\nsha256 {sha256(body).hexdigest()}\n".encode("ascii")
    path.write_bytes(head + body)


def read_tree(path: Path) -> DecisionTree:
    """Read a tree file. Raises TreeDamaged, and OSError if it cannot be read at all.

    All that the format fixes is checked, but not the claim of the header that the strategy
    needs so many guesses: whoever makes a tree proves that.
    """
    try:
        return _read_text(_check_bytes(path.read_bytes()))
    except _Flaw as flaw:
        raise TreeDamaged(path, str(flaw)) from None


class _Flaw(Exception):
    """What is wrong with a file; its reader adds which file."""


def _check_bytes(content: bytes) -> list[str]:
    """Return the lines after the checksum, which fits them."""
    first, _, rest = content.partition(b"\n")
    if first != f"{FORMAT} {VERSION}".encode("ascii"):
        if first.startswith(f"{FORMAT} ".encode("ascii")):
            raise _Flaw(f"is of another version than {VERSION}")
        raise _Flaw("is no decision tree")
    checksum, _, body = rest.partition(b"\n")
    if checksum != f"sha256 {sha256(body).hexdigest()}".encode("ascii"):
        raise _Flaw("its checksum is wrong")
    try:
        lines = body.decode("ascii").split("\n")
    except UnicodeDecodeError:
        raise _Flaw("is not ASCII") from None
    if lines.pop():
        raise _Flaw("its last line has no end")
    return lines


def _read_text(lines: list[str]) -> DecisionTree:
    keys = ("size", "name", "codes", "total", "histogram", "nodes", "")
    if len(lines) < len(keys):
        raise _Flaw("its header is cut off")
    header = dict(_split_header(key, line) for key, line in zip(keys, lines, strict=False))
    pegs, colours = _read_size(header["size"])
    _expect(header["codes"] == str(colours**pegs), "its number of codes is wrong")
    nodes = lines[len(keys) :]
    _expect(header["nodes"] == str(len(nodes)), "its number of nodes is wrong")
    total, histogram = _read_totals(header["total"], header["histogram"], colours**pegs)
    return DecisionTree(
        pegs, colours, header["name"], _read_nodes(nodes, pegs, colours), total, histogram
    )


def _split_header(key: str, line: str) -> tuple[str, str]:
    found, _, value = line.partition(" ")
    _expect(found == key, f"its header has {line[:40]!r} in place of {key or 'an empty line'!r}")
    return key, value


def _read_size(text: str) -> tuple[int, int]:
    pegs, _, colours = text.partition("x")
    _expect(pegs.isdecimal() and colours.isdecimal(), f"{text[:40]!r} is no size")
    sizes = int(pegs), int(colours)
    _expect(1 <= sizes[0] <= 9 and 1 <= sizes[1] <= len(SYMBOLS), f"{text[:40]!r} is no size")
    return sizes


def _read_totals(total: str, histogram: str, codes: int) -> tuple[int | None, dict[int, int]]:
    if (total, histogram) == ("-", "-"):
        return None, {}
    counts: Counter[int] = Counter()
    for item in histogram.split(" "):
        guesses, _, secrets = item.partition(":")
        _expect(guesses.isdecimal() and secrets.isdecimal(), f"{item[:40]!r} is no count")
        counts[int(guesses)] += int(secrets)
    _expect(counts.total() == codes, "its histogram is not of all codes")
    needed = sum(guesses * secrets for guesses, secrets in counts.items())
    _expect(total == str(needed), "its total is not that of its histogram")
    return needed, dict(counts)


def _read_nodes(lines: list[str], pegs: int, colours: int) -> Node:
    """Return the root. Each line is checked, and that a node comes after the one above it."""
    colour_of = {symbol: colour for colour, symbol in enumerate(SYMBOLS[:colours])}
    feedbacks = {
        _write_feedback(feedback): feedback
        for black in range(pegs)
        for white in range(pegs - black + 1)
        if (feedback := Feedback(black, white)) != (pegs - 1, 1)
    }
    above: list[Node] = []
    for number, line in enumerate(lines, start=1):
        depth, reply, guess = _split_node(line, number)
        _expect(1 <= depth <= len(above) + 1, f"node {number} has nothing above it: {line!r}")
        try:
            node = Node(tuple([colour_of[symbol] for symbol in guess]))
        except KeyError:
            raise _Flaw(f"node {number} guesses outside {colours} colours: {line!r}") from None
        _expect(len(guess) == pegs, f"node {number} does not guess {pegs} pegs: {line!r}")
        del above[depth - 1 :]
        if above:
            replies = above[-1].replies
            _expect(reply in feedbacks, f"node {number} follows no possible feedback: {line!r}")
            _expect(feedbacks[reply] not in replies, f"node {number} is there twice: {line!r}")
            replies[feedbacks[reply]] = node
        else:
            _expect(reply == "-" and number == 1, f"node {number} is a second first: {line!r}")
            root = node
        above.append(node)
    _expect(bool(lines), "has no nodes")
    return root


def _split_node(line: str, number: int) -> tuple[int, str, str]:
    parts = line.split(" ")
    if len(parts) != 3 or not parts[0].isdecimal():
        raise _Flaw(f"node {number} is none: {line[:40]!r}")
    return int(parts[0]), parts[1], parts[2]


def _expect(holds: bool, otherwise: str) -> None:
    if not holds:
        raise _Flaw(otherwise)


def _write_feedback(feedback: Feedback | None) -> str:
    return "-" if feedback is None else f"{feedback.black}{feedback.white}"


def _write_code(code: Code) -> str:
    return "".join(SYMBOLS[colour] for colour in code)
