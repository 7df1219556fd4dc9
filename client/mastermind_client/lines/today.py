"""The command `today`: print the code of the day and, at a terminal, play the own try."""

from __future__ import annotations

import json
from contextlib import AsyncExitStack
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from msgspec import structs

from mastermind_client.actions import ACTIONS
from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.lines.app import open_terminal, play_matches
from mastermind_client.lines.inbox import Inbox, write_session_update
from mastermind_client.lines.player import LinePlayer
from mastermind_client.lines.prompts import read_answer
from mastermind_client.lines.terminal import InputEnded, choose_bar, choose_marks
from mastermind_client.messages.codes import list_share_lines
from mastermind_client.messages.days.sentences import (
    DayStage,
    describe_keeping,
    find_stage,
    list_day,
)
from mastermind_client.messages.days.tables import list_places
from mastermind_client.messages.updates import describe_connecting
from mastermind_client.network import account
from mastermind_client.network.opening import open_session
from mastermind_protocol.code import format_code
from mastermind_protocol.match import Phase
from mastermind_protocol.rules import find_rules

if TYPE_CHECKING:
    from mastermind_client.actions import Action
    from mastermind_client.config.options import DayOptions
    from mastermind_client.context import ClientContext
    from mastermind_client.lines.styles import Style
    from mastermind_client.network.mirror import Mirror
    from mastermind_client.network.session import Session
    from mastermind_protocol.messages import Day

_FORBIDDEN_ACTIONS = ("advise", "say", "mute", "review")  # in a try
_QUIT = replace(ACTIONS["quit"], sentence=N_("save your try for later"), question="")


async def play_today(context: ClientContext, options: DayOptions, pace: float = 0.0) -> None:
    """Print the code of the day. At a terminal, play the own try if it has not ended.

    `pace` is the number of seconds between a bot's guesses, in a match of an accepted challenge.
    Raises ServerUnreachable, Refused, InputEnded.
    """
    async with open_terminal(context) as terminal, AsyncExitStack() as stack:
        if options.json or not terminal.interactive:
            await _print_day(context, options)
            return
        with terminal.announce_if_slow(describe_connecting(options.server)):
            opening = open_session(context, options.server, options.name)
            session = await stack.enter_async_context(opening)
        inbox = stack.enter_context(Inbox.open(session, terminal, pace))
        day = await session.show_current_day(options.rules)
        await _write_day(inbox, day)
        if find_stage(day, day.now) in _QUESTIONS and await _asks_to_play(inbox, day):
            await _play_try(inbox, day)


_QUESTIONS = {
    DayStage.READY: N_("Begin your try? (Y/N)"),
    DayStage.RUNNING: N_("Continue your try? (Y/N)"),
}


async def _print_day(context: ClientContext, options: DayOptions) -> None:
    """Print the day as the last used player of this computer. Without one, use a guest."""
    async with AsyncExitStack() as stack:
        with context.announce_if_slow(describe_connecting(options.server)):
            session = await account.connect_known(stack, context, options.server)
            if session is None:
                opening = open_session(context, options.server, None)
                session = await stack.enter_async_context(opening)
        day = await session.show_day(options.rules)
    if options.json:
        written = json.dumps(build_day_dict(day), indent=2, ensure_ascii=False)
        print(written, file=context.output)
        return
    for line in list_day(day, day.now, choose_bar(context.output), context.zone):
        print(line, file=context.output)


async def _write_day(inbox: Inbox, day: Day) -> None:
    """Print the day, and after the own try its marks and the best tries."""
    context, terminal, session = inbox.terminal.context, inbox.terminal, inbox.session
    for line in list_day(day, day.now, choose_bar(context.output), context.zone):
        terminal.write(line)
    if day.own is not None and day.own.how is not None:
        mirror = await _follow(session, day.own.match)
        for line in list_share_lines(mirror.state, choose_marks(context.output)):
            terminal.write(line)
        for line in list_places(await session.list_places(day.rules, day.day)):
            terminal.write(line)


async def _follow(session: Session, match: str) -> Mirror:
    return session.followed.get(match) or await session.follow(match)


async def _asks_to_play(inbox: Inbox, day: Day) -> bool:
    """Ask whether to begin or to continue the own try, and return the answer."""
    terminal, answer = inbox.terminal, None
    question = _(_QUESTIONS[find_stage(day, day.now)])
    with inbox.subscribed(partial(write_session_update, write=terminal.write)):
        while answer is None:
            if inbox.session.connected:
                terminal.prompt(f"{question} ")
            if (typed := await inbox.next()) is not None:
                answer = read_answer(terminal, typed)
    return answer


async def _play_try(inbox: Inbox, day: Day) -> None:
    """Play the own try, and then the match of a challenge that the player has accepted."""
    mirror = await inbox.session.enter_day(day.rules, day.day)
    player = TryPlayer(inbox, mirror)
    try:
        await player.play()
    finally:
        running = mirror.state.phase is not Phase.FINISHED
        if running:
            told = describe_keeping(day.day, inbox.terminal.context.zone)
            inbox.terminal.write(told)
    if player.accepted is not None:
        await play_matches(inbox, player.accepted, None)
    else:
        await _write_day(inbox, await inbox.session.show_day(day.rules, day.day))


class TryPlayer(LinePlayer):
    """Plays a try at the code of a day, until it has ended or the player quits."""

    @property
    def actions(self) -> list[Action]:
        """The available actions, without advice, chat and review."""
        return [
            _QUIT if action.name == "quit" else action
            for action in super().actions
            if action.name not in _FORBIDDEN_ACTIONS
        ]

    @property
    def _style(self) -> Style:
        return replace(super()._style, goodbye=N_("Your try is over."))

    @property
    def _is_over(self) -> bool:
        return super()._is_over or self.match.phase is Phase.FINISHED

    async def do_quit(self, _argument: str) -> None:
        """Keep the try, since leaving it would use it up. `resign` gives it up."""
        raise InputEnded


def build_day_dict(day: Day) -> dict[str, Any]:
    """Return a day as a dictionary for JSON, in the format of docs/CLIENT.md."""
    fields = structs.asdict(day)
    del fields["id"]
    return fields | {
        "commitment": None if day.commitment is None else day.commitment.hex(),
        "own": None if day.own is None else structs.asdict(day.own),
        "streak": structs.asdict(day.streak),
        "code": None if day.code is None else format_code(day.code, find_rules(day.rules)),
        "nonce": None if day.nonce is None else day.nonce.hex(),
    }
