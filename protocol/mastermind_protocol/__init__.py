"""What the two sides of networked Mastermind agree on: the game, its match and its messages.

Nothing here does I/O, reads a clock or draws a random number: all of that is passed in.
"""
