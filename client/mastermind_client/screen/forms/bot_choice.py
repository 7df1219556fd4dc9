"""The choice of a bot of a server. The form can be used while the bots are being loaded."""

from __future__ import annotations

from functools import partial
from math import ceil
from typing import TYPE_CHECKING

from mastermind_client.language import gettext as _
from mastermind_client.messages.failures import describe_failure
from mastermind_client.messages.players import describe_bot
from mastermind_client.messages.statistics import format_averages, format_games
from mastermind_client.network.failures import ServerUnreachable
from mastermind_client.screen.toolkit.list_view import Item, choice
from mastermind_protocol.errors import Refused
from mastermind_protocol.text import sanitise

if TYPE_CHECKING:
    from mastermind_client.screen.app import App
    from mastermind_client.screen.servers.servers import Server
    from mastermind_protocol.messages import KnownBot
    from mastermind_protocol.rules import Rules

MAX_STRENGTH_DOTS = 4  # of how strong a bot is


class BotChoice:
    """The bots of a server, and the name or alias of the wanted bot. The server can be changed."""

    def __init__(self, app: App, wanted: str) -> None:
        self.wanted = wanted
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

    def find(self, rules: Rules, *, breaks: bool) -> str:
        """Return the name of the wanted bot, or of the strongest bot that can play by these rules.

        If the bots are not loaded, the wanted name is returned, and the server checks it.
        """
        fitting = self.list_fitting(rules, breaks=breaks)
        return _name_for_requests(fitting[self._find_index(fitting)]) if fitting else self.wanted

    def list_fitting(self, rules: Rules, *, breaks: bool) -> list[KnownBot]:
        """Return the bots that can play by these rules, the weakest first.

        If the bot is never codebreaker (not `breaks`), all bots can play.
        """
        return [bot for bot in self.bots if not breaks or rules.codes <= bot.largest]

    def item(self, rules: Rules, *, breaks: bool) -> Item:
        """Return the form item that chooses between the bots that can play by these rules."""
        fitting = self.list_fitting(rules, breaks=breaks)
        if not fitting:
            return Item("bot", _("Opponent"), self._explain(), sanitise(self.wanted))

        about = self._measure if breaks else _describe_code
        options = [(_name_for_requests(bot), name_bot(bot), about(bot)) for bot in fitting]
        chosen = _name_for_requests(fitting[self._find_index(fitting)])
        take = partial(setattr, self, "wanted")
        return choice("bot", _("Opponent"), chosen, options, take)

    def none_fits(self, rules: Rules, *, breaks: bool) -> bool:
        """Return whether the bots are loaded and none can play by these rules."""
        return bool(self.bots) and not self.list_fitting(rules, breaks=breaks)

    def choose_fitting(self, rules: Rules, *, breaks: bool) -> KnownBot | None:
        """Return the bot that would play by these rules, or None if none is loaded or fits."""
        fitting = self.list_fitting(rules, breaks=breaks)
        return fitting[self._find_index(fitting)] if fitting else None

    def describe(self, bot: KnownBot, *, breaks: bool) -> str:
        """Return a bot's description, and our record against the bot on this server.

        `breaks` is whether the bot breaks the code.
        """
        server = self._server
        if breaks or not bot.largest:
            told = [describe_bot(bot).replace("`", "")]  # which mark names in documents
        else:
            told = [_("Its code is drawn by chance: it does not matter how well it guesses.")]
        if server is not None:
            played = server.games.count(server.player).by_opponent
            for opponent, figures in played.items():
                if opponent.bot and opponent.name in (bot.name, *bot.aliases):
                    mine = format_averages(figures.record, self._app.look.glyphs.hole)
                    told.append(
                        _("You here: {record}.").format(record=mine or format_games(figures))
                    )
        return " ".join(told)

    def _measure(self, bot: KnownBot) -> str:
        """Return the strength of a bot as one to four dots. Only the weakest bot has one dot.

        The bots are in the order of the server, the weakest first.
        """
        breakers = [known for known in self.bots if known.largest > 0]
        if bot not in breakers or len(breakers) == 1:
            return ""
        rank = ceil(breakers.index(bot) * (MAX_STRENGTH_DOTS - 1) / (len(breakers) - 1))
        return self._app.look.glyphs.black * (1 + rank)

    def _find_index(self, fitting: list[KnownBot]) -> int:
        for index, bot in enumerate(fitting):
            if self.wanted in (bot.name, *bot.aliases):
                return index
        strengths = [bot.largest > 0 for bot in fitting]  # a bot that only makes codes has none
        return len(fitting) - 1 - strengths[::-1].index(True) if any(strengths) else 0

    def _explain(self) -> str:
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


def _name_for_requests(bot: KnownBot) -> str:
    """Return the name of a bot for requests, which is its strength if it has such an alias."""
    return bot.aliases[0] if bot.aliases else bot.name


def name_bot(bot: KnownBot) -> str:
    """Return the displayed name of a bot, which is its strength if it has such an alias."""
    return sanitise(_name_for_requests(bot))


def _describe_code(bot: KnownBot) -> str:
    """Return a sentence about how a bot chooses the code that it hides."""
    return _("a code by chance") if bot.largest else _("no fixed code")
