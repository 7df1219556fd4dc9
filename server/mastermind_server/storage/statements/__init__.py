"""What is asked of a database in one session."""
