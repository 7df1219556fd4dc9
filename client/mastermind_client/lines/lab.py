"""The `lab` dialogue: one peg a prompt, exact to the character.

Nothing else is printed on standard output; what else must be said goes to standard error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.language import gettext as _
from mastermind_client.language import ngettext
from mastermind_client.lines.ask import read_letter
from mastermind_client.lines.inbox import tell_connection
from mastermind_client.lines.style import find_style
from mastermind_client.net.updates import Moved
from mastermind_client.words.codes import name_colour, name_colours
from mastermind_client.words.events import describe_fraud
from mastermind_protocol.match import Phase

if TYPE_CHECKING:
    from mastermind_client.lines.inbox import Inbox
    from mastermind_client.net.mirror import Mirror
    from mastermind_client.net.updates import Update
    from mastermind_protocol.code import Code
    from mastermind_protocol.match import Match


class LabPlayer:
    """Breaks a bot's codes in the words of the `lab` preset, until N is answered."""

    def __init__(self, inbox: Inbox, mirror: Mirror) -> None:
        self._inbox, self._session, self._terminal = inbox, inbox.session, inbox.terminal
        self.mirror = mirror

    async def play(self) -> None:
        """Play until the player has had enough. Raises InputEnded."""
        style = find_style(self.mirror.state.rules)
        with self._inbox.subscribed(self._show):
            while True:
                await self._play_match()
                self._terminal.write(_(style.again))
                while (again := read_letter(await self._inbox.read_line())) is None:
                    self._terminal.write(_(style.again))
                if not again:
                    break
                before = self.mirror
                self.mirror = await self._session.rematch(before)
                await self._session.unfollow(before)
        self._terminal.write(_(style.goodbye))

    async def leave(self) -> None:
        """Leave the match."""
        await self._session.leave(self.mirror)

    async def _play_match(self) -> None:
        while self.mirror.state.phase not in (Phase.BREAKING, Phase.FINISHED):
            await self._inbox.next(lines=False)
        if self.mirror.state.phase is Phase.FINISHED:
            self._terminal.complain(_("The match ended before there was a secret."))
            return
        rules = self.mirror.state.rules
        write = self._terminal.write
        write(
            ngettext(
                "The secret code has been chosen. You have {number} tries to guess the code.",
                "The secret code has been chosen. You have {number} tries to guess the code.",
                rules.limit,
            ).format(number=rules.limit)
        )
        while self.mirror.state.phase is Phase.BREAKING:
            write(_("Make a guess of four colors:"))
            for number in range(rules.colours):
                write(f"{number} - {name_colour(number, rules)}")
            code = await self._read_code()
            write(_("Your guess is:"))
            write(repr(name_colours(code, rules)))
            await self._session.guess(self.mirror, code)
            self._tell_outcome(self.mirror.state)

    def _tell_outcome(self, match: Match) -> None:
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
            left = rules.limit - len(played.turns)
            text = ngettext(
                "You have {number} guesses left", "You have {number} guesses left", left
            )
            write(text.format(number=left))
        elif played.secret is not None:
            write(_("No more guesses, the hidden colors were:"))
            write(repr(name_colours(played.secret, rules)))

    async def _read_code(self) -> Code:
        rules = self.mirror.state.rules
        code: list[int] = []
        while len(code) < rules.pegs:
            question = _("Guess color:")
            line = await self._inbox.read_line(f"{question} ")
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

    def _show(self, update: Update) -> None:
        if not isinstance(update, Moved):
            tell_connection(update, self._terminal.complain)
            return
        match = update.after
        for played in match.played:
            if fraud := describe_fraud(played, match.rules):
                warning = _("WARNING! CODE NOT PROVEN: {fraud}.")
                self._terminal.complain(warning.format(fraud=fraud))
