"""What the command line asks for: one frozen value a command."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from mastermind_protocol.code import Code
    from mastermind_protocol.events import Seat
    from mastermind_protocol.rules import Rules

FRIEND = "friend"
ANYONE = "anyone"
LEVELS = ("easy", "medium", "hard")  # bots that are called after how well they play
DEFAULT_BOT = "hard"
DEFAULT_SERVER = "ws://localhost:8765"
OFFLINE = ""  # the address of the server in this process


@dataclass(frozen=True, slots=True)
class PlayOptions:
    """A game to start. `settled` tells that the player has said how to play it.

    `rules_from_before` tells that nobody has named the rules: they are those of an earlier time.
    `undecided` tells that nobody has said anything of what to play.
    `versus` is FRIEND, ANYONE or a bot's name; without a `server` a game against a bot runs in
    this process, and any other on the `usual_server`.
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
    undecided: bool = field(default=False, compare=False)  # of how it came to be, not of what
    usual_server: str = DEFAULT_SERVER

    @property
    def address(self) -> str | None:
        """The server to play on; None is the one in this process."""
        return self.server or (None if self.against_bot else self.usual_server)

    @property
    def against_bot(self) -> bool:
        """Whether a bot of the server takes the other seat."""
        return self.versus not in (FRIEND, ANYONE)


@dataclass(frozen=True, slots=True)
class JoinOptions:
    """A match to take a seat in: by its code, or from the list of those that wait.

    `own` tells that we have a seat there: another one is not to be taken in its stead.
    """

    code: str | None
    server: str
    name: str | None = None
    own: bool = False


@dataclass(frozen=True, slots=True)
class ContinueOptions:
    """A match to go on with: by its code, the one that waits first, or picked from the list.

    On `server` alone, if there is one; `usual_server` is where a code is looked for that nothing is
    remembered of.
    """

    code: str | None = None
    server: str | None = None
    name: str | None = None
    listed: bool = False
    usual_server: str = DEFAULT_SERVER


@dataclass(frozen=True, slots=True)
class WatchOptions:
    """A match to look on at: by its code, from the list, or of bots started for it.

    Without a `server` it is in this process, which only bots' matches are.
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
    """A finished match to review: by its code, or from the list of one's own."""

    code: str | None
    server: str
    name: str | None = None


@dataclass(frozen=True, slots=True)
class BotsOptions:
    """The bots of a server to list; without one, those of a game in this process."""

    server: str | None
    name: str | None = None


@dataclass(frozen=True, slots=True)
class StatsOptions:
    """One's own games in figures: of this computer, and of the `server` or the `usual_server`.

    A `server` that is named has to be there.
    """

    server: str | None
    usual_server: str = DEFAULT_SERVER
    json: bool = False


@dataclass(frozen=True, slots=True)
class TransferOptions:
    """Who we are on a server, to be carried to another computer, or here by the `code` from one."""

    server: str
    code: str | None = None


@dataclass(frozen=True, slots=True)
class LogoutOptions:
    """A server that is to know this computer no more; or, `everywhere`, this one alone."""

    server: str
    everywhere: bool = False


MatchOptions: TypeAlias = PlayOptions | JoinOptions | WatchOptions | ReviewOptions
