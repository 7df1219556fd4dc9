"""The command `solve` in the line interface: games that are played elsewhere, and puzzles."""
