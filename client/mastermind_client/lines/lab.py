"""The dialogue of the `lab` preset: one peg per prompt, in the exact texts of the preset.

All other texts are printed to standard error. Only an interactive player has actions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.language import gettext as _
from mastermind_client.language import ngettext
from mastermind_client.lines.inbox import write_session_update
from mastermind_client.lines.player import LinePlayer
from mastermind_client.lines.prompts import parse_yes_no_letter
from mastermind_client.lines.styles import find_action, write_help, write_help_hint
from mastermind_client.messages.codes import format_colour, format_colours
from mastermind_client.messages.rounds import describe_fraud
from mastermind_client.network.updates import ChatReceived, Moved
from mastermind_protocol.match import Phase

if TYPE_CHECKING:
    from mastermind_client.actions import Action
    from mastermind_client.network.updates import Update
    from mastermind_protocol.code import Code
    from mastermind_protocol.match import Match, Round


# A code is no action here, and nobody challenges.
_OMITTED_ACTIONS = ("guess", "accept", "decline", "challenges")


class LabPlayer(LinePlayer):
    """Plays as codebreaker against a bot, match after match, until the player answers N."""

    @property
    def actions(self) -> list[Action]:
        """The actions of an interactive player. Empty for a script, whose lines are all pegs."""
        if not self._terminal.interactive:
            return []
        return [action for action in super().actions if action.name not in _OMITTED_ACTIONS]

    async def play(self) -> None:
        """Play until the player quits. Raises InputEnded."""
        if self._terminal.interactive:
            self._terminal.write_error(write_help_hint())
        with self._inbox.subscribed(self.show):
            while True:
                await self._play_match()
                if not await self._ask_for_another_match():
                    break
                before = self.mirror
                self.mirror = await self._session.rematch(before)
                await self._session.unfollow(before)
        self._terminal.write(_(self._style.goodbye))

    def show(self, update: Update) -> None:
        """Print warnings and changes of the connection, and the chat for an interactive player.

        `play` itself prints the match.
        """
        match update:
            case Moved(after=match):
                for played in match.played:
                    if fraud := describe_fraud(played, match.rules):
                        warning = _("WARNING! CODE NOT PROVEN: {fraud}.")
                        self._terminal.write_error(warning.format(fraud=fraud))
            case ChatReceived() if self._terminal.interactive:
                super().show(update)
            case _:
                write_session_update(update, self._terminal.write_error)

    async def _play_match(self) -> None:
        while self.mirror.state.phase not in (Phase.BREAKING, Phase.FINISHED):
            await self._inbox.next(lines=False)
        if self.mirror.state.phase is Phase.FINISHED:
            self._terminal.write_error(_("The match ended before there was a secret."))
            return
        rules = self.mirror.state.rules
        write = self._terminal.write
        write(
            ngettext(
                "The secret code has been chosen. You have {number} tries to guess the code.",
                "The secret code has been chosen. You have {number} tries to guess the code.",
                rules.guess_limit,
            ).format(number=rules.guess_limit)
        )
        while self.mirror.state.phase is Phase.BREAKING:
            write(_("Make a guess of four colors:"))
            for number in range(rules.colours):
                write(f"{number} - {format_colour(number, rules)}")
            code = await self._read_code()
            if code is None:
                self._write_secret(self.mirror.state.played[-1])
                return
            write(_("Your guess is:"))
            write(repr(format_colours(code, rules)))
            await self._session.guess(self.mirror, code)
            self._write_feedback(self.mirror.state)

    def _write_feedback(self, match: Match) -> None:
        rules, write = match.rules, self._terminal.write
        played = match.current or match.played[-1]
        feedback = played.turns[-1].feedback
        if feedback.black == rules.pegs:
            number = len(played.turns)
            text = ngettext(
                "Correct! You finished in {number} guesses",
                "Correct! You finished in {number} guesses",
                number,
            )
            write(text.format(number=number))
            return
        write(_("Your clue is: {clue}").format(clue=rules.keys.write(feedback, rules.pegs)))
        if match.current is not None:
            left = rules.guess_limit - len(played.turns)
            text = ngettext(
                "You have {number} guesses left", "You have {number} guesses left", left
            )
            write(text.format(number=left))
        else:
            self._write_secret(played)

    def _write_secret(self, played: Round) -> None:
        if played.secret is not None:
            self._terminal.write(_("No more guesses, the hidden colors were:"))
            self._terminal.write(repr(format_colours(played.secret, self.mirror.state.rules)))

    async def _ask_for_another_match(self) -> bool:
        again = None
        while again is None:
            self._terminal.write(_(self._style.again))
            line = await self._read_line()
            again = None if line is None else parse_yes_no_letter(line)
        return again

    async def _read_line(self, prompt: str = "") -> str | None:
        """Return the next line.

        Returns None after an action, which is run, and after an answer to an action's question.
        """
        question = self._unconfirmed[0] if self._unconfirmed else ""
        line = await self._inbox.read_line(f"{question} " if question else prompt)
        if question:
            await self._take_confirmation(line)
        elif found := find_action(line, self.actions):
            await self.perform(*found)
        else:
            return line
        return None

    async def do_help(self, _argument: str) -> None:
        """Print the available actions."""
        self._terminal.write(
            _("Type the number of a color at each prompt. What else can be typed:")
        )
        self._write_all(write_help(self.actions))

    async def _read_code(self) -> Code | None:
        """Return the code that the player types peg by peg, or None if the round ends before."""
        rules = self.mirror.state.rules
        code: list[int] = []
        while len(code) < rules.pegs:
            question = _("Guess color:")
            line = await self._read_line(f"{question} ")
            if self.mirror.state.phase is not Phase.BREAKING:
                return None
            if line is None:
                continue
            try:
                number = int(line)
            except ValueError:
                self._terminal.write(_("Invalid number, try again:"))
                continue
            if 0 <= number < rules.colours:
                code.append(number)
            else:
                self._terminal.write(_("Invalid guess, try again:"))
        return tuple(code)
