from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from client.people import pegs
from client.screen.played import ADA, NONCE, do, game, leave, play, sit
from mastermind_client.screen.match.entry import Entry
from mastermind_client.screen.match.scene import Scene
from mastermind_client.screen.match.task import describe_task
from mastermind_protocol.commands import GuessCode, OfferRematch, SetSecret
from mastermind_protocol.events import Joined, Opened, Player, Seat
from mastermind_protocol.rules import PRESETS
from mastermind_protocol.transitions import fold

if TYPE_CHECKING:
    from mastermind_protocol.match import Match

SET = do(sit(), "ADA", SetSecret(pegs("0123"), NONCE))
GUESSED = do(SET, "BOB", GuessCode(pegs("0011")))
OVER = play(game("0123", "0123"))
GATHERING = fold([Opened(rules="classic", rounds=1), Joined(player=ADA, seat=Seat.MAKER)])
BOT = Player(id="bot-optimal-breaker", name="hard", bot="optimal")
BOT_LEFT_OVER = do(
    do(
        fold(
            [
                Opened(rules="classic", rounds=1),
                Joined(player=ADA, seat=Seat.MAKER),
                Joined(player=BOT, seat=Seat.BREAKER),
            ]
        ),
        "ADA",
        SetSecret(pegs("0123"), NONCE),
    ),
    BOT.id,
    GuessCode(pegs("0123")),
)


def look_at(match: Match, me: str) -> Scene:
    return Scene("7KQ2MX", match, me, Entry.empty(match.rules))


@pytest.mark.parametrize(
    ("match", "me", "told"),
    [
        (GATHERING, "ADA", "Waiting for somebody to join ..."),
        (sit(), "ADA", "Your turn: set the secret, 4 pegs."),
        (sit(), "BOB", "Waiting for Ada to set the secret ..."),
        (sit(), "CLEO", "Waiting for Ada to set the secret ..."),
        (SET, "BOB", "Your turn: guess 1 of 12."),
        (GUESSED, "BOB", "Your turn: guess 2 of 12."),
        (GUESSED, "ADA", "Waiting for Bob to guess ..."),
        (OVER, "CLEO", "The match is over."),
        (
            do(OVER, "BOB", OfferRematch("M4CH2X")),
            "CLEO",
            "The match is over, and there is a rematch: Enter shows it.",
        ),
        (OVER, "ADA", "Enter offers Bob a rematch, with the seats swapped."),
        (leave(GUESSED), "ADA", "The match is over; there is no rematch, since somebody has left."),
        (BOT_LEFT_OVER, "ADA", "Enter plays again."),
        (do(OVER, "BOB", OfferRematch("M4CH2X")), "ADA", "A rematch is offered: Enter takes it."),
    ],
)
def test_everybody_is_told_what_is_asked_of_them_or_who_is_waited_for(
    match: Match, me: str, told: str
) -> None:
    assert describe_task(look_at(match, me)) == told


def test_a_code_on_its_way_is_told_as_sent() -> None:
    scene = look_at(GUESSED, "BOB")
    scene.sending = True

    assert describe_task(scene) == "Sent; waiting for the server ..."


def test_where_guesses_are_not_limited_none_are_counted_down() -> None:
    unlimited = next(rules for rules in PRESETS.values() if rules.guesses is None)
    match = do(sit(unlimited.name), "ADA", SetSecret((0,) * unlimited.pegs, NONCE))

    assert describe_task(look_at(match, "BOB")) == "Your turn: guess 1."
