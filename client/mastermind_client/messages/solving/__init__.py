"""Texts about games that are played elsewhere, and about puzzles."""
