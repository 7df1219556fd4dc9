"""Matches in memory: log, followers, chat and views of each."""
