"""The commands, on the line interface: connect, sit down or look on, and leave cleanly."""

from __future__ import annotations

from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING

from mastermind_client.language import gettext as _
from mastermind_client.lines.archive import pick_archived
from mastermind_client.lines.ask import ask_open_questions
from mastermind_client.lines.inbox import Inbox, tell_connection
from mastermind_client.lines.lab import LabPlayer
from mastermind_client.lines.player import LinePlayer
from mastermind_client.lines.style import find_style
from mastermind_client.lines.terminal import Terminal
from mastermind_client.lines.watch import pick_match, watch
from mastermind_client.net.embedded import embedded_server
from mastermind_client.net.identity import Identity, claim_identity
from mastermind_client.net.leaving import say_good_bye
from mastermind_client.net.matchmaking import let_bots_play, sit_down
from mastermind_client.net.session import Session
from mastermind_client.words.analysis import describe_bots, describe_review
from mastermind_client.words.refusals import explain_refusal
from mastermind_protocol.errors import ErrorCode, Refused
from mastermind_protocol.events import Seat

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Coroutine

    from mastermind_client.config.options import (
        BotsOptions,
        JoinOptions,
        PlayOptions,
        ReviewOptions,
        WatchOptions,
    )
    from mastermind_client.net.mirror import Mirror

_TAKEN = {ErrorCode.SEAT_TAKEN, ErrorCode.WRONG_PHASE}  # what a match that waited may be by now


async def play(options: PlayOptions) -> None:
    """Play the game that was asked for. Raises ServerUnreachable, Refused, InputEnded."""
    terminal = Terminal()
    options = await ask_open_questions(options, terminal)
    async with _session(options.address, options.name) as session:
        mirror = await _enter(session, terminal, sit_down(session, options))
        await _play(session, terminal, mirror, options)


async def join(options: JoinOptions) -> None:
    """Take the other seat of a match, or one's own again."""
    terminal = Terminal()
    async with _session(options.server, options.name) as session:
        mirror = await _take_seat(session, terminal, options.code)
        if mirror is not None:
            await _play(session, terminal, mirror, None)


async def look_on(options: WatchOptions) -> None:
    """Watch a match."""
    terminal = Terminal()
    async with _session(options.server, options.name) as session:
        mirror = await _find_match(session, terminal, options)
        if mirror is not None:
            await watch(session, terminal, mirror)


async def review(options: ReviewOptions) -> None:
    """Tell how well each round of a finished match was played, of one's own if none is named."""
    terminal = Terminal()
    async with _session(options.server, options.name) as session:
        code = options.code or await pick_archived(session, terminal)
        if code is None:
            return
        mirror = await _enter(session, terminal, session.follow(code))
        rounds = len(mirror.state.played) or 1  # of none the server says that there is no review
        for number in range(1, rounds + 1):
            turns = await session.review(mirror, number)
            for line in describe_review(turns, mirror.state, number, session.player.id):
                terminal.write(line)


async def list_bots(options: BotsOptions) -> None:
    """Tell what bots there are."""
    terminal = Terminal()
    async with _session(options.server, options.name) as session:
        for line in describe_bots(await session.list_bots()):
            terminal.write(line)


async def _play(
    session: Session, terminal: Terminal, mirror: Mirror, options: PlayOptions | None
) -> None:
    player: LinePlayer | LabPlayer
    style = find_style(mirror.state.rules)
    if style.peg_by_peg and options is not None and _is_solitaire(options):
        player = LabPlayer(session, terminal, mirror)
    else:
        player = LinePlayer(session, terminal, mirror)
        if options is not None and options.server and options.against_bot:
            # to watch, or to review later
            terminal.write(_("This is match {match}.").format(match=mirror.code))
    try:
        await player.play()
    finally:
        await say_good_bye(session, player.leave)


def _is_solitaire(options: PlayOptions) -> bool:
    """Tell whether one person breaks a bot's code, and nothing else happens."""
    return options.against_bot and options.seat is not Seat.MAKER and options.rounds == 1


async def _take_seat(session: Session, terminal: Terminal, given: str | None) -> Mirror | None:
    """Take a seat in the match that was given or that is picked; None if none is."""
    while True:
        code = given or await pick_match(session, terminal, "waiting")
        if code is None:
            return None
        try:
            return await _enter(session, terminal, session.join(code))
        except Refused as refusal:
            if given is not None or refusal.code not in _TAKEN:
                raise
            reason = explain_refusal(refusal)
            terminal.write(_("You are too late: {reason}.").format(reason=reason))


async def _find_match(session: Session, terminal: Terminal, options: WatchOptions) -> Mirror | None:
    if options.bot is not None and options.rules is not None:
        opening = let_bots_play(
            session,
            options.rules.name,
            options.bot,
            secret=options.secret,
            public=options.public,
        )
        return await _enter(session, terminal, opening)
    code = options.code or await pick_match(session, terminal, "running")
    return await _enter(session, terminal, session.follow(code)) if code is not None else None


async def _enter(
    session: Session, terminal: Terminal, request: Coroutine[object, object, Mirror]
) -> Mirror:
    """Await the match that is entered, telling meanwhile what becomes of the connection."""
    tell = partial(tell_connection, write=terminal.complain)
    return await Inbox(session, terminal).perform(request, tell, entering=True)


@asynccontextmanager
async def _session(server: str | None, name: str | None) -> AsyncIterator[Session]:
    """Connect to a server, or to one of our own that lasts as long as the block."""
    if server is None:
        async with (
            embedded_server() as address,
            Session.connect(address, Identity(), name) as session,
        ):
            yield session
    else:
        with claim_identity(server) as identity:
            async with Session.connect(server, identity, name) as session:
                yield session
