"""A match on the screen: its model as a value, and how that is drawn."""
