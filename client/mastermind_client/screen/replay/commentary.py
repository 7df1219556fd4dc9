"""The commentary beside the board of a review: on the guess, the round, the match; the chat."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from mastermind_client.language import gettext as _
from mastermind_client.language import ngettext
from mastermind_client.screen.kit.lines import Line, make_clickable, text, width, wrap
from mastermind_client.screen.match.panels import draw_ending
from mastermind_client.screen.match.plain_board import draw_pegs
from mastermind_client.screen.match.position import Position
from mastermind_client.words.analysis import describe_beaten, describe_yield
from mastermind_client.words.chat import describe_line
from mastermind_client.words.codes import describe_feedback
from mastermind_client.words.events import describe_ending, describe_result, describe_score

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mastermind_client.screen.look import Look
    from mastermind_client.screen.match.scene import Replay
    from mastermind_protocol.messages import Reviewed


def draw_commentary(
    replay: Replay, columns: int, look: Look, go: Callable[[Position], None]
) -> list[Line]:
    """Return the commentary at a position, in lines of at most so many columns.

    What belongs to the position comes first. `go` is given the position that the mouse picks.
    """
    lines: list[Line] = []
    if replay.over:
        lines += draw_ending(replay.match, replay.at.round, replay.me, columns, look)
    lines += _draw_guess(replay, columns, look)
    lines += _draw_totals(replay, columns)
    lines += _draw_rounds(replay, columns, look, go)
    lines += _draw_chat(replay, columns)
    return lines


def _draw_guess(replay: Replay, columns: int, look: Look) -> list[Line]:
    """Return the comment on the last guess, or that there is none."""
    played, rules = replay.round, replay.match.rules
    if played is None:
        return wrap(_("No round was played."), columns, "class:strong")
    if not played.turns:
        return wrap(_("No guess was made in this round."), columns)
    if not replay.turns:
        return wrap(
            ngettext(
                "Before the first guess there is {number} code.",
                "Before the first guess there are {number} codes.",
                rules.codes,
            ).format(number=rules.codes),
            columns,
        )
    number = len(replay.turns)
    feedback = describe_feedback(replay.turns[-1].feedback, rules)
    heading = _("Guess {number}: {feedback}").format(number=number, feedback=feedback)
    if number in played.advised:
        heading = _("Guess {number}, with advice: {feedback}").format(
            number=number, feedback=feedback
        )
    lines = wrap(heading, columns, "class:heading")
    if replay.review is None:
        lines += wrap(_("The bots are reviewing this round ..."), columns)
    elif isinstance(replay.review, str):
        lines += wrap(_("No review: {reason}").format(reason=replay.review), columns)
    elif number <= len(replay.reviewed):
        lines += _draw_review(replay.reviewed[number - 1], replay, columns, look)
    return lines


def _draw_review(turn: Reviewed, replay: Replay, columns: int, look: Look) -> list[Line]:
    """Return what the bots say of one guess."""
    rules, best = replay.match.rules, turn.best
    size = (
        _("expected size {size:.1f}: beaten")
        if turn.beaten
        else _("expected size {size:.1f}: not beaten")
    )
    notes = [
        size.format(size=turn.guess.size),
        _("could be it") if turn.guess.possible else _("could not be it"),
    ]
    if best.code == turn.guess.code:
        notes.append(_("as optimal plays"))
    lines = [*wrap(describe_yield(turn), columns), *wrap("; ".join(notes), columns)]
    if best.code == turn.guess.code:
        return lines
    plays = _("optimal plays")
    label = text(f"{plays}  ")
    worth = wrap(
        _("{bits:.2f} bits expected, size {size:.1f}").format(bits=best.bits, size=best.size),
        columns,
    )
    for gap in (" ", ""):
        pegs = [*label, *draw_pegs(best.code, rules, look, gap), ("", " ")]
        if len(worth) == 1 and width(pegs) + width(worth[0]) <= columns:
            return [*lines, [*pegs, *worth[0]]]
    if width(pegs) <= columns:
        return [*lines, pegs, *worth]
    return [*lines, label, draw_pegs(best.code, rules, look, ""), *worth]


def _draw_totals(replay: Replay, columns: int) -> list[Line]:
    """Return what the bots say of the round as a whole."""
    turns = replay.reviewed
    if not turns:
        return []
    number = replay.at.round + 1
    beaten = describe_beaten(turns, replay.match, number, replay.me)
    luck = _("Luck in the whole round: {luck:+.2f} bits.").format(
        luck=sum(turn.luck for turn in turns)
    )
    return [*wrap(beaten, columns), *wrap(luck, columns)]


def _draw_rounds(
    replay: Replay, columns: int, look: Look, go: Callable[[Position], None]
) -> list[Line]:
    """Return how each round ended, and the match; a click on a round goes to its end."""
    match, me = replay.match, replay.me
    lines: list[Line] = [[], text(_("The match"), "class:heading")]
    for number, played in enumerate(match.played):
        mark = look.glyphs.selected if number == replay.at.round else " "
        told = describe_ending(played, match, me)
        act = partial(go, Position(number, len(played.turns)))
        indent = f"{mark}{number + 1:>2}  "
        for line in wrap(told, columns - len(indent)):
            lines.append(make_clickable([("", indent), *line], act))
            indent = " " * len(indent)
    if match.opened.rounds > 1:
        lines += wrap(describe_score(match), columns)
    if match.outcome is not None:
        lines += wrap(describe_result(match.outcome, match, me), columns)
    return lines


def _draw_chat(replay: Replay, columns: int) -> list[Line]:
    """Return the chat, the oldest line first."""
    if not replay.chat:
        return []
    said: Sequence[str] = [describe_line(line, replay.match, replay.me) for line in replay.chat]
    heading = text(_("Chat"), "class:heading")
    return [[], heading, *(line for words in said for line in wrap(words, columns))]
