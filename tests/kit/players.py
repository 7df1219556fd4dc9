"""The players of a test's user, in the folder that the environment names."""

from mastermind_client.cli.process import make_context
from mastermind_client.network.players.identities import Identities


def identities() -> Identities:
    """Return the user's identities, which are written at once."""
    return Identities(make_context().folder)
