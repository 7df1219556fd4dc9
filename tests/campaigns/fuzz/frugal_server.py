"""Run `mastermind-server` with small caches, which fill early, so that later growth is a leak.

Command line and code are the real ones; only the sizes in `KEPT` are smaller.
"""

import sys

from mastermind_server.cli import main
from mastermind_server.matches import analysis
from mastermind_server.matches.tables import tables
from mastermind_server.network import rate_limits
from mastermind_server.storage import idempotency

KEPT = (
    (rate_limits, "BUCKETS_KEPT", 300),
    (analysis, "REVIEWS_KEPT", 200),
    (tables, "ROWS_KEPT", 5000),
    (tables, "TABLES_KEPT", 16),
    (idempotency, "REQUESTS_KEPT", 2000),
)

if __name__ == "__main__":
    for module, name, number in KEPT:
        if not hasattr(module, name):
            raise AttributeError(name)
        setattr(module, name, number)
    sys.exit(main())
