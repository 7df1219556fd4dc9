"""Questions to the player, what the player waits for, and the hints of a first game."""

from __future__ import annotations

from argparse import ArgumentTypeError
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, TypeVar

from mastermind_client.config import settings as stored
from mastermind_client.config.options import DEFAULT_SERVER, FRIEND, HOSTED
from mastermind_client.config.values import Invitation, parse_name, write_join_command, write_link
from mastermind_client.keyboard import read_keys
from mastermind_client.language import gettext as _
from mastermind_client.language import pgettext
from mastermind_client.lines.inbox import write_session_update
from mastermind_client.lines.styles import find_style
from mastermind_client.messages.failures import describe_refusal
from mastermind_client.messages.listings import describe_invitation, describe_unfinished
from mastermind_client.messages.players import format_name
from mastermind_client.messages.rules import find_line_hint, is_played_out
from mastermind_client.messages.updates import (
    describe_challenge_wait,
    describe_connecting,
    describe_new_usual_server,
)
from mastermind_client.network.opening import query_seats
from mastermind_client.network.running import sort_seats
from mastermind_protocol.errors import InvalidRules
from mastermind_protocol.events import MAX_NAME_LENGTH, Seat
from mastermind_protocol.match import Phase
from mastermind_protocol.rules import PRESETS, find_rules

if TYPE_CHECKING:
    from mastermind_client.config.options import PlayOptions
    from mastermind_client.lines.inbox import Inbox
    from mastermind_client.lines.terminal import LineTerminal
    from mastermind_client.network.running import OwnSeat
    from mastermind_protocol.match import Match
    from mastermind_protocol.rules import Rules


_T = TypeVar("_T")


async def ask_open_questions(options: PlayOptions, terminal: LineTerminal) -> PlayOptions:
    """Ask for the options that are still open, and return all options. Raises InputEnded.

    Which questions are asked depends on the preset of rules. A script and `settled` options get no
    question. An interactive player always confirms rules that are taken from the last game.
    """
    if not terminal.interactive:
        return options
    if options.rules_from_before:
        options = replace(options, rules=await _choose_rules(terminal, options.rules))
    if options.settled:
        return options
    style = find_style(options.rules)
    introduction = Introduction(terminal)
    if style.asks_name and options.name is None and introduction.needs_name:
        options = replace(options, name=await _ask_name(terminal))
        introduction.save_name(options.name)
    if style.asks_seat and options.seed is None:  # a seed determines the opponent's secrets
        seats = {"m": Seat.MAKER, "b": Seat.BREAKER, "": Seat.BREAKER}
        seat = await _choose(terminal, _("Be the codemaker or the codebreaker? (m/B)"), seats)
        options = replace(options, seat=seat)
    if style.asks_mode and options.seed is None and not options.public:
        terminal.write(_("1  You break the computer's code"))
        terminal.write(_("2  You play against a friend"))
        terminal.write(_("3  The computer breaks your code"))
        ways = {
            "": replace(options, seat=Seat.BREAKER),
            "1": replace(options, seat=Seat.BREAKER),
            "2": replace(options, versus=FRIEND, server=_find_server(options, terminal)),
            "3": replace(options, seat=Seat.MAKER),
        }
        options = await _choose(terminal, _("Which way to play? (1)"), ways)
    return options


def _find_server(options: PlayOptions, terminal: LineTerminal) -> str | None:
    """Return the server for a match with a friend.

    This is the server in `options`. Without it, HOSTED is returned if this client can host and the
    usual server is DEFAULT_SERVER. Otherwise None is returned, which means the usual server.
    """
    hosts = terminal.context.local and options.usual_server == DEFAULT_SERVER
    return options.server or (HOSTED if hosts else None)


async def _choose_rules(terminal: LineTerminal, before: Rules) -> Rules:
    """Ask for the rules. An empty answer returns `before`."""
    question = _("Which rules? (Enter for {rules}, played last)").format(rules=before)
    terminal.write(
        _(
            "Rules: {presets}, or PEGSxCOLOURS[u][/GUESSES] such as 5x8/12, or 4x10u for no colour "
            "twice."
        ).format(presets=", ".join(PRESETS))
    )
    while name := await _ask(terminal, question):
        try:
            return find_rules(name)
        except InvalidRules as error:
            terminal.write(describe_refusal(error))
    return before


async def _ask_name(terminal: LineTerminal) -> str | None:
    """Ask for the name. An empty answer returns None, for a guest."""
    while True:
        name = await _ask(terminal, _("Your name (Enter for a guest's):"))
        if not name:
            terminal.write(_("You play as a guest. --name, or the settings, give you a name."))
            return None
        try:
            return parse_name(name)
        except ArgumentTypeError:
            terminal.write(
                _("A name has up to {most} characters that can be shown.").format(
                    most=MAX_NAME_LENGTH
                )
            )


async def _choose(terminal: LineTerminal, question: str, answers: dict[str, _T]) -> _T:
    while True:
        answer = read_keys(await _ask(terminal, question))
        if answer in answers:
            return answers[answer]
        allowed = ", ".join(answer for answer in answers if answer)
        terminal.write(_("Please answer one of: {allowed}.").format(allowed=allowed))


async def _ask(terminal: LineTerminal, question: str) -> str:
    terminal.prompt(f"{question} ")
    return (await terminal.read_line()).strip()


_ANSWER_LETTERS = {"y": True, "n": False}
_ANSWER_WORDS = {"yes": True, "no": False}


def parse_yes_no_letter(text: str) -> bool | None:
    """Return True for Y and False for N, in English or the current language, otherwise None."""
    own = {pgettext("answer", "y"): True, pgettext("answer", "n"): False}
    return _find_answer(text, {**_ANSWER_LETTERS, **own})


def parse_yes_no(text: str) -> bool | None:
    """Return True for yes or Y and False for no or N, otherwise None.

    The words are accepted in English and in the current language.
    """
    own = {pgettext("answer", "yes"): True, pgettext("answer", "no"): False}
    answer = _find_answer(text, {**_ANSWER_WORDS, **own})
    return parse_yes_no_letter(text) if answer is None else answer


def _find_answer(text: str, answers: dict[str, bool]) -> bool | None:
    """Return the answer in `text`, as typed or as its keys in a US layout."""
    typed = text.strip().lower()
    return answers.get(typed, answers.get(read_keys(typed)))


def read_answer(terminal: LineTerminal, line: str) -> bool | None:
    """Return True for yes and False for no. For other lines, print a message and return None."""
    answer = parse_yes_no(line)
    if answer is None:
        terminal.write(_("Please answer Y or N."))
    return answer


def describe_waiting(match: Match, invitation: Invitation, page: str | None) -> str:
    """Return lines about whom a player waits for: a second player, or the opponent's next code.

    `invitation` is that of the match, and `page` the address of the server's web page, or None.
    """
    if match.phase is Phase.GATHERING and match.opened.reserved is not None:
        waiting = _("Waiting for the answer ...")
        told = [] if match.opened.previous else [describe_challenge_wait()]
        return "\n".join((*told, waiting))
    if match.phase is Phase.GATHERING and match.opened.public:
        text = _("Waiting for an opponent to join (match {match}) ...")
        return text.format(match=invitation.code)
    if match.phase is Phase.GATHERING:
        command = write_join_command(invitation, page)
        told = [_("Invite code: {match}").format(match=invitation.code)]
        if link := write_link(page, invitation):
            told.append(_("Your friend opens: {link}").format(link=link))
        told.append(_("Your friend types: {command}").format(command=command))
        return "\n".join((*told, _("Waiting for your friend ...")))
    setting = match.phase is Phase.SETTING
    text = (
        _("Waiting for {name} to set the secret ...")
        if setting
        else _("Waiting for {name} to guess ...")
    )
    return text.format(name=format_name(match.to_move) if match.to_move else "?")


class Introduction:
    """The question for the name and the hints of the first game, for an interactive player."""

    def __init__(self, terminal: LineTerminal) -> None:
        self._terminal = terminal
        file = terminal.context.settings_file
        settings = stored.load(file).settings if terminal.interactive else None
        self._level = settings.introduction if settings is not None else "none"
        self._last_hint = ""

    @property
    def needs_name(self) -> bool:
        """Whether the player has not been asked for a name yet."""
        return self._level == "all"

    def save_name(self, name: str | None) -> None:
        """Save the name, or None for a guest. After that the question is not asked again."""
        self._save_progress("hints", name=name)

    def write_hint(self, match: Match, me: str) -> None:
        """Print the hint for the next input, but not twice in a row.

        The first finished game ends the hints.
        """
        if self._level == "none":
            return
        if is_played_out(match, me):
            self._save_progress("none")
            return
        hint = find_line_hint(match, me)
        if hint and hint != self._last_hint:
            self._last_hint = hint
            self._terminal.write(hint)

    def _save_progress(self, level: stored.IntroductionLevel, **changes: object) -> None:
        self._level = level
        _save_settings(self._terminal, introduction=level, **changes)


def store_server(terminal: LineTerminal, server: str) -> None:
    """Save the server of an invitation as the usual server. Print a message if it changes."""
    if stored.load(terminal.context.settings_file).settings.server != server:
        terminal.write(describe_new_usual_server(server))
        _save_settings(terminal, server=server)


def _save_settings(terminal: LineTerminal, **changes: object) -> None:
    def explain(error: OSError) -> None:
        text = _("The settings cannot be kept: {reason}.")
        terminal.write(text.format(reason=error.strerror))

    context = terminal.context
    context.writer.put(partial(stored.save, changes, context.settings_file), explain)


async def accept_invitation(inbox: Inbox, code: str, *, from_list: bool) -> bool:
    """Print the terms of a match with a free seat, and ask whether to join. Return the answer.

    Returns True without a question if no seat is free, and for a public match if the player has
    seen the list of them. Raises InputEnded, Refused, and the failure that ended the session.
    """
    session, terminal = inbox.session, inbox.terminal
    mirror = await session.follow(code)
    answer = True if from_list and mirror.state.opened.public else None
    with inbox.subscribed(partial(write_session_update, write=terminal.write)):
        if answer is None and mirror.state.phase is Phase.GATHERING:
            terminal.write("\n".join(describe_invitation(mirror.state)))
        while answer is None and mirror.state.phase is Phase.GATHERING:
            if session.connected:
                terminal.prompt(_("Accept the invitation? (Y/N)") + " ")
            if (typed := await inbox.next()) is not None:
                answer = read_answer(terminal, typed)
    await session.unfollow(mirror)
    return answer is not False


async def offer_to_resume(terminal: LineTerminal) -> OwnSeat | None:
    """Ask whether to resume the most urgent match.

    Returns the seat in the match, or None to start another match. Raises InputEnded.
    """
    if not terminal.interactive:
        return None
    with terminal.announce_if_slow(describe_connecting()):
        seats = sort_seats(chain.from_iterable((await query_seats(terminal.context)).values()))
    if not seats:
        return None
    match = describe_unfinished(seats[0].match, terminal.context.zone)
    question = _("Continue {match}? (Y/N)").format(match=match)
    while True:
        terminal.prompt(f"{question} ")
        if (wanted := read_answer(terminal, await terminal.read_line())) is not None:
            return seats[0] if wanted else None
