"""The command `ratings`: the check of ratings against the log, and their repair."""
