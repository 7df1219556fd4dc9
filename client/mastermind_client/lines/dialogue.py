"""The base class of the dialogues with players and spectators, and the spectators' dialogue."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypeVar

from mastermind_client.actions import ACTIONS
from mastermind_client.language import gettext as _
from mastermind_client.lines.inbox import write_session_update
from mastermind_client.lines.styles import find_action, find_style, write_help
from mastermind_client.lines.terminal import InputEnded
from mastermind_client.messages.clocks import describe_times
from mastermind_client.messages.codes import (
    format_board,
    format_colours,
    format_pegs,
    format_turn,
    prefer_letters,
)
from mastermind_client.messages.events import describe_commitment, describe_events
from mastermind_client.messages.failures import describe_refusal
from mastermind_client.messages.listings import describe_terms
from mastermind_client.messages.players import (
    describe_chat_delay,
    describe_chat_line,
    describe_players,
    format_name,
    list_phrases,
    parse_phrase,
)
from mastermind_client.messages.ratings import describe_prospects
from mastermind_client.messages.rounds import describe_secret
from mastermind_client.messages.updates import describe_challenge, describe_challenge_choice
from mastermind_client.network.updates import (
    ChallengeReceived,
    ChatReceived,
    CodeRevealed,
    Moved,
    Update,
)
from mastermind_protocol.errors import Refused
from mastermind_protocol.match import Phase

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine, Iterable

    from mastermind_client.actions import Action
    from mastermind_client.config.options import WatchOptions
    from mastermind_client.lines.inbox import Inbox
    from mastermind_client.lines.styles import Style
    from mastermind_client.network.mirror import Mirror
    from mastermind_protocol.match import Match, Round, Turn
    from mastermind_protocol.messages import Challenged


_T = TypeVar("_T")


class MatchDialogue:
    """The common base class of the dialogues with players and spectators."""

    def __init__(self, inbox: Inbox, mirror: Mirror) -> None:
        self._inbox, self._session, self._terminal = inbox, inbox.session, inbox.terminal
        self._muted = False
        self._lettered = (
            inbox.terminal.interactive
        )  # whether codes are printed in letters; each typed code sets it
        self.mirror = mirror
        self.accepted: Mirror | None = None  # the match of a challenge that the user has joined

    @property
    def actions(self) -> list[Action]:
        """The available actions, in the order of the help."""
        return [action for action in ACTIONS.values() if self._find_method(action) is not None]

    def _find_method(self, action: Action) -> Callable[[str], Awaitable[None]] | None:
        """Return the method `do_NAME` of an action, or None.

        The method takes the action's argument.
        """
        return getattr(self, f"do_{action.name}", None)

    async def perform(self, action: Action, name: str, argument: str) -> None:  # noqa: ARG002
        """Run an action. `name` is the typed word: the name, the letter, or the preset's word."""
        if (method := self._find_method(action)) is not None:
            await method(argument)

    def show(self, update: Update) -> None:
        """Print an update."""
        match update:
            case Moved(mirror, events, before, after):
                whole = self._style.whole_board
                lines = describe_events(
                    events, before, self._reader, whole_board=whole, lettered=self._lettered
                )
                self._write_all(lines)
                told = describe_prospects(after, mirror.ratings, self._reader)
                if told and update.has_filled_seats:
                    self._terminal.write(told)
            case CodeRevealed(_, match):
                rules = prefer_letters(match).rules if self._lettered else match.rules
                self._write_all(describe_secret(match.played[-1], rules))
            case ChatReceived(_, match, line):
                if not (self._muted and line.by != self._me):
                    self._terminal.write(describe_chat_line(line, match, self._me))
                if line.by == self._me and (delay := describe_chat_delay(match, self._me)):
                    self._terminal.write(delay)
            case ChallengeReceived(challenge):
                self._terminal.ring()
                self._terminal.write(describe_challenge(challenge))
                terms = describe_terms(
                    challenge.rules, challenge.rounds, rated=challenge.rated, clock=challenge.clock
                )
                text = _("{terms}: type accept or decline within {seconds} seconds.")
                if challenge.previous:
                    text = _("{terms}: type accept or decline.")
                self._terminal.write(text.format(terms=terms, seconds=challenge.seconds))
            case _:
                write_session_update(update, self._terminal.write)

    @property
    def match(self) -> Match:
        """The displayed state of the match."""
        return self._inbox.find_displayed(self.mirror)

    @property
    def _me(self) -> str:
        return self._session.player.id

    @property
    def _reader(self) -> str | None:
        """The id of the player who reads the texts, or None for a spectator."""
        return None

    @property
    def _style(self) -> Style:
        return find_style(self.match.rules)

    @property
    def _match_as_typed(self) -> Match:
        """The displayed match, with codes in letters if the last typed code was in letters."""
        return prefer_letters(self.match) if self._lettered else self.match

    @property
    def _round(self) -> Round | None:
        """The current round, or the last one."""
        match = self.match
        return match.current or (match.played[-1] if match.played else None)

    @property
    def _turns(self) -> tuple[Turn, ...]:
        """The guesses of the current or the last round."""
        return self._round.turns if self._round else ()

    def _write_all(self, lines: Iterable[str]) -> None:
        for line in lines:
            self._terminal.write(line)

    async def do_help(self, _argument: str) -> None:
        """Print the available actions."""
        self._write_all(write_help(self.actions))

    async def do_board(self, _argument: str) -> None:
        """Print all guesses of the current or the last round."""
        rows = format_board(self._turns, self._match_as_typed.rules, whole=self._style.whole_board)
        self._write_all(rows or [_("No guess yet.")])

    async def do_last(self, _argument: str) -> None:
        """Print the last guess."""
        turns = self._turns
        if turns:
            self._terminal.write(format_turn(len(turns), turns[-1], self._match_as_typed.rules))
        else:
            self._terminal.write(_("No guess yet."))

    async def do_opponent(self, _argument: str) -> None:
        """Print the players and the number of spectators."""
        self._write_all(describe_players(self.mirror, self._me, time.monotonic()))

    async def do_time(self, _argument: str) -> None:
        """Print the time left to each player."""
        self._write_all(describe_times(self.mirror, self._me))

    async def do_say(self, text: str) -> None:
        """Send a chat text, or a phrase by its number; without an argument, list the phrases."""
        if not text:
            self._write_all(list_phrases())
        else:
            phrase = parse_phrase(text)
            said = self._session.say(self.mirror, None if phrase else text, phrase=phrase)
            await self._ask_server(said)

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

    async def do_accept(self, code: str) -> None:
        """Join the match of a challenge, and end this dialogue."""
        challenge = self._find_challenge(code)
        if challenge is None:
            return
        if self._loses_by_leaving:
            self._terminal.write(_("Finish this match first: it cannot be saved for later."))
            return
        self.accepted = await self._ask_server(self._session.join(challenge.match))

    async def do_decline(self, code: str) -> None:
        """Decline a challenge."""
        challenge = self._find_challenge(code)
        if challenge is None:
            return
        if await self._ask_server(self._session.decline(challenge.match)) is not None:
            name = format_name(challenge.by)
            self._terminal.write(_("You decline the challenge of {name}.").format(name=name))

    async def do_challenges(self, typed: str) -> None:
        """Take no challenges if `typed` is off, or take them again if it is on."""
        if typed not in ("on", "off"):
            self._terminal.write(_("Type challenges off, or challenges on."))
            return
        allowed = typed == "on"
        stored = await self._ask_server(self._session.allow_challenges(allowed=allowed))
        if stored is not None:
            self._terminal.write(describe_challenge_choice(allowed=allowed))

    def _find_challenge(self, code: str) -> Challenged | None:
        """Return the challenge to the match `code`, or for "" the latest challenge.

        Without such a challenge it prints a message and returns None.
        """
        waiting = self._session.challenges
        match = code.upper() or next(reversed(waiting), "")
        if match not in waiting:
            self._terminal.write(_("No such challenge waits for you."))
        return waiting.get(match)

    @property
    def _loses_by_leaving(self) -> bool:
        """Whether the user loses the match by leaving it now."""
        return False

    async def _ask_server(self, request: Coroutine[object, object, _T]) -> _T | None:
        """Return the answer to a request. A refusal is printed, and None is returned."""
        try:
            return await request
        except Refused as refusal:
            self._terminal.write(describe_refusal(refusal))
            return None


class SpectatorDialogue(MatchDialogue):
    """Prints a match until it has ended or the spectator quits.

    A match that `options` opened, or that has ended, is printed guess by guess from its start. In
    other matches, the earlier guesses are printed at once.
    """

    def __init__(self, inbox: Inbox, mirror: Mirror, options: WatchOptions | None = None) -> None:
        super().__init__(inbox, mirror)
        self._secret = options.secret if options is not None else None
        self._started = options is not None and options.bot is not None
        self._thinking: Match | None = None  # the last state that `_write_thinking` handled
        self._finished = False

    async def watch(self) -> None:
        """Print the match. Raises InputEnded if a person ends the input.

        The end of piped input does not stop the printing.
        """
        self._terminal.write(_("You watch match {match}.").format(match=self.mirror.code))
        state, lines = self.mirror.state, True
        rules = prefer_letters(state).rules if self._lettered else state.rules
        if self._secret is not None:
            text = _("The secret that you have set is {code}: {names}.")
            code, names = format_pegs(self._secret, rules), format_colours(self._secret, rules)
            self._terminal.write(text.format(code=code, names=" ".join(names)))
            if (maker := state.maker) is not None:
                text = _("You hide it: {name} only answers the guesses.")
                self._terminal.write(text.format(name=format_name(maker)))
        paced = self._started or self.mirror.state.phase is Phase.FINISHED
        with self._inbox.subscribed(self.show, paced=paced):
            while not self._ended and self.match.phase is not Phase.FINISHED:
                self._write_thinking()
                try:
                    line = await self._inbox.next(lines=lines)
                except InputEnded:
                    if self._terminal.interactive:
                        raise
                    lines = False
                    continue
                if line is not None:
                    await self._take_line(line)

    @property
    def _ended(self) -> bool:
        return self._finished or self.accepted is not None

    def _write_thinking(self) -> None:
        """Print once per guess that a bot is thinking.

        Prints nothing if the guess has been received but is not displayed yet.
        """
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
        self._finished = True
