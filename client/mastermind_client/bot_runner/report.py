"""The runner's report of its matches: pure functions from updates to lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from mastermind_client.language import gettext as _
from mastermind_client.language import ngettext
from mastermind_client.messages.events import (
    describe_events,
    describe_result,
    describe_round_end,
)
from mastermind_client.messages.listings import describe_terms
from mastermind_client.messages.players import format_name, format_points
from mastermind_client.messages.rounds import describe_fraud, describe_proof
from mastermind_client.messages.updates import describe_session_update
from mastermind_client.network.updates import (
    Announced,
    ChallengeClosed,
    ChallengeReceived,
    ChatReceived,
    CodeRevealed,
    ConnectionLost,
    MatchKept,
    MatchLost,
    MatchRestored,
    Moved,
    PresenceChanged,
    Reconnected,
    Reconnecting,
    RequestDelayed,
    SessionEnded,
    SpectatorsChanged,
    Update,
)
from mastermind_protocol.events import (
    Advised,
    AnyEvent,
    Finished,
    Guessed,
    Joined,
    Left,
    MatchEnd,
    Opened,
    RoundEnd,
    RoundEnded,
    Seat,
    SecretSet,
)
from mastermind_protocol.match import Match, Phase
from mastermind_protocol.transitions import evolve

if TYPE_CHECKING:
    from collections.abc import Iterator


REPORTED_TRIES = 10  # tries to connect in a row; of later ones each tenth, about every 40 s


def describe_update(update: Update, me: str) -> Iterator[str]:
    """Yield the report lines for an update to a match of the bot, whose player id is `me`."""
    match update:
        case Moved(mirror, events, before):
            for event in events:
                after = evolve(before, event)
                if isinstance(event, Joined) and event.player.id == me:
                    yield _format_own_seat(mirror.code, after, event.seat)
                else:
                    lines = _describe_event(event, before or after, after, me)
                    yield from (f"{mirror.code}: {line}" for line in lines)
                before = after
        case PresenceChanged(mirror) | MatchRestored(mirror) | MatchLost(mirror) if (
            text := describe_session_update(update)
        ):
            yield f"{mirror.code}: {text}"
        case Reconnecting(attempt) if attempt > REPORTED_TRIES and attempt % REPORTED_TRIES:
            pass
        case ConnectionLost() | Reconnecting() | Reconnected() if text := describe_session_update(
            update
        ):
            yield text
        case (
            PresenceChanged()
            | MatchRestored()
            | MatchLost()
            | ConnectionLost()
            | Reconnecting()
            | Reconnected()
            | SessionEnded()
        ):
            pass
        case CodeRevealed() | ChatReceived() | SpectatorsChanged() | RequestDelayed() | Announced():
            pass
        case ChallengeReceived() | ChallengeClosed() | MatchKept():
            pass  # these lines would bury the games
        case _:
            assert_never(update)


def _format_own_seat(code: str, after: Match, seat: Seat) -> str:
    opened, makes = after.opened, seat is Seat.MAKER
    if after.phase is Phase.GATHERING:
        text = (
            _("open: match {match}, {terms}, I make")
            if makes
            else _("open: match {match}, {terms}, I break")
        )
        return text.format(
            match=code, terms=describe_terms(str(after.rules), opened.rounds, clock=opened.clock)
        )
    text = (
        _("{match}: rematch of {previous}, I make")
        if makes
        else _("{match}: rematch of {previous}, I break")
    )
    return text.format(match=code, previous=opened.previous)


def _describe_event(event: AnyEvent, before: Match | None, after: Match, me: str) -> Iterator[str]:
    match event:
        case Joined(player=player) if after.phase is not Phase.GATHERING:
            yield _("{name} joined").format(name=format_name(player))
        case RoundEnded():
            yield from _describe_round_end(after, me)
        case Left(player=player, absent=False) if player == me:
            pass
        case Finished():
            yield _describe_result(event, after, me)
        case Opened() | Joined() | SecretSet() | Guessed() | Advised():
            pass
        case _:
            yield from describe_events((event,), before, None)


def _describe_round_end(after: Match, me: str) -> Iterator[str]:
    played = after.played[-1]
    number = len(played.turns)
    if played.how is RoundEnd.BROKEN and played.breaker == me:
        yield ngettext(
            "broke the code in {number} guess", "broke the code in {number} guesses", number
        ).format(number=number)
    elif played.how is not RoundEnd.LEFT:
        yield describe_round_end(played, after, None)
    if describe_fraud(played, after.rules):
        yield describe_proof(played, after.rules)


def _describe_result(event: Finished, after: Match, me: str) -> str:
    if event.how is MatchEnd.CLOSED:
        return describe_result(event, after, me)
    result = {None: _("a draw"), me: _("won")}.get(event.winner, _("lost"))
    if after.opened.rounds == 1 or event.how is MatchEnd.LEFT:
        return result
    opponent = after.opponent_of(me)
    theirs = after.points_of(opponent.id) if opponent else 0
    return f"{result}, {format_points(after.points_of(me), theirs)}"
