"""The line interface reads and prints lines, for pipes, screen readers and any terminal.

It draws nothing and moves no cursor, so printed text stays.
"""
