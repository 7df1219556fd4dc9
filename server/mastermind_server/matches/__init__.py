"""Matches: lobby, tables, bots, analysis, and the cooperation of nodes."""
