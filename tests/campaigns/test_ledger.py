"""find_faults finds each kind of fault when it is planted in a correct match."""

from __future__ import annotations

import pytest

from campaigns.ledger import Flaw, Ledger, find_faults, find_untold
from mastermind_protocol.codec import decode_events
from mastermind_protocol.commands import Command, GuessCode, SetSecret, TakeSeat
from mastermind_protocol.errors import Reason, Refused
from mastermind_protocol.events import AnyEvent, Guessed, Joined, Opened, Player, Seat
from mastermind_protocol.match import Match
from mastermind_protocol.requests import AnyRequest, Guess, Join, Open, Secret
from mastermind_protocol.transitions import Decision, decide, fold
from mastermind_server.matches.tables.match_log import make_log_row
from mastermind_server.matches.tables.views import show
from mastermind_server.storage.idempotency import RequestKey
from mastermind_server.storage.rows import LogRow

ADA, BOB = Player(id="p-ada", name="Ada"), Player(id="p-bob", name="Bob")
EVE = "p-eve"
CODE = "ABCDEF"
SECRET = (0, 1, 2, 3)
GUESSES = ((4, 4, 5, 5), (4, 5, 4, 5), (5, 5, 4, 4), SECRET)


class Game:
    """A correct finished match of Ada and Bob, with Eve as spectator."""

    def __init__(self) -> None:
        self.ledger = Ledger()
        self.log: list[LogRow] = []
        opening = (Opened(rules="classic", rounds=1), Joined(player=ADA, seat=Seat.MAKER))
        self._match: Match = fold(opening)
        opened = Open(id=1, rules="classic", maker="me", breaker="open")
        self._append(ADA, opened, opening)
        self._do(BOB, Join(id=1, match=CODE), TakeSeat(BOB))
        secret = SetSecret(SECRET, bytes(16))
        self._do(ADA, Secret(id=2, match=CODE, v=2, code=SECRET), secret)
        for number, code in enumerate(GUESSES, start=2):
            guess = Guess(id=number, match=CODE, v=number + 1, code=code)
            self._do(BOB, guess, GuessCode(code))

    def flaws(self) -> set[Flaw]:
        """Return the kinds of faults that find_faults finds."""
        return {fault.flaw for fault in find_faults(self.ledger, self.log)}

    def _do(self, player: Player, request: AnyRequest, command: Command) -> None:
        decision = decide(self._match, command, player.id)
        assert isinstance(decision, Decision)
        self._match = decision.after
        self._append(player, request, decision.events)

    def _append(self, player: Player, request: AnyRequest, events: tuple[AnyEvent, ...]) -> None:
        version = len(self.log) + 1
        self.ledger.ask(player.id, request)
        self.log.append(make_log_row(CODE, version, 0, events, player.id, RequestKey.of(request)))
        acknowledged = None if isinstance(request, Open | Join) else version
        self.ledger.acknowledge(player.id, request.id, CODE, acknowledged)
        for viewer in (ADA.id, BOB.id, EVE):
            self.ledger.receive(viewer, CODE, version, show(events, viewer))


@pytest.fixture
def game():
    return Game()


def test_a_correct_match_has_no_fault(game):
    assert game.flaws() == set()


def lose_the_last_row(game: Game) -> None:
    game.log.pop()


def leave_a_gap(game: Game) -> None:
    del game.log[4]


def replace_a_request(game: Game) -> None:
    game.log[4] = game.log[4]._replace(request=999)


def repeat_a_guess(game: Game) -> None:
    game.log.append(game.log[4]._replace(version=len(game.log) + 1))


def repeat_a_guess_in_one_row(game: Game) -> None:
    twice = decode_events(game.log[3].events) * 2
    game.log[3] = make_log_row(CODE, 4, 0, twice, BOB.id, game.log[3].key)


def change_a_guess(game: Game) -> None:
    other = (Guessed(code=(5, 4, 5, 4), black=0, white=0),)
    game.log[4] = make_log_row(CODE, 5, 0, other, BOB.id, game.log[4].key)


def swap_two_dependent_rows(game: Game) -> None:
    one, other = game.log[2], game.log[3]
    game.log[2:4] = [other._replace(version=3), one._replace(version=4)]


def stop_before_the_end(game: Game) -> None:
    game.log.pop()
    game.ledger.acknowledged.pop()
    for told in game.ledger.received.values():
        del told[7]


def refuse_to_continue(game: Game) -> None:
    game.ledger.given_up.append(Refused(Reason.UNKNOWN_MATCH, match=CODE))


def show_the_secret(game: Game) -> None:
    game.ledger.receive(BOB.id, CODE, 3, decode_events(game.log[2].events))


def show_a_spectator_a_missing_row(game: Game) -> None:
    game.ledger.receive(EVE, CODE, 8, (Guessed(code=SECRET, black=4, white=0),))


PLANTS = {
    lose_the_last_row: {Flaw.LOST, Flaw.STUCK},
    leave_a_gap: {Flaw.LOST, Flaw.DISORDERED},
    replace_a_request: {Flaw.LOST, Flaw.UNASKED},
    repeat_a_guess: {Flaw.DOUBLED},
    repeat_a_guess_in_one_row: {Flaw.CHANGED},
    change_a_guess: {Flaw.CHANGED},
    swap_two_dependent_rows: {Flaw.LOST, Flaw.CHANGED, Flaw.DISORDERED},
    stop_before_the_end: {Flaw.STUCK},
    refuse_to_continue: {Flaw.STUCK},
    show_the_secret: {Flaw.CHANGED},
    show_a_spectator_a_missing_row: {Flaw.LOST},
}


@pytest.mark.parametrize("plant", PLANTS)
def test_a_planted_fault_is_found(game, plant):
    plant(game)
    assert game.flaws() >= PLANTS[plant]


def test_a_player_who_is_not_told_of_lost_rows_is_a_fault(game):
    assert not list(find_untold(game.ledger, game.log, ()))
    game.log = game.log[:3]
    game.ledger.undone.add((EVE, CODE))
    for player in (ADA.id, BOB.id, EVE):
        game.ledger.received[player, CODE].pop(7)  # the end, after which nobody follows
    untold = [fault.text for fault in find_untold(game.ledger, game.log, {ADA.id})]
    assert untold == [f"{BOB.id} has 6 rows of 3"]
