"""The file of a player: tokens, name and unfinished matches; also the files of old clients."""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from mastermind_client.network.running import OwnSeat, UnfinishedMatch

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


_LOG = logging.getLogger(__name__)
PLAYER_SUFFIX = ".json"  # of the file
# Of the two files of earlier clients.
OLD_TOKENS_SUFFIX, OLD_MATCHES_SUFFIX = OLD_SUFFIXES = (".token", ".running")
_TOKEN = re.compile(r"[A-Za-z0-9_-]{43}")
MAX_STORED_MATCHES = 32  # matches of one player, more than are played at once


class StoredPlayer(msgspec.Struct, frozen=True):
    """The content of a player's file.

    `tokens` has the most recently used token first, and several tokens if different servers have
    run at one address. `used` is the time of the last claim, in nanoseconds since 1970. `host` is
    the name of the player whose program ran the server at the last visit, or "".
    """

    server: str
    name: str = ""
    tokens: tuple[str, ...] = ()
    used: int = 0
    matches: tuple[UnfinishedMatch, ...] = ()
    host: str = ""

    def find_match(self, code: str) -> UnfinishedMatch | None:
        """Return the stored match with this code, or None."""
        return next((match for match in self.matches if match.code == code), None)

    def can_resume(self, code: str, name: str | None) -> bool:
        """Return whether the player has a seat in a match and can resume it under `name`.

        If the match still waits for an invited friend, `name` must be the stored name or None. With
        another name, a second player of this computer accepts the invitation.
        """
        match = self.find_match(code)
        return match is not None and (bool(match.opponent) or name in (None, self.name))

    def with_match(self, match: UnfinishedMatch) -> StoredPlayer:
        """Return a copy with a match added or replaced, and at most MAX_STORED_MATCHES."""
        others = self.without_match(match.code).matches
        return replace(self, matches=(*others, match)[-MAX_STORED_MATCHES:])

    def without_match(self, code: str) -> StoredPlayer:
        """Return a copy without a match."""
        kept = tuple(match for match in self.matches if match.code != code)
        return replace(self, matches=kept)

    def list_seats(self, *, from_server: bool = True) -> list[OwnSeat]:
        """Return the seats in the stored matches.

        Each seat gets the field `from_server`: whether the server has sent these matches.
        """
        return [OwnSeat(self.server, self.name, match, from_server) for match in self.matches]


def read_file(path: Path) -> StoredPlayer | None:
    """Return the content of a file without invalid tokens, or None for a missing or broken file.

    Raises OSError if the file cannot be read.
    """
    if not path.is_file():
        return None
    try:
        player = msgspec.json.decode(path.read_bytes(), type=StoredPlayer)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    return replace(player, tokens=tuple(filter(_TOKEN.fullmatch, player.tokens)))


def read_player(path: Path, server: str) -> StoredPlayer:
    """Return the player of a file, or of the two files of an old client. Raises OSError."""
    if (player := read_file(path)) is not None:
        return player
    tokens, matches = (path.with_suffix(suffix) for suffix in OLD_SUFFIXES)
    player = read_file(matches) or StoredPlayer(server)
    used = matches.stat().st_mtime_ns if player.matches else 0
    lines = tokens.read_text("ascii", "replace").splitlines() if tokens.is_file() else []
    known = tuple(filter(_TOKEN.fullmatch, lines))
    return replace(player, tokens=known, used=used)


def list_players(*folders: Path) -> Iterator[tuple[Path, StoredPlayer]]:
    """Yield the files of the players with unfinished matches, and their contents."""
    for folder in folders:
        files = (*folder.glob(f"*{PLAYER_SUFFIX}"), *folder.glob(f"*{OLD_MATCHES_SUFFIX}"))
        for path in sorted({file.with_suffix(PLAYER_SUFFIX) for file in files}):
            try:
                player = read_player(path, "")
            except OSError as error:
                _LOG.warning("%s cannot be read: %s", path, error)
            else:
                if player.matches:
                    yield path, player
