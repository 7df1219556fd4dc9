"""The code of the day: its secrets, and what players did with it."""
