"""How the server fares: how late it is, what things cost, and what is refused for that."""
