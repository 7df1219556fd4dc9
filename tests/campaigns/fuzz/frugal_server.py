"""A server that keeps little of what it may forget: it is full soon, and what grows then is a leak.

It is the real one, its command line too, with smaller numbers of what is kept.
"""

import sys

from mastermind_server import tuning

KEPT = {
    "BUCKETS_KEPT": 300,
    "REQUESTS_KEPT": 2000,
    "REVIEWED_KEPT": 200,
    "ROWS_KEPT": 5000,
    "TABLES_KEPT": 16,
}

if __name__ == "__main__":
    for name, number in KEPT.items():
        if not hasattr(tuning, name):
            raise AttributeError(name)
        setattr(tuning, name, number)

    from mastermind_server.cli import main  # what it loads takes the numbers that it finds

    sys.exit(main())
