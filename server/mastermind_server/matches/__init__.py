"""Matches: how they begin, the tables they are played at, and who may see what of them."""
