"""The commands on the line interface: connect, play or watch a match, and leave it."""

from __future__ import annotations

import os
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from functools import partial
from textwrap import fill
from typing import TYPE_CHECKING, TextIO

from mastermind_client.config.options import HOSTED, OFFLINE
from mastermind_client.config.values import Invitation, write_invitation
from mastermind_client.language import gettext as _
from mastermind_client.lines.dialogue import SpectatorDialogue
from mastermind_client.lines.inbox import Inbox
from mastermind_client.lines.lab import LabPlayer
from mastermind_client.lines.list_prompts import pick_entry, pick_unfinished
from mastermind_client.lines.player import LinePlayer
from mastermind_client.lines.prompts import (
    accept_invitation,
    ask_open_questions,
    offer_to_resume,
    store_server,
)
from mastermind_client.lines.styles import find_style
from mastermind_client.lines.terminal import DUMB_TERMINALS, StreamTerminal, choose_marks
from mastermind_client.lists import LISTS
from mastermind_client.messages.analysis import describe_review
from mastermind_client.messages.codes import list_share_lines
from mastermind_client.messages.failures import explain_refusal
from mastermind_client.messages.listings import describe_suspended, format_opponent_or_invitation
from mastermind_client.messages.players import describe_bots
from mastermind_client.messages.updates import describe_connecting
from mastermind_client.network.embedded import find_review_address
from mastermind_client.network.entering import enter_match, is_invitation, leave_within_timeout
from mastermind_client.network.failures import OnlyWatchable
from mastermind_client.network.opening import (
    check_kept,
    find_match_to_resume,
    find_seats,
    is_saved,
    open_session,
)
from mastermind_client.network.players.identities import Identities
from mastermind_client.network.running import find_unfinished
from mastermind_protocol.errors import ErrorCode, Reason, Refused
from mastermind_protocol.events import Seat
from mastermind_protocol.match import Phase

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from mastermind_client.config.options import (
        BotListOptions,
        ChallengeOptions,
        ContinueOptions,
        JoinOptions,
        MatchOptions,
        PlayOptions,
        ReviewOptions,
        WatchOptions,
    )
    from mastermind_client.context import ClientContext
    from mastermind_client.lines.terminal import LineTerminal
    from mastermind_client.network.mirror import Mirror
    from mastermind_client.network.running import UnfinishedMatch

# The match no longer waits for a player.
_SEAT_LOST_ERRORS = {ErrorCode.SEAT_TAKEN, ErrorCode.WRONG_PHASE}


async def play(context: ClientContext, options: PlayOptions, pace: float = 0.0) -> None:
    """Play the match that `options` describe.

    `pace` is the number of seconds between a bot's guesses. If the command has no options, an
    interactive player can first resume an unfinished match. Raises ServerUnreachable, Refused,
    InputEnded.
    """
    async with open_terminal(context) as terminal:
        if options.undecided and (seat := await offer_to_resume(terminal)) is not None:
            await _resume(terminal, seat.options, pace)
            return
        options = await ask_open_questions(options, terminal)
        async with _connect(terminal, options.address, options.name, pace) as inbox:
            await play_matches(inbox, await _enter(inbox, options), options)


async def join(context: ClientContext, options: JoinOptions, pace: float = 0.0) -> None:
    """Join a match, or resume the player's own seat in it.

    `pace` is the number of seconds between a bot's guesses. Raises ServerUnreachable, Refused,
    SeatOpenElsewhere, InputEnded.
    """
    async with _open(
        context, options.server, options.name, pace, options.code, options.host
    ) as inbox:
        mirror = await _take_seat(inbox, options)
        if mirror is not None:
            if options.names_server and inbox.terminal.interactive:
                store_server(inbox.terminal, options.server)
            await play_matches(inbox, mirror, None)


async def resume(context: ClientContext, options: ContinueOptions, pace: float = 0.0) -> None:
    """Resume a suspended match.

    `pace` is the number of seconds between a bot's guesses. Raises NothingToContinue,
    SeatOpenElsewhere, ServerUnreachable, Refused, InputEnded.
    """
    async with open_terminal(context) as terminal:
        if options.listed and options.code is None:
            with terminal.announce_if_slow(describe_connecting()):
                seats = await find_seats(context, options)
            seat = await pick_unfinished(terminal, seats)
            if seat is None:
                return
            resumed = seat.options
        else:
            with terminal.announce_if_slow(describe_connecting()):
                resumed = await find_match_to_resume(context, options)
        await _resume(terminal, resumed, pace)


async def _resume(terminal: LineTerminal, resumed: JoinOptions, pace: float) -> None:
    async with _connect(terminal, resumed.server, resumed.name, pace, resumed.code) as inbox:
        await play_matches(inbox, await _enter(inbox, resumed), None)


async def challenge(context: ClientContext, options: ChallengeOptions, pace: float = 0.0) -> None:
    """Challenge a player, and play the match if the player accepts.

    `pace` is the number of seconds between a bot's guesses. Raises ServerUnreachable, Refused,
    InputEnded.
    """
    async with _open(context, options.server, options.name, pace) as inbox:
        await play_matches(inbox, await _enter(inbox, options), None)


async def watch(context: ClientContext, options: WatchOptions, pace: float = 0.0) -> None:
    """Watch a match.

    `pace` is the number of seconds between a bot's guesses. Raises ServerUnreachable, Refused,
    InputEnded.
    """
    async with _open(context, options.server, options.name, pace) as inbox:
        if options.bot is None and options.code is None:
            options = replace(options, code=await pick_entry(inbox, LISTS["running"]))
        if options.bot is not None or options.code is not None:
            mirror = await _enter(inbox, options)
            dialogue = SpectatorDialogue(inbox, mirror, options)
            await dialogue.watch()
            if dialogue.accepted is not None:
                await inbox.session.unfollow(mirror)
                await play_matches(inbox, dialogue.accepted, None)


async def review(context: ClientContext, options: ReviewOptions, pace: float = 0.0) -> None:
    """Print the review of each round of a finished match.

    Without a code in `options`, the player picks a match from a list. A match that this computer
    keeps needs no server. Raises ServerUnreachable, Refused, InputEnded, OSError.
    """
    address = await find_review_address(context, options)
    match = options.code if address == OFFLINE else None
    async with _open(context, address, options.name, pace, match) as inbox:
        if options.code is None:
            check_kept(inbox.session, address)
        code = options.code or await pick_entry(inbox, LISTS["archive"])
        if code is None:
            return
        session = inbox.session
        mirror = await session.follow(code)
        rounds = len(mirror.state.played) or 1  # without a round, the server refuses the review
        for number in range(1, rounds + 1):
            turns = await session.review(mirror, number)
            for line in describe_review(turns, mirror.state, number, session.player.id):
                inbox.terminal.write(line)
        for line in list_share_lines(mirror.state, choose_marks(context.output)):
            inbox.terminal.write(line)


async def list_bots(context: ClientContext, options: BotListOptions) -> None:
    """Print the bots of a server. Raises ServerUnreachable, Refused."""
    async with _open(context, options.server, options.name) as inbox:
        for line in describe_bots(await inbox.session.list_bots()):
            inbox.terminal.write(_wrap(line, context.output))


def _wrap(line: str, output: TextIO) -> str:
    """Return a line for a terminal, broken between words. A script gets it unchanged."""
    if not output.isatty():
        return line
    columns = os.get_terminal_size(output.fileno()).columns
    return fill(line, columns, subsequent_indent="  ", break_on_hyphens=False)


async def play_matches(inbox: Inbox, mirror: Mirror, options: PlayOptions | None) -> None:
    """Play a match, then the match of a challenge that the player has accepted, and so on."""
    accepted = await _play_one(inbox, mirror, options)
    while accepted is not None:
        accepted = await _play_one(inbox, accepted, None)


async def _play_one(inbox: Inbox, mirror: Mirror, options: PlayOptions | None) -> Mirror | None:
    """Play a match and its rematches, then leave the last one or save it.

    Returns the match of a challenge that the player has accepted. Without such a match, closes the
    inbox and returns None.
    """
    player: LinePlayer | LabPlayer
    style = find_style(mirror.state.rules)
    if style.peg_by_peg and options is not None and _is_solitaire(options):
        player = LabPlayer(inbox, mirror)
    else:
        player = LinePlayer(inbox, mirror)
        if options is not None and options.server and options.against_bot:
            # the code to watch or review the match
            inbox.terminal.write(_("This is match {match}.").format(match=mirror.code))
    inbox.terminal.find_end_warning = partial(_find_end_warning, inbox, player)
    try:
        await player.play()
    finally:
        if player.accepted is None:
            inbox.close()
        if kept := _find_resumable(inbox, player):
            await _describe_kept(inbox, kept)
        elif not player.has_left:
            await leave_within_timeout(inbox.session, player.leave)
    if player.accepted is not None and kept:
        await inbox.session.unfollow(player.mirror)
    return player.accepted


async def _describe_kept(inbox: Inbox, match: UnfinishedMatch) -> None:
    context = inbox.terminal.context
    await context.writer.flush()
    saved = is_saved(context, inbox.session.identity, match.code)
    inbox.terminal.write(describe_suspended(match, context.zone, saved=saved))


async def _enter(inbox: Inbox, options: MatchOptions) -> Mirror:
    return await enter_match(inbox.session, options, Identities.of(inbox.terminal.context))


def _find_resumable(inbox: Inbox, player: LinePlayer | LabPlayer) -> UnfinishedMatch | None:
    """Return the match if it can be resumed later, or None if it must be left."""
    session, mirror = inbox.session, player.mirror
    if player.quits or session.identity.path is None:
        return None
    if mirror.state.phase is Phase.GATHERING and not is_invitation(mirror.state):
        return None
    return find_unfinished(mirror, session.player.id)


def _find_end_warning(inbox: Inbox, player: LinePlayer | LabPlayer) -> str:
    """Return a warning if a friend is playing on the server in this process, or ""."""
    kept = _find_resumable(inbox, player)
    hosts = inbox.session.identity.stored.server == HOSTED
    if kept is None or not hosts or not kept.opponent or kept.bot:
        return ""
    text = _("{name} is playing on your server. Press the key again to save the match for later.")
    return text.format(name=format_opponent_or_invitation(kept))


def _is_solitaire(options: PlayOptions) -> bool:
    """Return whether the player breaks a single code of a bot."""
    return options.against_bot and options.seat is not Seat.MAKER and options.total_rounds == 1


async def _take_seat(inbox: Inbox, options: JoinOptions) -> Mirror | None:
    """Join the match in `options`, or a match picked from a list.

    Returns None if the player picks no match, or declines the invitation. Raises OnlyWatchable if
    both seats of the match in `options` are taken.
    """
    while True:
        code = options.code or await pick_entry(inbox, LISTS["waiting"])
        if code is None:
            return None
        try:
            if not await _accept_terms(inbox, options, code):
                return None
            return await _enter(inbox, replace(options, code=code))
        except Refused as refusal:
            if options.code is not None and refusal.reason is Reason.BOTH_SEATS_TAKEN:
                watched = Invitation(code, options.server if options.names_server else None)
                raise OnlyWatchable(
                    refusal.reason, invitation=write_invitation(watched)
                ) from refusal
            if options.code is not None or refusal.code not in _SEAT_LOST_ERRORS:
                raise
            reason = explain_refusal(refusal)
            inbox.terminal.write(_("You are too late: {reason}.").format(reason=reason))


def open_terminal(context: ClientContext) -> LineTerminal:
    """Return the terminal for standard input and the context's output.

    It has line editing if input and output are terminals.
    """
    can_edit = context.environ.get("TERM", "") not in DUMB_TERMINALS
    if can_edit and os.isatty(0) and context.output.isatty():
        from mastermind_client.lines.editing import EditingTerminal  # late: pipes do not need it

        return EditingTerminal(context)
    return StreamTerminal(context)


async def _accept_terms(inbox: Inbox, options: JoinOptions, code: str) -> bool:
    """Ask a person who has typed a code whether to join. Return whether to join.

    Returns True without a question for a script, for the player's own seat, and for a match that
    the list of waiting matches has described.
    """
    if not inbox.terminal.interactive or inbox.session.identity.has_seat(code):
        return True
    from_list = options.code is None
    if not options.typed and not from_list:
        return True
    return await accept_invitation(inbox, code, from_list=from_list)


@asynccontextmanager
async def _open(
    context: ClientContext,
    server: str | None,
    name: str | None,
    pace: float = 0.0,
    match: str | None = None,
    host: str = "",
) -> AsyncIterator[Inbox]:
    async with (
        open_terminal(context) as terminal,
        _connect(terminal, server, name, pace, match, host) as inbox,
    ):
        yield inbox


@asynccontextmanager
async def _connect(
    terminal: LineTerminal,
    server: str | None,
    name: str | None,
    pace: float,
    match: str | None = None,
    host: str = "",
) -> AsyncIterator[Inbox]:
    """Connect to a server, or without one to a server in this process.

    Offline games are stored if the player is interactive or a `match` code is given. `pace` is in
    seconds. `host` is that of `open_session`.
    """
    keep = terminal.interactive or match is not None
    address = server or OFFLINE
    async with AsyncExitStack() as stack:
        with terminal.announce_if_slow(describe_connecting(address)):
            session = await stack.enter_async_context(
                open_session(terminal.context, address, name, match, keep=keep, host=host)
            )
        yield stack.enter_context(Inbox.open(session, terminal, pace))
