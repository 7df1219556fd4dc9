"""What the match waits for, in one sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.language import gettext as _
from mastermind_client.words.players import find_name, name_player
from mastermind_client.words.rules import count_pegs
from mastermind_protocol.match import Match, Phase

if TYPE_CHECKING:
    from mastermind_client.screen.match.scene import Scene


def describe_task(scene: Scene) -> str:
    """Say what is asked of the reader, or whom everybody waits for."""
    match = scene.match
    if scene.sending:
        return _("Sent; waiting for the server ...")
    if match.phase is Phase.FINISHED:
        return _describe_end(scene)
    if scene.my_turn:
        if match.phase is Phase.SETTING:
            return _("Your turn: set the secret, {pegs}.").format(pegs=count_pegs(match.rules.pegs))
        return _describe_guess(match)
    mover = match.to_move
    if mover is None:
        return _("Waiting for somebody to join ...")
    if match.phase is Phase.SETTING:
        return _("Waiting for {name} to set the secret ...").format(name=name_player(mover))
    return _("Waiting for {name} to guess ...").format(name=name_player(mover))


def _describe_guess(match: Match) -> str:
    number = len(match.current.turns) + 1 if match.current else 1
    if match.rules.guesses is None:
        return _("Your turn: guess {number}.").format(number=number)
    return _("Your turn: guess {number} of {guesses}.").format(
        number=number, guesses=match.rules.guesses
    )


def _describe_end(scene: Scene) -> str:
    match = scene.match
    if scene.seat is None and match.rematch is not None:
        return _("The match is over, and there is a rematch: Enter shows it.")
    if scene.seat is None:
        return _("The match is over.")
    if match.left:
        return _("The match is over; there is no rematch, since somebody has left.")
    if match.rematch is not None:
        return _("A rematch is offered: Enter takes it.")
    opponent = match.opponent_of(scene.me)
    if opponent is not None and opponent.bot is None:
        return _("Enter offers {name} a rematch, with the seats swapped.").format(
            name=find_name(match, opponent.id)
        )
    return _("Enter plays again.")
