from __future__ import annotations

import re
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from kit.codes import count_guesses
from kit.strategies import any_rules, brief, codes_of
from mastermind_protocol.feedback import Feedback
from mastermind_protocol.match import Turn
from mastermind_protocol.rules import CodeSpace, find_rules
from mastermind_server.bots import solver
from mastermind_server.bots.tree import (
    TREES_FOLDER,
    DecisionTree,
    Node,
    TreeDamaged,
    find_tree,
    find_tree_path,
    read_tree,
    write_tree,
)

DOCUMENTS = Path(__file__).parents[3] / "docs"
SHIPPED = sorted(path.stem for path in TREES_FOLDER.glob("*.tree"))
KNOWN = {
    # The total and the worst case that were known before, see docs/TREES.md.
    "4x6-optimal": (5625, 6),  # proven to be the least, and so is that of 4x7
    "4x6-optimal-5": (5626, 5),
    "4x7-optimal": (11228, 6),
    "4x8-optimal": (20471, 7),
    "4x10-optimal": (56058, 8),
    "5x6-optimal": (37035, 7),
    "5x8-optimal": (179418, 7),
    "4x10u-optimal": (26274, 7),  # published as the least
}
BOOKS = {"6x9-optimal"}


def load(title: str) -> DecisionTree:
    size, _, name = title.partition("-")
    tree = find_tree(find_rules(size).space, name)
    assert tree is not None
    return tree


@pytest.mark.parametrize("title", [title for title in SHIPPED if title not in BOOKS])
def test_a_tree_needs_the_guesses_that_its_header_and_the_document_state(title):
    tree = load(title)
    games = count_guesses(tree)
    assert games == tree.histogram
    total, worst = sum(guesses * secrets for guesses, secrets in games.items()), max(games)
    assert (tree.total, tree.worst) == (total, worst)
    row = f"| {tree.space} | `{tree.name}` | {total} "
    row += f"| {total / tree.space.codes:.4f} | {worst} |"
    assert row in (DOCUMENTS / "TREES.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("title", KNOWN)
def test_a_tree_needs_no_more_guesses_than_were_known_to_suffice(title):
    tree = load(title)
    assert tree.total is not None
    assert tree.worst is not None
    total, worst = KNOWN[title]
    assert tree.total == total if title.startswith(("4x6", "4x7", "4x10u")) else tree.total <= total
    assert tree.worst <= worst


@pytest.mark.parametrize("title", sorted(BOOKS))
def test_a_book_has_a_guess_for_every_cell_up_to_its_depth(title):
    tree = load(title)
    codes = solver.list_codes(tree.space)
    assert tree.total is None
    assert tree.worst is None
    depths = {depth for depth, _, _ in tree.walk()}
    asked = 0
    cells: list[tuple[tuple[Turn, ...], NDArray[np.intp]]] = [((), np.arange(len(codes)))]
    while cells:
        turns, cell = cells.pop()
        guess = tree.find_guess(turns)
        if guess is None:
            assert len(cell) <= 2
            continue
        asked += 1
        if len(turns) + 1 == max(depths):
            continue
        answers = solver.score_one(guess, codes[cell])
        for answer in set(answers.tolist()):
            turn = Turn(guess, solver.decode_feedback(answer, tree.space.pegs))
            if turn.feedback.black < tree.space.pegs:
                cells.append(((*turns, turn), cell[answers == answer]))
    assert asked == sum(1 for _ in tree.walk()), "a node that no game comes to"


FIRST = Turn((0, 0, 1, 2), Feedback(1, 1))  # the guess of the tree for 4x6, and an answer


@pytest.mark.parametrize(
    ("turns", "guessed"),
    [
        ((), True),
        ((FIRST,), True),
        ((Turn((0, 0, 1, 1), Feedback(1, 1)),), False),
        ((FIRST, FIRST), False),
        ((Turn(FIRST.code, Feedback(4, 0)),), False),
        ((Turn(FIRST.code, Feedback(4, 0)), FIRST), False),
    ],
)
def test_a_tree_has_a_guess_unless_another_was_played_or_the_game_is_won(turns, guessed):
    assert (load("4x6-optimal").find_guess(turns) is not None) is guessed


def test_a_tree_is_found_by_size_and_name_and_read_once():
    assert load("4x6-optimal") is load("4x6-optimal")
    assert find_tree(CodeSpace(9, 12)) is None
    assert find_tree(CodeSpace(4, 6), "knuth") is None


# Damaged files.


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


def spoil(*edits: str) -> list[bytes]:
    """Return signed files, each with one edit of the body: `old > new`."""
    files = []
    for edit in edits:
        old, _, new = edit.partition(" > ")
        assert old.encode() in BODY
        files.append(sign(BODY.replace(old.encode(), new.encode())))
    return files


DAMAGED = {
    "is not a decision tree": [b"", bytes(range(256)), b"\xff\xfe" + BODY],
    "has another version than 1": [sign(BODY).replace(b"tree 1", b"tree 2", 1)],
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
        *spoil("size 2x > colours ", "2x3 > 2", "2x3 > 2x13", "2x3 > 0x3", "2x3 > 2x3u"),
        *spoil("histogram - > histogram 1: 2:8", "histogram - > histogram 1:1 2:7"),
        *spoil("2 00 00 > 2 00", "2 00 00 > two 00 00", "2 10 > 2 11", "2 10 > 2 20", "2 10 > 2 -"),
        *spoil("10 02 > 10 03", "10 02 > 10 0c", "10 02 > 10 021"),
    ],
    "is not in the canonical form": [
        sign(BODY[:-1]),
        *spoil("\n\n > \n", "2x3 > 2x4", "nodes 3 > nodes 4", "total - > total 9"),
        *spoil("total -\nhistogram - > total 18\nhistogram 1:1 2:8"),
        *spoil("2 10 > 2 00", "2 10 > 1 10", "2 10 > 4 10", "2 10 > 0 10"),
        *spoil("1 - 01 > 1 00 01", "1 - 01 > 2 - 01"),
    ],
}


def test_the_file_without_damage_is_read(tmp_path):
    path = tmp_path / "2x3-tiny.tree"
    path.write_bytes(sign(BODY))
    replies = {Feedback(0, 0): Node((0, 0)), Feedback(1, 0): Node((0, 2))}
    assert read_tree(path) == DecisionTree(CodeSpace(2, 3), "tiny", Node((0, 1), replies))


@pytest.mark.parametrize(
    ("reason", "content"), [(reason, file) for reason, files in DAMAGED.items() for file in files]
)
def test_the_error_for_a_damaged_file_has_its_name_and_the_reason(reason, content, tmp_path):
    path = tmp_path / "2x3-tiny.tree"
    path.write_bytes(content)
    with pytest.raises(TreeDamaged, match=re.escape(f"2x3-tiny.tree: {reason}")):
        read_tree(path)


@brief
@given(st.data())
def test_a_changed_byte_of_a_shipped_file_is_noticed(tmp_path_factory, data):
    content = bytearray(find_tree_path(CodeSpace(4, 6), "optimal").read_bytes())
    at = data.draw(st.integers(0, len(content) - 1))
    content[at] ^= data.draw(st.integers(1, 255))
    damaged = tmp_path_factory.getbasetemp() / "4x6-damaged.tree"
    damaged.write_bytes(content)
    with pytest.raises(TreeDamaged, match=r"^4x6-damaged\.tree: "):
        read_tree(damaged)


def test_a_tree_under_the_name_of_another_is_an_error(tmp_path, monkeypatch):
    find_tree_path(CodeSpace(4, 7), "optimal", tmp_path).write_bytes(
        find_tree_path(CodeSpace(4, 6), "optimal").read_bytes()
    )
    monkeypatch.setattr(
        "mastermind_server.bots.tree.find_tree_path",
        lambda space, name: find_tree_path(space, name, tmp_path),
    )
    with pytest.raises(TreeDamaged, match=r"^4x7-optimal\.tree: is the tree of 4x6 optimal$"):
        find_tree.__wrapped__(CodeSpace(4, 7), "optimal")


# Writing and reading.


@st.composite
def trees(draw: st.DrawFn) -> DecisionTree:
    rules = draw(any_rules)
    space, pegs, codes = rules.space, rules.pegs, codes_of(rules)
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
        return DecisionTree(space, name, root)
    late = draw(st.integers(0, space.codes - 1))
    histogram = {1: space.codes - late} | ({7: late} if late else {})
    return DecisionTree(space, name, root, space.codes + 6 * late, histogram)


@brief
@given(trees())
def test_a_written_tree_is_read_again(tmp_path_factory, tree):
    path = tmp_path_factory.getbasetemp() / "any.tree"
    write_tree(tree, path)
    written = path.read_bytes()
    again = read_tree(path)
    assert again == tree
    write_tree(again, path)
    assert path.read_bytes() == written


@pytest.mark.parametrize("title", SHIPPED)
def test_a_shipped_tree_is_written_to_the_same_bytes(title, tmp_path):
    tree = load(title)
    write_tree(tree, tmp_path / "again.tree")
    shipped = find_tree_path(tree.space, tree.name)
    assert (tmp_path / "again.tree").read_bytes() == shipped.read_bytes()


def test_a_node_is_a_line_with_its_depth_feedback_and_guess(tmp_path):
    root = Node((0, 11), {Feedback(1, 0): Node((0, 10)), Feedback(0, 2): Node((11, 0))})
    write_tree(DecisionTree(CodeSpace(2, 12), "tiny", root), tmp_path / "tiny.tree")
    *_, first, second, third = (tmp_path / "tiny.tree").read_text().splitlines()
    assert [first, second, third] == ["1 - 0b", "2 02 b0", "2 10 0a"]
