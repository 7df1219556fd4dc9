"""Whether a match can be resumed: its files may have been removed while it was played."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.config.options import HOSTED, OFFLINE
from mastermind_client.network.embedded import GAMES_FILE
from mastermind_client.network.identities import Identities
from mastermind_client.network.identity import read_file

if TYPE_CHECKING:
    from mastermind_client.context import ClientContext
    from mastermind_client.network.identity import Identity


def is_saved(context: ClientContext, identity: Identity, match: str) -> bool:
    """Return whether the files have the player's seat in a match, and a match of this computer.

    `match` is a code. Earlier changes must have been written (`Writer.flush`). Reads a file.
    """
    games = {OFFLINE: Identities.of(context).offline_folder, HOSTED: context.hosted_folder}
    folder = games.get(identity.stored.server)
    if identity.path is None or (folder is not None and not (folder / GAMES_FILE).is_file()):
        return False
    try:
        stored = read_file(identity.path)
    except OSError:  # no longer readable
        return False
    return stored is not None and stored.find_match(match) is not None
