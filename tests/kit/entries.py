"""Tries at the code of a day, as the server stores them and as their players see them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kit.matches import BOB, NONCE, do, pegs
from mastermind_protocol.commands import GuessCode
from mastermind_protocol.commitment import commit
from mastermind_protocol.days import make_day_contest
from mastermind_protocol.errors import Refused
from mastermind_protocol.events import SERVER, AnyEvent, Joined, Opened, Player, Seat, SecretSet
from mastermind_protocol.messages import Row
from mastermind_protocol.transitions import decide, fold

if TYPE_CHECKING:
    from mastermind_protocol.code import Code
    from mastermind_protocol.match import Match

DAY = 147
KEEPER = Player(id="bot-day-maker", name="Code 147", bot="day")
SECRET = pegs("1234")


def seal(code: Code = SECRET, nonce: bytes = NONCE, *, shown: bool = False) -> SecretSet:
    """Return the event that sets the secret, as the server stores it only if `shown`."""
    commitment = commit(nonce, code)
    if shown:
        return SecretSet(by=SERVER, commitment=commitment, code=code, nonce=nonce)
    return SecretSet(by=SERVER, commitment=commitment)


def open_try(
    player: Player = BOB, rules: str = "classic", *, shown: bool = False
) -> list[AnyEvent]:
    """Return the first row of a try. With `shown` it is the stored row, which has the secret."""
    return [
        Opened(rules=rules, rounds=1, contest=make_day_contest(DAY)),
        Joined(player=KEEPER, seat=Seat.MAKER),
        Joined(player=player, seat=Seat.BREAKER),
        seal(shown=shown),
    ]


def begin_try(player: Player = BOB, rules: str = "classic", *, shown: bool = False) -> Match:
    """Return the match after the first row of a try."""
    return fold(open_try(player, rules, shown=shown))


def list_try_rows(*guesses: str) -> list[Row]:
    """Return the rows of Bob's try as his client receives them."""
    match, rows = begin_try(shown=True), [Row(1, tuple(open_try()))]
    for guess in guesses:
        decision = decide(match, GuessCode(pegs(guess)), BOB.id)
        assert not isinstance(decision, Refused), decision
        match = decision.after
        rows.append(Row(len(rows) + 1, decision.events))
    return rows


def play_try(*guesses: str) -> Match:
    """Return Bob's try after guesses as players type them: `play_try("1122", "1234")`."""
    return do(begin_try(shown=True), BOB.id, *(GuessCode(pegs(guess)) for guess in guesses))
