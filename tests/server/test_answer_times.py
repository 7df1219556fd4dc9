"""How long an answer takes tells nothing of the secret that its feedback does not.

Time itself is noise; what is counted are steps of the interpreter, the same on every machine. Their
number may vary with the secret by a few, some hundred nanoseconds: far below what a thread, a disk
or a line does to an answer, and far below a search that depends on the secret.
"""

from __future__ import annotations

import gc
import sys
from itertools import product
from statistics import mean
from typing import TYPE_CHECKING, Any

import pytest

from mastermind_protocol.breaker import see
from mastermind_protocol.commands import GuessCode
from mastermind_protocol.commitment import NONCE_BYTES, commit
from mastermind_protocol.events import Joined, Opened, Player, Seat, SecretSet
from mastermind_protocol.feedback import score
from mastermind_protocol.transitions import Decision, decide, fold
from mastermind_server.bots import worker_functions
from mastermind_server.matches.views import show
from wire import Dice

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import FrameType

    from mastermind_protocol.code import Code
    from mastermind_protocol.events import AnyEvent
    from mastermind_protocol.match import Match

GUESS = (0, 0, 1, 2)
NONCE = bytes(NONCE_BYTES)
MAKER, BREAKER = Player(id="maker", name="Ada"), Player(id="breaker", name="Bob")
NOISE = 25  # steps, of the some hundred of a guess: less than a microsecond
SHUFFLES = 100


def begin_events(secret: Code) -> tuple[AnyEvent, ...]:
    return (
        Opened(rules="classic", rounds=1),
        Joined(player=MAKER, seat=Seat.MAKER),
        Joined(player=BREAKER, seat=Seat.BREAKER),
        SecretSet(by=MAKER.id, code=secret, nonce=NONCE, commitment=commit(NONCE, secret)),
    )


def begin(secret: Code) -> Match:
    return fold(begin_events(secret))


def count_steps(work: Callable[..., object], *args: Any) -> int:
    """Return how many steps of the interpreter something takes."""
    steps = 0

    def count(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal steps
        frame.f_trace_opcodes = True
        steps += event == "opcode"
        return count

    before = sys.gettrace()
    gc.disable()  # what others have it call would be counted
    sys.settrace(count)
    try:
        work(*args)
    finally:
        sys.settrace(before)
        gc.enable()
    return steps


def list_alike() -> list[Code]:
    """Return secrets that give the guess the same feedback: two whites."""
    codes = product(range(6), repeat=4)
    return [code for code in codes if score(code, GUESS) == (0, 2)]


def tells_apart(secrets: Sequence[Code], steps: Sequence[int]) -> bool:
    """Tell whether the steps depend on some peg of the secret, by more than noise and chance.

    For each peg and colour the mean of those that have it is compared with that of the others; it
    must be further off than in any shuffle of the steps, and by more than `NOISE`.
    """
    shuffled, chance = list(steps), Dice(0)

    def find_farthest(counts: Sequence[int]) -> float:
        farthest = 0.0
        for place, colour in product(range(4), range(6)):
            those = [n for code, n in zip(secrets, counts, strict=True) if code[place] == colour]
            others = [n for code, n in zip(secrets, counts, strict=True) if code[place] != colour]
            if those and others:
                farthest = max(farthest, abs(mean(those) - mean(others)))
        return farthest

    found = find_farthest(steps)
    if found <= NOISE:
        return False
    for _ in range(SHUFFLES):
        chance.shuffle(shuffled)
        if find_farthest(shuffled) >= found:
            return False
    return True


def answer_guess(match: Match) -> None:
    """Do what a table does with a guess before anybody is told."""
    decision = decide(match, GuessCode(GUESS), BREAKER.id)
    assert isinstance(decision, Decision)
    show(decision.events, BREAKER.id)


def answer_by_search(match: Match) -> None:
    """Search for the secret, as nothing in the server does."""
    answer_guess(match)
    assert match.current
    for code in product(range(6), repeat=4):
        if code == match.current.secret:
            break


def test_the_steps_of_an_answer_do_not_depend_on_the_secret() -> None:
    alike = list_alike()
    answer_guess(begin(alike[0]))  # what is made once is made
    steps = [count_steps(answer_guess, begin(secret)) for secret in alike]
    assert max(steps) - min(steps) <= NOISE
    assert not tells_apart(alike, steps)


def test_an_answer_that_takes_longer_for_some_secrets_is_found() -> None:
    alike = list_alike()[::6]
    steps = [count_steps(answer_by_search, begin(secret)) for secret in alike]
    assert tells_apart(alike, steps)


@pytest.mark.parametrize("bot", ["knuth", "random"])
def test_a_bot_takes_the_same_steps_whatever_the_secret_is(bot: str) -> None:
    alike = Dice(1).sample(list_alike(), 6)
    counted = set()
    for secret in alike:
        decision = decide(begin(secret), GuessCode(GUESS), BREAKER.id)
        assert isinstance(decision, Decision)
        seen = see(fold(show((*begin_events(secret), *decision.events), BREAKER.id)))
        worker_functions.choose(bot, seen, 0)  # what is made once is made
        counted.add(count_steps(worker_functions.choose, bot, seen, 0))
    assert len(counted) == 1
