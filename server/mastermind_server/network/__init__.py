"""Connections: sockets, authentication, rate limits, and the dispatch of requests."""
