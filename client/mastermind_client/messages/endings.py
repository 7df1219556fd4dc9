"""Short texts about the end of a match: how to leave it, its result, and the records."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from mastermind_client.figures import find_fewest_wrong_pegs
from mastermind_client.language import LocalisedFloat, ngettext
from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.messages.players import choose_sentence, find_name
from mastermind_protocol.events import MatchEnd, RoundEnd
from mastermind_protocol.match import list_tries
from mastermind_protocol.usual_guesses import find_usual_guesses

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mastermind_client.figures import Record
    from mastermind_protocol.match import Match, Round
    from mastermind_protocol.rules import Rules

# The match screen, which shows these texts, marks bots beside the board.
_find_name = partial(find_name, mark_bot=False)
_choose_sentence = partial(choose_sentence, mark_bot=False)

MIN_JUDGED_GUESSES = 3  # of a codebreaker who gave up: fewer show nothing about the code
LEAST_SERIES_MATCHES = 2  # the minimum of ended matches for a count of wins
BRILLIANT_LEAD_GUESSES = 1.0  # guesses below the average

_PEGS_AWAY_TEXTS = (
    N_("You were one peg away."),
    N_("You were two pegs away."),
    N_("You were three pegs away."),
    N_("You were four pegs away."),
)
"""One text for each number of wrong pegs up to half of a code, which has at most nine pegs."""


def describe_saving(match: Match, *, stored: bool, offline: bool) -> str:
    """Return a sentence about the running match if the player saves it for later.

    `stored` is whether a file has the player's seat, and `offline` whether the server is in the
    player's own process.
    """
    if match.has_live_clock:
        return _("The clock runs on; away at its end, you can lose.")
    if match.is_entry:
        return _("Today's code continues it, until it closes.")
    if not stored:
        return _("It waits here until you end the program.")
    if offline:
        return _("Kept on this computer; continue from the home screen.")
    return _("Your seat is kept; continue from the home screen.")


def describe_giving_up(match: Match, me: str, *, ends_with_round: bool) -> str:
    """Return a sentence about the running match if the player `me` gives it up.

    `ends_with_round` is whether the player resigns the last round instead of leaving.
    """
    if match.is_entry:
        return _("It counts as not cracked. The code stays hidden.")
    if ends_with_round:
        return _("The code is shown.")
    if match.has_live_clock and not match.played and not (match.current and match.current.turns):
        return _("Nobody wins: no guess yet.")
    if match.measures_bot:
        return _("Nobody wins or loses.")
    opponent = match.opponent_of(me)
    return _("{name} wins.").format(
        name=find_name(match, opponent.id if opponent is not None else "")
    )


def describe_outcome(match: Match, me: str) -> str:
    """Return a sentence about the winner, with the points if the match had several rounds."""
    outcome = match.outcome
    if outcome is None:
        return ""
    if outcome.how is MatchEnd.CLOSED:
        return _("The match is closed.")
    if match.measures_bot:
        return describe_measurement(match, mark_bot=False)
    scores = sorted((match.points_of(player.id) for player in match.players), reverse=True)
    points = " : ".join(map(str, scores)) if match.opened.rounds > 1 and not match.departed else ""
    if outcome.winner is None:
        return _("A draw, {points}.").format(points=points) if points else _("A draw.")
    if not points:
        return _choose_sentence(match, outcome.winner, me, _("You win."), _("{name} wins."))
    you, other = _("You win {points}."), _("{name} wins {points}.")
    return _choose_sentence(match, outcome.winner, me, you, other, points=points)


def describe_measurement(match: Match, *, mark_bot: bool = True) -> str:
    """Return the result of a finished match that measured a bot: the bot's guesses, no winner."""
    bot = match.breaker
    if bot is None or not match.played or match.played[-1].how is RoundEnd.LEFT:
        return _("Nobody has won or lost.")
    played = match.played[-1]
    name, number = find_name(match, bot.id, mark_bot=mark_bot), len(played.turns)
    usual = find_usual_guesses(bot.bot, match.rules)
    if played.how is not RoundEnd.BROKEN:
        text = (
            _("{name} did not break the code.") if usual is None
            else _("{name} did not break the code; it usually needs {usual} guesses.")
        )  # fmt: skip
    elif usual is None:
        text = ngettext("{name} needed {number} guess.", "{name} needed {number} guesses.", number)
    else:
        text = ngettext(
            "{name} needed {number} guess; it usually needs {usual}.",
            "{name} needed {number} guesses; it usually needs {usual}.",
            number,
        )
    return text.format(name=name, number=number, usual=f"{LocalisedFloat(usual or 0):.1f}")


def format_headline(match: Match, me: str | None, record: Record) -> str:
    """Return the headline of a finished match, for the player with id `me` or for a spectator.

    `record` has the earlier games of the player `me` on this server by these rules.
    """
    outcome = match.outcome
    if outcome is None or outcome.how is MatchEnd.CLOSED:
        return _("The match is closed.")
    if match.measures_bot and outcome.how is MatchEnd.LEFT:
        return _("The end")
    if outcome.winner is None:
        return _("A draw.")
    if outcome.winner != me:
        return _format_other_headline(match, outcome.winner)
    tries = [guesses for guesses in list_tries(match.played, me) if guesses]
    if outcome.how is MatchEnd.LEFT or not tries:
        if outcome.how is MatchEnd.LEFT or match.opened.rounds > 1:
            return _("You win!")
        return _("Cracked it!") if match.played[-1].breaker == me else _("Your code stands!")
    return _format_win_headline(min(tries), match.rules, record)


def _format_win_headline(guesses: int, rules: Rules, record: Record) -> str:
    """Return the headline of a win in `guesses` guesses, compared with the record."""
    best, average = record.best, record.average
    if best is not None and guesses < best:
        return _("Your best here yet!")
    if guesses == rules.guesses:
        return _("Just in time!")
    if average is None or guesses - average > BRILLIANT_LEAD_GUESSES:
        return _("Cracked it!")
    return _("Brilliant!") if average - guesses >= BRILLIANT_LEAD_GUESSES else _("Well done!")


def _format_other_headline(match: Match, winner: str) -> str:
    """Return the headline of a match that the reader did not win."""
    name = _find_name(match, winner)
    if match.opened.rounds > 1 or match.departed:
        return _("{name} wins.").format(name=name)
    if match.played[-1].maker == winner:
        return _("The code stands.")
    return _("{name} cracked it.").format(name=name)


def describe_match_end(match: Match, me: str | None) -> str:
    """Return a short sentence: who left, or why the match was closed, or the deciding round.

    The deciding round is the reader's best round after a win, otherwise the last round. The
    sentence is empty if no round was played or both players left.
    """
    outcome = match.outcome
    if outcome is not None and outcome.how is MatchEnd.LEFT:
        leaver = match.opponent_of(outcome.winner) if outcome.winner is not None else None
        if leaver is None:
            return ""
        left = _("You left.") if leaver.id == me else _("{name} left.")
        return left.format(name=_find_name(match, leaver.id))
    if outcome is not None and outcome.how is MatchEnd.CLOSED:
        late = _("The first code was not set in time.")
        return _("There was no guess yet.") if match.departed else late
    if not match.played:
        return ""
    if match.measures_bot:
        return describe_measurement(match, mark_bot=False)
    mine = [
        played for played in match.played if played.breaker == me and played.how is RoundEnd.BROKEN
    ]
    if mine and outcome is not None and outcome.winner == me:  # as the headline does
        return describe_round(min(mine, key=lambda played: len(played.turns)), match, me)
    return describe_round(match.played[-1], match, me)


def describe_wins(matches: Iterable[Match], me: str | None) -> str:
    """Return the wins of both players in a series of rematches, the reader's first.

    The names are those in the last match. Closed matches, and those that measured a bot, are
    ignored. The text is empty if fewer than LEAST_SERIES_MATCHES matches are left.
    """
    ended = [
        match
        for match in matches
        if match.outcome is not None
        and match.outcome.how is not MatchEnd.CLOSED
        and not match.measures_bot
    ]
    if len(ended) < LEAST_SERIES_MATCHES:
        return ""
    match = ended[-1]
    mine, other = sorted((player.id for player in match.players), key=lambda each: each != me)
    winners = [each.outcome.winner for each in ended if each.outcome is not None]
    wins = winners.count(mine)
    return _("In all: {name} {wins} : {losses} {other}").format(
        name=_find_name(match, mine),
        wins=wins,
        losses=sum(winner is not None for winner in winners) - wins,
        other=_find_name(match, other),
    )


def describe_round(played: Round, match: Match, me: str | None) -> str:
    """Return a short sentence about the end of a round."""
    guesses = len(played.turns)
    if played.how is not RoundEnd.BROKEN:
        if played.breaker == me:
            text = ngettext(
                "Not cracked in {number} guess.", "Not cracked in {number} guesses.", guesses
            )
        else:
            text = ngettext(
                "It withstood {number} guess.", "It withstood {number} guesses.", guesses
            )
        return text.format(number=guesses)
    if played.breaker == me:
        text = ngettext("Cracked in {number} guess.", "Cracked in {number} guesses.", guesses)
        return text.format(number=guesses)
    return ngettext(
        "{name} needed {number} guess.", "{name} needed {number} guesses.", guesses
    ).format(name=_find_name(match, played.breaker), number=guesses)


def compare_with_record(match: Match, me: str | None, record: Record) -> str:
    """Return a sentence that compares a finished match with the record of the player `me`.

    The record counts the player's earlier games on this server by the same rules, without advice.
    The sentence is empty for a spectator, for a player who was never the codebreaker, and for a
    code of the day that was broken.
    """
    tries = list_tries(match.played, me)
    if match.is_entry and any(tries):
        return ""
    if not tries:
        advised = any(played.advised for played in match.played if played.breaker == me)
        return _("With advice: not counted in best and average.") if advised else ""
    guesses = min((number for number in tries if number), default=None)
    if guesses is None:
        return _describe_closest(match, me)
    if not record.games:
        return _("Your first {rules} game here. May many more follow!").format(rules=match.rules)
    average = record.average
    if average is None:
        return _("Your first cracked {rules} code here.").format(rules=match.rules)
    difference = round(average - guesses, 1)
    if difference > 0:
        text = _("{difference:.1f} better than your average of {average:.1f} here")
    elif difference < 0:
        text = _("{difference:.1f} more than your average of {average:.1f} here")
    else:
        text = _("exactly your average of {average:.1f} here")
    return text.format(difference=LocalisedFloat(abs(difference)), average=LocalisedFloat(average))


def _describe_closest(match: Match, me: str | None) -> str:
    """Return a sentence about the closest guess of the player `me`, after an unbroken code.

    It is empty if the player gave up after fewer than MIN_JUDGED_GUESSES.
    """
    away = find_fewest_wrong_pegs(match, me)
    if away is None or not 0 < away <= match.rules.pegs / 2:
        codes = [
            turn.code for played in match.played if played.breaker == me for turn in played.turns
        ]
        if 0 < 2 * len(set(codes)) <= len(codes):
            return _("Vary your guesses.")
        return "" if len(codes) < MIN_JUDGED_GUESSES else _("That was a hard one.")
    return _(_PEGS_AWAY_TEXTS[away - 1])
