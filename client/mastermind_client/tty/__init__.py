"""The user's terminal, as the full screen and the line interface share it."""
