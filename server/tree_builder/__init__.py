"""Makes the decision trees: `python -m tree_builder`, or `make trees`.

The wheel does not have this package, which needs Numba: the game only reads the trees. Compiled
loops over all guesses and candidates take minutes; with NumPy they would take hours. A cell is the
set of candidates that remain after some feedbacks.

    compiled.py         the compiled search: branch and bound over the guesses of a cell
    compiled_codes.py   compiled symmetries and scores of codes
    compiled_memory.py  the data of a search, and its memory of solved cells
    search_data.py      makes the data of a search: scores, bounds, estimates
    recipes.py          the recipes: the parameters of each tree and of its searches
    maker.py            builds a tree from a recipe: narrow searches guide wider searches
    book.py             the first guesses of a game too large for a whole tree
"""
