"""The line interface: lines in, lines out, for pipes, screen readers and any terminal.

It draws nothing and moves no cursor: what is printed stays. Whatever is printed is made of words.
"""
