"""The turn line: the player to move and the next action, or the state of the playback."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.language import ngettext
from mastermind_client.messages.clocks import format_clock
from mastermind_client.messages.players import find_name, format_name
from mastermind_client.playback import SPEED_SECONDS
from mastermind_client.screen.match.rows import describe_thinking
from mastermind_client.screen.scene.entry import describe_digits
from mastermind_client.screen.scene.viewpoint import PlaybackMode
from mastermind_client.screen.toolkit.lines import Line, crop, pad, spread, text, width
from mastermind_protocol.events import MatchEnd, RoundEnd
from mastermind_protocol.match import Phase

if TYPE_CHECKING:
    from mastermind_client.screen.scene.scene import Scene
    from mastermind_client.screen.scene.viewpoint import Progress
    from mastermind_client.screen.theme import Look
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
"""Numbers of pegs in words, from 1, marked for translation."""


class TurnText(NamedTuple):
    """The label and the sentence of the turn line. `can_act` is whether the next action is ours."""

    label: str
    words: str
    can_act: bool = False


def draw_turn_line(scene: Scene, columns: int, look: Look) -> Line:
    """Return the turn line, cropped to `columns`."""
    if scene.progress is not None and scene.progress.mode is not PlaybackMode.LIVE:
        return draw_playback(scene.progress, scene.progress_bar_end, look, columns)
    turn = describe_turn(scene, look)
    label, running = turn.label, scene.running_clock
    if running is not None and (
        running.shows_tenths or scene.shows_ending
    ):  # then there are no plates
        label = f"{label} {format_clock(running.left, live=running.live)}"
    line = text(f" {label} ", "class:turn" if turn.can_act else "class:strong")
    line += text(f" {turn.words}")
    return crop(line, columns, look.glyphs.ellipsis)


def describe_turn(scene: Scene, look: Look) -> TurnText:
    """Return the label and the sentence: our next action, or the player to move."""
    match = scene.match
    if match.phase is Phase.FINISHED:
        return describe_result(scene)
    if scene.sending:
        return TurnText(
            _("Sent"), _("Waiting for the server {ellipsis}").format(ellipsis=look.glyphs.ellipsis)
        )
    if scene.between_rounds and scene.seat is not None:
        if scene.my_turn:
            words = _("Enter continues; so does the first peg you type.")
            return TurnText(_("Your turn"), words, can_act=True)
        return TurnText(_describe_waiting(scene, look).label, _("Enter continues."))
    if scene.my_turn:
        return TurnText(
            _("Your turn"), _capitalise(_describe_own_action(scene, look)), can_act=True
        )
    return _describe_waiting(scene, look)


def spell_number(number: int) -> str:
    """Return a number of pegs as a word: ``four`` for 4."""
    return _(NUMERALS[number - 1])


def describe_symbols(rules: Rules, *, many: bool) -> str:
    """Return a text that names the symbols of pegs: letters, digits, or both.

    `many` selects the plural.
    """
    letters = _("letters") if many else _("a letter")
    digits = describe_digits(rules)
    if rules.digits_only or not digits:
        return digits or letters
    return _("{letters}, or {digits}").format(letters=letters, digits=digits)


def _describe_own_action(scene: Scene, look: Look) -> str:
    rules, entry = scene.match.rules, scene.entry
    if entry.notice:
        return entry.notice
    missing = entry.pegs.count(None)
    if missing:
        if scene.is_entering_secret and missing == rules.pegs:
            return _describe_hiding(scene, missing)
        template = (
            ngettext("{number} peg: {symbols}.", "{number} pegs: {symbols}.", missing)
            if missing == rules.pegs
            else ngettext(
                "{number} more peg: {symbols}.", "{number} more pegs: {symbols}.", missing
            )
        )
        symbols = describe_symbols(rules, many=missing > 1)
        return template.format(number=spell_number(missing), symbols=symbols)
    if scene.excluding_guess is not None:
        template = _("{cross} Guess {number} rules this out. Enter sends it all the same.")
        return template.format(cross=look.glyphs.cross, number=scene.excluding_guess)
    return _("Enter locks it in.") if scene.is_entering_secret else _("Enter sends it.")


def _describe_hiding(scene: Scene, pegs: int) -> str:
    breaker = scene.match.breaker
    name = format_name(breaker, mark_bot=False) if breaker is not None else ""
    template = ngettext(
        "{number} peg that {name} will not guess.",
        "{number} pegs that {name} will not guess.",
        pegs,
    )
    return template.format(number=spell_number(pegs), name=name)


def _describe_waiting(scene: Scene, look: Look) -> TurnText:
    match, ellipsis = scene.match, look.glyphs.ellipsis
    mover = match.to_move
    if mover is None:
        return TurnText(_("Waiting"), _("Nobody has joined yet."))
    name = format_name(mover, mark_bot=False)
    label = _("{name}'s turn").format(name=name)
    if scene.is_entering_guess and scene.entry.notice:
        return TurnText(label, _capitalise(scene.entry.notice))
    if match.phase is Phase.SETTING:
        template = _("{name} hides a code {ellipsis}")
    elif scene.seat is None:
        return TurnText(label, describe_thinking(mover, look))
    elif match.opened.rounds > 1:
        template = _("Every guess is a point for you.")
    else:
        template = _("{name} is guessing your code {ellipsis}")
    return TurnText(label, template.format(name=name, ellipsis=ellipsis))


def _name_winner(scene: Scene) -> str:
    """Return the label of a finished match: the winner, a draw, or only that it has ended."""
    outcome = scene.match.outcome
    if outcome is None or scene.match.measures_bot:
        return _("The end")
    if outcome.winner is None:
        return _("A draw") if outcome.how is MatchEnd.PLAYED else _("The end")
    if outcome.winner == scene.me:
        return _("You win")
    return _("{name} wins").format(name=find_name(scene.match, outcome.winner, mark_bot=False))


def describe_result(scene: Scene) -> TurnText:
    """Return the label and sentence for a finished match: the winner and the next action."""
    match = scene.match
    if not scene.shows_ending:  # the last answer is not displayed yet
        return TurnText(_("Guess {number}").format(number=len(scene.turns)), "")
    if match.is_entry:
        broken = match.played[-1].how is RoundEnd.BROKEN
        label = _("Cracked") if broken else _("Not cracked")
        return TurnText(label, _("Enter shows all results; c copies yours."), can_act=True)
    opponent, label = match.opponent_of(scene.me), _name_winner(scene)
    if opponent is None:
        if match.rematch is not None:
            return TurnText(label, _("There is a rematch: Enter shows it."), can_act=True)
        return TurnText(label, _("c copies the result for a chat."), can_act=True)
    name = format_name(opponent, mark_bot=False)
    if match.departed:
        return TurnText(label, _("No rematch: {name} has left.").format(name=name), can_act=True)
    if match.rematch is not None:
        return TurnText(
            _("{name} wants another").format(name=name), _("Enter takes it."), can_act=True
        )
    if not match.played:
        words = _("Enter plays again.") if opponent.is_bot else _("Enter offers a rematch.")
    elif opponent.is_bot:
        words = _("Enter plays again; c copies your result.")
    else:
        words = _("Enter offers a rematch; c copies your result.")
    return TurnText(label, words, can_act=True)


def _capitalise(words: str) -> str:
    # A sign, which a blank follows, stays unchanged.
    return words[:1].upper() + words[1:] if words[1:2] != " " else words


MAX_BAR_COLUMNS = 24  # columns of the bar at most
BAR_GAP = 2  # columns between label, bar and words


def draw_playback(progress: Progress, bar_end: int | None, look: Look, columns: int) -> Line:
    """Return the turn line of a playback: its mode, a progress bar, and its speed.

    `bar_end` is the number of the guess at the end of the bar. None means no bar. A short line
    omits the number of the displayed guess, which is also on the board.
    """
    glyphs = look.glyphs
    label = [("class:turn", f" {format_playback_mode(progress)} "), ("", " " * BAR_GAP)]
    dots = glyphs.black * progress.speed + glyphs.white * (len(SPEED_SECONDS) - progress.speed)
    right: Line = [("", _("speed") + f" {dots}")]
    bar = (
        max(0, min(MAX_BAR_COLUMNS, columns - 1 - width([*label, *right]) - BAR_GAP))
        if bar_end
        else 0
    )
    done = bar * progress.guess // bar_end if bar_end else 0
    left: Line = [
        *label,
        ("", glyphs.bar_done * done),
        ("class:dim", glyphs.bar_left * (bar - done)),
    ]
    number = _("guess {number} of {limit}") if bar_end else _("guess {number}")
    count = text(
        " " * (BAR_GAP if bar else 0) + number.format(number=progress.guess, limit=bar_end)
    )
    if width([*left, *count, *right]) + BAR_GAP < columns:
        left += count
    return pad(spread(left, right, columns - 1), columns)


def format_playback_mode(progress: Progress) -> str:
    """Return the label for the mode of a playback. For BACK it is the number of the guess."""
    names = {
        PlaybackMode.LIVE: _("Live"),
        PlaybackMode.PLAYING: _("Playing"),
        PlaybackMode.PAUSED: _("Paused"),
        PlaybackMode.BACK: _("Guess {number}").format(number=progress.guess),
    }
    return names[progress.mode]
