"""The options of each command, as immutable values."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from mastermind_protocol.rules import DEFAULT

if TYPE_CHECKING:
    from pathlib import Path

    from mastermind_protocol.code import Code
    from mastermind_protocol.events import Seat
    from mastermind_protocol.match import Turn
    from mastermind_protocol.requests import Measure
    from mastermind_protocol.rules import Rules

FRIEND = "friend"
USUAL_ROUNDS = 2  # by default, as on the page: each of the two hides a code once
SOLITAIRE_RULES = "lab"  # a preset with a dialogue for one player who breaks one code
ANYONE = "anyone"
CLOCKS = ("5+3", "10+5", "60/move", "3d/move")  # in forms; others can be typed
LEVELS = ("easy", "medium", "hard")  # names of bots by strength
DEFAULT_BOT = "hard"
DEFAULT_PORT = 8765  # of a server
DEFAULT_SERVER = f"ws://localhost:{DEFAULT_PORT}"
DEFAULT_BOT_MATCHES = (
    4  # of a user's bot at once: enough free seats for opponents, and a core of a laptop for each
)
DEFAULT_MOVE_SECONDS = 10.0  # of a user's bot: an opponent still waits then
OFFLINE = ""  # the address of the server in this process
HOSTED = "host://here"  # the address of a server in this process that other computers can reach


@dataclass(frozen=True, slots=True)
class PlayOptions:
    """A match to open or to find.

    `versus` is FRIEND, ANYONE or the name of a bot. `name` is the player's name, or None if the
    user has chosen none. Without a `server`, a match against a bot runs in this process, and other
    matches on the `usual_server`. `rounds`, `seed` and `clock` (the name of a clock) are None
    unless the user has chosen them. A `settled` match is opened without questions. If
    `rules_from_before`, the command names no rules, and `rules` are those of the last game.
    `undecided` means that no option of the command chooses the match.
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

        By default it is USUAL_ROUNDS, but one against anyone if not rated, with a seed, which
        repeats a game, and against a bot by SOLITAIRE_RULES.
        """
        alone = self.seed is not None or self.rules.name == SOLITAIRE_RULES
        short = alone if self.against_bot else self.versus == ANYONE and not self.rated
        return self.rounds or (1 if short else USUAL_ROUNDS)

    @property
    def against_bot(self) -> bool:
        """Whether the opponent is a bot of the server."""
        return self.versus not in (FRIEND, ANYONE)


@dataclass(frozen=True, slots=True)
class JoinOptions:
    """A match to join, by its `code`. Without a code, the player picks a waiting match.

    If `own`, the player's own seat is resumed, and no other seat is taken. If `names_server`, the
    invitation names the `server`, which becomes the server of the settings. The invitation can name
    the `host` of the server. If `typed`, the player has given the code, and has not seen the terms
    of the match.
    """

    code: str | None
    server: str
    name: str | None = None
    own: bool = False
    names_server: bool = False
    host: str = ""
    typed: bool = field(default=False, compare=False)  # not part of the match


@dataclass(frozen=True, slots=True)
class ContinueOptions:
    """A match to resume: by its code, picked from a list if `listed`, or the most urgent match.

    If `server` is given, matches on other servers are ignored. A match that is not stored on this
    computer is joined on the `usual_server`.
    """

    code: str | None = None
    server: str | None = None
    name: str | None = None
    listed: bool = False
    usual_server: str = DEFAULT_SERVER


@dataclass(frozen=True, slots=True)
class WatchOptions:
    """A match to watch: the match with this `code`, or a new match of the `bot`.

    Without both, the user picks a match from a list. `secret` is the code that the bot has to
    break, or None for a random code. A bot's match without a `server` runs in this process.
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
    """A finished match to review, by its `code`. Without it, the player picks one from a list."""

    code: str | None
    server: str
    name: str | None = None


@dataclass(frozen=True, slots=True)
class BotListOptions:
    """The server whose bots are listed, or None for the bots of this process."""

    server: str | None
    name: str | None = None


@dataclass(frozen=True, slots=True)
class StatsOptions:
    """The player's statistics of offline games, and of games on the `server` or the `usual_server`.

    Without a `server` the `usual_server` is asked, and its failure does not end the command.
    """

    server: str | None
    usual_server: str = DEFAULT_SERVER
    json: bool = False


@dataclass(frozen=True, slots=True)
class LeaderboardOptions:
    """A page of the leaderboard of `rules` on a server. It starts at the place `after` + 1."""

    server: str
    rules: Rules
    after: int = 0
    json: bool = False


@dataclass(frozen=True, slots=True)
class ProfileOptions:
    """The profile of a player on a server: of the owner of a `name`, or of the player id `player`.

    Without a name and an id it is the user's own profile. It has only the history and the matches
    under `rules`. By default, these are the rules of the player's last rated match. `challenges` is
    whether the user takes challenges from now on, or None for no change. If the user has chosen no
    server (`is_usual`), and has played only here or with friends who host, it is the offline
    player's profile.
    """

    server: str
    name: str | None = None
    player: str | None = None
    json: bool = False
    rules: str | None = None
    challenges: bool | None = None
    is_usual: bool = False


@dataclass(frozen=True, slots=True)
class DayOptions:
    """The code of the day by `rules`, a name, on a server: of the day number `day`, or of today.

    `name` is the player's name, or None if the user has chosen none.
    """

    server: str
    rules: str = DEFAULT.name
    day: int | None = None
    name: str | None = None
    json: bool = False


@dataclass(frozen=True, slots=True)
class SolveOptions:
    """A game that is played elsewhere, by `rules`, whose guesses and answers the user types.

    `by` is the measure of the best next guesses. `bot` is the bot that breaks a code in the user's
    head, or None if the user breaks a code. `turns` are those given so far, from the file `path`,
    or from standard input if it is None.
    """

    rules: Rules = DEFAULT
    by: Measure = "bits"
    bot: str | None = None
    turns: tuple[Turn, ...] = ()
    path: Path | None = None
    json: bool = False


@dataclass(frozen=True, slots=True)
class PuzzleOptions:
    """Puzzle number `seed` of a `level`, by `rules`; one that is drawn if `seed` is None."""

    rules: Rules = DEFAULT
    level: int = 1
    seed: int | None = None
    json: bool = False


@dataclass(frozen=True, slots=True)
class ChallengeOptions:
    """A match to open on a server, for the player whom this server finds by the name `opponent`."""

    server: str
    opponent: str
    rules: Rules
    name: str | None = None
    rounds: int = USUAL_ROUNDS
    rated: bool = False
    clock: str | None = None


@dataclass(frozen=True, slots=True)
class TransferOptions:
    """A player to transfer to another computer, or with a transfer `code` to this computer."""

    server: str
    code: str | None = None


@dataclass(frozen=True, slots=True)
class LogoutOptions:
    """The computers to log out of a server: this one, or if `everywhere`, all other ones."""

    server: str
    everywhere: bool = False


@dataclass(frozen=True, slots=True)
class BotOptions:
    """A bot, as ``MODULE:CLASS``, and the matches that it offers.

    The bot plays up to `games` matches at once. None means one per lobby, but at least
    DEFAULT_BOT_MATCHES. The command ends after `matches` matches in total, or never for None.
    `move_seconds` is the bot's time for a move. `clock` is the name of a clock, or None.
    """

    bot: str
    rules: tuple[Rules, ...] = (DEFAULT,)
    server: str = DEFAULT_SERVER
    name: str | None = None
    rounds: int = 1
    clock: str | None = None
    games: int | None = None
    move_seconds: float = DEFAULT_MOVE_SECONDS
    matches: int | None = None


MatchOptions: TypeAlias = (
    PlayOptions | JoinOptions | ChallengeOptions | WatchOptions | ReviewOptions
)


def find_address(options: MatchOptions) -> str:
    """Return the address of the server in these options, or OFFLINE if they have none."""
    if isinstance(options, PlayOptions):
        return options.address or OFFLINE
    return options.server or OFFLINE
