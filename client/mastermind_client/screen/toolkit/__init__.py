"""The toolkit of the full screen: lines, keys, forms and tables that know nothing of the game."""
