"""Texts about the events of a match, one or a few lines per event."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, assert_never

from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.language import ngettext
from mastermind_client.messages.clocks import describe_clock, describe_lost_time
from mastermind_client.messages.codes import (
    format_board,
    format_pegs,
    format_turn,
    prefer_letters,
)
from mastermind_client.messages.endings import describe_measurement
from mastermind_client.messages.players import choose_sentence, find_name, format_name
from mastermind_client.messages.ratings import describe_unrated
from mastermind_client.messages.rounds import describe_secret
from mastermind_client.messages.rules import describe_rules, list_letter_warnings
from mastermind_client.messages.updates import describe_declined
from mastermind_protocol.events import (
    SERVER,
    Advised,
    AnyEvent,
    Declined,
    Finished,
    Forfeit,
    Guessed,
    Joined,
    Left,
    MatchEnd,
    Opened,
    Rated,
    RematchOffered,
    Resumed,
    RoundEnd,
    RoundEnded,
    Seat,
    SecretSet,
    Unrated,
)
from mastermind_protocol.feedback import Feedback
from mastermind_protocol.match import Match, Phase, Round, Turn
from mastermind_protocol.transitions import evolve

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mastermind_protocol.events import RatedPlayer
    from mastermind_protocol.match import Round


FORFEIT_TEXTS: Mapping[Forfeit, str] = MappingProxyType(
    {
        Forfeit.FAILED: N_("the bot failed and forfeits"),
        Forfeit.SLOW: N_("the bot took too long and forfeits"),
        Forfeit.ILLEGAL: N_("the bot played an illegal code and forfeits"),
    }
)
"""The reasons why a bot had to leave, marked for translation."""


def describe_events(
    events: Iterable[AnyEvent],
    before: Match | None,
    me: str | None,
    *,
    whole_board: bool = False,
    lettered: bool = False,
) -> Iterator[str]:
    """Yield lines about the events of a match, for the player with id `me` or for a spectator.

    `before` is the match before the first event. A guess is shown as its row of the board, or
    as the whole board if `whole_board`. If `lettered`, codes are written as letters.
    """
    match = prefer_letters(before) if lettered and before is not None else before
    for event in events:
        after = evolve(match, event)
        if lettered and match is None:
            after = prefer_letters(after)
        yield from _describe_event(event, match or after, after, me, whole_board=whole_board)
        match = after


def _describe_event(
    event: AnyEvent, before: Match, after: Match, me: str | None, *, whole_board: bool
) -> Iterator[str]:
    match event:
        case Opened():
            yield from _describe_opening(event, after)
        case Joined(player=player, seat=seat):
            if seat is Seat.MAKER:
                you, other = _("You are the codemaker."), _("{name} is the codemaker.")
            else:
                you, other = _("You are the codebreaker."), _("{name} is the codebreaker.")
            yield choose_sentence(after, player.id, me, you, other)
            if after.phase is Phase.SETTING:
                yield from _announce_round(after, me)
        case Declined(late=late):
            yield describe_declined(late=late)
        case Unrated():
            yield describe_unrated()
        case Resumed(lost=lost):
            yield describe_lost_time(lost)
        case Rated(players=players):
            yield from _describe_ratings(players, after)
        case SecretSet():
            yield from _describe_secret(event, after, me)
        case Advised(by=by):
            guess = len(after.current.turns) + 1 if after.current else 0
            you = _("You took advice for guess {number}.")
            yield choose_sentence(
                after, by, me, you, _("{name} took advice for guess {number}."), number=guess
            )
        case Guessed():
            yield from _describe_guess(event, after, whole_board=whole_board)
        case RoundEnded():
            yield from _describe_round_end(before, after, me)
        case Left(player=player, why=why) if why is not None:
            name, reason = find_name(after, player), _(FORFEIT_TEXTS[why])
            yield _("{name} left: {reason}.").format(name=name, reason=reason)
        case Left(player=player, absent=True):
            you = _("You were away for too long, so you have left the match.")
            other = _("{name} was away for too long and has left the match.")
            yield choose_sentence(after, player, me, you, other)
        case Left(player=player):
            yield choose_sentence(after, player, me, _("You left."), _("{name} left."))
        case Finished() if after.is_entry:
            pass  # the end of the only round says it
        case Finished():
            yield describe_result(event, after, me)
        case RematchOffered(by=by, match=code):
            you = _("You offered a rematch: match {match}.")
            other = _("{name} offered a rematch: match {match}.")
            yield choose_sentence(after, by, me, you, other, match=code)
        case _:
            assert_never(event)


def _describe_opening(event: Opened, match: Match) -> Iterator[str]:
    yield from describe_rules(match.rules)
    yield from list_letter_warnings(match.rules)
    if event.rounds > 1:
        yield ngettext(
            "{number} round; you swap seats after each.",
            "{number} rounds; you swap seats after each.",
            event.rounds,
        ).format(number=event.rounds)
    if event.rated:
        yield _("This match is rated: no advice, no programs.")
    if match.clock is not None:
        yield describe_clock(match.clock)


def _describe_secret(event: SecretSet, match: Match, me: str | None) -> Iterator[str]:
    if event.commitment is None:
        yield _("{name} keeps no fixed code, so it cannot commit to one:").format(
            name=find_name(match, event.by)
        )
        yield _("each answer only has to fit its earlier ones.")
        return
    if event.by == SERVER and not match.is_entry:
        yield _("The time to set a secret is over: the server has drawn one.")
    else:
        yield _("Your secret is set.") if event.by == me else _("The secret is set.")
    if event.code is not None and event.by == me:
        code = format_pegs(event.code, match.rules)
        yield _("It is {code}; only you can see it.").format(code=code)
    yield _("It is locked: any change would show at the end.")


def _announce_round(match: Match, me: str | None) -> Iterator[str]:
    if match.opened.rounds == 1 or match.maker is None or match.breaker is None:
        return
    if match.maker.id == me:
        text = _("Round {number} of {rounds}: you set the secret, {breaker} breaks it.")
    elif match.breaker.id == me:
        text = _("Round {number} of {rounds}: {maker} sets the secret, you break it.")
    else:
        text = _("Round {number} of {rounds}: {maker} sets the secret, {breaker} breaks it.")
    yield text.format(
        number=match.round_number,
        rounds=match.opened.rounds,
        maker=format_name(match.maker),
        breaker=format_name(match.breaker),
    )


def _describe_guess(event: Guessed, after: Match, *, whole_board: bool) -> Iterator[str]:
    turns = after.current.turns if after.current else ()
    if whole_board:
        yield from format_board(turns, after.rules, whole=True)
    else:
        turn = Turn(event.code, Feedback(event.black, event.white))
        yield format_turn(len(turns), turn, after.rules)


def _describe_round_end(before: Match, after: Match, me: str | None) -> Iterator[str]:
    played = after.played[-1]
    yield describe_round_end(played, before, me)
    yield from describe_secret(played, after.rules)
    if after.opened.rounds > 1:
        yield describe_score(after)
        if after.phase is Phase.SETTING:
            yield from _announce_round(after, me)


def _describe_ratings(players: Iterable[RatedPlayer], match: Match) -> Iterator[str]:
    for each in players:
        before, after = round(each.before.rating), round(each.after.rating)
        yield _("{name}: rating {before} -> {after} ({change:+}).").format(
            name=find_name(match, each.player), before=before, after=after, change=after - before
        )


def describe_commitment(played: Round | None) -> str:
    """Return the commitment that lets players check the secret after the round."""
    if played is None or played.commitment is None:
        return _("There is no commitment to a secret.")
    return _("Commitment: {commitment}").format(commitment=played.commitment.hex())


def describe_round_end(played: Round, match: Match, me: str | None) -> str:
    """Return a sentence about the end of a finished round."""
    number, breaker = len(played.turns), played.breaker
    match played.how:
        case RoundEnd.BROKEN:
            you = ngettext(
                "You broke the code in {number} guess.",
                "You broke the code in {number} guesses.",
                number,
            )
            other = ngettext(
                "{name} broke the code in {number} guess.",
                "{name} broke the code in {number} guesses.",
                number,
            )
            return choose_sentence(match, breaker, me, you, other, number=number)
        case RoundEnd.EXHAUSTED:
            return ngettext(
                "The code stands: {number} guess used, none left.",
                "The code stands: {number} guesses used, none left.",
                number,
            ).format(number=number)
        case RoundEnd.RESIGNED:
            you = ngettext(
                "You gave up after {number} guess: the code stands.",
                "You gave up after {number} guesses: the code stands.",
                number,
            )
            other = ngettext(
                "{name} gave up after {number} guess: the code stands.",
                "{name} gave up after {number} guesses: the code stands.",
                number,
            )
            return choose_sentence(match, breaker, me, you, other, number=number)
        case RoundEnd.TIME:
            you = ngettext(
                "Your time is over after {number} guess: the code stands.",
                "Your time is over after {number} guesses: the code stands.",
                number,
            )
            other = ngettext(
                "{name}'s time is over after {number} guess: the code stands.",
                "{name}'s time is over after {number} guesses: the code stands.",
                number,
            )
            return choose_sentence(match, breaker, me, you, other, number=number)
        case RoundEnd.LEFT | None:
            return ngettext(
                "The round ends after {number} guess.",
                "The round ends after {number} guesses.",
                number,
            ).format(number=number)
        case _:
            assert_never(played.how)


def describe_score(match: Match) -> str:
    """Return the points of each player."""
    points = (f"{format_name(player)} {match.points_of(player.id)}" for player in match.players)
    return _("Points: {points}.").format(points=", ".join(points))


def describe_result(event: Finished, match: Match, me: str | None) -> str:
    """Return a sentence about the result of the match: the winner, a draw, or why it was closed."""
    if event.how is MatchEnd.CLOSED:
        if len(match.players) < 2:
            return _("The match is closed: nobody joined.")
        if match.departed:
            return _("The match is closed: there was no guess yet.")
        return _("The match is closed: the first code was not set in time.")
    if match.measures_bot:
        return describe_measurement(match)
    if event.winner is None:
        return _("The match is a draw.")
    if event.winner == me:
        return _("You win.")
    text = _("{name} wins. You lose.") if match.seat_of(me) else _("{name} wins.")
    return text.format(name=find_name(match, event.winner))
