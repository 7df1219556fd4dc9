"""The kinds of forms for a match, and the drawing of a form's summary and of its bot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.config.options import ANYONE, FRIEND, HOSTED, USUAL_ROUNDS
from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.language import ngettext
from mastermind_client.screen.forms.match_form import FormKind, MatchForm
from mastermind_client.screen.theme.tiles import (
    NARROW,
    TALL,
    WIDE,
    TileShape,
    draw_hidden_peg,
    draw_place,
)
from mastermind_client.screen.toolkit.frames import FRAME_MARGIN, draw_framed
from mastermind_client.screen.toolkit.lines import Line, crop, text, wrap
from mastermind_protocol.events import Seat
from mastermind_protocol.text import sanitise

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mastermind_client.screen.theme import Look


def _describe_match_with_bot(form: MatchForm) -> list[str]:
    if form.bots.has_no_fitting_bot(form.rules, bot_breaks=form.bot_breaks):
        return [_("No bot here breaks codes of that size.")]
    bot = form.bot_card
    name = bot[0] if bot is not None else sanitise(form.bot)
    if form.seat is Seat.MAKER:
        sentences = [_("You hide a code, {bot} breaks it.").format(bot=name)]
    else:
        sentences = [_("{bot} hides a code, you break it.").format(bot=name)]
    return sentences + _describe_rounds(form)


def _describe_match_with_friend(form: MatchForm) -> list[str]:
    if form.seat is Seat.MAKER:
        sentences = [_("You hide a code, your friend breaks it.")]
    else:
        sentences = [_("Your friend hides a code, you break it.")]
    return sentences + _describe_rounds(form) + _describe_rated_conditions(form)


def _describe_match_with_anyone(form: MatchForm) -> list[str]:
    sentences = [_("You join a waiting player, or wait for one.")]
    return sentences + _describe_rounds(form) + _describe_rated_conditions(form)


def _describe_match_of_bots(form: MatchForm) -> list[str]:
    if form.bots.has_no_fitting_bot(form.rules, bot_breaks=form.bot_breaks):
        return [_("No bot here breaks codes of that size.")]
    bot = form.bot_card
    name = bot[0] if bot is not None else sanitise(form.bot)
    if form.secret is None:
        return [_("{bot} breaks a code drawn by chance.").format(bot=name)]
    return [_("{bot} breaks the code that you typed.").format(bot=name)]


def _describe_rounds(form: MatchForm) -> list[str]:
    if form.total_rounds == 1:
        return []
    text = ngettext("{number} round.", "{number} rounds, the seats change.", form.total_rounds)
    return [text.format(number=form.total_rounds)]


def _describe_rated_conditions(form: MatchForm) -> list[str]:
    """Return the conditions of a rated match, if the form asks for one but does not meet them."""
    if not form.rated or form.may_be_rated:
        return []
    return [_("Rated needs a clock of minutes or seconds, 2 or 4 rounds, and a limit of guesses.")]


AGAINST_BOT = FormKind(
    N_("Play a bot"),
    N_("Start"),
    _describe_match_with_bot,
    (
        MatchForm.bot_items,
        MatchForm.rules_items,
        MatchForm.seat_items,
        MatchForm.rounds_items,
        MatchForm.clock_items,
        MatchForm.address_items,
    ),
    lambda form: form.make_play_options(form.bot, form.address or None),
    rounds=USUAL_ROUNDS,
)
# The friend hides first, as on the page: the guest is at the screen, and the inviter may be away.
WITH_FRIEND = FormKind(
    N_("Invite a friend"),
    N_("Invite"),
    _describe_match_with_friend,
    (
        MatchForm.rules_items,
        MatchForm.seat_items,
        MatchForm.rounds_items,
        MatchForm.clock_items,
        MatchForm.rated_items,
        MatchForm.server_items,
    ),
    lambda form: form.make_play_options(FRIEND, HOSTED if form.hosts else form.app.settings.server),
    rounds=USUAL_ROUNDS,
)
WITH_ANYONE = FormKind(
    N_("Find an opponent"),
    N_("Find one"),
    _describe_match_with_anyone,
    (
        MatchForm.rules_items,
        MatchForm.seat_items,
        MatchForm.rounds_items,
        MatchForm.clock_items,
        MatchForm.rated_items,
    ),
    lambda form: form.make_play_options(ANYONE, form.address),
    seats=(None, Seat.BREAKER, Seat.MAKER),
)
BETWEEN_BOTS = FormKind(
    N_("Two bots"),
    N_("Start"),
    _describe_match_of_bots,
    (MatchForm.bot_items, MatchForm.rules_items, MatchForm.secret_items, MatchForm.address_items),
    MatchForm.make_watch_options,
    seats=(None,),
    rules="knuth",  # as many guesses as the bot takes
    user_plays=False,
)


CODE_GAP = 4  # columns between the code and the summary
LEAST_SUMMARY_COLUMNS = 24  # columns of the summary at least
BOT_CARD_ROWS = (4, 3, 2)  # rows of the description in each version of a bot's card


def draw_summary(form: MatchForm, columns: int, look: Look) -> Sequence[Sequence[Line]]:
    """Return the summary in two versions: with a row of pegs for the code, and without it.

    The row has hidden pegs if the user breaks the code, and empty places if the user hides it.
    """
    first, more = form.summary
    plain = _wrap_summary(first, more, columns)
    for width in (WIDE, NARROW):
        shape = TileShape(width, TALL)
        taken = form.rules.pegs * (width + 1) - 1 + CODE_GAP
        said = _wrap_summary(first, more, columns - taken)
        if columns - taken >= LEAST_SUMMARY_COLUMNS and len(said) <= shape.rows:
            tile = (
                draw_place(shape, look) if form.user_sets_secret else draw_hidden_peg(shape, look)
            )
            rows = [
                [
                    *(part for _peg in range(form.rules.pegs) for part in (*tile[row], ("", " "))),
                    ("", " " * (CODE_GAP - 1)),
                    *(said[row] if row < len(said) else []),
                ]
                for row in range(shape.rows)
            ]
            return rows, plain
    return (plain,)


def draw_bot_card(form: MatchForm, columns: int, look: Look) -> Sequence[Sequence[Line]]:
    """Return versions of a framed card with the bot's name and description, the largest first."""
    if form.bot_card is None:
        return ()
    name, about = form.bot_card
    cards = []
    for rows in BOT_CARD_ROWS:
        lines = wrap(about, columns - 2 * FRAME_MARGIN)
        if len(lines) > rows:
            rest = text(" ".join(line[0][1] for line in lines[rows - 1 :]))
            lines[rows - 1 :] = [crop(rest, columns - 2 * FRAME_MARGIN, look.glyphs.ellipsis)]
        lines += [[] for _row in range(rows - len(lines))]
        cards.append(draw_framed(lines, columns, look.glyphs, title=text(name, "class:strong")))
    return cards


def _wrap_summary(first: str, more: str, columns: int) -> list[Line]:
    columns = max(1, columns)
    return [*wrap(first, columns, "class:strong"), *wrap(more, columns)]
