"""The options of the commands, and the stored settings."""
