"""Texts for users of both interfaces: pure functions from matches, events and errors to strings.

Texts are in the reader's language, and texts of other people are sanitised. Functions named
`describe_*` return sentences, `explain_*` clauses, `format_*` a short notation such as a code or a
name, and `list_*` lines. The package does no I/O, draws nothing, and imports fast.
"""
