"""Accepting sockets, connection limits, TLS, WebSocket frames and send buffers."""
