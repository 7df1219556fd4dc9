"""Runs a user's own bot on a server: `mastermind bot MODULE:CLASS`.

The runner plays the matches and has no strategy. The user's code runs in a child process per match,
which only reads orders from a socket and writes replies to it.
"""
