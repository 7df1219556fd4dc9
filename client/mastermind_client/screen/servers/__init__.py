"""What the app knows of the places to play at: sessions, running matches, games that are over."""
