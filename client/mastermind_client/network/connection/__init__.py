"""The connection of a session to a server: its socket, keepalive and reconnection."""
