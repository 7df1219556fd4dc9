"""What the server says in its log, and how that is written."""
