"""The board of a review: the code, and all guesses of a round with the verdict on each."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from mastermind_client.language import gettext as _
from mastermind_client.screen.kit.frames import draw_edge, draw_rule, frame
from mastermind_client.screen.kit.lines import Line, crop, make_clickable, pad, spread, text, width
from mastermind_client.screen.look.tiles import FLAT
from mastermind_client.screen.match.rows import (
    draw_answer,
    draw_code,
    draw_label,
    draw_legend,
    draw_row,
)
from mastermind_client.screen.replay.layout import BAR, GAP
from mastermind_client.words.rounds import write_end
from mastermind_client.words.verdicts import WEAK, Luck, write_verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mastermind_client.screen.look import Look
    from mastermind_client.screen.replay.layout import ReplayLayout
    from mastermind_client.screen.scene.scene import Replay
    from mastermind_client.words.verdicts import Judged
    from mastermind_protocol.match import Round


def draw_board(
    replay: Replay, layout: ReplayLayout, look: Look, pick: Callable[[int], None]
) -> list[Line]:
    """Return the board in its frame; `pick` is told the number of a guess that is clicked."""
    glyphs, columns = look.glyphs, layout.board.columns
    title = draw_edge(columns, glyphs, left=text(name_verdict(replay, look), "class:heading"))
    played = replay.round
    if played is None:
        body: list[Line] = []
        bottom = draw_edge(columns, glyphs, bottom=True)
    else:
        body = _draw_body(replay, played, layout, look, pick)
        bottom = _draw_bottom(played, columns, look)
    tees = (glyphs.tee_left, glyphs.tee_right)
    head = _draw_code(played, replay, layout, look) if played is not None else []
    rule = draw_rule(columns, glyphs, tees)
    rows = layout.board.rows - len(head) - 3
    body += [[] for _row in range(rows - len(body))]
    return [
        title,
        *frame(head, columns, glyphs),
        rule,
        *frame(body[:rows], columns, glyphs),
        bottom,
    ]


def name_verdict(replay: Replay, look: Look) -> str:
    """Return the verdict on the round, or why there is none."""
    played, judged = replay.round, replay.judged
    if played is None:
        return _("No round was played.")
    if judged:
        return write_verdict(judged, replay.match, played, replay.me)
    if not played.turns:
        return _("No guess was made in this round.")
    if isinstance(replay.review, str):
        return _("Not to be reviewed")
    return _("The bots look at this round {ellipsis}").format(ellipsis=look.glyphs.ellipsis)


def list_labels(judged: Sequence[Judged], look: Look) -> tuple[str, ...]:
    """Return what is to stand in the column of the codes that were left: the longest decides."""
    if not judged:
        return ()
    lefts = (write_left(guess, look) for guess in judged)
    return (_("codes left"), *lefts, *(_(luck.value) for luck in Luck if luck is not Luck.EVEN))


def write_left(guess: Judged, look: Look) -> str:
    """Return how many codes were left before a guess and after it: ``96 → 18``."""
    return f"{guess.said.before} {look.glyphs.right} {guess.said.after}"


def _draw_code(played: Round, replay: Replay, layout: ReplayLayout, look: Look) -> list[Line]:
    rules, across = replay.match.rules, layout.across
    label = text(_("the code"))
    if width(label) > layout.across.answer and layout.verdicts:
        label = []
    if layout.verdicts:
        heads = text(_("how well"), "class:dim"), text(_("codes left"), "class:dim")
        label = _join(label, _tell(*heads, layout), layout)
    if played.secret is None:
        return [label]
    pegs = draw_code(played.secret, rules, layout.code, across, look)
    return draw_row(pegs, across, right=[label])


def _draw_body(
    replay: Replay,
    played: Round,
    layout: ReplayLayout,
    look: Look,
    pick: Callable[[int], None],
) -> list[Line]:
    number, shown, judged = replay.at.turns, layout.shown, replay.judged
    first = max(0, min(number - shown // 2 - 1, len(played.turns) - shown))
    lines: list[Line] = [[] for _row in range(layout.blank)]
    for index in range(first, min(first + shown, len(played.turns))):
        mark = " "
        if index == first and first:
            mark = look.glyphs.up
        elif index == first + shown - 1 and index + 1 < len(played.turns):
            mark = look.glyphs.down
        verdict = judged[index] if index < len(judged) else None
        row = _draw_guess(replay, played, index, verdict, mark, layout, look)
        lines += [make_clickable(line, partial(pick, index + 1)) for line in row]
    return lines


def _draw_guess(
    replay: Replay,
    played: Round,
    index: int,
    verdict: Judged | None,
    mark: str,
    layout: ReplayLayout,
    look: Look,
) -> list[Line]:
    """Return the row of a guess, counted from 0, with its answer and the verdict on it."""
    rules, across, turn = replay.match.rules, layout.across, played.turns[index]
    current = index + 1 == replay.at.turns
    label = draw_label(
        index + 1,
        look.glyphs.selected if current else mark,
        across,
        "class:strong" if current else "",
    )
    pegs = draw_code(turn.code, rules, layout.tile, across, look)
    answer = (
        draw_answer(turn, rules, across, look)
        if layout.words
        else look.keys(turn.feedback, across.pegs, " " * across.key_gap)
    )
    right = [answer]
    if verdict is not None and layout.verdicts:
        right = _draw_verdict(verdict, answer, layout, look)
    return draw_row(pegs, across, label=label, right=right)


def _draw_verdict(guess: Judged, answer: Line, layout: ReplayLayout, look: Look) -> list[Line]:
    """Return an answer and the verdict on it; below, where a tile is higher than a line, a bar."""
    word = text(_(guess.verdict.value), "class:strong")
    lines = [_join(answer, _tell(word, text(write_left(guess, look)), layout), layout)]
    if layout.tile.rows > FLAT:
        luck = text(_(guess.luck.value), "class:dim") if guess.luck is not Luck.EVEN else []
        lines.append(_join([], _tell(_draw_bar(guess.worth, look), luck, layout), layout))
    return lines


def _draw_bar(worth: float, look: Look) -> Line:
    """Return what a guess is worth as a bar, of which the worse half is left out."""
    done = max(0, round(BAR * (worth - WEAK) / (1 - WEAK)))
    return [("", look.glyphs.bold_floor * done), ("class:dim", look.glyphs.floor * (BAR - done))]


def _tell(verdict: Line, left: Line, layout: ReplayLayout) -> Line:
    return spread(verdict, left, layout.told) if layout.codes else crop(verdict, layout.told)


def _join(answer: Line, told: Line, layout: ReplayLayout) -> Line:
    return [*pad(answer, layout.across.answer), ("", " " * GAP), *told]


def _draw_bottom(played: Round, columns: int, look: Look) -> Line:
    """Return the frame's bottom edge: what the key pegs mean, and how the round ended."""
    ended = text(write_end(played))
    return draw_edge(columns, look.glyphs, left=draw_legend(look), right=ended, bottom=True)
