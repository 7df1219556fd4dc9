"""The maker of the decision trees: `python -m mastermind_server.bots.search`, or `make trees`.

Nothing of the game imports this package. It needs Numba (the extra `trees`): its loops over all
guesses and candidates take minutes compiled, and would take NumPy hours.

    compiled.py     the search itself, compiled: a cell, its guesses, branch and bound
    board.py        what it works on: scores, bounds, estimates, its memory
    recipes.py      which trees are made, and how widely each is searched
    maker.py        from a recipe to a tree: narrow searches first, whose results guide wider ones
    book.py         the first guesses of a game too large for a whole tree
"""
