"""What is kept: the event log and what is made of it, in a SQLite file or PostgreSQL."""
