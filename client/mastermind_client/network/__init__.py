"""Sessions with servers, their matches, and the stored players. Without texts or a terminal."""
