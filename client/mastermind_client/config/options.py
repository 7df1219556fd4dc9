"""The options of each command, as immutable values."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from mastermind_protocol.rules import DEFAULT

if TYPE_CHECKING:
    from mastermind_protocol.code import Code
    from mastermind_protocol.events import Seat
    from mastermind_protocol.rules import Rules

FRIEND = "friend"
FRIEND_ROUNDS = 2  # by default, as on the page: each of the two hides a code once
ANYONE = "anyone"
CLOCKS = ("5+3", "10+5", "60/move", "3d/move")  # in forms; others can be typed
LEVELS = ("easy", "medium", "hard")  # names of bots by strength
DEFAULT_BOT = "hard"
DEFAULT_PORT = 8765  # of a server
DEFAULT_SERVER = f"ws://localhost:{DEFAULT_PORT}"
DEFAULT_GAMES = (
    4  # of a user's bot at once: enough free seats for opponents, and a core of a laptop for each
)
DEFAULT_MOVE_SECONDS = 10.0  # of a user's bot: an opponent still waits then
OFFLINE = ""  # the address of the server in this process
HOSTED = "host://here"  # the address of the server in this process that the network can reach


@dataclass(frozen=True, slots=True)
class PlayOptions:
    """A match to open or to find.

    `versus` is FRIEND, ANYONE or the name of a bot. Without a `server`, a match against a bot runs
    in this process, and other matches on the `usual_server`. A `settled` match is opened without
    questions. `rules_from_before` means that the command names no rules, so `rules` are the rules
    of the last game. `undecided` means that the command has no options. `rounds` is None unless the
    user has chosen a number. `clock` is the name of a clock.
    """

    rules: Rules
    versus: str = DEFAULT_BOT
    seat: Seat | None = None
    server: str | None = None
    name: str | None = None
    rounds: int | None = None
    seed: int | None = None
    public: bool = False
    rated: bool = False
    clock: str | None = None
    settled: bool = False
    rules_from_before: bool = False
    undecided: bool = field(default=False, compare=False)  # not part of the match
    usual_server: str = DEFAULT_SERVER

    @property
    def address(self) -> str | None:
        """The address of the server, or None to run the match in this process."""
        return self.server or (None if self.against_bot else self.usual_server)

    @property
    def total_rounds(self) -> int:
        """The number of rounds.

        By default it is FRIEND_ROUNDS against a friend or in a rated match, and otherwise one.
        """
        return self.rounds or (FRIEND_ROUNDS if self.versus == FRIEND or self.rated else 1)

    @property
    def against_bot(self) -> bool:
        """Whether the opponent is a bot of the server."""
        return self.versus not in (FRIEND, ANYONE)


@dataclass(frozen=True, slots=True)
class JoinOptions:
    """A match to join: by its code, or without a code from the list of waiting matches.

    `own` resumes the player's own seat and takes no other seat. If `names_server`, the `server` of
    the invitation becomes the server of the settings.
    """

    code: str | None
    server: str
    name: str | None = None
    own: bool = False
    names_server: bool = False


@dataclass(frozen=True, slots=True)
class ContinueOptions:
    """A match to resume: by its code, from a list if `listed`, or the most urgent match.

    A `server` excludes the matches on other servers. A code that is not stored is joined on the
    `usual_server`.
    """

    code: str | None = None
    server: str | None = None
    name: str | None = None
    listed: bool = False
    usual_server: str = DEFAULT_SERVER


@dataclass(frozen=True, slots=True)
class WatchOptions:
    """A match to watch: by its code, a new match of the `bot`, or from a list.

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
    """A finished match to review: by its code, or from the list of the player's own matches."""

    code: str | None
    server: str
    name: str | None = None


@dataclass(frozen=True, slots=True)
class BotsOptions:
    """The server to list the bots of, or None for the bots in this process."""

    server: str | None
    name: str | None = None


@dataclass(frozen=True, slots=True)
class StatsOptions:
    """The player's statistics of offline games, and of games on the `server` or the `usual_server`.

    A failure of the `usual_server` is printed and does not end the command.
    """

    server: str | None
    usual_server: str = DEFAULT_SERVER
    json: bool = False


@dataclass(frozen=True, slots=True)
class LeaderboardOptions:
    """The leaderboard of `rules` on a server, from the place that follows `after`."""

    server: str
    rules: Rules
    after: int = 0
    json: bool = False


@dataclass(frozen=True, slots=True)
class ProfileOptions:
    """The profile of a player on a server, by the `name` that the player owns or by id.

    Without both it is the user's own. Its history and matches are by `rules`, or by the rules of
    the last rated match.
    """

    server: str
    name: str | None = None
    player: str | None = None
    json: bool = False
    rules: str | None = None


@dataclass(frozen=True, slots=True)
class ChallengeOptions:
    """A match to open on a server for the player who owns the name `opponent` there."""

    server: str
    opponent: str
    rules: Rules
    name: str | None = None
    rounds: int = FRIEND_ROUNDS
    rated: bool = False
    clock: str | None = None


@dataclass(frozen=True, slots=True)
class TransferOptions:
    """A player to transfer to another computer, or to this one with the other computer's `code`."""

    server: str
    code: str | None = None


@dataclass(frozen=True, slots=True)
class LogoutOptions:
    """The server to log this computer out of, or all other computers if `everywhere`."""

    server: str
    everywhere: bool = False


@dataclass(frozen=True, slots=True)
class BotOptions:
    """A bot, as ``MODULE:CLASS``, and the matches that it offers.

    `games` is the number of matches at the same time. None means one per lobby, but at least
    DEFAULT_GAMES. The command ends after `matches` matches. None means that it never ends. `clock`
    is the name of a clock, or None.
    """

    bot: str
    rules: tuple[Rules, ...] = (DEFAULT,)
    server: str = DEFAULT_SERVER
    name: str | None = None
    rounds: int = 1
    clock: str | None = None
    games: int | None = None
    seconds: float = DEFAULT_MOVE_SECONDS
    matches: int | None = None


MatchOptions: TypeAlias = (
    PlayOptions | JoinOptions | ChallengeOptions | WatchOptions | ReviewOptions
)
