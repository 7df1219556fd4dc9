"""Runs a user's own bot on a server: `mastermind bot MODULE:CLASS`.

The runner plays the matches. The user's code chooses the moves, in a child process per match. The
child process reads orders from a socket, and writes replies to the same socket.
"""
