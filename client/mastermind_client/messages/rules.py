"""The rules of a game, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.colours import COLOURS
from mastermind_client.language import gettext as _
from mastermind_client.language import ngettext
from mastermind_client.messages.codes import name_colour
from mastermind_protocol.rules import CUSTOM_PALETTE

if TYPE_CHECKING:
    from mastermind_protocol.rules import Rules


def describe_rules(rules: Rules) -> list[str]:
    """Say what is played and how a code is typed, in two lines."""
    colours = ", ".join(
        f"{_write_symbols(index, rules)} {name_colour(index, rules)}"
        for index in range(rules.colours)
    )
    return [describe_size(rules), _("Colours: {colours}.").format(colours=colours)]


def warn_of_letters(rules: Rules) -> list[str]:
    """Say which letters mean another colour here than in most games, in a line at most."""
    usual = {colour[0]: colour for colour in CUSTOM_PALETTE}
    unlike = [
        _("{letter} is {colour}, not {usual}").format(
            letter=colour[0].upper(),
            colour=name_colour(index, rules),
            usual=_(COLOURS[usual[colour[0]]].name),
        )
        for index, colour in enumerate(rules.palette)
        if usual.get(colour[0], colour) != colour
    ]
    return [_("Take care: {letters}.").format(letters="; ".join(unlike))] if unlike else []


def describe_size(rules: Rules) -> str:
    """Say how many pegs, colours and guesses there are."""
    if rules.guesses is None:
        guesses = _("as many guesses as it takes")
    else:
        guesses = ngettext("{number} guess", "{number} guesses", rules.guesses)
    return _("{rules}: {pegs}, {colours}, {guesses}.").format(
        rules=rules,
        pegs=count_pegs(rules.pegs),
        colours=count_colours(rules.colours),
        guesses=guesses.format(number=rules.guesses),
    )


def tell_size(rules: Rules) -> str:
    """Say how large the game is, and of how many codes one is to be found."""
    text = ngettext("{size}: one code of {codes}.", "{size}: one code of {codes}.", rules.codes)
    return text.format(size=count_all(rules), codes=rules.codes)


def count_all(rules: Rules) -> str:
    """Return the numbers of pegs, colours and guesses in words, the last if there is a limit."""
    parts = [count_pegs(rules.pegs), count_colours(rules.colours)]
    if rules.guesses is not None:
        guesses = ngettext("{number} guess", "{number} guesses", rules.guesses)
        parts.append(guesses.format(number=rules.guesses))
    return ", ".join(parts)


def count_pegs(number: int) -> str:
    """Return a number of pegs in words."""
    return ngettext("{number} peg", "{number} pegs", number).format(number=number)


def count_colours(number: int) -> str:
    """Return a number of colours in words."""
    return ngettext("{number} colour", "{number} colours", number).format(number=number)


def _write_symbols(index: int, rules: Rules) -> str:
    """Return what one colour may be typed as."""
    first, *others = (alphabet[index] for alphabet in rules.alphabets)
    for other in others:
        first = _("{one} or {other}").format(one=first, other=other)
    return first
