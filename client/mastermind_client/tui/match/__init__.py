"""The match: what its screen shows as a value, and how that is drawn."""
