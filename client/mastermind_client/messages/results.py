"""The result of a match in words: its headline, and how it compares with one's own record."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.language import Decimal, ngettext
from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.messages.players import find_call
from mastermind_client.statistics import find_closest
from mastermind_protocol.events import MatchEnd, RoundEnd
from mastermind_protocol.match import count_tries

if TYPE_CHECKING:
    from mastermind_client.statistics import Record
    from mastermind_protocol.match import Match, Round
    from mastermind_protocol.rules import Rules

BRILLIANT = 1.0  # guesses under the average, from which on a win is more than well done

_AWAY = (
    N_("You were one peg away."),
    N_("You were two pegs away."),
    N_("You were three pegs away."),
    N_("You were four pegs away."),
)
"""For at most half of the nine pegs that a code may have: beyond, nobody was close."""


def write_headline(match: Match, me: str | None, record: Record) -> str:
    """Return the headline of a match that is over, to the player id `me` or to a spectator.

    The `record` is the reader's own by these rules, without this match.
    """
    outcome = match.outcome
    if outcome is None or outcome.how is MatchEnd.CLOSED:
        return _("The match is closed.")
    if outcome.winner is None:
        return _("A draw.")
    if outcome.winner != me:
        return _headline_of_another(match, outcome.winner)
    tries = [guesses for guesses in count_tries(match.played, me) if guesses]
    if outcome.how is MatchEnd.LEFT or not tries:
        standing = outcome.how is not MatchEnd.LEFT and match.opened.rounds == 1
        return _("Your code stands!") if standing else _("You win!")
    return _praise(min(tries), match.rules, record)


def _praise(guesses: int, rules: Rules, record: Record) -> str:
    """Return what is said of a win by one's own record."""
    best, average = record.best, record.average
    if best is not None and guesses < best:
        return _("Your best yet!")
    if guesses == rules.guesses:
        return _("Just in time!")
    if average is None or guesses - average > BRILLIANT:
        return _("Cracked it!")
    return _("Brilliant!") if average - guesses >= BRILLIANT else _("Well done!")


def _headline_of_another(match: Match, winner: str) -> str:
    """Return the headline where somebody else has won."""
    name = find_call(match, winner)
    if match.opened.rounds > 1 or match.left:
        return _("{name} wins.").format(name=name)
    if match.played[-1].maker == winner:
        return _("The code stands.")
    return _("{name} cracked it.").format(name=name)


def describe_end(match: Match, me: str | None) -> str:
    """Say in one short sentence how a match that is over came to its end: who left, or the round.

    For whoever has won it is the best round in which they broke the code, else the last one. Empty
    if there was no round, and of a match that both have left.
    """
    outcome = match.outcome
    if outcome is not None and outcome.how is MatchEnd.LEFT:
        leaver = match.opponent_of(outcome.winner) if outcome.winner is not None else None
        if leaver is None:
            return ""
        left = _("You left.") if leaver.id == me else _("{name} left.")
        return left.format(name=find_call(match, leaver.id))
    if not match.played:
        return ""
    mine = [
        played for played in match.played if played.breaker == me and played.how is RoundEnd.BROKEN
    ]
    if mine and outcome is not None and outcome.winner == me:  # as the headline does
        return describe_round(min(mine, key=lambda played: len(played.turns)), match, me)
    return describe_round(match.played[-1], match, me)


def describe_round(played: Round, match: Match, me: str | None) -> str:
    """Say in one short sentence how a round that is over ended."""
    guesses = len(played.turns)
    if played.how is not RoundEnd.BROKEN:
        if played.breaker == me:
            text = ngettext(
                "Not cracked in {number} guess.", "Not cracked in {number} guesses.", guesses
            )
        else:
            text = ngettext("It stood {number} guess.", "It stood {number} guesses.", guesses)
        return text.format(number=guesses)
    if played.breaker == me:
        text = ngettext("Cracked in {number} guess.", "Cracked in {number} guesses.", guesses)
        return text.format(number=guesses)
    return ngettext(
        "{name} needed {number} guess.", "{name} needed {number} guesses.", guesses
    ).format(name=find_call(match, played.breaker), number=guesses)


def compare(match: Match, me: str | None, record: Record) -> str:
    """Say how a match that is over compares with the reader's record without it.

    Empty if there is nothing to compare: for a spectator, or for who broke no code in it.
    """
    tries = count_tries(match.played, me)
    if not tries:
        return ""
    guesses = min((number for number in tries if number), default=None)
    if guesses is None:
        return _tell_closest(match, me)
    if not record.games:
        return _("Your first {rules} game: there will be more.").format(rules=match.rules)
    average = record.average
    if average is None:
        return _("The first {rules} code that you cracked.").format(rules=match.rules)
    difference = round(average - guesses, 1)
    if difference > 0:
        text = _("{difference:.1f} better than your average of {average:.1f}")
    elif difference < 0:
        text = _("{difference:.1f} more than your average of {average:.1f}")
    else:
        text = _("just your average of {average:.1f}")
    return text.format(difference=Decimal(abs(difference)), average=Decimal(average))


def _tell_closest(match: Match, me: str | None) -> str:
    """Say what was good in a code that was not found."""
    away = find_closest(match, me)
    if away is None or not 0 < away <= match.rules.pegs / 2:
        codes = [
            turn.code for played in match.played if played.breaker == me for turn in played.turns
        ]
        repeated = 0 < 2 * len(set(codes)) <= len(codes)
        return _("Vary your guesses.") if repeated else _("That was a hard one.")
    return _(_AWAY[away - 1])
