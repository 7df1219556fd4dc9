"""The code of the day, and the tries of players."""
