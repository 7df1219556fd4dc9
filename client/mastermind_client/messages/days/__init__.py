"""Texts about the code of the day, for both interfaces and the command `today`."""
