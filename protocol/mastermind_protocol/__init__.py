"""The rules, match state and wire messages that the Mastermind client and server share.

No module does I/O, reads a clock or draws random numbers. Callers pass times and random values.
"""
