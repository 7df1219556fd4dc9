"""The commands of a match, and the checks of commands and received events.

`LEGAL_SEATS` lists the phases and seats of each command. Only `find_refusal` reads this table. A
client calls `find_refusal` before it sends a command, and the server before it runs a command.
`is_legal_event` calls `find_refusal` for the command that caused a received event.
"""

from __future__ import annotations

from itertools import permutations
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias, assert_never, get_args

import msgspec
from msgspec.structs import astuple

from mastermind_protocol.clock import MAX_CREDIT_MS
from mastermind_protocol.code import Code, check_code
from mastermind_protocol.commitment import commit
from mastermind_protocol.errors import InvalidCode, Reason, Refused
from mastermind_protocol.events import (
    SERVER,
    Advised,
    CommandEvent,
    Declined,
    Finished,
    Forfeit,
    Guessed,
    Joined,
    LaterEvent,
    Left,
    MatchEnd,
    Player,
    Rated,
    RatedPlayer,
    RematchOffered,
    Resumed,
    RoundEnd,
    RoundEnded,
    Seat,
    SecretSet,
    Unrated,
)
from mastermind_protocol.glicko import Rating, rate
from mastermind_protocol.match import (
    Match,
    Phase,
    count_points,
    current_round,
    find_automatic_ending,
    find_player_to_remove,
    is_advised,
    is_time_over,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mastermind_protocol.rules import Rules


class TakeSeat(msgspec.Struct, frozen=True, tag="join"):
    """Give `player` the `seat`.

    Without `seat`, the player gets the codemaker's seat or, if that is taken, the codebreaker's. In
    a rated match, `rating` is the player's rating. `counts_for_ratings` is false if the two
    players have played enough rated matches today, so that this match does not change ratings.
    """

    player: Player
    seat: Seat | None = None
    rating: Rating | None = None
    counts_for_ratings: bool = True


class Decline(msgspec.Struct, frozen=True, tag="decline"):
    """Decline a challenge. This closes the lobby.

    The server sets `late` when it declines for a player because the time for an answer has passed.
    """

    late: bool = False


class SetSecret(msgspec.Struct, frozen=True, tag="secret"):
    """Set the secret `code`. `nonce` is the random part of the commitment.

    `nonce` is None for an adaptive codemaker, which makes no commitment.
    """

    code: Code
    nonce: bytes | None


class GuessCode(msgspec.Struct, frozen=True, tag="guess"):
    """Guess `code`.

    `held` is the secret from which an adaptive codemaker makes the feedback; it is None for other
    codemakers.
    """

    code: Code
    held: Code | None = None


class TakeAdvice(msgspec.Struct, frozen=True, tag="advise"):
    """Take advice for the next guess. All followers receive the event."""


class ResignRound(msgspec.Struct, frozen=True, tag="resign"):
    """Give up the round."""


class LeaveMatch(msgspec.Struct, frozen=True, tag="leave"):
    """Leave the match for good. A running match is then lost, and a lobby closes.

    `why` is the reason of a bot or program, or None. The server sets `absent` when it removes a
    player for whom the match waited too long.
    """

    why: Forfeit | None = None
    absent: bool = False


class OfferRematch(msgspec.Struct, frozen=True, tag="rematch"):
    """Offer a rematch. `match` is the code of the new match."""

    match: str


Command: TypeAlias = (
    TakeSeat
    | Decline
    | SetSecret
    | GuessCode
    | TakeAdvice
    | ResignRound
    | LeaveMatch
    | OfferRematch
)

COMMANDS: Mapping[str, type[Command]] = MappingProxyType(
    {kind.__struct_config__.tag: kind for kind in get_args(Command)}
)
"""The commands by their tags, which are the `op` of the requests that cause them."""

RATING_TOLERANCE = 0.01  # machines differ in the last digits of logarithms

_BOTH_SEATS: frozenset[Seat | None] = frozenset(Seat)

LEGAL_SEATS: Mapping[tuple[Phase, type[Command]], frozenset[Seat | None]] = MappingProxyType(
    {
        (Phase.GATHERING, TakeSeat): frozenset({None}),
        (Phase.GATHERING, Decline): frozenset({None}),
        (Phase.GATHERING, LeaveMatch): _BOTH_SEATS,
        (Phase.SETTING, SetSecret): frozenset({Seat.MAKER}),
        (Phase.SETTING, LeaveMatch): _BOTH_SEATS,
        (Phase.BREAKING, GuessCode): frozenset({Seat.BREAKER}),
        (Phase.BREAKING, TakeAdvice): frozenset({Seat.BREAKER}),
        (Phase.BREAKING, ResignRound): frozenset({Seat.BREAKER}),
        (Phase.BREAKING, LeaveMatch): _BOTH_SEATS,
        (Phase.FINISHED, LeaveMatch): _BOTH_SEATS,
        (Phase.FINISHED, OfferRematch): _BOTH_SEATS,
    }
)
"""The seats that may give a command in a phase. None stands for a player without a seat."""

_NOT_NOW_REASONS = MappingProxyType(
    {
        Phase.GATHERING: Reason.NOT_WHILE_GATHERING,
        Phase.SETTING: Reason.NOT_WHILE_SETTING,
        Phase.BREAKING: Reason.NOT_WHILE_BREAKING,
        Phase.FINISHED: Reason.NOT_WHEN_FINISHED,
    }
)
_NOT_YOUR_TURN_REASONS = MappingProxyType(
    {Phase.SETTING: Reason.MAKERS_TURN, Phase.BREAKING: Reason.BREAKERS_TURN}
)


def find_refusal(match: Match, command: Command, by: str | None) -> Refused | None:
    """Return the refusal of `command` from the player id `by`, or None if it is legal now."""
    seat = match.seat_of(by)
    seats = LEGAL_SEATS.get((match.phase, type(command)))
    if seats is None or seat not in seats:
        return Refused(_explain_illegal(match, command, seat, for_other_seat=seats is not None))
    if by in match.departed:
        return Refused(Reason.YOU_HAVE_LEFT)
    match command:
        case GuessCode(code=code):
            return _find_code_refusal(code, match.rules)
        case SetSecret(code=code, nonce=nonce):
            forbidden = nonce is None and not (match.maker and match.maker.bot)
            wrong = _find_code_refusal(code, match.rules)
            return (
                Refused(Reason.MAY_NOT_DODGE, field="match") if forbidden and not wrong else wrong
            )
        case TakeSeat():
            return _find_join_refusal(match, command)
        case Decline():
            challenged = match.players and match.opened.reserved == by
            return None if challenged else Refused(Reason.NOT_CHALLENGED, field="match")
        case TakeAdvice():
            if not match.allows_aids:
                return _refuse_aids(match)
            return Refused(Reason.ADVICE_TAKEN) if is_advised(match, by) else None
        case LeaveMatch(why=why, absent=absent):
            return _find_leave_refusal(match, by, why, absent=absent)
        case OfferRematch():
            if match.is_entry:
                return Refused(Reason.CONTEST_WITHOUT_REMATCH, field="match")
            if match.departed:
                return Refused(Reason.OPPONENT_LEFT)
            offered = match.rematch
            return Refused(Reason.REMATCH_OFFERED, match=offered) if offered else None
        case ResignRound():
            return None
        case _:
            assert_never(command)


def find_advice_refusal(match: Match) -> Refused | None:
    """Return why a match has no advice at all, or None.

    It is rated, or is an entry of a contest.
    """
    return None if match.allows_aids else _refuse_aids(match)


def _refuse_aids(match: Match) -> Refused:
    contest, rated = Reason.CONTEST_WITHOUT_ADVICE, Reason.RATED_WITHOUT_ADVICE
    return Refused(contest if match.is_entry else rated, field="match")


def _explain_illegal(
    match: Match, command: Command, seat: Seat | None, *, for_other_seat: bool
) -> Reason:
    """Return the reason to refuse `command` from `seat`.

    If `for_other_seat`, the command is legal now, but only from another seat.
    """
    if isinstance(command, TakeSeat):
        if seat is not None:
            return Reason.YOU_ARE_MAKER if seat is Seat.MAKER else Reason.YOU_ARE_BREAKER
        finished = match.phase is Phase.FINISHED
        return Reason.NOT_WHEN_FINISHED if finished else Reason.BOTH_SEATS_TAKEN
    if seat is None:
        return Reason.NOT_SEATED
    if isinstance(command, Decline) and for_other_seat:
        return Reason.NOT_CHALLENGED
    return (_NOT_YOUR_TURN_REASONS if for_other_seat else _NOT_NOW_REASONS)[match.phase]


def _find_code_refusal(code: Code, rules: Rules) -> Refused | None:
    try:
        check_code(code, rules)
    except InvalidCode as error:
        return Refused.with_message(
            error.code, error.message, details=error.details, field=error.field
        )
    return None


def _find_join_refusal(match: Match, command: TakeSeat) -> Refused | None:
    if command.seat is not None and match.in_seat(command.seat) is not None:
        taken = command.seat is Seat.MAKER
        return Refused(Reason.MAKER_IS_THERE if taken else Reason.BREAKER_IS_THERE)
    if match.opened.rated and command.player.is_bot:
        return Refused(Reason.RATED_SEAT, field="match")
    kept = match.players and match.opened.reserved not in (None, command.player.id)
    return Refused(Reason.SEAT_IS_KEPT) if kept else None


def _find_leave_refusal(
    match: Match, by: str | None, why: Forfeit | None, *, absent: bool
) -> Refused | None:
    absentee = find_player_to_remove(match)
    if absent and (absentee is None or absentee.id != by):
        return Refused((_NOT_YOUR_TURN_REASONS if match.to_move else _NOT_NOW_REASONS)[match.phase])
    has_reason = any(player.id == by and player.is_bot for player in match.players) and not absent
    return None if why is None or has_reason else Refused(Reason.MAY_NOT_EXPLAIN, field="why")


def is_legal_event(match: Match, event: LaterEvent) -> bool:
    """Return whether `decide` could have caused `event` in `match`.

    `event` may be a client's copy, without the secret fields.
    """
    match event:
        case Unrated():
            return match.rated and match.phase is Phase.SETTING and not match.played
        case Resumed():
            return match.timer is not None
        case Rated(players=players):
            return _may_change_ratings(match) and _is_rating_change(match, players)
        case SecretSet(by=by, commitment=commitment) if match.is_entry:
            setting = match.phase is Phase.SETTING and not match.departed
            sealed = by == SERVER and commitment is not None
            return setting and sealed and _is_consistent(event, match)
        case Finished() | RoundEnded() | SecretSet() if _is_timeout_event(match, event):
            consistent = isinstance(event, Finished) or _is_consistent(event, match)
            return match.has_live_clock and is_time_over(match, match.at) and consistent
        case _:
            return _may_follow_command(match, event)


def _is_timeout_event(match: Match, event: Finished | RoundEnded | SecretSet) -> bool:
    """Return whether the server writes `event` in this phase when a player's time is over."""
    setting = match.phase is Phase.SETTING and not match.departed
    match event:
        case Finished(how=how):
            return setting and not match.played and how is MatchEnd.CLOSED
        case RoundEnded(how=how):
            return how is RoundEnd.TIME and match.phase is Phase.BREAKING
        case SecretSet(by=by):
            return setting and bool(match.played) and by == SERVER


def _may_follow_command(match: Match, event: CommandEvent | Finished) -> bool:
    """Return whether a legal command can cause `event`, or the state of `match` requires it."""
    due = find_automatic_ending(match)
    if isinstance(event, Finished):
        return event == due
    if isinstance(event, RoundEnded) and event.how is not RoundEnd.RESIGNED:
        return event.how is due and _is_consistent(event, match)
    if due is not None:
        return False
    late = match.has_live_clock and not isinstance(event, Left | Joined)
    lag = event.lag if isinstance(event, Guessed | SecretSet) else MAX_CREDIT_MS
    if late and is_time_over(match, match.at, lag):
        return False
    command, by = find_command(event, match)
    return find_refusal(match, command, by) is None and _is_consistent(event, match)


def find_command(event: CommandEvent, match: Match) -> tuple[Command, str | None]:
    """Return the command that caused `event`, and the id of the player who gave it.

    A client's copy of SecretSet may lack the code and the nonce. The command then has another valid
    code, and the commitment as its nonce.
    """
    breaker = None if match.breaker is None else match.breaker.id
    match event:
        case Guessed(code=code, held=held):
            return GuessCode(code, held), breaker
        case SecretSet(by=by, commitment=commitment, code=code, nonce=nonce):
            shown = match.rules.some_code if code is None else code
            return SetSecret(shown, commitment if nonce is None else nonce), by
        case Joined(player=player, seat=seat):
            return TakeSeat(player, seat), player.id
        case Declined(by=by, late=late):
            return Decline(late), by
        case Advised(by=by):
            return TakeAdvice(), by
        case RoundEnded():
            return ResignRound(), breaker
        case Left(player=player, why=why, absent=absent):
            return LeaveMatch(why, absent), player
        case RematchOffered(by=by, match=code):
            return OfferRematch(code), by
        case _:
            assert_never(event)


def _is_consistent(event: CommandEvent, match: Match) -> bool:
    """Return whether the fields of `event` agree with each other and with the current round."""
    rules = match.rules
    match event:
        case Guessed(black=black, white=white, held=held, lag=lag):
            if not _may_credit(match, lag):
                return False
            if held is not None and (
                current_round(match).commitment or _find_code_refusal(held, rules)
            ):
                return False
            return black + white <= rules.pegs
        case SecretSet(commitment=commitment, code=code, nonce=nonce, lag=lag):
            if not _may_credit(match, lag):
                return False
            if commitment is None:
                return nonce is None
            if code is None or nonce is None:
                return code is None and nonce is None
            return commit(nonce, code) == commitment
        case RoundEnded(how=how, code=code, points=points, nonce=nonce):
            played = current_round(match)
            if points != count_points(match, how):
                return False
            if code is None or match.is_entry:  # the contest reveals both later
                return code is None and nonce is None and match.is_entry
            proven = (nonce is None) is (played.commitment is None)
            return (
                proven and played.secret in (None, code) and _find_code_refusal(code, rules) is None
            )
        case Joined(rating=rating):
            return rating is None or match.opened.rated
        case Declined() | Advised() | Left() | RematchOffered():
            return True
        case _:
            assert_never(event)


def _may_credit(match: Match, lag: int) -> bool:
    return lag == 0 if match.timer is None else lag == match.timer.limit_credit(lag)


def _may_change_ratings(match: Match) -> bool:
    """Return whether `match` has ended, counts for ratings, and has no rating change yet."""
    outcome = match.outcome
    ended = outcome is not None and outcome.how is not MatchEnd.CLOSED
    return ended and match.rated and match.has_live_clock and match.ratings is None


def _is_rating_change(match: Match, rated: tuple[RatedPlayer, RatedPlayer]) -> bool:
    """Return whether `rated` are the players of `match`, with the ratings after its outcome."""
    if [each.player for each in rated] != [player.id for player in match.players]:
        return False
    for own, other in permutations(rated):
        expected = rate(own.before, [(other.before, match.find_score(own.player))])
        if any(
            abs(told - computed) > RATING_TOLERANCE
            for told, computed in zip(astuple(own.after), astuple(expected), strict=True)
        ):
            return False
    return True
