"""The server of networked Mastermind: lobbies, running matches, bots, and the stored log."""
