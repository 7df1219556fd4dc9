"""What is said between two rounds: what happened, what is next, and what would win the match."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.language import gettext as _
from mastermind_client.language import ngettext
from mastermind_client.messages.players import find_call, say_of
from mastermind_protocol.commitment import (
    ChangedCode,
    FalseFeedback,
    HiddenCode,
    IllegalCode,
    find_fraud,
)
from mastermind_protocol.events import RoundEnd
from mastermind_protocol.match import Phase

if TYPE_CHECKING:
    from mastermind_protocol.match import Match, Round
    from mastermind_protocol.rules import Rules


def head_round(match: Match) -> str:
    """Say which round is over."""
    return _("Round {number} is over").format(number=len(match.played))


def tell_round(match: Match, me: str) -> str:
    """Say how the last round ended, and in a second line what it brought."""
    played = match.played[-1]
    number = len(played.turns)
    if played.how is RoundEnd.BROKEN:
        you, other = _("You cracked it in {number}:"), _("{name} cracked it in {number}:")
        ended = _say_of(match, played.breaker, me, you, other, number=number)
    elif played.how is RoundEnd.RESIGNED:
        ended = _say_of(match, played.breaker, me, _("You gave up:"), _("{name} gave up:"))
    else:
        ended = _("The code stands:")
    you = ngettext("{points} point for you.", "{points} points for you.", played.points)
    other = ngettext("{points} point for {name}.", "{points} points for {name}.", played.points)
    brought = _say_of(match, played.maker, me, you, other, points=played.points)
    return f"{ended}\n{brought}"


def tell_next(match: Match, me: str) -> str:
    """Say who hides a code now, or has done so already."""
    maker, _breaker = _find_next(match)
    if match.phase is Phase.SETTING:
        you, other = _("Now you hide a code."), _("Now {name} hides a code.")
    else:
        you, other = _("Your code is hidden."), _("{name} has hidden a code.")
    return _say_of(match, maker, me, you, other)


def tell_stakes(match: Match, me: str) -> str:
    """Say what would win the match in the round that is next, or how many are left after it.

    Points are the codemaker's: its guesses, or the limit and one more if the code stands.
    """
    left = match.opened.rounds - len(match.played)
    if left > 1:
        text = ngettext("{number} round is left.", "{number} rounds are left.", left)
        return text.format(number=left)
    maker, breaker = _find_next(match)
    lead = match.points_of(breaker) - match.points_of(maker)
    most = match.rules.guess_limit + 1
    if lead <= 0 or lead > most:
        winner = maker if lead <= 0 else breaker
        you = _("You have won the match already, whatever comes.")
        return _say_of(match, winner, me, you, _("{name} has won the match already."))
    return _tell_last(match, me, lead, most)


def _tell_last(match: Match, me: str, lead: int, most: int) -> str:
    """Say what would win the last round, with so many guesses as make the match a draw."""
    maker, breaker = _find_next(match)
    if breaker == me:
        if lead == 1:
            return _("Crack it with one guess, and the match is a draw.")
        text = _("If you need fewer than {number} guesses, you win the match.")
        return text.format(number=lead)
    if lead == most:
        return _("If the code stands, the match is a draw.")
    you = ngettext(
        "If {breaker} needs more than {number} guess, you win the match.",
        "If {breaker} needs more than {number} guesses, you win the match.",
        lead,
    )
    other = ngettext(
        "If {breaker} needs more than {number} guess, {name} wins the match.",
        "If {breaker} needs more than {number} guesses, {name} wins the match.",
        lead,
    )
    return _say_of(match, maker, me, you, other, breaker=find_call(match, breaker), number=lead)


def _find_next(match: Match) -> tuple[str, str]:
    """Return the ids of the next codemaker and codebreaker: the seats change after each round."""
    last = match.played[-1]
    return last.breaker, last.maker


def warn_of_fraud(played: Round, rules: Rules) -> str:
    """Return the one sentence that a code which is not proven is worth; empty if it is."""
    match find_fraud(played, rules):
        case None:
            return ""
        case HiddenCode():
            return _("The sealed code was not shown.")
        case ChangedCode():
            return _("This was not the sealed code.")
        case IllegalCode():
            return _("This is no code of the game.")
        case FalseFeedback(guess=number):
            return _("The answer to guess {number} was wrong.").format(number=number)


def write_end(played: Round) -> str:
    """Say how a round ended, in a few words."""
    number = len(played.turns)
    if played.how is RoundEnd.RESIGNED:
        return _("given up")
    if played.how is RoundEnd.BROKEN:
        words = ngettext("broken in {number} guess", "broken in {number} guesses", number)
    elif not number:
        return _("not broken")
    else:
        words = ngettext("not broken in {number} guess", "not broken in {number} guesses", number)
    return words.format(number=number)


def tell_rounds(match: Match, me: str) -> list[str]:
    """Say how each round ended, in a short sentence."""
    return [_tell_ended(match, number, me) for number in range(len(match.played))]


def _tell_ended(match: Match, number: int, me: str) -> str:
    played, several = match.played[number], match.opened.rounds > 1
    if played.how is RoundEnd.BROKEN and several:
        you = _("Round {round}: you cracked it in {number}.")
        other = _("Round {round}: {name} cracked it in {number}.")
    elif played.how is RoundEnd.BROKEN:
        you, other = _("You cracked it in {number}."), _("{name} cracked it in {number}.")
    elif played.how is RoundEnd.LEFT:
        you = other = _("Round {round} was not played to its end.")
    elif several:
        you = other = _("Round {round}: the code stood.")
    else:
        you = other = _("The code stood.")
    guesses = len(played.turns)
    return _say_of(match, played.breaker, me, you, other, round=number + 1, number=guesses)


def tell_result(match: Match, me: str) -> str:
    """Say who won a match that is over, with the points if several rounds were played."""
    outcome = match.outcome
    if outcome is None:
        return ""
    scores = sorted((match.points_of(player.id) for player in match.players), reverse=True)
    points = " : ".join(map(str, scores)) if match.opened.rounds > 1 and not match.left else ""
    if outcome.winner is None:
        return _("A draw, {points}.").format(points=points) if points else _("A draw.")
    if not points:
        return _say_of(match, outcome.winner, me, _("You win."), _("{name} wins."))
    you, other = _("You win {points}."), _("{name} wins {points}.")
    return _say_of(match, outcome.winner, me, you, other, points=points)


def _say_of(
    match: Match, player: str, me: str | None, you: str, other: str, /, **values: object
) -> str:
    return say_of(match, player, me, you, other, name=find_call(match, player), **values)
