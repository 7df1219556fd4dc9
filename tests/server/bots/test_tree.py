from __future__ import annotations

import itertools
import re
from collections import Counter, defaultdict
from functools import cache
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from kit.strategies import brief
from mastermind_protocol.code import Code
from mastermind_protocol.feedback import Feedback, score
from mastermind_protocol.match import Turn
from mastermind_server.bots import solver
from mastermind_server.bots.tree import (
    TREES,
    DecisionTree,
    Node,
    TreeDamaged,
    find_path,
    find_tree,
    read_tree,
    write_tree,
)

DOCUMENTS = Path(__file__).parents[3] / "docs"
SHIPPED = sorted(path.stem for path in TREES.glob("*.tree"))
NEEDED = {
    # The total and the worst case that were known before, see docs/TREES.md.
    "4x6-optimal": (5625, 6),
    "4x6-optimal-5": (5626, 5),
    "4x7-optimal": (11228, 6),
    "4x8-optimal": (20471, 7),
    "4x10-optimal": (56058, 8),
    "5x6-optimal": (37035, 7),
    "5x8-optimal": (179418, 7),
}
BOOKS = {"6x9-optimal"}


def load(title: str) -> DecisionTree:
    size, _, name = title.partition("-")
    pegs, _, colours = size.partition("x")
    tree = find_tree(int(pegs), int(colours), name)
    assert tree is not None
    return tree


@cache
def play_all(title: str) -> Counter[int]:
    """Return the number of secrets for each number of guesses of a tree.

    It uses the protocol's score alone. A cell without a node has at most two candidates.
    """
    tree = load(title)
    games: Counter[int] = Counter()
    codes = list(itertools.product(range(tree.colours), repeat=tree.pegs))
    cells: list[tuple[tuple[Turn, ...], list[Code]]] = [((), codes)]
    while cells:
        turns, cell = cells.pop()
        guess = tree.find(turns)
        if guess is None:
            assert len(cell) <= 2, f"no guess for {len(cell)} codes after {turns}"
            guess = cell[0]
        parts: dict[Feedback, list[Code]] = defaultdict(list)
        for secret in cell:
            parts[score(secret, guess)].append(secret)
        games[len(turns) + 1] += len(parts.pop(Feedback(tree.pegs, 0), ()))
        cells.extend(((*turns, Turn(guess, reply)), part) for reply, part in parts.items())
    return +games


def read_feedback(answer: int, pegs: int) -> Feedback:
    black, both = divmod(answer, pegs + 1)
    return Feedback(black, both - black)


def test_every_tree_is_here():
    assert set(SHIPPED) >= {*NEEDED, *BOOKS}


@pytest.mark.parametrize("title", [title for title in SHIPPED if title not in BOOKS])
def test_every_secret_takes_what_the_tree_says(title):
    tree = load(title)
    games = play_all(title)
    assert games == tree.histogram
    assert sum(guesses * secrets for guesses, secrets in games.items()) == tree.total


@pytest.mark.parametrize("title", NEEDED)
def test_no_tree_takes_more_than_was_known_before(title):
    tree = load(title)
    total, worst = NEEDED[title]
    assert tree.total is not None
    assert tree.worst is not None
    assert tree.total <= total
    assert tree.worst <= worst


@pytest.mark.parametrize(
    ("title", "total", "histogram"),
    [
        ("4x6-optimal", 5625, {1: 1, 2: 8, 3: 83, 4: 662, 5: 541, 6: 1}),
        ("4x6-optimal-5", 5626, {1: 1, 2: 8, 3: 82, 4: 662, 5: 543}),
    ],
)
def test_4x6_takes_exactly_the_proven_least(title, total, histogram):
    assert play_all(title) == histogram
    assert load(title).total == total


@pytest.mark.parametrize("title", [title for title in SHIPPED if title not in BOOKS])
def test_the_document_says_what_each_tree_takes(title):
    tree = load(title)
    assert tree.total is not None
    row = f"| {tree.pegs}x{tree.colours} | `{tree.name}` | {tree.total} "
    row += f"| {tree.total / tree.codes:.4f} | {tree.worst} |"
    assert row in (DOCUMENTS / "TREES.md").read_text(encoding="utf-8")


def test_4x7_takes_exactly_the_proven_least():
    assert load("4x7-optimal").total == 11228


@pytest.mark.parametrize("title", sorted(BOOKS))
def test_a_book_knows_the_guess_for_every_cell_of_its_depth(title):
    tree = load(title)
    codes = solver.all_codes(tree.pegs, tree.colours)
    assert tree.total is None
    assert tree.worst is None
    depths = {depth for depth, _, _ in tree.walk()}
    asked = 0
    cells: list[tuple[tuple[Turn, ...], NDArray[np.intp]]] = [((), np.arange(len(codes)))]
    while cells:
        turns, cell = cells.pop()
        guess = tree.find(turns)
        if guess is None:
            assert len(cell) <= 2
            continue
        asked += 1
        if len(turns) + 1 == max(depths):
            continue
        answers = solver.score_one(guess, codes[cell])
        for answer in set(answers.tolist()):
            turn = Turn(guess, read_feedback(answer, tree.pegs))
            if turn.feedback.black < tree.pegs:
                cells.append(((*turns, turn), cell[answers == answer]))
    assert asked == sum(1 for _ in tree.walk()), "a node that no game comes to"


def test_a_tree_has_nothing_to_say_after_another_guess_than_its_own():
    tree = load("4x6-optimal")
    first = tree.find(())
    assert first == (0, 0, 1, 2)
    assert tree.find((Turn((0, 0, 1, 1), Feedback(1, 1)),)) is None
    after = (Turn(first, Feedback(1, 1)),)
    assert tree.find(after) is not None
    assert tree.find((*after, Turn(first, Feedback(1, 1)))) is None


def test_a_tree_has_nothing_to_say_once_the_game_is_won_or_two_are_left():
    tree = load("4x6-optimal")
    assert tree.find((Turn((0, 0, 1, 2), Feedback(4, 0)),)) is None
    node = Node((0, 0), {})
    small = DecisionTree(2, 2, "small", node)
    assert small.find((Turn((0, 0), Feedback(1, 0)),)) is None
    assert small.find((Turn((0, 0), Feedback(1, 0)), Turn((0, 1), Feedback(0, 2)))) is None


def test_a_tree_is_read_once():
    assert load("4x6-optimal") is load("4x6-optimal")


def test_no_tree_is_found_for_a_size_or_name_without_one():
    assert find_tree(9, 12) is None
    assert find_tree(4, 6, "knuth") is None


# What a file can be damaged by.


def sign(body: bytes) -> bytes:
    return f"mastermind-tree 1\nsha256 {sha256(body).hexdigest()}\n".encode() + body


BODY = b"""size 2x3
name tiny
codes 9
total -
histogram -
nodes 3

1 - 01
2 00 00
2 10 02
"""
DAMAGED = {
    "is no decision tree": [b"", bytes(range(256)), b"\xff\xfe" + BODY],
    "is of another version than 1": [sign(BODY).replace(b"tree 1", b"tree 2", 1)],
    "its checksum is wrong": [
        sign(BODY)[:-4],
        sign(BODY).replace(b"2 10 02", b"2 10 12"),
        sign(BODY).replace(b"sha256 ", b"sha256 0"),
        b"mastermind-tree 1\n",
    ],
    "cannot be read: ": [
        sign(BODY.replace(b"tiny", b"t\xefny")),
        sign(b"size 2x3\nname tiny\n"),
        sign(BODY[: BODY.index(b"1 - 01")].replace(b"nodes 3", b"nodes 0")),
        *(
            sign(BODY.replace(right, wrong))
            for right, wrong in (
                (b"size 2x", b"colours "),
                (b"2x3", b"2"),
                (b"2x3", b"2x13"),
                (b"2x3", b"0x3"),
                (b"histogram -", b"histogram 1: 2:8"),
                (b"histogram -", b"histogram 1:1 2:7"),
                (b"2 00 00", b"2 00"),
                (b"2 00 00", b"two 00 00"),
                (b"10 02", b"10 03"),
                (b"10 02", b"10 0c"),
                (b"10 02", b"10 021"),
                (b"2 10", b"2 11"),
                (b"2 10", b"2 20"),
                (b"2 10", b"2 -"),
            )
        ),
    ],
    "is not as its tree is written": [
        sign(BODY[:-1]),
        *(
            sign(BODY.replace(right, wrong))
            for right, wrong in (
                (b"\n\n", b"\n"),
                (b"2x3", b"2x4"),
                (b"nodes 3", b"nodes 4"),
                (b"total -", b"total 9"),
                (b"total -\nhistogram -", b"total 18\nhistogram 1:1 2:8"),
                (b"2 10", b"2 00"),
                (b"2 10", b"1 10"),
                (b"1 - 01", b"1 00 01"),
                (b"1 - 01", b"2 - 01"),
                (b"2 10", b"4 10"),
                (b"2 10", b"0 10"),
            )
        ),
    ],
}


def test_the_file_that_the_damaged_ones_are_made_of_is_sound(tmp_path):
    path = tmp_path / "2x3-tiny.tree"
    path.write_bytes(sign(BODY))
    replies = {Feedback(0, 0): Node((0, 0)), Feedback(1, 0): Node((0, 2))}
    assert read_tree(path) == DecisionTree(2, 3, "tiny", Node((0, 1), replies))


@pytest.mark.parametrize(
    ("reason", "content"), [(reason, file) for reason, files in DAMAGED.items() for file in files]
)
def test_a_damaged_file_is_named_with_what_is_wrong(reason, content, tmp_path):
    path = tmp_path / "2x3-tiny.tree"
    path.write_bytes(content)
    with pytest.raises(TreeDamaged, match=re.escape(f"2x3-tiny.tree: {reason}")):
        read_tree(path)


@brief
@given(st.data())
def test_one_changed_byte_of_a_shipped_file_is_noticed(data):
    path = find_path(4, 6, "optimal")
    content = bytearray(path.read_bytes())
    at = data.draw(st.integers(0, len(content) - 1))
    content[at] ^= data.draw(st.integers(1, 255))
    damaged = Path(f"{path.stem}.damaged")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Path, "read_bytes", lambda _: bytes(content))
        with pytest.raises(TreeDamaged, match=r"^4x6-optimal\.damaged: "):
            read_tree(damaged)


def test_a_tree_under_another_name_is_not_taken_for_it(tmp_path, monkeypatch):
    find_path(4, 7, "optimal", tmp_path).write_bytes(find_path(4, 6, "optimal").read_bytes())
    monkeypatch.setattr(
        "mastermind_server.bots.tree.find_path",
        lambda pegs, colours, name: find_path(pegs, colours, name, tmp_path),
    )
    with pytest.raises(TreeDamaged, match=r"^4x7-optimal\.tree: is of 4x6 optimal$"):
        find_tree.__wrapped__(4, 7, "optimal")


# Writing and reading.


@st.composite
def trees(draw: st.DrawFn) -> DecisionTree:
    pegs, colours = draw(st.integers(1, 9)), draw(st.integers(2, 12))
    codes = st.tuples(*[st.integers(0, colours - 1)] * pegs)
    feedbacks = st.sampled_from(
        [
            Feedback(black, white)
            for black in range(pegs)
            for white in range(pegs - black + 1)
            if (black, white) != (pegs - 1, 1)
        ]
    )
    nodes = st.recursive(
        st.builds(Node, codes),
        lambda below: st.builds(Node, codes, st.dictionaries(feedbacks, below, max_size=3)),
        max_leaves=8,
    )
    root, name = draw(nodes), draw(st.sampled_from(["optimal", "optimal-5", "x"]))
    if draw(st.booleans()):
        return DecisionTree(pegs, colours, name, root)
    late = draw(st.integers(0, colours**pegs - 1))
    histogram = {1: colours**pegs - late} | ({7: late} if late else {})
    return DecisionTree(pegs, colours, name, root, colours**pegs + 6 * late, histogram)


@brief
@given(trees())
def test_what_was_written_is_read_again(tree):
    written: list[bytes] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Path, "write_bytes", lambda _, content: written.append(content))
        patch.setattr(Path, "read_bytes", lambda _: written[0])
        write_tree(tree, Path("any.tree"))
        again = read_tree(Path("any.tree"))
        assert again == tree
        write_tree(again, Path("any.tree"))
    assert written[0] == written[1]


@pytest.mark.parametrize("title", SHIPPED)
def test_a_shipped_file_is_what_writing_its_tree_gives(title, tmp_path):
    tree = load(title)
    write_tree(tree, tmp_path / "again.tree")
    shipped = find_path(tree.pegs, tree.colours, tree.name)
    assert (tmp_path / "again.tree").read_bytes() == shipped.read_bytes()


def test_the_first_nodes_are_written_as_the_format_says(tmp_path):
    root = Node((0, 11), {Feedback(1, 0): Node((0, 10)), Feedback(0, 2): Node((11, 0))})
    write_tree(DecisionTree(2, 12, "tiny", root), tmp_path / "tiny.tree")
    *_, first, second, third = (tmp_path / "tiny.tree").read_text().splitlines()
    assert [first, second, third] == ["1 - 0b", "2 02 b0", "2 10 0a"]
