"""Sockets: who is let in, and the frames that come and go."""
