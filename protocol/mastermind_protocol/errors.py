"""Error codes, the reasons of refusals with their sentences, and the exceptions.

::

    MastermindError            the base class; has .code and .field
    ├── InvalidRules           a name of rules that is no preset and not PEGSxCOLOURS[u][/GUESSES]
    ├── InvalidClock           a name of a clock that is not one of three forms
    ├── InvalidCode            a code that does not fit the rules
    ├── InvalidFeedback        feedback that no guess by the rules can get
    ├── MessageError           bytes that are not a message of this protocol
    └── Refused                a well-formed request that is refused now

Every exception can be sent to a client: `code` is machine-readable, `field` names the invalid field
of the request, `message` is English, and the `Reason` with its values can be translated.
"""

from __future__ import annotations

from enum import Enum, StrEnum, unique
from math import ceil
from string import Formatter
from typing import TYPE_CHECKING, Any, TypeAlias

from mastermind_protocol.text import gettext_noop as N_

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Self

MAX_DETAIL_LENGTH = 200  # characters of a value, such as a system's error message

Value: TypeAlias = int | float | str | tuple[str, ...]
"""The value of a placeholder in a sentence. A tuple lists alternatives."""

DIGIT_GROUPS = N_("{before},{after}")  # of a large number, with the separator
_LEAST_GROUPED = 10_000  # four digits are read at a glance
_ALTERNATIVES = N_("{one} (or {other})")


class ErrorCode(StrEnum):
    """The machine-readable error codes."""

    NOT_MSGPACK = "not_msgpack"
    FRAME_TOO_LARGE = "frame_too_large"
    FRAME_TOO_DEEP = "frame_too_deep"
    UNKNOWN_MESSAGE = "unknown_message"
    INVALID_MESSAGE = "invalid_message"
    HELLO_FIRST = "hello_first"
    HELLO_TWICE = "hello_twice"
    UNKNOWN_TOKEN = "unknown_token"  # noqa: S105 - the name of an error, no credential
    UNKNOWN_TRANSFER = "unknown_transfer"
    LOGGED_OUT = "logged_out"
    BANNED = "banned"
    INVALID_NAME = "invalid_name"
    INVALID_RULES = "invalid_rules"
    INVALID_CLOCK = "invalid_clock"
    INVALID_CODE = "invalid_code"
    INVALID_FEEDBACK = "invalid_feedback"
    INVALID_TEXT = "invalid_text"
    INVALID_SEATS = "invalid_seats"
    UNKNOWN_BOT = "unknown_bot"
    RATED = "rated"
    CONTEST = "contest"
    UNKNOWN_MATCH = "unknown_match"
    UNKNOWN_PLAYER = "unknown_player"
    NOT_ONLINE = "not_online"
    NO_CHALLENGES = "no_challenges"
    SEAT_TAKEN = "seat_taken"
    ALREADY_SEATED = "already_seated"
    NOT_SEATED = "not_seated"
    NEEDS_V2 = "needs_v2"
    NEEDS_V3 = "needs_v3"
    NOT_FOLLOWED = "not_followed"
    NOT_YOUR_TURN = "not_your_turn"
    WRONG_PHASE = "wrong_phase"
    STALE_VERSION = "stale_version"
    OPPONENT_LEFT = "opponent_left"
    TOO_MANY = "too_many"
    RATE_LIMITED = "rate_limited"
    STORAGE_FAILED = "storage_failed"
    RESTARTING = "restarting"
    INTERNAL = "internal"


TRANSIENT_CODES = frozenset(
    {
        ErrorCode.RATE_LIMITED,
        ErrorCode.STORAGE_FAILED,
        ErrorCode.RESTARTING,
        ErrorCode.INTERNAL,
    }
)
"""The codes of transient errors: the same request may succeed later."""


@unique
class Reason(Enum):
    """The reason of a refusal: its error code, and a sentence with placeholders.

    Clients translate the sentences. The placeholders `limit` and `retry_after` are filled with the
    attributes of the error. `plural` is the sentence for values of the placeholder `number` other
    than 1.
    """

    def __init__(self, code: ErrorCode, singular: str, plural: str | None = None) -> None:
        self.code = code
        self.singular = singular
        self.plural = plural or singular
        self.placeholders = frozenset(name for _, name, _, _ in Formatter().parse(singular) if name)

    # Frames.
    TEXT_FRAME = ErrorCode.NOT_MSGPACK, N_("a text frame; messages are binary")
    NOT_MSGPACK = ErrorCode.NOT_MSGPACK, N_("not one msgpack value: {problem}")
    REQUEST_TOO_LARGE = (
        ErrorCode.FRAME_TOO_LARGE,
        N_("a request of {size} bytes; at most {limit} are allowed"),
    )
    TOO_MANY_ITEMS = (
        ErrorCode.FRAME_TOO_LARGE,
        N_("an array or a map has too many items; at most {limit} are allowed"),
    )
    TOO_DEEP = ErrorCode.FRAME_TOO_DEEP, N_("the frame nests deeper than {limit} levels")
    NOT_A_MAP = ErrorCode.INVALID_MESSAGE, N_("a frame is a map with an `op`")
    NO_OP = ErrorCode.UNKNOWN_MESSAGE, N_("`op` is missing")
    UNKNOWN_OP = ErrorCode.UNKNOWN_MESSAGE, N_("the server does not know what this client asks")
    REUSED_ID = ErrorCode.INVALID_MESSAGE, N_("another request has used this id")

    # Players and connections.
    HELLO_FIRST = ErrorCode.HELLO_FIRST, N_("say hello before anything else")
    HELLO_TWICE = ErrorCode.HELLO_TWICE, N_("this connection has said hello")
    UNKNOWN_TOKEN = ErrorCode.UNKNOWN_TOKEN, N_("the server does not know you")
    TOKEN_OR_TRANSFER = (
        ErrorCode.INVALID_MESSAGE,
        N_("say hello with a token or with a transfer code, not with both"),
    )
    UNKNOWN_TRANSFER = (
        ErrorCode.UNKNOWN_TRANSFER,
        N_("this transfer code is wrong, was used or is too old: ask for another"),
    )
    LOGGED_OUT = ErrorCode.LOGGED_OUT, N_("you have been logged out here")
    BANNED = ErrorCode.BANNED, N_("this server's operator has banned you: {why}")
    BANNED_UNTIL = (
        ErrorCode.BANNED,
        N_("this server's operator has banned you for {retry_after} s: {why}"),
    )
    TOO_MANY_TOKENS = (
        ErrorCode.TOO_MANY,
        N_("one player has at most {limit} computers: log out on one of them"),
    )
    INVALID_NAME = ErrorCode.INVALID_NAME, N_("a name is made of characters that can be shown")
    TOO_MANY_CONNECTIONS = (
        ErrorCode.TOO_MANY,
        N_("too many connections: try again in {retry_after} s"),
    )
    TOO_MANY_FOLLOWED = (
        ErrorCode.TOO_MANY,
        N_("one connection follows at most {limit} matches: unfollow one"),
    )
    TOO_MANY_WATCHERS = (
        ErrorCode.TOO_MANY,
        N_("this match has {limit} spectators, and no more are allowed"),
    )

    ADDRESS_FOLLOWS_MUCH = (
        ErrorCode.TOO_MANY,
        N_("at most {limit} rows of matches are followed from one address: unfollow some"),
    )
    ADDRESS_HAS_SHOWS = (
        ErrorCode.TOO_MANY,
        N_("at most {limit} matches of two bots are followed from one address: unfollow one"),
    )

    # Codes and rules.
    UNKNOWN_SYMBOL = (
        ErrorCode.INVALID_CODE,
        N_("peg {peg}: {symbol!r} is no symbol of {rules}; allowed: {allowed}"),
    )
    UNKNOWN_COLOUR = (
        ErrorCode.INVALID_CODE,
        N_("peg {peg}: {colour} is no colour of {rules}; allowed: 0 to {most}"),
    )
    NO_PEGS = (ErrorCode.INVALID_CODE, N_("no peg given, and a code of {rules} has {pegs}"))
    WRONG_LENGTH = (
        ErrorCode.INVALID_CODE,
        N_("{number} peg given, and a code of {rules} has {pegs}"),
        N_("{number} pegs given, and a code of {rules} has {pegs}"),
    )
    REPEATED_COLOUR = (
        ErrorCode.INVALID_CODE,
        N_("peg {peg}: {symbol} is on peg {first}, and codes of {rules} have no repeats"),
    )
    TOO_MANY_KEY_PEGS = (
        ErrorCode.INVALID_FEEDBACK,
        N_("{black} black and {white} white are more than the {pegs} pegs of {rules}"),
    )
    IMPOSSIBLE_FEEDBACK = (
        ErrorCode.INVALID_FEEDBACK,
        N_(
            "{black} black and {white} white cannot be: if all pegs but one are right, the last "
            "is right too, or its colour is wrong"
        ),
    )
    TOO_FEW_KEY_PEGS = (
        ErrorCode.INVALID_FEEDBACK,
        N_(
            "{black} black and {white} white are too few: without a colour twice, a guess of "
            "{rules} gets at least {least}"
        ),
    )
    UNKNOWN_RULES = (
        ErrorCode.INVALID_RULES,
        N_(
            "{name!r} names no rules: use {known}, or PEGSxCOLOURS[u][/GUESSES] such as 5x8/12, or "
            "4x10u for no colour twice, with 1-{pegs} pegs, 2-{colours} colours and 1-{guesses} "
            "guesses"
        ),
    )
    TOO_FEW_COLOURS = (
        ErrorCode.INVALID_RULES,
        N_("{rules} has no code: without a colour twice, {pegs} pegs need {pegs} colours"),
    )
    TOO_MANY_CODES_FOR_PUZZLES = (
        ErrorCode.INVALID_RULES,
        N_("{rules} has {codes} codes: puzzles have at most {limit}"),
    )

    UNKNOWN_CLOCK = (
        ErrorCode.INVALID_CLOCK,
        N_(
            "{name!r} names no clock: use MINUTES+SECONDS such as 5+3 (at most {minutes} minutes "
            "with the increments of {guesses} guesses), SECONDS/move such as 60/move "
            "({least}-{seconds}), or DAYSd/move such as 3d/move (1-{days})"
        ),
    )

    # Bots.
    UNKNOWN_BOT = ErrorCode.UNKNOWN_BOT, N_("{name!r} is no bot here: use {known} or {last}")
    ONLY_A_MAKER = ErrorCode.INVALID_SEATS, N_("{bot} only makes codes: choose another codebreaker")
    BOT_GONE = ErrorCode.WRONG_PHASE, N_("{bot} could not answer and has left the match")
    BOT_FAILED = ErrorCode.INTERNAL, N_("{bot} failed at guess {number}: {problem}")
    BOT_FAILED_AFTER = (
        ErrorCode.INTERNAL,
        N_("{bot} failed at guess {number}, after {guesses}: {problem}"),
    )

    # Opening a match.
    INVALID_SEATS = (
        ErrorCode.INVALID_SEATS,
        N_("one seat must be 'me' and the other 'open' or a bot's name, or both must be bots'"),
    )
    NO_CODE_TO_FIX = ErrorCode.INVALID_SEATS, N_("{bot} changes its code: give no seed or secret")
    SEED_IS_KNOWN = (
        ErrorCode.INVALID_SEATS,
        N_("a seed reveals the secret: it needs a bot as codemaker and yourself as codebreaker"),
    )
    SECRET_IS_KNOWN = (
        ErrorCode.INVALID_SEATS,
        N_("a secret can be given only to two bots, for one round"),
    )
    TOO_MANY_LOBBIES = (
        ErrorCode.TOO_MANY,
        N_("at most {limit} of your matches may wait for an opponent: leave one"),
    )
    ADDRESS_HAS_LOBBIES = (
        ErrorCode.TOO_MANY,
        N_("at most {limit} matches from one address may wait for an opponent: join one"),
    )
    RATED_NEEDS_TWO = ErrorCode.RATED, N_("a rated match is for two people")
    RATED_WITHOUT_BOTS = ErrorCode.RATED, N_("a rated match is for two people, not for bots")
    RATED_SEAT = ErrorCode.RATED, N_("a rated match is for two people, not for programs")
    RATED_NEEDS_CLOCK = (
        ErrorCode.RATED,
        N_("a rated match has a clock, such as 5+3 or 60/move, and none of days"),
    )
    RATED_NEEDS_LIMIT = (
        ErrorCode.RATED,
        N_("a rated match has rules with a limit of guesses; {rules} has none"),
    )
    RATED_ROUNDS = ErrorCode.RATED, N_("a rated match has {allowed} rounds, not {given}")
    NAME_TAKEN = (
        ErrorCode.INVALID_NAME,
        N_(
            "another rated player has the name {name}, or a name that looks like it: choose another"
        ),
    )
    RATED_WITHOUT_PROGRAMS = ErrorCode.RATED, N_("no program plays in a rated match")

    # The code of the day.
    NEEDS_V3 = (
        ErrorCode.NEEDS_V3,
        N_("your client does not know the code of the day: update it"),
    )
    REPEATS_NEED_V3 = (
        ErrorCode.NEEDS_V3,
        N_("your client does not know that codes of {rules} have no repeats: update it"),
    )
    RULES_WITHOUT_DAY = (
        ErrorCode.CONTEST,
        N_("{rules} has no code of the day: use {allowed}"),
    )
    NOT_TODAY = ErrorCode.CONTEST, N_("code {day} cannot be tried now: today's code is {today}")
    NO_SUCH_DAY = ErrorCode.CONTEST, N_("there is no code {day}: use {first} to {today}")
    NO_SUCH_MONTH = ErrorCode.CONTEST, N_("no month {month}: use {first} to {last}")
    TRIED_ALREADY = (
        ErrorCode.CONTEST,
        N_("you have had your try at code {day} of {rules}: each player has one"),
    )
    TRIES_OVER = ErrorCode.CONTEST, N_("the tries at code {day} ended at 00:30 UTC")
    DAY_WITHDRAWN = ErrorCode.CONTEST, N_("code {day} of {rules} was withdrawn: it does not count")
    DAY_NEEDS_SERVER = (
        ErrorCode.CONTEST,
        N_("the code of the day needs a server: this one runs on a player's computer"),
    )
    OWN_TRY_FIRST = (
        ErrorCode.CONTEST,
        N_("the places of code {day} are shown after your own try, or at 00:31 UTC"),
    )
    ENTRY_IS_PRIVATE = (
        ErrorCode.CONTEST,
        N_("only its player can follow this match until code {day} is revealed"),
    )
    CONTEST_WITHOUT_ADVICE = ErrorCode.CONTEST, N_("there is no advice for the code of the day")
    CONTEST_WITHOUT_REVIEW = (
        ErrorCode.CONTEST,
        N_("this match is reviewed when code {day} is revealed, at 00:31 UTC"),
    )
    CONTEST_WITHOUT_CHAT = ErrorCode.CONTEST, N_("there is no chat about the code of the day")
    CONTEST_WITHOUT_REMATCH = (
        ErrorCode.CONTEST,
        N_("the code of the day has no rematch: the next code comes tomorrow"),
    )

    # Clocks.
    NEEDS_V2 = (
        ErrorCode.NEEDS_V2,
        N_("this match has a clock ({clock}), which your client does not know: update it"),
    )
    CLOCK_ELSEWHERE = (
        ErrorCode.RATE_LIMITED,
        N_("the time of the player to move is about to end: wait {retry_after} s"),
    )

    # Moves and seats.
    UNKNOWN_MATCH = ErrorCode.UNKNOWN_MATCH, N_("there is no match {match} on this server")
    UNKNOWN_PLAYER = (
        ErrorCode.UNKNOWN_PLAYER,
        N_(
            "the player {name} has played no rated match on this server; the leaderboard lists "
            "who has"
        ),
    )
    UNKNOWN_NAME = (
        ErrorCode.UNKNOWN_PLAYER,
        N_("no connected player and none of your opponents is called {name}"),
    )
    AMBIGUOUS_NAME = (
        ErrorCode.UNKNOWN_PLAYER,
        N_("several connected players are called {name}: invite yours by a link"),
    )
    NOT_ONLINE = ErrorCode.NOT_ONLINE, N_("{name} is not connected: challenge a player who is")
    SENDER_ABSENT = (
        ErrorCode.NOT_ONLINE,
        N_("{name} is not connected now: this rated match begins when both players are"),
    )
    NO_CHALLENGES = ErrorCode.NO_CHALLENGES, N_("{name} takes no challenges")
    IS_CHALLENGED = (
        ErrorCode.TOO_MANY,
        N_("this player has {limit} challenges without an answer: try again in two minutes"),
    )
    CHALLENGED_OFTEN = (
        ErrorCode.TOO_MANY,
        N_("this player was challenged often: try again in {retry_after} s"),
    )
    CHALLENGED_ALREADY = (
        ErrorCode.TOO_MANY,
        N_("at most {limit} challenge of yours may wait for this player: take it back first"),
    )
    CHALLENGED_SELF = ErrorCode.INVALID_SEATS, N_("challenge another player, not yourself")
    ONE_PLAYER = ErrorCode.INVALID_MESSAGE, N_("name one player, by id or by name")
    NOT_IN_ARCHIVE = ErrorCode.UNKNOWN_MATCH, N_("you have no finished match {match}")
    STALE_VERSION = (
        ErrorCode.STALE_VERSION,
        N_("the match is at version {limit}, not {given}: follow it first"),
    )
    NOT_SEATED = ErrorCode.NOT_SEATED, N_("you have no seat in this match: you may only watch")
    YOU_HAVE_LEFT = ErrorCode.WRONG_PHASE, N_("you have left this match")
    NOT_WHILE_GATHERING = (
        ErrorCode.WRONG_PHASE,
        N_("not now: the match waits for the other seat to be taken"),
    )
    NOT_WHILE_SETTING = ErrorCode.WRONG_PHASE, N_("not now: the codemaker is to set the secret")
    NOT_WHILE_BREAKING = ErrorCode.WRONG_PHASE, N_("not now: the codebreaker is to guess")
    NOT_WHEN_FINISHED = ErrorCode.WRONG_PHASE, N_("not now: the match is over")
    MAKERS_TURN = ErrorCode.NOT_YOUR_TURN, N_("not your turn: the codemaker is to set the secret")
    BREAKERS_TURN = ErrorCode.NOT_YOUR_TURN, N_("not your turn: the codebreaker is to guess")
    YOU_ARE_MAKER = ErrorCode.ALREADY_SEATED, N_("you are this match's codemaker already")
    YOU_ARE_BREAKER = ErrorCode.ALREADY_SEATED, N_("you are this match's codebreaker already")
    BOTH_SEATS_TAKEN = ErrorCode.SEAT_TAKEN, N_("both seats are taken: you may only watch")
    MAKER_IS_THERE = ErrorCode.SEAT_TAKEN, N_("the codemaker's seat is taken")
    BREAKER_IS_THERE = ErrorCode.SEAT_TAKEN, N_("the codebreaker's seat is taken")
    SEAT_IS_KEPT = ErrorCode.SEAT_TAKEN, N_("the free seat is reserved for the opponent")
    NOT_CHALLENGED = ErrorCode.NOT_SEATED, N_("this match is no challenge to you")
    MAY_NOT_DODGE = ErrorCode.RATED, N_("only a bot may change its code, never in a rated match")
    MAY_NOT_EXPLAIN = ErrorCode.INVALID_MESSAGE, N_("only a bot or program gives a reason to leave")
    OPPONENT_LEFT = ErrorCode.OPPONENT_LEFT, N_("no rematch: your opponent has left")
    JUST_JOINED = ErrorCode.WRONG_PHASE, N_("{name} has just joined: the match begins")
    REMATCH_OFFERED = ErrorCode.WRONG_PHASE, N_("a rematch is offered: match {match}")

    # Advice and reviews.
    RATED_WITHOUT_ADVICE = ErrorCode.RATED, N_("there is no advice in a rated match")
    ADVICE_TAKEN = ErrorCode.WRONG_PHASE, N_("advice for this guess has been taken")
    NOT_OVER = ErrorCode.WRONG_PHASE, N_("a match is reviewed when it is over")
    UNKNOWN_ROUND = ErrorCode.INVALID_MESSAGE, N_("there is no round {round}: {limit} were played")

    # Chat.
    NOTHING_SAID = ErrorCode.INVALID_MESSAGE, N_("say a text, or a phrase by its number")
    SAID_TWICE = ErrorCode.INVALID_MESSAGE, N_("say a text or a phrase, not both at once")
    UNKNOWN_PHRASE = ErrorCode.INVALID_MESSAGE, N_("there is no phrase {phrase}: use 1 to {limit}")
    INVALID_TEXT = ErrorCode.INVALID_TEXT, N_("a text is made of characters that can be shown")
    TEXT_TOO_LONG = (
        ErrorCode.INVALID_MESSAGE,
        N_("{number} characters; at most {limit} can be said at once"),
    )
    NOT_FOLLOWED = ErrorCode.NOT_FOLLOWED, N_("follow the match to say something in it")

    # Rates.
    TOO_MANY_REQUESTS = ErrorCode.RATE_LIMITED, N_("too many requests: wait {retry_after} s")
    TOO_MANY_PLAYERS = ErrorCode.RATE_LIMITED, N_("too many new players: wait {retry_after} s")
    TOO_MANY_OPENINGS = ErrorCode.RATE_LIMITED, N_("too many matches opened: wait {retry_after} s")
    TOO_MANY_CHALLENGES = ErrorCode.RATE_LIMITED, N_("too many challenges: wait {retry_after} s")
    TOO_MUCH_THOUGHT = (
        ErrorCode.RATE_LIMITED,
        N_("you have used too much computing time: wait {retry_after} s"),
    )
    TOO_MANY_ROWS = (
        ErrorCode.RATE_LIMITED,
        N_("too many of your moves and chat lines are stored: wait {retry_after} s"),
    )
    TOO_MUCH_ADVICE = (
        ErrorCode.RATE_LIMITED,
        N_("too many requests for advice: wait {retry_after} s"),
    )
    TOO_MANY_REVIEWS = ErrorCode.RATE_LIMITED, N_("too many reviews: wait {retry_after} s")
    TOO_MANY_LINES = ErrorCode.RATE_LIMITED, N_("too many chat lines: wait {retry_after} s")
    WRONG_CODES = ErrorCode.RATE_LIMITED, N_("too many unknown match codes: wait {retry_after} s")
    TOO_MANY_TRANSFERS = (
        ErrorCode.RATE_LIMITED,
        N_("too many transfer codes: wait {retry_after} s"),
    )
    WRONG_TRANSFERS = (
        ErrorCode.RATE_LIMITED,
        N_("too many wrong transfer codes: wait {retry_after} s"),
    )
    TOO_MANY_ANALYSES = ErrorCode.RATE_LIMITED, N_("too many analyses: wait {retry_after} s")

    OVERLOADED = (
        ErrorCode.RATE_LIMITED,
        N_("the server is overloaded: wait {retry_after} s"),
    )

    # Failures.
    NO_WORKER = (
        ErrorCode.RATE_LIMITED,
        N_("the server cannot compute this now ({problem}): wait {retry_after} s"),
    )
    NOT_SAVED = ErrorCode.STORAGE_FAILED, N_("the server could not save this, and nothing was done")
    NOT_READ = ErrorCode.STORAGE_FAILED, N_("the server could not read its database")
    RESTARTING = (
        ErrorCode.RESTARTING,
        N_("the server is restarting: no new matches for {retry_after} s"),
    )
    LOG_DAMAGED = ErrorCode.STORAGE_FAILED, N_("the log of match {match} is damaged")
    INTERNAL = ErrorCode.INTERNAL, N_("the server failed; it has been logged")

    @property
    def key(self) -> str:
        """The name of the reason on the wire."""
        return self.name.lower()

    def write(self, values: Mapping[str, Value], translate: Callable[[str], str] = str) -> str:
        """Return the translated sentence, filled with `values`. Raises KeyError if one is missing.

        `translate` maps an English sentence with its placeholders to another language.
        """
        written = {name: _format_value(values[name], translate) for name in self.placeholders}
        sentence = self.singular if values.get("number") == 1 else self.plural
        return translate(sentence).format_map(written)


def _format_value(value: Value, translate: Callable[[str], str]) -> str:
    if isinstance(value, tuple):
        written, *others = value or ("",)
        for other in others:
            written = translate(_ALTERNATIVES).format(one=written, other=other)
        return written
    if isinstance(value, int):
        return group_digits(value, translate(DIGIT_GROUPS))
    return f"{value:g}" if isinstance(value, float) else value


def group_digits(number: int, template: str = DIGIT_GROUPS) -> str:
    """Return a number, from _LEAST_GROUPED on with its digits in groups of three.

    `template` is the translation of DIGIT_GROUPS.
    """
    separator = template.format(before="", after="")
    return f"{number:,}".replace(",", separator if number >= _LEAST_GROUPED else "")


_REASONS_BY_KEY = {reason.key: reason for reason in Reason}


class MastermindError(Exception):
    """The base class of the protocol's exceptions.

    `limit` is the exceeded limit, or None. `retry_after` is the number of seconds until the same
    request can succeed, or None. `reason` is None for an error with only a message.
    """

    reason: Reason | None

    def __init__(
        self,
        reason: Reason,
        /,
        *,
        field: str | None = None,
        limit: int | None = None,
        retry_after: float | None = None,
        **values: Value,
    ) -> None:
        self.code = str(reason.code)
        self.reason, self.values = reason, values
        self.field, self.limit, self.retry_after = field, limit, retry_after
        self.message = self.write()
        super().__init__(self.message)

    @classmethod
    def with_message(
        cls,
        code: str,
        message: str,
        *,
        details: Mapping[str, Value] | None = None,
        field: str | None = None,
        limit: int | None = None,
        retry_after: float | None = None,
    ) -> Self:
        """Return an error with this `message`, for example an error that the server sent.

        `details` has the format of the property `details`. The error has no reason if this version
        does not know the key of the reason, or if a value is missing for its sentence.
        """
        error = cls.__new__(cls, message)
        error.code, error.message = str(code), message
        error.field, error.limit, error.retry_after = field, limit, retry_after
        error.values = dict(details or {})
        reason = _REASONS_BY_KEY.get(str(error.values.pop("reason", "")))
        error.reason = (
            reason if reason and reason.placeholders <= error._collect_values().keys() else None
        )
        return error

    def write(self, translate: Callable[[str], str] = str) -> str:
        """Return the translated sentence of the reason, or the message of an error without one."""
        return self.reason.write(self._collect_values(), translate) if self.reason else self.message

    @property
    def details(self) -> dict[str, Value] | None:
        """The reason as a map that can be sent, or None for an error without a reason.

        "reason" is the key of the reason. The other items are the values of the placeholders in
        its sentence. Texts are cut to MAX_DETAIL_LENGTH characters.
        """
        if self.reason is None:
            return None
        cut = {
            name: value[:MAX_DETAIL_LENGTH] if isinstance(value, str) else value
            for name, value in self.values.items()
        }
        return {"reason": self.reason.key, **cut}

    def _collect_values(self) -> dict[str, Value]:
        wait = (
            None if self.retry_after is None else ceil(self.retry_after)
        )  # whole seconds, for display
        own = {"limit": self.limit, "retry_after": wait}
        return {**self.values, **{name: value for name, value in own.items() if value is not None}}

    def __reduce__(self) -> tuple[Any, ...]:
        """Return a constructor with arguments and the attributes, for pickle.

        Bot processes send their exceptions to the server by pickle.
        """
        return type(self).with_message, (self.code, self.message), self.__dict__


class InvalidRules(MastermindError):
    """An unknown name of rules. The message lists the allowed names."""


class InvalidClock(MastermindError):
    """An unknown name of a clock, or a time outside the limits. The message lists the limits."""


class InvalidCode(MastermindError):
    """A code that does not fit the rules. The message names the invalid peg, if any."""


class InvalidFeedback(MastermindError):
    """Feedback that no guess by the rules can get."""


class MessageError(MastermindError):
    """Bytes that are not a message. `request` is the id of the request, or None if unreadable."""

    request: int | None = None


class Refused(MastermindError):
    """A well-formed request that was refused and had no effect."""
