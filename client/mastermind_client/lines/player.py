"""The dialogue with a seated player: prompts, actions and codes."""

from __future__ import annotations

from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING

from mastermind_client.config.values import Invitation
from mastermind_client.keyboard import read_keys
from mastermind_client.language import gettext as _
from mastermind_client.lines.dialogue import MatchDialogue
from mastermind_client.lines.inbox import TimeAnnouncer
from mastermind_client.lines.prompts import Introduction, describe_waiting, read_answer
from mastermind_client.lines.styles import find_action, is_code, write_help, write_help_hint
from mastermind_client.lines.terminal import InputEnded, choose_marks
from mastermind_client.messages.analysis import MEASURES, describe_advice, describe_review
from mastermind_client.messages.codes import (
    format_example_code,
    list_share_lines,
    prefer_letters,
    read_code,
)
from mastermind_client.messages.endings import describe_wins
from mastermind_client.messages.failures import describe_refusal
from mastermind_client.messages.rules import format_how_to_play, format_peg_count
from mastermind_client.network.entering import leave_within_timeout
from mastermind_client.network.updates import Moved
from mastermind_protocol.commands import GuessCode, SetSecret, find_advice_refusal, find_refusal
from mastermind_protocol.errors import InvalidCode, Refused
from mastermind_protocol.events import Finished, Left, Seat
from mastermind_protocol.match import Phase
from mastermind_protocol.rules import MAX_ROUNDS

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from mastermind_client.actions import Action
    from mastermind_client.lines.inbox import Inbox
    from mastermind_client.network.mirror import Mirror
    from mastermind_client.network.updates import Update
    from mastermind_protocol.match import Match


class LinePlayer(MatchDialogue):
    """Plays a seat in a match and its rematches until the player quits."""

    def __init__(self, inbox: Inbox, mirror: Mirror) -> None:
        super().__init__(inbox, mirror)
        self._before: Mirror | None = None  # the match before a rematch
        self._ended: dict[str, Match] = {}  # ended matches by code, in the order of their ends
        self._waiting = ""  # the last text printed about a wait
        # The pending question before an action, and the function that runs the action.
        self._unconfirmed: tuple[str, Callable[[], Awaitable[None]]] | None = None
        self._finished = False
        self.quits = False  # whether the match is left, not suspended
        self.has_left = False
        self._introduction = Introduction(inbox.terminal)
        self._time_announcer = TimeAnnouncer(inbox, lambda: self.mirror, self._me)

    def _find_method(self, action: Action) -> Callable[[str], Awaitable[None]] | None:
        """Return the method `do_NAME`, or a function that sends the action's command."""
        method, command = super()._find_method(action), action.command
        if method is not None or command is None:
            return method

        async def send(_argument: str) -> None:
            await self._ask_server(self._session.perform(self.mirror, command))

        return send

    async def perform(self, action: Action, name: str, argument: str) -> None:
        """Run an action. If the player typed its letter, ask the action's question first.

        `name` is the typed word or letter.
        """
        act = partial(super().perform, action, name, argument)
        asks = action.question and name == action.letter
        refusal = action.command and asks and find_refusal(self.match, action.command, self._me)
        if refusal:
            self._terminal.write(describe_refusal(refusal))
        elif asks and not (action.name == "quit" and self._costs_nothing_to_quit):
            self._unconfirmed = (_("{question} (Y/N)").format(question=_(action.question)), act)
        else:
            await act()

    @property
    def _costs_nothing_to_quit(self) -> bool:
        over = self.match.phase is Phase.FINISHED
        return over or self._is_behind or not self._terminal.interactive

    @property
    def _is_behind(self) -> bool:
        """Whether the displayed state is earlier than the received one."""
        return self.match is not self.mirror.state

    async def leave(self) -> None:
        """Leave the match.

        If the opponent has not accepted a rematch yet, leave the earlier match too. This notifies
        the opponent.
        """
        for mirror in (self.mirror, self._before):
            if mirror is not None and self._me not in mirror.state.departed:
                await self._session.leave(mirror)

    async def play(self) -> None:
        """Play the match and its rematches. Raises InputEnded if the input ends first."""
        with self._inbox.subscribed(self.show), closing(self._time_announcer):
            self._time_announcer.restart()
            if self._terminal.interactive and not self._is_over:
                self._terminal.write(write_help_hint())
            while not self._is_over:
                if self._before is not None and self.match.phase is not Phase.GATHERING:
                    await self._ask_server(self._session.unfollow(self._before))
                    self._before = None
                self._ask()
                lines = self._question is not None or self._terminal.interactive
                if (line := await self._inbox.next(lines=lines)) is not None:
                    await self._take_line(line)
            if self.accepted is None:
                self._terminal.write(_(self._style.goodbye))

    def show(self, update: Update) -> None:
        """Print an update.

        During a rematch, the events of the earlier match are ignored. Only the event that a player
        has left is printed.
        """
        if (
            isinstance(update, Moved)
            and update.mirror is self._before
            and not any(isinstance(event, Left) for event in update.events)
        ):
            return
        super().show(update)
        self._time_announcer.restart()
        if isinstance(update, Moved) and any(
            isinstance(event, Finished) for event in update.events
        ):
            self._ended[update.mirror.code] = update.after
            if wins := describe_wins(self._ended.values(), self._me):
                self._terminal.write(wins)

    @property
    def _is_over(self) -> bool:
        """Whether the dialogue has ended.

        The player has left or accepted a challenge, the opponent has left and no rematch is
        possible, or the server has restored a state in which the player has no seat.
        """
        if self._finished or self.accepted is not None or self._seat is None:
            return True
        if self._before is not None and self._before.state.departed:
            return self.match.phase in (Phase.GATHERING, Phase.FINISHED)
        return self.match.phase is Phase.FINISHED and bool(self.match.departed)

    @property
    def _loses_by_leaving(self) -> bool:
        running = self.mirror.state.phase in (Phase.SETTING, Phase.BREAKING)
        return running and self._session.identity.path is None

    @property
    def _reader(self) -> str | None:
        return self._me

    @property
    def _seat(self) -> Seat | None:
        return self.match.seat_of(self._me)

    @property
    def _question(self) -> str | None:
        """The prompt for the input that the match needs from the player, or None."""
        if self._unconfirmed is not None:
            return f"{self._unconfirmed[0]} "
        if self.match.phase is Phase.FINISHED:
            return f"{self._play_again_prompt} "
        asked = self._code_prompt
        return f"{asked}: " if asked else None

    @property
    def _code_prompt(self) -> str | None:
        """The prompt for a code if it is the player's turn, or None."""
        match = self.match
        if match.phase is Phase.SETTING and self._seat is Seat.MAKER:
            return _("Your secret ({pegs})").format(pegs=format_peg_count(match.rules.pegs))
        if match.phase is Phase.BREAKING and self._seat is Seat.BREAKER:
            text = _("Guess {number} of {most}") if match.rules.guesses else _("Guess {number}")
            return text.format(number=len(self._turns) + 1, most=match.rules.guesses)
        return None

    @property
    def _play_again_prompt(self) -> str:
        opponent = self.match.opponent_of(self._me)
        if opponent is None or opponent.bot:
            return _(self._style.again)
        return _("Rematch, with the seats swapped? (Y/N)")

    def _ask(self) -> None:
        """Print a hint if there is one. Then print the prompt, or whom the player waits for."""
        self._introduction.write_hint(prefer_letters(self.match), self._me)
        question = self._question
        if question is not None:
            self._waiting = ""
            if self._inbox.session.connected:
                self._terminal.prompt(question)
            return
        host = self._session.identity.stored.host
        invitation = Invitation(self.mirror.code, self._session.server, host)
        waiting = describe_waiting(self.match, invitation, self._session.page_url)
        if waiting != self._waiting and not self._omits_waiting_text:
            self._waiting = waiting
            self._terminal.write(waiting)

    @property
    def _omits_waiting_text(self) -> bool:
        """Whether no text about waiting is printed.

        This is so while a bot sets a secret. Without an interactive player it is so for each move
        of a bot.
        """
        match = self.match
        if match.to_move is None or match.to_move.bot is None:
            return False
        return match.phase is Phase.SETTING or not self._terminal.interactive

    async def _take_line(self, line: str) -> None:
        self._terminal.echo(line)
        if self._unconfirmed is not None:
            await self._take_confirmation(line)
        elif (found := find_action(line, self.actions, self._style.words)) and not (
            self._code_prompt is not None and is_code(line, found[2], self.match.rules)
        ):
            await self.perform(*found)
        elif self.match.phase is Phase.FINISHED:
            await self._take_play_again_answer(line)
        elif line.strip():
            await self.do_guess(line)

    async def _take_confirmation(self, line: str) -> None:
        answer = read_answer(self._terminal, line)
        if answer is not None and self._unconfirmed is not None:
            (_question, agreed), self._unconfirmed = self._unconfirmed, None
            if answer:
                await agreed()

    async def do_help(self, _argument: str) -> None:
        """Print an example of a code and the available actions."""
        example = format_example_code(self._match_as_typed.rules)
        self._terminal.write(
            _("Type a code, such as {example}, when you are asked for one. What else can be typed:")
            .format(example=example)
        )  # fmt: skip
        advised = find_advice_refusal(self.match) is None
        offered = [action for action in self.actions if action.rated or advised]
        self._write_all(write_help(offered, self._style.words))

    async def do_rules(self, _argument: str) -> None:
        """Print how to play."""
        self._write_all(format_how_to_play(self.match.rules))

    async def do_guess(self, line: str) -> None:
        """Send the code in `line` as the secret or as a guess.

        If the code is invalid, an error is printed instead.
        """
        match = self.match
        making = self._seat is Seat.MAKER
        code = match.rules.some_code
        refusal = find_refusal(match, SetSecret(code, b"") if making else GuessCode(code), self._me)
        if refusal is not None:
            self._terminal.write(describe_refusal(refusal))
            return
        try:
            code = read_code(line, match.rules)
        except InvalidCode as error:
            self._terminal.write(describe_refusal(error))
            return
        self._lettered = any(symbol.isalpha() for symbol in line)
        send = self._session.set_secret if making else self._session.guess
        await self._ask_server(send(self.mirror, code))

    async def do_quit(self, _argument: str) -> None:
        """Leave the match for good, unless an opponent has just joined it.

        While a bot's guesses are being printed, the match is saved instead: its next round, which
        the player has not seen, would be lost.
        """
        if self._is_behind:
            raise InputEnded
        if self.match.phase is not Phase.FINISHED:
            try:
                await leave_within_timeout(self._session, self.leave)
            except Refused as refusal:
                self._terminal.write(describe_refusal(refusal))
                return
            self.has_left = True
            self._terminal.write(_("You left."))
        self.quits = True
        raise InputEnded

    async def do_advise(self, argument: str) -> None:
        """Print the best next guesses. `argument` names the measure that ranks them."""
        measure = argument.lower() or self._style.measure
        by = next((known for known in MEASURES if known == measure), None)
        if by is None:
            self._terminal.write(
                _("Type advise, or advise and what is to rank it: {measures}.").format(
                    measures=", ".join(MEASURES)
                )
            )
            return
        advice = await self._ask_server(self._session.advise(self.mirror, by))
        if advice is not None:
            self._write_all(describe_advice(advice, by, self.match.rules))

    async def do_review(self, argument: str) -> None:
        """Print the review of round number `argument`, or of all rounds if it is empty."""
        match = self.match
        count = len(match.played) or 1
        rounds = [argument] if argument else [str(number) for number in range(1, count + 1)]
        for chosen in map(read_keys, rounds):
            if not (chosen.isascii() and chosen.isdigit() and 1 <= int(chosen) <= MAX_ROUNDS):
                self._terminal.write(_("Review all rounds, or one by its number: review 1."))
                return
            turns = await self._ask_server(self._session.review(self.mirror, int(chosen)))
            if turns is not None:
                self._write_all(describe_review(turns, match, int(chosen), self._me))

    async def do_share(self, _argument: str) -> None:
        """Print the finished rounds as marks, without the codes."""
        match = self.match
        if not match.played:
            self._terminal.write(_("There is nothing to share: no round is over yet."))
        self._write_all(list_share_lines(match, choose_marks(self._inbox.terminal.context.output)))

    async def _take_play_again_answer(self, line: str) -> None:
        """Start a rematch if the line means yes. End the dialogue if it means no."""
        answer = read_answer(self._terminal, line)
        if answer:
            await self._ask_server(self._play_again())
        elif answer is False:
            self._finished = True

    async def _play_again(self) -> None:
        mirror = await self._session.rematch(self.mirror)
        self._before, self.mirror = self.mirror, mirror
