"""The player's side of networked Mastermind: a session with a server, and the interfaces on it."""
