from __future__ import annotations

import math
from functools import cache

import pytest

from kit.codes import count_guesses, divide, list_codes
from mastermind_protocol.code import Code
from mastermind_protocol.feedback import Feedback, score
from mastermind_protocol.rules import MAX_COLOURS, MAX_PEGS, CodeSpace, find_rules
from mastermind_server.bots import tree as trees
from mastermind_server.bots.arena import Contest
from mastermind_server.bots.optimal import OPTIMAL
from tree_builder import __main__ as command
from tree_builder.book import make_book
from tree_builder.compiled_memory import IMPOSSIBLE, UNLIMITED
from tree_builder.maker import make_tree
from tree_builder.recipes import (
    EXACT_SEARCH,
    RECIPES,
    ROUGH_SEARCH,
    BookRecipe,
    Recipe,
    SearchWidth,
    get_tree_name,
)
from tree_builder.search_data import (
    count_most_answers,
    find_cost_bounds,
    index_feedbacks,
    make_codes,
    make_prices,
    make_scores,
)

pytestmark = pytest.mark.trees  # Numba compiles what they call, which takes a minute
SLOTS = 1 << 14
SMALL = [
    space
    for repeats in (True, False)
    for pegs in range(1, MAX_PEGS + 1)
    for colours in range(2, MAX_COLOURS + 1)
    if 0 < (space := CodeSpace(pegs, colours, repeats)).codes <= 1296
]


def count_plainly(space: CodeSpace, limit: int) -> float:
    """Return the least total that any strategy has, trying every guess in every cell."""
    codes = list_codes(space)

    @cache
    def count(cell: frozenset[Code], left: int) -> float:
        if len(cell) == 1:
            return 1 if left else math.inf
        if left < 2:
            return math.inf
        best = math.inf
        for guess in codes:
            parts = divide(cell, guess)
            won = parts.pop(Feedback(space.pegs, 0), [])
            if len(parts) == 1 and not won:
                continue
            total = float(len(cell))
            for part in parts.values():
                total += count(frozenset(part), left - 1)
                if total >= best:
                    break
            best = min(best, total)
        return best

    return count(frozenset(codes), limit)


@pytest.mark.parametrize(
    "name", ["1x2", "1x3", "1x6", "2x2", "2x3", "2x4", "3x2", "3x3", "4x2", "2x2u", "3x3u", "2x4u"]
)
def test_a_tree_of_a_small_game_needs_the_fewest_guesses_of_all_strategies(name):
    space = find_rules(name).space
    tree = make_tree(Recipe(space, (ROUGH_SEARCH, EXACT_SEARCH), memory_slots=SLOTS))
    assert tree.total == count_plainly(space, space.codes)
    assert count_guesses(tree) == tree.histogram


@pytest.mark.parametrize("space", SMALL, ids=str)
def test_optimal_needs_the_fewest_guesses_at_every_size_of_at_most_1296_codes(space):
    tree = make_tree(Recipe(space, (ROUGH_SEARCH, EXACT_SEARCH)))
    played = Contest(OPTIMAL, find_rules(str(space)), None, seed=1).play(lambda _: None)
    assert played.total_guesses == tree.total


@pytest.mark.parametrize(
    ("name", "limit"), [("2x3", 4), ("2x4", 4), ("3x2", 3), ("3x3", 4), ("2x4u", 3)]
)
def test_a_tree_with_a_limit_needs_the_fewest_guesses_within_it(name, limit):
    space = find_rules(name).space
    tree = make_tree(Recipe(space, (EXACT_SEARCH,), limit=limit, memory_slots=SLOTS))
    assert tree.total == count_plainly(space, limit)
    assert max(count_guesses(tree)) <= limit


def test_a_limit_below_that_of_all_strategies_is_an_error():
    assert count_plainly(CodeSpace(3, 3), 3) == math.inf
    with pytest.raises(ValueError, match="no tree of 3x3 optimal was found"):
        make_tree(Recipe(CodeSpace(3, 3), (EXACT_SEARCH,), limit=3, memory_slots=SLOTS))


def test_a_surcharge_makes_late_guesses_rare_at_the_same_total():
    plain = make_tree(Recipe(CodeSpace(3, 4), (EXACT_SEARCH,), memory_slots=SLOTS))
    tidy = make_tree(
        Recipe(
            CodeSpace(3, 4),
            (EXACT_SEARCH,),
            limit=5,
            unit=1 << 8,
            surcharges=((4, 1), (5, 1 << 7)),
            memory_slots=SLOTS,
        )
    )
    assert tidy.total == plain.total
    assert count_guesses(tidy) == tidy.histogram
    assert [tidy.histogram.get(k, 0) for k in (5, 4)] <= [plain.histogram.get(k, 0) for k in (5, 4)]


def test_a_narrow_search_finds_a_tree_that_is_no_better():
    narrow = make_tree(Recipe(CodeSpace(3, 4), (SearchWidth(1, 1, 1, 1),), memory_slots=SLOTS))
    exact = make_tree(Recipe(CodeSpace(3, 4), (EXACT_SEARCH,), memory_slots=SLOTS))
    assert narrow.total is not None
    assert exact.total is not None
    assert narrow.total >= exact.total
    assert count_guesses(narrow) == narrow.histogram


def test_a_search_without_memory_for_its_tree_fails():
    with pytest.raises(MemoryError, match="4 slots are too few"):
        make_tree(Recipe(CodeSpace(3, 4), (EXACT_SEARCH,), memory_slots=4))


def test_the_command_makes_the_shipped_files_of_4x6(tmp_path, capsys):
    command.main(["4x6-optimal", "4x6-optimal-5", "--to", str(tmp_path)])
    for name in ("4x6-optimal.tree", "4x6-optimal-5.tree"):
        assert (tmp_path / name).read_bytes() == (trees.TREES_FOLDER / name).read_bytes()
    told = capsys.readouterr().out
    assert "total 5625, average 4.3403, worst 6" in told
    assert "total 5626, average 4.3410, worst 5" in told


def test_a_tree_that_has_no_recipe_is_refused(capsys):
    with pytest.raises(SystemExit):
        command.main(["4x6-optimal", "4x66"])
    assert "unknown tree 4x66: choose from 3x4-optimal, " in capsys.readouterr().err


def test_every_shipped_tree_has_its_recipe():
    titles = [get_tree_name(recipe) for recipe in RECIPES]
    assert sorted(titles) == sorted(path.stem for path in trees.TREES_FOLDER.glob("*.tree"))


@pytest.mark.parametrize("name", ["1x12", "2x5", "3x4", "4x3", "6x2", "3x5u", "4x4u"])
def test_scores_equal_the_protocols(name):
    space = find_rules(name).space
    scores = make_scores(make_codes(space))
    _, feedbacks = index_feedbacks(space.pegs)
    codes = list_codes(space)
    for guess, row in zip(codes, scores.tolist(), strict=True):
        assert [feedbacks[answer] for answer in row] == [score(code, guess) for code in codes]


def test_the_bound_is_the_cost_of_a_perfect_tree():
    free = make_prices(1, None, {})
    costs = find_cost_bounds(200, 14, 1, free)
    assert costs[UNLIMITED, :4].tolist() == [0, 1, 3, 5]
    assert costs[UNLIMITED, 200] == 1 + 13 * 2 + 169 * 3 + 17 * 4
    assert costs[3, 183] == 1 + 13 * 2 + 169 * 3
    assert costs[3, 184] == IMPOSSIBLE
    assert costs[0].tolist() == [0] + [IMPOSSIBLE] * 200


@pytest.mark.parametrize(("name", "most"), [("4x6", 14), ("9x2", 22), ("4x4u", 4)])
def test_a_guess_of_some_sizes_cannot_get_every_feedback(name, most):
    assert count_most_answers(make_scores(make_codes(find_rules(name).space))) == most


def test_a_price_depends_on_the_guess_that_wins():
    assert make_prices(100, 4, {4: 7, 3: 1})[:5].tolist() == [100, 107, 101, 100, 100]
    with pytest.raises(ValueError, match="surcharges without a limit"):
        make_prices(100, None, {4: 7})


@pytest.mark.parametrize(
    ("pegs", "colours", "first"), [(2, 5, "01"), (3, 3, "001"), (4, 3, "0012")]
)
def test_a_book_has_the_guesses_of_most_entropy(pegs, colours, first):
    book = make_book(BookRecipe(CodeSpace(pegs, colours), first, depth=3, name="book"))
    assert (book.total, book.histogram) == (None, {})
    codes = list_codes(CodeSpace(pegs, colours))

    def count_left(cell, guess):
        sizes = [len(part) for part in divide(cell, guess).values()]
        return sum(size * math.log2(size) for size in sizes)

    def check(node, cell, depth):
        for feedback, part in divide(cell, node.guess).items():
            below = node.replies.get(feedback)
            inside = len(part) > 2 and depth < 3 and feedback.black < pegs
            assert (below is not None) == inside
            if below is not None:
                least = min(count_left(part, guess) for guess in codes)
                assert count_left(part, below.guess) == pytest.approx(least, abs=1e-3)
                check(below, part, depth + 1)

    check(book.root, frozenset(codes), 1)


def test_a_graft_takes_the_branch_of_a_feedback_from_another_tree():
    late, early = ((4, 1),), ((3, 1), (4, 1))

    def make(surcharges, *grafts):
        return make_tree(
            Recipe(
                *(CodeSpace(3, 4), (EXACT_SEARCH,)),
                limit=5,
                unit=1 << 10,
                surcharges=surcharges,
                grafts=grafts,
                memory_slots=SLOTS,
            )
        )

    plain, other = make(late), make(early)
    grafted = make(late, (Feedback(0, 1), early))
    assert plain.total == other.total == grafted.total
    for feedback, below in grafted.root.replies.items():
        source = other if feedback == Feedback(0, 1) else plain
        assert below == source.root.replies[feedback]
