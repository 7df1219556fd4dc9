"""What happened in a match, in words: pure functions from events to lines."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, assert_never

from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.language import ngettext
from mastermind_client.messages.codes import name_colours, write_board, write_code, write_turn
from mastermind_client.messages.players import find_name, name_player, say_of
from mastermind_client.messages.refusals import explain_refusal
from mastermind_client.messages.rules import describe_rules, warn_of_letters
from mastermind_protocol.commitment import (
    ChangedCode,
    FalseFeedback,
    HiddenCode,
    IllegalCode,
    find_fraud,
)
from mastermind_protocol.events import (
    Advised,
    AnyEvent,
    Finished,
    Forfeit,
    Guessed,
    Joined,
    Left,
    MatchEnd,
    Opened,
    RematchOffered,
    RoundEnd,
    RoundEnded,
    Seat,
    SecretSet,
)
from mastermind_protocol.feedback import Feedback
from mastermind_protocol.match import Match, Phase, Round, Turn
from mastermind_protocol.transitions import evolve

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mastermind_protocol.match import Round
    from mastermind_protocol.rules import Rules


FORFEITS: Mapping[Forfeit, str] = MappingProxyType(
    {
        Forfeit.FAILED: N_("the bot failed, and forfeits"),
        Forfeit.SLOW: N_("the bot took too long, and forfeits"),
        Forfeit.ILLEGAL: N_("the bot played no legal code, and forfeits"),
    }
)
"""Why a bot had to leave, in words; to be translated where they are shown."""


def describe(
    events: Iterable[AnyEvent],
    before: Match | None,
    me: str | None,
    *,
    whole_board: bool = False,
) -> Iterator[str]:
    """Yield lines that tell what happened, to the player with id `me` or to a spectator.

    A guess is told by its row of the board, or by the `whole_board`.
    """
    match = before
    for event in events:
        after = evolve(match, event)
        yield from _describe(event, match or after, after, me, whole_board=whole_board)
        match = after


def _describe(
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
            yield say_of(after, player.id, me, you, other)
            if after.phase is Phase.SETTING:
                yield from _announce_round(after, me)
        case SecretSet():
            yield from _describe_secret(event, after, me)
        case Advised(by=by):
            guess = len(after.current.turns) + 1 if after.current else 0
            you = _("You took advice for guess {number}.")
            yield say_of(
                after, by, me, you, _("{name} took advice for guess {number}."), number=guess
            )
        case Guessed():
            yield from _describe_guess(event, after, whole_board=whole_board)
        case RoundEnded():
            yield from _describe_round_end(event, before, after, me)
        case Left(player=player, why=why) if why is not None:
            name, reason = find_name(after, player), _(FORFEITS[why])
            yield _("{name} left: {reason}.").format(name=name, reason=reason)
        case Left(player=player, absent=True):
            you = _("You stayed away for too long: you have left the match.")
            other = _("{name} stayed away for too long, and has left the match.")
            yield say_of(after, player, me, you, other)
        case Left(player=player):
            yield say_of(after, player, me, _("You left."), _("{name} left."))
        case Finished():
            yield describe_result(event, after, me)
        case RematchOffered(by=by, match=code):
            you = _("You offered a rematch: match {match}.")
            other = _("{name} offered a rematch: match {match}.")
            yield say_of(after, by, me, you, other, match=code)
        case _:
            assert_never(event)


def _describe_opening(event: Opened, match: Match) -> Iterator[str]:
    yield from describe_rules(match.rules)
    yield from warn_of_letters(match.rules)
    if event.rounds > 1:
        yield ngettext(
            "{number} round is played; the seats are swapped after each.",
            "{number} rounds are played; the seats are swapped after each.",
            event.rounds,
        ).format(number=event.rounds)
    if event.rated:
        yield _("It is rated: without advice, and without programs.")


def _describe_secret(event: SecretSet, match: Match, me: str | None) -> Iterator[str]:
    if event.commitment is None:
        yield _("{name} keeps no code, and so can commit to none:").format(
            name=find_name(match, event.by)
        )
        yield _("it answers each guess by any code that agrees with all its answers.")
        return
    yield _("Your secret is set.") if event.by == me else _("The secret is set.")
    if event.code is not None and event.by == me:
        code = write_code(event.code, match.rules)
        yield _("It is {code}; only you can see it.").format(code=code)
    yield _("It is sealed: who set it cannot change it unseen.")


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
        maker=name_player(match.maker),
        breaker=name_player(match.breaker),
    )


def _describe_guess(event: Guessed, after: Match, *, whole_board: bool) -> Iterator[str]:
    turns = after.current.turns if after.current else ()
    if whole_board:
        yield from write_board(turns, after.rules, whole=True)
    else:
        turn = Turn(event.code, Feedback(event.black, event.white))
        yield write_turn(len(turns), turn, after.rules)


def _describe_round_end(
    event: RoundEnded, before: Match, after: Match, me: str | None
) -> Iterator[str]:
    played, rules = after.played[-1], after.rules
    yield describe_ending(played, before, me)
    yield _("The secret was {code}: {colours}.").format(
        code=write_code(event.code, rules), colours=" ".join(name_colours(event.code, rules))
    )
    yield describe_proof(played, rules)
    if after.opened.rounds > 1:
        yield describe_score(after)
        if after.phase is Phase.SETTING:
            yield from _announce_round(after, me)


def describe_seal(played: Round | None) -> str:
    """Tell what the secret of a round was committed to by, so that it can be compared."""
    if played is None or played.commitment is None:
        return _("No secret is sealed.")
    return _("Commitment: {commitment}").format(commitment=played.commitment.hex())


def describe_ending(played: Round, match: Match, me: str | None) -> str:
    """Say how a round of the match ended, which is over."""
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
            return say_of(match, breaker, me, you, other, number=number)
        case RoundEnd.EXHAUSTED:
            return ngettext(
                "The code stands: {number} guess, and no more are left.",
                "The code stands: {number} guesses, and no more are left.",
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
            return say_of(match, breaker, me, you, other, number=number)
        case RoundEnd.LEFT | None:
            return ngettext(
                "The round ends after {number} guess.",
                "The round ends after {number} guesses.",
                number,
            ).format(number=number)
        case _:
            assert_never(played.how)


def describe_score(match: Match) -> str:
    """Say how many points each player has."""
    points = (f"{name_player(player)} {match.points_of(player.id)}" for player in match.players)
    return _("Points: {points}.").format(points=", ".join(points))


def compare_points(mine: int, theirs: int) -> str:
    """Return the points of two, those of whoever is told of first."""
    text = ngettext("{mine} point to {theirs}", "{mine} points to {theirs}", mine)
    return text.format(mine=mine, theirs=theirs)


def describe_result(event: Finished, match: Match, me: str | None) -> str:
    """Say who won the match."""
    if event.how is MatchEnd.CLOSED:
        return _("The match is closed: nobody joined.")
    if event.winner is None:
        return _("The match is a draw.")
    if event.winner == me:
        return _("You win.")
    text = _("{name} wins. You lose.") if match.seat_of(me) else _("{name} wins.")
    return text.format(name=find_name(match, event.winner))


def describe_fraud(played: Round, rules: Rules) -> str | None:
    """Say how a finished round contradicts itself, or None if it is proven."""
    match find_fraud(played, rules):
        case None:
            return None
        case HiddenCode():
            return _("the code was not shown")
        case ChangedCode():
            return _("the code shown is not the one that was committed to")
        case IllegalCode(error=error):
            why = explain_refusal(error)
            return _("the code shown is none of this game: {why}").format(why=why)
        case FalseFeedback(guess=number):
            text = _("the feedback to guess {number} does not fit the code shown")
            return text.format(number=number)
        case fraud:
            assert_never(fraud)


def describe_proof(played: Round, rules: Rules) -> str:
    """Say whether a finished round is proven by what was shown at its end."""
    fraud = describe_fraud(played, rules)
    if fraud is not None:
        return _("WARNING! CODE NOT PROVEN: {fraud}. You have been cheated.").format(fraud=fraud)
    if played.commitment is None:
        return _("Every feedback fits it; there was no commitment to prove.")
    return _("Code proven: it is the one committed to, and every feedback fits it.")
