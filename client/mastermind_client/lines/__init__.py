"""The line interface reads and prints lines, for pipes, screen readers and any terminal.

It does not move the cursor, so printed text stays on the terminal.
"""
