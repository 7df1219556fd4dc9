"""Connections: what is read and sent, who is let in, how fast, and who does what is asked."""
