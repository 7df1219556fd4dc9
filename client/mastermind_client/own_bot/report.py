"""What happens at a bot's tables, in words: pure functions from updates to lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.language import gettext as _
from mastermind_client.language import ngettext
from mastermind_client.net.updates import (
    ConnectionLost,
    Moved,
    PresenceChanged,
    Reconnected,
    Update,
)
from mastermind_client.words.events import FORFEITS, compare_points, describe_fraud
from mastermind_client.words.failures import explain_outage
from mastermind_client.words.listings import describe_terms
from mastermind_client.words.players import find_name, name_player, say_of
from mastermind_protocol.events import (
    AnyEvent,
    Finished,
    Joined,
    Left,
    MatchEnd,
    RematchOffered,
    RoundEnd,
    RoundEnded,
    Seat,
)
from mastermind_protocol.match import Match, Phase
from mastermind_protocol.transitions import evolve

if TYPE_CHECKING:
    from collections.abc import Iterator


def describe_update(update: Update, me: str) -> Iterator[str]:
    """Yield what the owner of the bot with the player id `me` is told of an update."""
    match update:
        case Moved(mirror, events, before):
            state = before
            for event in events:
                after = evolve(state, event)
                if isinstance(event, Joined) and event.player.id == me:
                    yield _tell_seat(mirror.code, after, event.seat)
                else:
                    yield from (f"{mirror.code}: {text}" for text in _tell(event, after, me))
                state = after
        case PresenceChanged(match=match, with_us=with_us) if match.rematch or with_us:
            pass  # it is followed no more by whoever plays the rematch
        case PresenceChanged(mirror, match, player, here):
            text = _("{name} is back") if here else _("{name} has lost the connection")
            yield f"{mirror.code}: {text.format(name=find_name(match, player))}"
        case ConnectionLost(reason):
            text = _("connection lost: {reason}; trying to come back")
            yield text.format(reason=explain_outage(reason))
        case Reconnected():
            yield _("connected again")
        case _:
            pass  # a line a try, or what people say to each other, would bury what happened


def _tell_seat(code: str, after: Match, seat: Seat) -> str:
    opened, making = after.opened, seat is Seat.MAKER
    if after.phase is not Phase.GATHERING:
        again = (
            _("{match}: rematch of {previous}, I make")
            if making
            else _("{match}: rematch of {previous}, I break")
        )
        return again.format(match=code, previous=opened.previous)
    text = (
        _("open: match {match}, {terms}, I make")
        if making
        else _("open: match {match}, {terms}, I break")
    )
    return text.format(match=code, terms=describe_terms(str(after.rules), opened.rounds))


def _tell(event: AnyEvent, after: Match, me: str) -> Iterator[str]:
    match event:
        case Joined(player=player) if after.phase is not Phase.GATHERING:
            yield _("{name} joined").format(name=name_player(player))
        case RoundEnded():
            yield from _tell_round_end(event, after, me)
        case Left(player=player, absent=True):
            mine, theirs = _("I stayed away for too long"), _("{name} stayed away for too long")
            yield say_of(after, player, me, mine, theirs)
        case Left(player=player) if player == me:
            pass
        case Left(player=player, why=why) if why is not None:
            name, reason = find_name(after, player), _(FORFEITS[why])
            yield _("{name} left: {reason}").format(name=name, reason=reason)
        case Left(player=player):
            yield _("{name} left").format(name=find_name(after, player))
        case Finished():
            yield _tell_result(event, after, me)
        case RematchOffered(by=by):
            yield say_of(after, by, me, _("I offer a rematch"), _("{name} offers a rematch"))
        case _:
            pass


def _tell_round_end(event: RoundEnded, after: Match, me: str) -> Iterator[str]:
    played = after.played[-1]
    number = len(played.turns)
    match event.how:
        case RoundEnd.BROKEN:
            mine = ngettext(
                "broke the code in {number} guess", "broke the code in {number} guesses", number
            )
            theirs = ngettext(
                "{name} broke the code in {number} guess",
                "{name} broke the code in {number} guesses",
                number,
            )
            yield say_of(after, played.breaker, me, mine, theirs, number=number)
        case RoundEnd.EXHAUSTED:
            yield ngettext(
                "the code stands after {number} guess",
                "the code stands after {number} guesses",
                number,
            ).format(number=number)
        case RoundEnd.RESIGNED:
            mine = ngettext(
                "gave up after {number} guess", "gave up after {number} guesses", number
            )
            theirs = ngettext(
                "{name} gave up after {number} guess",
                "{name} gave up after {number} guesses",
                number,
            )
            yield say_of(after, played.breaker, me, mine, theirs, number=number)
        case RoundEnd.LEFT:
            pass  # it was told who left
    if fraud := describe_fraud(played, after.rules):
        yield _("WARNING! Code not proven: {fraud}").format(fraud=fraud)


def _tell_result(event: Finished, after: Match, me: str) -> str:
    if event.how is MatchEnd.CLOSED:
        return _("closed, for nobody joined")
    told = {None: _("a draw"), me: _("won")}.get(event.winner, _("lost"))
    if after.opened.rounds == 1 or event.how is MatchEnd.LEFT:
        return told
    opponent = after.opponent_of(me)
    theirs = after.points_of(opponent.id) if opponent else 0
    return f"{told}, {compare_points(after.points_of(me), theirs)}"
