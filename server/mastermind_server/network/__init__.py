"""Sockets, authentication, rate limits and handlers of requests."""
