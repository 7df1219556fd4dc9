"""Runs a user's own bot on a server: `mastermind bot MODULE:CLASS`.

The runner plays the matches but chooses no moves. The user's code chooses them, in a child process
per match, which reads orders from a socket and writes replies to it.
"""
