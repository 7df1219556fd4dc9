"""The command `mastermind bot`: examines the bot, and opens its session."""

from __future__ import annotations

from contextlib import AsyncExitStack
from functools import partial
from typing import TYPE_CHECKING

from mastermind_client.bot_runner.process import BotProcess, Forfeited
from mastermind_client.bot_runner.runner import Runner
from mastermind_client.language import gettext as _
from mastermind_client.language import ngettext
from mastermind_client.messages.updates import describe_connecting
from mastermind_client.network.players.identities import Identities, enter_in_thread
from mastermind_client.network.session import Session
from mastermind_protocol.errors import ErrorCode, Refused
from mastermind_protocol.events import MAX_NAME_LENGTH, Seat
from mastermind_protocol.text import sanitise

if TYPE_CHECKING:
    from mastermind_client.bot_runner.worker import Abilities
    from mastermind_client.config.options import BotOptions
    from mastermind_client.context import ClientContext


class CannotPlay(Refused):
    """The bot cannot play with these options. The message is in the user's language."""


async def run(context: ClientContext, options: BotOptions) -> None:
    """Run the bot until all its matches are played. Raises ServerUnreachable, Refused."""
    seats = _list_playable_seats(await _find_abilities(options), options)
    folder = f"bots/{options.bot.replace(':', '.')}"
    players = Identities.of(context, folder)  # not the name of the owner
    say = partial(print, file=context.output, flush=True)
    async with AsyncExitStack() as stack:
        identity = await enter_in_thread(stack, players.claim(options.server))
        connecting = Session.connect(
            options.server,
            identity,
            choose_name(options),
            program=True,
            network=context.network,
        )
        with context.announce_if_slow(describe_connecting(options.server)):
            session = await stack.enter_async_context(connecting)
        name = sanitise(session.player.name)
        say(_("connected as {name}").format(name=name))
        await Runner(session, options, seats, say).run()


def choose_name(options: BotOptions) -> str:
    """Return the name in `options`, or without one the name of the bot's class."""
    return options.name or options.bot.partition(":")[2][:MAX_NAME_LENGTH]


async def _find_abilities(options: BotOptions) -> Abilities:
    try:
        async with BotProcess.start(options.bot, options.move_seconds) as process:
            return process.abilities
    except Forfeited as failure:
        raise CannotPlay.with_message(ErrorCode.UNKNOWN_BOT, str(failure)) from None


def _list_playable_seats(abilities: Abilities, options: BotOptions) -> list[Seat]:
    seats = [Seat.BREAKER] * abilities.chooses + [Seat.MAKER] * abilities.makes
    if options.rounds > 1 and len(seats) < 2:
        text = ngettext(
            "{bot} has no {missing}, and in {rounds} round the seats are swapped",
            "{bot} has no {missing}, and in {rounds} rounds the seats are swapped",
            options.rounds,
        ).format(
            bot=options.bot,
            missing="make(rules)" if abilities.chooses else "choose(view)",
            rounds=options.rounds,
        )
        raise CannotPlay.with_message(ErrorCode.INVALID_SEATS, text)
    return seats
