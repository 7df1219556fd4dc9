"""The commands stats, transfer and logout: the player's own data on servers."""

from __future__ import annotations

import json
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mastermind_client.config.options import OFFLINE
from mastermind_client.language import gettext as _
from mastermind_client.lines.terminal import choose_bar
from mastermind_client.messages.failures import explain_failure
from mastermind_client.messages.players import (
    describe_logout,
    describe_transfer,
    describe_transferred,
    format_transfer_command,
)
from mastermind_client.messages.statistics import gather, list_statistics
from mastermind_client.network import identities
from mastermind_client.network.embedded import GAMES, DatabaseInUse, embedded_server
from mastermind_client.network.failures import ServerUnreachable, TooManyClients
from mastermind_client.network.identities import Identities, enter_in_thread
from mastermind_client.network.session import Session
from mastermind_protocol.errors import Refused
from mastermind_protocol.text import sanitise

if TYPE_CHECKING:
    from mastermind_client.config.options import LogoutOptions, StatsOptions, TransferOptions
    from mastermind_client.context import ClientContext, Network
    from mastermind_client.messages.statistics import Figures, Statistics
    from mastermind_client.network.identity import Identity
    from mastermind_protocol.messages import ArchivedMatch


@dataclass(slots=True)
class CountedMatches:
    """Archived matches, the number per server, and for each failed server the reason."""

    matches: list[ArchivedMatch] = field(default_factory=list)
    servers: dict[str, int] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)

    def add(self, place: str, matches: tuple[ArchivedMatch, ...]) -> None:
        """Add the matches of a server."""
        self.matches += matches
        self.servers[place] = len(matches)


async def print_statistics(context: ClientContext, options: StatsOptions) -> None:
    """Print the player's statistics.

    Raises ServerUnreachable and Refused for a server that `options` name. A failure of the usual
    server is printed.
    """
    found = CountedMatches()
    await _read_here(context, found)
    try:
        await _read_server(context, found, options)
    except (ServerUnreachable, Refused, TooManyClients) as error:
        if options.server is not None:
            raise
        found.failed[options.usual_server] = explain_failure(error)
    statistics = gather(found.matches)
    if options.json:
        written = json.dumps(write_json(statistics, found), indent=2, ensure_ascii=False)
        print(written, file=context.output)
    else:
        for line in list_statistics(statistics, found.servers, choose_bar(context.output)):
            print(line, file=context.output)
    for place, why in found.failed.items():
        message = _("{place} is not counted: {reason}").format(
            place=place or _("this computer"), reason=why
        )
        print(f"mastermind: {sanitise(message)}", file=context.errors)


def write_json(statistics: Statistics, found: CountedMatches) -> dict[str, Any]:
    """Return the statistics as JSON, in the format of docs/CLIENT.md."""
    return {
        "places": [
            {"server": place or None, "games": games} for place, games in found.servers.items()
        ],
        "unread": [{"server": place or None, "reason": why} for place, why in found.failed.items()],
        "total": _write_figures(statistics.total),
        "by_rules": [
            {"rules": rules, **_write_figures(figures)}
            for rules, figures in statistics.by_rules.items()
        ],
        "by_opponent": [
            {"opponent": opponent.name, "bot": opponent.bot, **_write_figures(figures)}
            for opponent, figures in statistics.by_opponent.items()
        ],
    }


def _write_figures(figures: Figures) -> dict[str, Any]:
    record = figures.record
    return {
        "games": figures.games,
        "won": figures.won,
        "lost": figures.lost,
        "drawn": figures.drawn,
        "streak": figures.streak,
        "longest_streak": figures.longest,
        "codes": record.games,
        "stood": record.stood,
        "best": record.best,
        "average": record.average,
        "distribution": {str(guesses): games for guesses, games in record.broken.items()},
    }


async def _read_here(context: ClientContext, found: CountedMatches) -> None:
    """Add the stored offline games to `found`."""
    stored = Identities.of(context)
    folder = stored.offline
    if not (folder / GAMES).exists():
        return
    async with AsyncExitStack() as stack:
        try:
            address = await stack.enter_async_context(embedded_server(folder))
        except DatabaseInUse:
            found.failed[OFFLINE] = _("its games are open in another terminal")
            return
        identity = stored.find_offline()
        found.add(OFFLINE, await _read(stack, address, identity, context.network))


async def _read_server(
    context: ClientContext, found: CountedMatches, options: StatsOptions
) -> None:
    """Add the matches on a server to `found`.

    The usual server is skipped without an identity there.
    """
    server = options.server or options.usual_server
    async with AsyncExitStack() as stack:
        identity = await enter_in_thread(stack, Identities.of(context).claim(server))
        stack.push_async_callback(context.writer.flush)
        if options.server is not None or identity.tokens:
            found.add(server, await _read(stack, server, identity, context.network))


async def _read(
    stack: AsyncExitStack, address: str, identity: Identity, network: Network
) -> tuple[ArchivedMatch, ...]:
    identity.keep_name()
    connecting = Session.connect(address, identity, network=network)
    session = await stack.enter_async_context(connecting)
    return await session.read_archive()


async def transfer(context: ClientContext, options: TransferOptions) -> None:
    """Print a transfer code for another computer, or use the code in `options`.

    Raises UnknownHere, Refused, ServerUnreachable.
    """
    server = options.server
    if options.code is not None:
        player = await identities.take_transfer(context, server, options.code)
        print(describe_transferred(player.name, server), file=context.output)
        return
    player, offered = await identities.offer_transfer(context, server)
    print(describe_transfer(player.name, offered), file=context.output)
    print(" ", format_transfer_command(offered.code, server), file=context.output)


async def log_out(context: ClientContext, options: LogoutOptions) -> None:
    """Log out this computer, or all others of the player. Raises as `transfer` does."""
    if options.everywhere:
        await identities.log_out_elsewhere(context, options.server)
    else:
        await identities.log_out(context, options.server)
    text = describe_logout(options.server, elsewhere=options.everywhere)
    print(text, file=context.output)
