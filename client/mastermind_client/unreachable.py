"""What a client raises when there is no session: apart, for it is cheap to load."""


class ServerUnreachable(Exception):
    """There is no session with the server; the text says why and what to try."""
