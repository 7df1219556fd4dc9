"""The servers of the app: sessions, running matches and finished matches."""
