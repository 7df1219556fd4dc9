"""The server's log: its format, and the thread that writes it."""
