"""The server's load: event loop lag, request costs and times, and load shedding."""
