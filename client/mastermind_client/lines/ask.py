"""What a person is asked in lines, and what an answer means."""

from __future__ import annotations

from argparse import ArgumentTypeError
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from mastermind_client.config.options import FRIEND
from mastermind_client.config.values import parse_name
from mastermind_client.language import gettext as _
from mastermind_client.language import pgettext
from mastermind_client.lines.introduction import Introduction
from mastermind_client.lines.style import find_style
from mastermind_client.messages.refusals import describe_refusal
from mastermind_protocol.errors import InvalidRules
from mastermind_protocol.events import MAX_NAME, Seat
from mastermind_protocol.rules import PRESETS, find_rules

if TYPE_CHECKING:
    from mastermind_client.config.options import PlayOptions
    from mastermind_client.lines.terminal import LineTerminal
    from mastermind_protocol.rules import Rules


_T = TypeVar("_T")


async def ask_open_questions(options: PlayOptions, terminal: LineTerminal) -> PlayOptions:
    """Return the options with what the preset's players are asked. Raises InputEnded.

    Only a person is asked, and only one who has settled nothing: a script says what it wants. But
    the rules of an earlier time are not begun again unasked.
    """
    if not terminal.interactive:
        return options
    if options.rules_from_before:
        options = replace(options, rules=await _choose_rules(terminal, options.rules))
    if options.settled:
        return options
    style = find_style(options.rules)
    introduction = Introduction(terminal)
    if style.asks_name and options.name is None and introduction.asks_name:
        options = replace(options, name=await _ask_name(terminal))
        introduction.keep_name(options.name)
    if style.asks_seat and options.seed is None:  # a seed fixes the other's secrets
        seats = {"m": Seat.MAKER, "b": Seat.BREAKER, "": Seat.BREAKER}
        seat = await _choose(terminal, _("Be the codemaker or the codebreaker? (m/B)"), seats)
        options = replace(options, seat=seat)
    if style.asks_way and options.seed is None and not options.public:
        terminal.write(_("1  You break the computer's code"))
        terminal.write(_("2  You play against a friend"))
        terminal.write(_("3  The computer breaks your code"))
        ways = {
            "": replace(options, seat=Seat.BREAKER),
            "1": replace(options, seat=Seat.BREAKER),
            "2": replace(options, versus=FRIEND),
            "3": replace(options, seat=Seat.MAKER),
        }
        options = await _choose(terminal, _("Which way to play? (1)"), ways)
    return options


async def _choose_rules(terminal: LineTerminal, before: Rules) -> Rules:
    """Return the rules that are named, or those from before."""
    question = _("Which rules? (Enter for {rules}, played last)").format(rules=before)
    terminal.write(
        _("Rules: {presets}, or PEGSxCOLOURS[/GUESSES] such as 5x8/12.").format(
            presets=", ".join(PRESETS)
        )
    )
    while name := await _ask(terminal, question):
        try:
            return find_rules(name)
        except InvalidRules as error:
            terminal.write(describe_refusal(error))
    return before


async def _ask_name(terminal: LineTerminal) -> str | None:
    """Return the name that is given, or None for a guest's."""
    while True:
        name = await _ask(terminal, _("Your name (Enter for a guest's):"))
        if not name:
            terminal.write(_("You play as a guest. --name, or the settings, give you a name."))
            return None
        try:
            return parse_name(name)
        except ArgumentTypeError:
            terminal.write(
                _("A name has up to {most} characters that can be shown.").format(most=MAX_NAME)
            )


async def _choose(terminal: LineTerminal, question: str, answers: dict[str, _T]) -> _T:
    while True:
        answer = (await _ask(terminal, question)).lower()
        if answer in answers:
            return answers[answer]
        allowed = ", ".join(answer for answer in answers if answer)
        terminal.write(_("Please answer one of: {allowed}.").format(allowed=allowed))


async def _ask(terminal: LineTerminal, question: str) -> str:
    terminal.prompt(f"{question} ")
    return (await terminal.read_line()).strip()


_LETTERS = {"y": True, "n": False}
_WORDS = {"yes": True, "no": False}


def read_letter(text: str) -> bool | None:
    """Return what Y or N means, in English or in the reader's language; None for anything else."""
    own = {pgettext("answer", "y"): True, pgettext("answer", "n"): False}
    return {**_LETTERS, **own}.get(text.strip().lower())


def read_answer(text: str) -> bool | None:
    """Return what yes or no means, as a word or by its letter; None for anything else."""
    own = {pgettext("answer", "yes"): True, pgettext("answer", "no"): False}
    answer = {**_WORDS, **own}.get(text.strip().lower())
    return read_letter(text) if answer is None else answer
