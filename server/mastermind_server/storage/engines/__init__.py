"""The two engines of the store, a SQLite file and PostgreSQL, behind one `Database`."""
