"""The turn line: whose turn it is, and in one sentence what to do now, or what was wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.language import ngettext
from mastermind_client.messages.players import find_name, format_name
from mastermind_client.screen.kit.lines import Line, crop, text
from mastermind_client.screen.match.board import describe_thinking
from mastermind_client.screen.match.playback import draw_playback
from mastermind_client.screen.scene.entry import find_digits
from mastermind_client.screen.scene.scene import Showing
from mastermind_protocol.events import MatchEnd
from mastermind_protocol.match import Phase

if TYPE_CHECKING:
    from mastermind_client.screen.look import Look
    from mastermind_client.screen.scene.scene import Scene
    from mastermind_protocol.rules import Rules

NUMERALS = (
    N_("one"),
    N_("two"),
    N_("three"),
    N_("four"),
    N_("five"),
    N_("six"),
    N_("seven"),
    N_("eight"),
    N_("nine"),
)
"""The numbers of pegs in words, from 1; to be translated where they are shown."""


class Task(NamedTuple):
    """A label, which is reversed if it is `mine` to act, and a sentence."""

    label: str
    words: str
    mine: bool = False


def draw_task(scene: Scene, columns: int, look: Look) -> Line:
    """Return the turn line, cut to so many columns."""
    if scene.progress is not None and scene.progress.showing is not Showing.LIVE:
        return draw_playback(scene.progress, look, columns)
    task = describe_task(scene, look)
    line = text(f" {task.label} ", "class:turn" if task.mine else "class:strong")
    line += text(f" {task.words}")
    return crop(line, columns, look.glyphs.ellipsis)


def describe_task(scene: Scene, look: Look) -> Task:
    """Say what is asked of the reader, or whom everybody waits for."""
    match = scene.match
    if match.phase is Phase.FINISHED:
        return describe_result(scene)
    if scene.sending:
        return Task(
            _("Sent"), _("Waiting for the server {ellipsis}").format(ellipsis=look.glyphs.ellipsis)
        )
    if scene.between_rounds and scene.seat is not None:
        if scene.my_turn:
            words = _("Enter continues; so does the first peg you type.")
            return Task(_("Your turn"), words, mine=True)
        return Task(_describe_waiting(scene, look).label, _("Enter continues."))
    if scene.my_turn:
        return Task(_("Your turn"), _capitalise(_describe_mine(scene, look)), mine=True)
    return _describe_waiting(scene, look)


def count_in_words(number: int) -> str:
    """Return a number of pegs in words."""
    return _(NUMERALS[number - 1])


def list_symbols(rules: Rules, *, many: bool) -> str:
    """Say what a peg is typed as: by a letter, and by a digit in games that have any."""
    letters = _("letters") if many else _("a letter")
    digits = find_digits(rules)
    if not digits:
        return letters
    words = _("{letters}, or {first} to {last}")
    return words.format(letters=letters, first=digits[0], last=digits[-1])


def _describe_mine(scene: Scene, look: Look) -> str:
    rules, entry = scene.match.rules, scene.entry
    if entry.notice:
        return entry.notice
    missing = entry.pegs.count(None)
    if missing:
        if scene.hiding and missing == rules.pegs:
            return _describe_hiding(scene, missing)
        told = (
            ngettext("{number} peg: {symbols}.", "{number} pegs: {symbols}.", missing)
            if missing == rules.pegs
            else ngettext(
                "{number} more peg: {symbols}.", "{number} more pegs: {symbols}.", missing
            )
        )
        symbols = list_symbols(rules, many=missing > 1)
        return told.format(number=count_in_words(missing), symbols=symbols)
    if scene.excluded is not None:
        told = _("{cross} Guess {number} rules this out. Enter sends it all the same.")
        return told.format(cross=look.glyphs.cross, number=scene.excluded)
    return _("Enter locks it in.") if scene.hiding else _("Enter sends it.")


def _describe_hiding(scene: Scene, pegs: int) -> str:
    breaker = scene.match.breaker
    name = format_name(breaker, mark_bot=False) if breaker is not None else ""
    told = ngettext(
        "{number} peg that {name} will not guess.",
        "{number} pegs that {name} will not guess.",
        pegs,
    )
    return told.format(number=count_in_words(pegs), name=name)


def _describe_waiting(scene: Scene, look: Look) -> Task:
    match, ellipsis = scene.match, look.glyphs.ellipsis
    mover = match.to_move
    if mover is None:
        return Task(_("Waiting"), _("Nobody has joined yet."))
    name = format_name(mover, mark_bot=False)
    label = _("{name}'s turn").format(name=name)
    if scene.filling and scene.entry.notice:
        return Task(label, _capitalise(scene.entry.notice))
    if match.phase is Phase.SETTING:
        told = _("{name} hides a code {ellipsis}")
    elif scene.seat is None:
        return Task(label, describe_thinking(mover, look))
    elif match.opened.rounds > 1:
        told = _("Every guess is a point for you.")
    else:
        told = _("{name} is guessing your code {ellipsis}")
    return Task(label, told.format(name=name, ellipsis=ellipsis))


def _name_winner(scene: Scene) -> str:
    """Say who has won, if anybody has."""
    outcome = scene.match.outcome
    if outcome is None or (outcome.winner is None and outcome.how is not MatchEnd.PLAYED):
        return _("The end")
    if outcome.winner is None:
        return _("A draw")
    if outcome.winner == scene.me:
        return _("You win")
    return _("{name} wins").format(name=find_name(scene.match, outcome.winner, mark_bot=False))


def describe_result(scene: Scene) -> Task:
    """Say who has won the match, and what can be done now."""
    match = scene.match
    if not scene.ended:  # the last answer is still to come
        return Task(_("Guess {number}").format(number=len(scene.turns)), "")
    opponent, label = match.opponent_of(scene.me), _name_winner(scene)
    if opponent is None:
        if match.rematch is not None:
            return Task(label, _("There is a rematch: Enter shows it."), mine=True)
        return Task(label, _("c copies the result for a chat."), mine=True)
    name = format_name(opponent, mark_bot=False)
    if match.left:
        return Task(label, _("No rematch: {name} has left.").format(name=name), mine=True)
    if match.rematch is not None:
        return Task(_("{name} wants another").format(name=name), _("Enter takes it."), mine=True)
    if opponent.is_bot:
        words = _("Enter plays again; c copies your result for a chat.")
    else:
        words = _("Enter offers a rematch; c copies your result.")
    return Task(label, words, mine=True)


def _capitalise(words: str) -> str:
    return words[:1].upper() + words[1:] if words[1:2] != " " else words  # a sign comes first
