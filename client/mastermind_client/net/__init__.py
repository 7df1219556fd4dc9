"""The connection to a server and what is known of its matches: no words, no terminal."""
