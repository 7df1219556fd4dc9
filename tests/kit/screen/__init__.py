"""A full-screen client in a test: its terminal, its players and their sessions."""
