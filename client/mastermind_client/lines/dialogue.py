"""A match line by line: what is told, and what anybody there may type; a spectator's dialogue."""

from __future__ import annotations

import time
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar

from mastermind_client.actions import ACTIONS
from mastermind_client.language import gettext as _
from mastermind_client.lines.inbox import tell_connection
from mastermind_client.lines.style import find_style
from mastermind_client.lines.terminal import InputEnded
from mastermind_client.messages.codes import (
    format_board,
    format_colours,
    format_pegs,
    format_turn,
    prefer_letters,
)
from mastermind_client.messages.events import describe_commitment, describe_events
from mastermind_client.messages.players import (
    PHRASES,
    describe_chat_delay,
    describe_chat_line,
    describe_players,
    format_name,
    list_phrases,
)
from mastermind_client.messages.refusals import describe_refusal
from mastermind_client.net.updates import Heard, Moved, Update
from mastermind_protocol.errors import Refused
from mastermind_protocol.match import Phase

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterable, Mapping

    from mastermind_client.actions import Action
    from mastermind_client.config.options import WatchOptions
    from mastermind_client.lines.inbox import Inbox
    from mastermind_client.lines.style import Style
    from mastermind_client.net.mirror import Mirror
    from mastermind_protocol.match import Match, Round, Turn


_T = TypeVar("_T")


class MatchDialogue:
    """The dialogue with somebody at a match, with a seat or without one."""

    def __init__(self, inbox: Inbox, mirror: Mirror) -> None:
        self._inbox, self._session, self._terminal = inbox, inbox.session, inbox.terminal
        self._muted = False
        self._lettered = False  # whether codes were typed as letters, and are told so
        self.mirror = mirror

    @property
    def actions(self) -> list[Action]:
        """The actions that this dialogue has a method `do_NAME` for, in the order of the help."""
        return [action for action in ACTIONS.values() if hasattr(self, f"do_{action.name}")]

    async def perform(self, action: Action, name: str, argument: str) -> None:  # noqa: ARG002
        """Do an action that was called by `name`, which is its letter or one of its words."""
        await getattr(self, f"do_{action.name}")(argument)

    def show(self, update: Update) -> None:
        """Tell of something that happened."""
        match update:
            case Moved(_, events, before):
                whole = self._style.whole_board
                before = prefer_letters(before) if self._lettered and before else before
                self._tell_all(describe_events(events, before, self._reader, whole_board=whole))
            case Heard(_, match, line):
                if not (self._muted and line.by != self._me):
                    self._terminal.write(describe_chat_line(line, match, self._me))
                if line.by == self._me and (delay := describe_chat_delay(match, self._me)):
                    self._terminal.write(delay)
            case _:
                tell_connection(update, self._terminal.write)

    @property
    def match(self) -> Match:
        """The match as far as it has been told."""
        return self._inbox.find_told(self.mirror)

    @property
    def _me(self) -> str:
        return self._session.player.id

    @property
    def _reader(self) -> str | None:
        """The player id to whom the match is told, or None for a spectator."""
        return None

    @property
    def _style(self) -> Style:
        return find_style(self.match.rules)

    @property
    def _as_typed(self) -> Match:
        """The match, whose codes are written as they were typed."""
        return prefer_letters(self.match) if self._lettered else self.match

    @property
    def _round(self) -> Round | None:
        """This round, or the last one."""
        match = self.match
        return match.current or (match.played[-1] if match.played else None)

    @property
    def _turns(self) -> tuple[Turn, ...]:
        """The guesses of this round, or of the last one."""
        return self._round.turns if self._round else ()

    def _tell_all(self, lines: Iterable[str]) -> None:
        for line in lines:
            self._terminal.write(line)

    async def do_help(self, _argument: str) -> None:
        """Print the actions that can be typed."""
        self._tell_all(write_help(self.actions))

    async def do_board(self, _argument: str) -> None:
        """Print all guesses of this round, or of the last one."""
        rows = format_board(self._turns, self._as_typed.rules, whole=self._style.whole_board)
        self._tell_all(rows or [_("No guess yet.")])

    async def do_last(self, _argument: str) -> None:
        """Print the last guess."""
        turns = self._turns
        if turns:
            self._terminal.write(format_turn(len(turns), turns[-1], self._as_typed.rules))
        else:
            self._terminal.write(_("No guess yet."))

    async def do_opponent(self, _argument: str) -> None:
        """Print the players and the number of spectators."""
        self._tell_all(describe_players(self.mirror, self._me, time.monotonic()))

    async def do_say(self, text: str) -> None:
        """Say a text, or a phrase by its number; list the phrases without an argument."""
        if not text:
            self._tell_all(list_phrases())
        elif text.isascii() and text.isdigit() and 1 <= int(text) <= len(PHRASES):
            await self._ask_server(self._session.say(self.mirror, phrase=int(text)))
        else:
            await self._ask_server(self._session.say(self.mirror, text))

    async def do_seal(self, _argument: str) -> None:
        """Print the commitment to the secret."""
        self._terminal.write(describe_commitment(self._round))

    async def do_mute(self, _argument: str) -> None:
        """Hide the chat of the others, or show it again."""
        self._muted = not self._muted
        self._terminal.write(
            _("What the others say is hidden.") if self._muted
            else _("What the others say is shown again.")
        )  # fmt: skip

    async def _ask_server(self, request: Coroutine[object, object, _T]) -> _T | None:
        """Return the answer; a refusal is told, and None returned."""
        try:
            return await request
        except Refused as refusal:
            self._terminal.write(describe_refusal(refusal))
            return None


class SpectatorDialogue(MatchDialogue):
    """Tells a match until it is finished or has been watched enough.

    One that was begun by the options with which it was asked for, or is over, is told at the pace
    from its beginning. Of any other, what has happened before is told at once.
    """

    def __init__(self, inbox: Inbox, mirror: Mirror, options: WatchOptions | None = None) -> None:
        super().__init__(inbox, mirror)
        self._secret = options.secret if options is not None else None
        self._begun = options is not None and options.bot is not None
        self._thinking: Match | None = None  # the state in which a bot was said to think
        self._enough = False

    async def watch(self) -> None:
        """Tell the match. Raises InputEnded when a person's input ends; a script's may."""
        self._terminal.write(_("You watch match {match}.").format(match=self.mirror.code))
        rules, lines = self.mirror.state.rules, True
        if self._secret is not None:
            told = _("The secret that you have set is {code}: {names}.")
            code, names = format_pegs(self._secret, rules), format_colours(self._secret, rules)
            self._terminal.write(told.format(code=code, names=" ".join(names)))
        paced = self._begun or self.mirror.state.phase is Phase.FINISHED
        with self._inbox.subscribed(self.show, paced=paced):
            while not self._enough and self.match.phase is not Phase.FINISHED:
                self._tell_thinking()
                try:
                    line = await self._inbox.next(lines=lines)
                except InputEnded:
                    if self._terminal.interactive:
                        raise
                    lines = False
                    continue
                if line is not None:
                    await self._take_line(line)

    def _tell_thinking(self) -> None:
        """Tell a person that a bot thinks, once a guess, if its guess is not known yet."""
        match = self.match
        bot = match.breaker if match.phase is Phase.BREAKING else None
        if not self._terminal.interactive or bot is None or not bot.is_bot:
            return
        if match is self.mirror.state and match is not self._thinking:
            self._thinking = match
            self._terminal.write(_("{name} thinks ...").format(name=format_name(bot)))

    async def _take_line(self, line: str) -> None:
        self._terminal.echo(line)
        if found := find_action(line, self.actions):
            await self.perform(*found)
        elif line.strip():
            self._terminal.write(_("You watch, and play no code. Type ? for what can be typed."))

    async def do_quit(self, _argument: str) -> None:
        """Stop watching."""
        self._enough = True


HELP_WIDTH = 18  # columns for the names of most actions
NO_WORDS: Mapping[str, str] = MappingProxyType({})


def find_action(
    line: str, actions: Iterable[Action], words: Mapping[str, str] = NO_WORDS
) -> tuple[Action, str, str] | None:
    """Return the action that a line names, the name or letter in the line, and the argument.

    `words` are further words by the names of their actions. A line with an argument that the action
    does not take names none.
    """
    name, _blank, argument = line.strip().partition(" ")
    name, argument = name.lower(), argument.strip()
    for action in actions:
        called = name and name in (action.letter, action.name, words.get(action.name))
        if called and (action.takes or not argument):
            return action, name, argument
    return None


def name_help() -> str:
    """Return what a person is told before the first question."""
    return _("Type ? for what can be typed.")


def write_help(actions: Iterable[Action], words: Mapping[str, str] = NO_WORDS) -> list[str]:
    """Return a line for each action: how it is typed, and what it does."""
    lines = []
    for action in actions:
        names = ", ".join(filter(None, (action.letter, words.get(action.name, action.name))))
        typed = f"{names} {_(action.takes)}" if action.takes else names
        lines.append(f"  {typed:<{HELP_WIDTH}} {_(action.sentence)}")
    return lines
