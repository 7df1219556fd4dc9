"""The helper for games that are played elsewhere, and puzzles."""
