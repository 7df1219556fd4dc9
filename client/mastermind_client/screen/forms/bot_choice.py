"""The choice of a bot of a server. The form can be used while the bots are being loaded."""

from __future__ import annotations

from functools import partial
from math import ceil
from typing import TYPE_CHECKING

from mastermind_client.figures import Figures
from mastermind_client.language import LocalisedFloat
from mastermind_client.language import gettext as _
from mastermind_client.messages.failures import describe_failure
from mastermind_client.messages.players import (
    describe_bot,
    describe_bot_guesses,
    describe_hiding,
)
from mastermind_client.messages.statistics import format_best_and_average, format_games
from mastermind_client.network.failures import ServerUnreachable
from mastermind_client.screen.toolkit.list_view import Item, choice
from mastermind_protocol.errors import Refused
from mastermind_protocol.text import sanitise
from mastermind_protocol.usual_guesses import find_hiding_guesses

if TYPE_CHECKING:
    from mastermind_client.screen.app import App
    from mastermind_client.screen.servers.server import Server
    from mastermind_protocol.messages import KnownBot
    from mastermind_protocol.rules import Rules

MAX_STRENGTH_DOTS = 4  # dots of the strongest bot


class BotChoice:
    """The bots of one server, and the name or alias of the wanted bot.

    `load` replaces the bots by those of another server.
    """

    def __init__(self, app: App, wanted_name: str) -> None:
        self.wanted_name = wanted_name
        self.bots: tuple[KnownBot, ...] = ()
        self.error: Exception | None = None
        self._app = app
        self._address: str | None = None
        self._server: Server | None = None

    def load(self, address: str) -> None:
        """Load the bots of a server.

        Until they are loaded, the bots of the previous server are offered.
        """
        if address != self._address or self.error is not None:
            self._address, self.error = address, None
            self._app.spawn(self._load(address))

    def find_name(self, rules: Rules, *, bot_breaks: bool) -> str:
        """Return the name of the wanted bot if it can play, otherwise of the strongest that can.

        If the bots are not loaded, or none can play, return the wanted name. The server then checks
        the name.
        """
        fitting = self.list_fitting_bots(rules, bot_breaks=bot_breaks)
        return (
            _find_request_name(fitting[self._find_wanted_index(fitting)])
            if fitting
            else self.wanted_name
        )

    def list_fitting_bots(self, rules: Rules, *, bot_breaks: bool) -> list[KnownBot]:
        """Return the bots that can play by these rules, the weakest first.

        `bot_breaks` is whether the bot is codebreaker in some round. If it never is, all bots fit.
        """
        return [bot for bot in self.bots if not bot_breaks or rules.codes <= bot.largest]

    def make_item(self, rules: Rules, *, bot_breaks: bool) -> Item:
        """Return the form item that chooses one of the bots that can play by these rules.

        `bot_breaks` is whether the bot is codebreaker in some round. If it never is, all bots are
        offered, because every bot can be the codemaker by any rules.
        """
        fitting = self.list_fitting_bots(rules, bot_breaks=bot_breaks)
        if not fitting:
            why = self._explain_missing_bots()
            return Item("bot", _("Opponent"), why, sanitise(self.wanted_name))

        about = self._draw_strength if bot_breaks else partial(_describe_codes, rules)
        options = [(_find_request_name(bot), name_bot(bot), about(bot)) for bot in fitting]
        chosen = _find_request_name(fitting[self._find_wanted_index(fitting)])
        take = partial(setattr, self, "wanted_name")
        return choice("bot", _("Opponent"), chosen, options, take)

    def has_no_fitting_bot(self, rules: Rules, *, bot_breaks: bool) -> bool:
        """Return whether the bots are loaded and none can play by these rules."""
        return bool(self.bots) and not self.list_fitting_bots(rules, bot_breaks=bot_breaks)

    def choose_fitting_bot(self, rules: Rules, *, bot_breaks: bool) -> KnownBot | None:
        """Return the wanted bot if it can play, otherwise the strongest that can, or None."""
        fitting = self.list_fitting_bots(rules, bot_breaks=bot_breaks)
        return fitting[self._find_wanted_index(fitting)] if fitting else None

    def describe(self, bot: KnownBot, rules: Rules, *, bot_breaks: bool) -> str:
        """Return a bot's description in both seats, and our record against it on this server.

        The description of its seat in the first round comes first.
        """
        server = self._server
        seats = [describe_bot(bot), describe_hiding(bot)]
        first, second = seats if bot_breaks or not bot.largest else seats[::-1]
        texts = (first, describe_bot_guesses(bot, rules), second)
        told = [text.replace("`", "") for text in texts if text]  # quotes for documents
        if server is not None:
            played = () if server.statistics is None else server.statistics.by_opponent
            for met in played:
                if met.bot and met.opponent in (bot.name, *bot.aliases):
                    figures = Figures.of(met.figures)
                    mine = format_best_and_average(figures.record, self._app.look.glyphs.hole)
                    told.append(
                        _("You here: {record}.").format(record=mine or format_games(figures))
                    )
        return " ".join(told)

    def _draw_strength(self, bot: KnownBot) -> str:
        """Return a bot's strength as one to four dots. Only the weakest codebreaker has one dot.

        The server lists its bots from the weakest to the strongest.
        """
        breakers = [known for known in self.bots if known.largest > 0]
        if bot not in breakers or len(breakers) == 1:
            return ""
        rank = ceil(breakers.index(bot) * (MAX_STRENGTH_DOTS - 1) / (len(breakers) - 1))
        return self._app.look.glyphs.black * (1 + rank)

    def _find_wanted_index(self, fitting: list[KnownBot]) -> int:
        """Return the index of the wanted bot in `fitting`, otherwise of the strongest bot."""
        for index, bot in enumerate(fitting):
            if self.wanted_name in (bot.name, *bot.aliases):
                return index
        breaks = [bot.largest > 0 for bot in fitting]  # only codebreakers have a strength
        return len(fitting) - 1 - breaks[::-1].index(True) if any(breaks) else 0

    def _explain_missing_bots(self) -> str:
        """Return why no bot can be chosen."""
        if self.error is not None:
            return describe_failure(self.error)
        if not self.bots:
            return _("Asking what bots there are ...")
        return _("No bot here breaks codes of that size.")

    async def _load(self, address: str) -> None:
        error: Exception | None = None
        bots: tuple[KnownBot, ...] = ()
        try:
            self._server = server = await self._app.connect(address)
            bots = await server.session.list_bots()
        except (ServerUnreachable, Refused, OSError) as failed:
            error = failed
        if address == self._address:
            self.bots, self.error = bots, error


def _find_request_name(bot: KnownBot) -> str:
    """Return the name of a bot in requests: its alias, such as "easy", or its own name."""
    return bot.aliases[0] if bot.aliases else bot.name


def name_bot(bot: KnownBot) -> str:
    """Return the displayed name of a bot: its alias, such as "easy", or its own name."""
    return sanitise(_find_request_name(bot))


def _describe_codes(rules: Rules, bot: KnownBot) -> str:
    """Return a short text: the guesses that the bot's codes cost, or that it keeps no code."""
    if not bot.largest:
        return _("no fixed code")
    costs = find_hiding_guesses(bot.name, rules) if bot.hides else None
    if costs is None:
        return ""
    return _("hard needs {costs} guesses").format(costs=f"{LocalisedFloat(costs):.1f}")
