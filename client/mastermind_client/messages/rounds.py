"""Short texts about finished rounds and their proof, and about the next round."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, assert_never

from mastermind_client.language import gettext as _
from mastermind_client.language import ngettext
from mastermind_client.messages.codes import format_colours, format_pegs
from mastermind_client.messages.players import choose_sentence, find_name
from mastermind_protocol.events import RoundEnd
from mastermind_protocol.match import Phase
from mastermind_protocol.proof import (
    ChangedCode,
    FalseFeedback,
    HiddenCode,
    IllegalCode,
    find_fraud,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mastermind_protocol.match import Match, Round
    from mastermind_protocol.rules import Rules


# The match screen, which shows these texts, marks bots beside the board.
_find_name = partial(find_name, mark_bot=False)
_choose_sentence = partial(choose_sentence, mark_bot=False)


def format_round_heading(match: Match) -> str:
    """Return the heading between two rounds: ``Round 1 is over``."""
    return _("Round {number} is over").format(number=len(match.played))


def describe_last_round(match: Match, me: str) -> str:
    """Return two lines about the last round: how it ended, and its points."""
    played = match.played[-1]
    number = len(played.turns)
    if played.how is RoundEnd.BROKEN:
        you, other = _("You cracked it in {number}:"), _("{name} cracked it in {number}:")
        ended = _choose_sentence(match, played.breaker, me, you, other, number=number)
    elif played.how is RoundEnd.RESIGNED:
        ended = _choose_sentence(match, played.breaker, me, _("You gave up:"), _("{name} gave up:"))
    elif played.how is RoundEnd.TIME:
        you, other = _("Your time is over:"), _("{name}'s time is over:")
        ended = _choose_sentence(match, played.breaker, me, you, other)
    else:
        ended = _("The code stands:")
    you = ngettext("{points} point for you.", "{points} points for you.", played.points)
    other = ngettext("{points} point for {name}.", "{points} points for {name}.", played.points)
    brought = _choose_sentence(match, played.maker, me, you, other, points=played.points)
    return f"{ended}\n{brought}"


def describe_next_round(match: Match, me: str) -> str:
    """Return a sentence about the secret of the next round, and whether it is set."""
    maker, _breaker = _find_next_players(match)
    if match.phase is Phase.SETTING:
        you, other = _("Now you hide a code."), _("Now {name} hides a code.")
    elif match.current is not None and match.current.drawn:
        return _("The server has hidden a code.")
    else:
        you, other = _("Your code is hidden."), _("{name} has hidden a code.")
    return _choose_sentence(match, maker, me, you, other)


def describe_stakes(match: Match, me: str) -> str:
    """Return a text about the remaining rounds.

    Before the last round it says how many guesses win the match. The codemaker scores a point per
    guess of the codebreaker, and one more point for an unbroken code.
    """
    left = match.opened.rounds - len(match.played)
    if left > 1:
        text = ngettext("{number} round is left.", "{number} rounds are left.", left)
        return text.format(number=left)
    maker, breaker = _find_next_players(match)
    lead = match.points_of(breaker) - match.points_of(maker)
    most = match.rules.guess_limit + 1
    if lead <= 0 or lead > most:
        winner = maker if lead <= 0 else breaker
        you = _("You have won the match already.")
        return _choose_sentence(match, winner, me, you, _("{name} has won the match already."))
    return _describe_last_stakes(match, me, lead, most)


def _describe_last_stakes(match: Match, me: str, lead: int, most: int) -> str:
    """Return a sentence with the number of guesses that wins the match.

    The next codebreaker has `lead` points more than the codemaker, who gets a point for each guess.
    So `lead` guesses are a draw. `most` is the largest number of points of a round.
    """
    maker, breaker = _find_next_players(match)
    if breaker == me:
        if lead == 1:
            return _("Crack it with one guess, and the match is a draw.")
        if lead == most:
            return _("If you break the code, you win the match.")
        text = _("If you need fewer than {number} guesses, you win the match.")
        return text.format(number=lead)
    if lead == most:
        return _("If the code stands, the match is a draw.")
    if lead == match.rules.guess_limit:
        you = _("If the code stands, you win the match.")
        other = _("If the code stands, {name} wins the match.")
        return _choose_sentence(match, maker, me, you, other)
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
    return _choose_sentence(
        match, maker, me, you, other, breaker=_find_name(match, breaker), number=lead
    )


def _find_next_players(match: Match) -> tuple[str, str]:
    """Return the ids of the next codemaker and codebreaker. Players swap seats after a round."""
    last = match.played[-1]
    return last.breaker, last.maker


def format_round_end(played: Round) -> str:
    """Return the end of a round in a few words: ``broken in 3 guesses``."""
    number = len(played.turns)
    if played.how is RoundEnd.RESIGNED:
        return _("given up")
    if played.how is RoundEnd.TIME:
        return _("time is over")
    if played.how is RoundEnd.BROKEN:
        text = ngettext("broken in {number} guess", "broken in {number} guesses", number)
    elif not number:
        return _("not broken")
    else:
        text = ngettext("not broken in {number} guess", "not broken in {number} guesses", number)
    return text.format(number=number)


def describe_rounds(match: Match, me: str) -> list[str]:
    """Return a short sentence about the end of each round."""
    return [_describe_numbered_round(match, number, me) for number in range(len(match.played))]


def _describe_numbered_round(match: Match, number: int, me: str) -> str:
    played, several = match.played[number], match.opened.rounds > 1
    if played.how is RoundEnd.BROKEN and several:
        you = _("Round {round}: you cracked it in {number}.")
        other = _("Round {round}: {name} cracked it in {number}.")
    elif played.how is RoundEnd.BROKEN:
        you, other = _("You cracked it in {number}."), _("{name} cracked it in {number}.")
    elif played.how is RoundEnd.LEFT:
        you = other = _("Round {round} was not finished.")
    elif several:
        you = other = _("Round {round}: the code stood.")
    else:
        you = other = _("The code stood.")
    guesses = len(played.turns)
    return _choose_sentence(match, played.breaker, me, you, other, round=number + 1, number=guesses)


def describe_fraud(played: Round, rules: Rules) -> str | None:
    """Return a clause about the fraud of the codemaker in a finished round, or None without fraud.

    The secret was not shown, contradicts the commitment or the feedback, or is no code of `rules`.
    """
    match find_fraud(played, rules):
        case None:
            return None
        case HiddenCode():
            return _("the code was not shown")
        case ChangedCode():
            return _("this was not the locked code")
        case IllegalCode():
            return _("this is no code of the game")
        case FalseFeedback(guess=number):
            return _("the answer to guess {number} was wrong").format(number=number)
        case fraud:
            assert_never(fraud)


def describe_secret(played: Round, rules: Rules) -> Iterator[str]:
    """Yield the secret of a finished round, if it is shown, and a sentence about its proof."""
    if played.secret is not None:
        colours = " ".join(format_colours(played.secret, rules))
        code = format_pegs(played.secret, rules)
        yield _("The secret was {code}: {colours}.").format(code=code, colours=colours)
    yield describe_proof(played, rules)


def describe_proof(played: Round, rules: Rules) -> str:
    """Return a sentence: the secret of a finished round fits its commitment and all feedback.

    If the secret does not fit, return a warning of fraud. If its contest has not revealed it yet,
    return a sentence about that.
    """
    if played.awaits_proof:
        return _("The code stays locked until all tries at it are over.")
    fraud = describe_fraud(played, rules)
    if fraud is not None:
        return _("WARNING! CODE NOT PROVEN: {fraud}. You have been cheated.").format(fraud=fraud)
    if played.commitment is None:
        return _("All feedback fits it; there was no commitment to check.")
    return _("Code proven: it is the locked one, and all feedback fits it.")
