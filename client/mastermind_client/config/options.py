"""The options of each command as a frozen value."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from mastermind_protocol.code import Code
    from mastermind_protocol.events import Seat
    from mastermind_protocol.rules import Rules

FRIEND = "friend"
ANYONE = "anyone"
LEVELS = ("easy", "medium", "hard")  # names of bots by strength
DEFAULT_BOT = "hard"
DEFAULT_PORT = 8765  # of a server
DEFAULT_SERVER = f"ws://localhost:{DEFAULT_PORT}"
OFFLINE = ""  # the address of the server in this process
HOSTED = "host://here"  # the address of the server in this process that the network can reach


@dataclass(frozen=True, slots=True)
class PlayOptions:
    """A match to open or to find.

    `versus` is FRIEND, ANYONE or the name of a bot. Without a `server`, a match against a bot runs
    in this process, and any other on the `usual_server`. A `settled` match needs no questions.
    `rules_from_before` is True if the command names no rules: they are from the last game.
    `undecided` is True if the command has no options.
    """

    rules: Rules
    versus: str = DEFAULT_BOT
    seat: Seat | None = None
    server: str | None = None
    name: str | None = None
    rounds: int = 1
    seed: int | None = None
    public: bool = False
    rated: bool = False
    settled: bool = False
    rules_from_before: bool = False
    undecided: bool = field(default=False, compare=False)  # not part of the match
    usual_server: str = DEFAULT_SERVER

    @property
    def address(self) -> str | None:
        """The address of the server, or None for a server in this process."""
        return self.server or (None if self.against_bot else self.usual_server)

    @property
    def against_bot(self) -> bool:
        """Whether the opponent is a bot of the server."""
        return self.versus not in (FRIEND, ANYONE)


@dataclass(frozen=True, slots=True)
class JoinOptions:
    """A match to join: by its code, or without one from the list of waiting matches.

    With `own`, only the player's own seat is resumed, and no other seat is taken. If the invitation
    `names_server`, that server becomes the one in the settings.
    """

    code: str | None
    server: str
    name: str | None = None
    own: bool = False
    names_server: bool = False


@dataclass(frozen=True, slots=True)
class ContinueOptions:
    """A match to resume: by its code, from a list if `listed`, or the most urgent one.

    A `server` excludes matches on other servers. A code that is not stored is joined on the
    `usual_server`.
    """

    code: str | None = None
    server: str | None = None
    name: str | None = None
    listed: bool = False
    usual_server: str = DEFAULT_SERVER


@dataclass(frozen=True, slots=True)
class WatchOptions:
    """A match to watch: by its code, from the list, or a new one of the `bot`.

    A bot's match without a `server` runs in this process.
    """

    server: str | None
    code: str | None = None
    bot: str | None = None
    rules: Rules | None = None
    secret: Code | None = None
    public: bool = False
    name: str | None = None


@dataclass(frozen=True, slots=True)
class ReviewOptions:
    """A finished match to review: by its code, or from the list of the player's own."""

    code: str | None
    server: str
    name: str | None = None


@dataclass(frozen=True, slots=True)
class BotsOptions:
    """A server to list the bots of, or None for the bots in this process."""

    server: str | None
    name: str | None = None


@dataclass(frozen=True, slots=True)
class StatsOptions:
    """The player's statistics: offline games, and those on the `server` or the `usual_server`.

    A failure of the `usual_server` is only reported.
    """

    server: str | None
    usual_server: str = DEFAULT_SERVER
    json: bool = False


@dataclass(frozen=True, slots=True)
class TransferOptions:
    """A player to transfer to another computer, or to this one by the `code` from another."""

    server: str
    code: str | None = None


@dataclass(frozen=True, slots=True)
class LogoutOptions:
    """A server where this computer is logged out, or all others if `everywhere`."""

    server: str
    everywhere: bool = False


MatchOptions: TypeAlias = PlayOptions | JoinOptions | WatchOptions | ReviewOptions
