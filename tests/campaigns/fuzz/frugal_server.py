"""Run `mastermind-server` with small caches, which fill early, so that later growth is a leak.

Command line and code are the real ones; only the sizes in `KEPT` are smaller.
"""

import sys

from mastermind_server import tuning

KEPT = {
    "BUCKETS_KEPT": 300,
    "REVIEWED_KEPT": 200,
    "ROWS_KEPT": 5000,
    "TABLES_KEPT": 16,
}

if __name__ == "__main__":
    for name, number in KEPT.items():
        if not hasattr(tuning, name):
            raise AttributeError(name)
        setattr(tuning, name, number)

    # These modules copy the sizes above when imported.
    from mastermind_server.cli import main
    from mastermind_server.storage import idempotency

    idempotency.REQUESTS_KEPT = 2000

    sys.exit(main())
