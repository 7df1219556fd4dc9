"""Sockets: connection limits, TLS and WebSocket frames."""
