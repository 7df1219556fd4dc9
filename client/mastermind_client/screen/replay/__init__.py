"""The review of a match, move by move: what it shows, and how that is drawn."""
