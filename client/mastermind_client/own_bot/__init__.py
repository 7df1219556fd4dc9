"""A user's own bot plays on a server: `mastermind bot MODULE:CLASS`.

The runner sits at the tables and knows no method of play. Whatever the user wrote runs in a process
of its own, one a match, which nothing but orders reach and nothing but replies leave.
"""
