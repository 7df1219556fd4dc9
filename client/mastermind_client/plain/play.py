"""A seat in a line game: what is asked, what is typed, what is told."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from mastermind_client.plain.inbox import Inbox, tell_connection
from mastermind_client.plain.study import MEASURES, describe_advice, describe_review
from mastermind_client.plain.style import find_style
from mastermind_client.plain.terminal import InputEnded, Terminal
from mastermind_client.plain.wording import (
    describe,
    describe_rules,
    name_player,
    write_board,
)
from mastermind_client.updates import Moved, Update
from mastermind_protocol.code import format_code, parse_code
from mastermind_protocol.commands import Guess, SetSecret, refuse
from mastermind_protocol.errors import InvalidCode, Refused
from mastermind_protocol.events import Left, Seat
from mastermind_protocol.match import Phase
from mastermind_protocol.rules import MAX_ROUNDS

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterable

    from mastermind_client.mirror import Mirror
    from mastermind_client.plain.style import Style
    from mastermind_client.session import Session
    from mastermind_protocol.code import Code

_T = TypeVar("_T")
_TOLD = ("help", "?", "board", "rules")
HELP = (
    "Type a code, such as {example}, when you are asked for one. Other words:",
    "  board       every guess so far",
    "  advise      the best next guesses; the others are told that you asked",
    "  review      when it is over: how well each guess was chosen",
    "  rules       what is played, and how colours are typed",
    "  {surrender:<11} give this round up",
    "  quit        leave the match",
)


class LinePlayer:
    """Plays one seat, match after match, until the player has had enough."""

    def __init__(self, session: Session, terminal: Terminal, mirror: Mirror) -> None:
        self._session, self._terminal = session, terminal
        self._inbox = Inbox(session, terminal)
        self.mirror = mirror
        self._before: Mirror | None = None  # the match that this one is the rematch of
        self._waiting = ""  # what was last said to be waited for
        self._enough = False

    @property
    def _style(self) -> Style:
        return find_style(self.mirror.state.rules)

    async def leave(self) -> None:
        """Leave what has not been left, so that the opponent is told."""
        for mirror in (self.mirror, self._before):
            if mirror is not None and self._me not in mirror.state.left:
                await self._session.leave(mirror)

    async def play(self) -> None:
        """Play until the end. Raises InputEnded when the player's input ends before that."""
        while not self._is_over or self._session.has_update:
            if self._before is not None and self.mirror.state.phase is not Phase.GATHERING:
                await self._try(self._session.unfollow(self._before))
                self._before = None
            if not self._session.has_update:
                self._ask()
            lines = self._question is not None or self._terminal.interactive
            got = await self._inbox.next(lines=lines)
            if isinstance(got, str):
                await self._take_line(got)
            else:
                self._show(got)
        self._terminal.write(self._style.goodbye)

    @property
    def _is_over(self) -> bool:
        """Whether nothing more can come: the match is over and somebody has left it."""
        if self._enough:
            return True
        if self._before is not None and self._before.state.left:
            return self.mirror.state.phase in (Phase.GATHERING, Phase.FINISHED)
        return self.mirror.state.phase is Phase.FINISHED and bool(self.mirror.state.left)

    @property
    def _me(self) -> str:
        return self._session.player.id

    @property
    def _seat(self) -> Seat | None:
        return self.mirror.state.seat_of(self._me)

    @property
    def _question(self) -> str | None:
        """The prompt for what is the player's to do now, or None."""
        match = self.mirror.state
        rules = match.rules
        if match.phase is Phase.FINISHED:
            return f"{self._again} "
        if match.phase is Phase.SETTING and self._seat is Seat.MAKER:
            return f"Your secret ({rules.pegs} pegs): "
        if match.phase is Phase.BREAKING and self._seat is Seat.BREAKER and match.current:
            of = f" of {rules.guesses}" if rules.guesses else ""
            return f"Guess {len(match.current.turns) + 1}{of}: "
        return None

    @property
    def _again(self) -> str:
        opponent = self.mirror.state.opponent_of(self._me)
        if opponent is None or opponent.bot:
            return self._style.again
        return "Rematch, with the seats swapped? (Y/N)"

    def _ask(self) -> None:
        question = self._question
        if question is not None:
            self._waiting = ""
            self._terminal.prompt(question)
            return
        waiting = self._describe_waiting()
        if waiting != self._waiting:
            self._waiting = waiting
            self._terminal.write(waiting)

    def _describe_waiting(self) -> str:
        match, code = self.mirror.state, self.mirror.code
        if match.phase is Phase.GATHERING and self._before is not None:
            return "Waiting for the answer ..."
        if match.phase is Phase.GATHERING and match.opened.public:
            return f"Waiting for somebody to join (match {code}) ..."
        if match.phase is Phase.GATHERING:
            return (
                f"Invite code: {code}\n"
                f"Your friend types: mastermind join {code} --server {self._session.server}\n"
                "Waiting for your friend ..."
            )
        mover = match.to_move
        doing = "set the secret" if match.phase is Phase.SETTING else "guess"
        return f"Waiting for {name_player(mover) if mover else 'nobody'} to {doing} ..."

    def _show(self, update: Update) -> None:
        if not isinstance(update, Moved):
            tell_connection(update, self._terminal.write)
        elif update.mirror is not self._before or any(isinstance(e, Left) for e in update.events):
            for line in describe(update.events, update.before, self._me):
                self._terminal.write(line)

    async def _take_line(self, line: str) -> None:
        self._terminal.echo(line)
        word = line.strip().lower()
        if word in _TOLD:
            for text in self._tell(word):
                self._terminal.write(text)
        elif word == "quit":
            raise InputEnded
        elif word.split()[:1] == ["advise"]:
            await self._advise(word)
        elif word.split()[:1] == ["review"]:
            await self._review(word)
        elif self.mirror.state.phase is Phase.FINISHED:
            await self._answer_again(word)
        elif word in ("resign", self._style.surrender):
            await self._try(self._session.resign(self.mirror))
        elif word:
            await self._take_code(line)

    def _tell(self, word: str) -> list[str]:
        """Return what the player asked to see."""
        match = self.mirror.state
        if word == "rules":
            return describe_rules(match.rules)
        if word == "board":
            played = match.current or (match.played[-1] if match.played else None)
            turns = played.turns if played else ()
            return write_board(turns, match.rules, whole=self._style.whole_board) or [
                "No guess yet."
            ]
        example = format_code((0, 0, 1, 1, 2, 2, 3, 3, 4)[: match.rules.pegs], match.rules)
        return [line.format(example=example, surrender=self._style.surrender) for line in HELP]

    async def _take_code(self, line: str) -> None:
        """Set the secret or guess; what is wrong with either is said at once, nothing sent."""
        match = self.mirror.state
        making = self._seat is Seat.MAKER
        code: Code = (0,) * match.rules.pegs
        refusal = refuse(match, SetSecret(code, b"") if making else Guess(code), self._me)
        if refusal is not None:
            self._terminal.write(_sentence(refusal.message))
            return
        try:
            code = parse_code(line, match.rules)
        except InvalidCode as error:
            self._terminal.write(_sentence(error.message))
            return
        send = self._session.set_secret if making else self._session.guess
        await self._try(send(self.mirror, code))

    async def _advise(self, line: str) -> None:
        match = self.mirror.state
        measure = line.removeprefix("advise").strip() or self._style.measure
        by = next((known for known in MEASURES if known == measure), None)
        if by is None:
            self._terminal.write(
                f"Type advise, or advise and what is to rank it: {', '.join(MEASURES)}."
            )
            return
        advice = await self._ask_server(self._session.advise(self.mirror, by))
        if advice is not None:
            self._tell_all(describe_advice(advice, by, match.rules))

    async def _review(self, line: str) -> None:
        match = self.mirror.state
        number = line.removeprefix("review").strip()
        rounds = [number] if number else [str(count + 1) for count in range(len(match.played) or 1)]
        for chosen in rounds:
            if not (chosen.isascii() and chosen.isdigit() and 1 <= int(chosen) <= MAX_ROUNDS):
                self._terminal.write("Review all rounds, or one by its number: review 1.")
                return
            turns = await self._ask_server(self._session.review(self.mirror, int(chosen)))
            if turns is not None:
                self._tell_all(describe_review(turns, match, int(chosen), self._me))

    def _tell_all(self, lines: Iterable[str]) -> None:
        for line in lines:
            self._terminal.write(line)

    async def _answer_again(self, word: str) -> None:
        if word in ("y", "yes"):
            await self._try(self._play_again())
        elif word in ("n", "no"):
            self._enough = True
        else:
            self._terminal.write("Please answer Y or N.")

    async def _play_again(self) -> None:
        mirror = await self._session.rematch(self.mirror)
        self._before, self.mirror = self.mirror, mirror

    async def _try(self, request: Coroutine[object, object, None]) -> None:
        await self._ask_server(request)

    async def _ask_server(self, request: Coroutine[object, object, _T]) -> _T | None:
        """Return the answer; a refusal is told, and None returned."""
        try:
            return await self._inbox.perform(request, self._show)
        except Refused as refusal:
            self._terminal.write(_sentence(refusal.message))
            return None


def _sentence(message: str) -> str:
    return message[0].upper() + message[1:] + "."
