"""The numbers of log rows that players are charged for, when a match is opened and by moves."""

from __future__ import annotations

PREPAID_ROWS = 50  # charged at the start of a match, which may always write them: some five rounds
ROWS_PER_ROUND = 10  # charged for each further round; bots need six to eight guesses


def count_prepaid_rows(rounds: int) -> int:
    """Return the number of log rows that are charged when a match of `rounds` rounds is opened.

    Most matches write fewer rows. So a player can finish an opened match even if the limit `rows`
    has no tokens left.
    """
    return max(PREPAID_ROWS, ROWS_PER_ROUND * rounds)


def count_charged_rows(version: int, rounds: int) -> int:
    """Return the number of log rows to charge for a move in a match with `version` rows.

    Moves are free while the log has fewer rows than `count_prepaid_rows` returns. After that, a
    move is charged for ROWS_PER_ROUND rows whenever `version` is a multiple of ROWS_PER_ROUND.
    """
    if version % ROWS_PER_ROUND or version < PREPAID_ROWS:
        return 0
    return ROWS_PER_ROUND if version >= count_prepaid_rows(rounds) else 0
