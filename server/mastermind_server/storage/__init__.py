"""Storage: the event log and its projections, in a SQLite file or PostgreSQL."""
