"""How people come to matches: opened, found, joined, listed."""
