"""The time of an answer reveals no more of the secret than its feedback.

Time itself is noise; what is counted are steps of the interpreter, the same on every machine. Their
number may vary with the secret by a few, some hundred nanoseconds: far below what a thread, a disk
or a line does to an answer, and far below a search that depends on the secret.
"""

import gc
import sys
from collections.abc import Callable
from itertools import product
from types import FrameType
from typing import Any

import pytest

from kit.matches import SeededRandom
from mastermind_protocol.code import Code
from mastermind_protocol.commands import GuessCode
from mastermind_protocol.commitment import NONCE_BYTES, commit
from mastermind_protocol.events import AnyEvent, Joined, Opened, Player, Seat, SecretSet
from mastermind_protocol.feedback import score
from mastermind_protocol.match import BreakerView
from mastermind_protocol.transitions import Decision, decide, fold
from mastermind_server.bots import position, worker_functions
from mastermind_server.matches.tables.views import show

GUESS = (0, 0, 1, 2)
NONCE = bytes(NONCE_BYTES)
MAKER, BREAKER = Player(id="maker", name="Ada"), Player(id="breaker", name="Bob")
NOISE = 25  # steps, of the some hundred of a guess: less than a microsecond


def begin_events(secret: Code) -> tuple[AnyEvent, ...]:
    return (
        Opened(rules="classic", rounds=1),
        Joined(player=MAKER, seat=Seat.MAKER),
        Joined(player=BREAKER, seat=Seat.BREAKER),
        SecretSet(by=MAKER.id, code=secret, nonce=NONCE, commitment=commit(NONCE, secret)),
    )


def count_steps(work: Callable[..., object], *args: Any) -> int:
    """Return the number of interpreter steps of a call."""
    steps = 0

    def count(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal steps
        frame.f_trace_opcodes = True
        steps += event == "opcode"
        return count

    before = sys.gettrace()
    gc.disable()  # finalizers would be counted
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


def find_spread(work: Callable[..., object], secrets: list[Code], *args: Any) -> int:
    """Return the difference in steps between the slowest and the fastest secret."""
    work(secrets[0], *args)  # fill the caches
    steps = []
    for secret in secrets:
        position._find_guess.cache_clear()  # a bot starts without another one's results
        position._CACHE = position._PositionCache()
        steps.append(count_steps(work, secret, *args))
    return max(steps) - min(steps)


def search(secret: Code) -> None:
    """Search for the secret, as nothing in the server does."""
    for code in product(range(6), repeat=4):
        if code == secret:
            break


def answer_guess(secret: Code) -> tuple[AnyEvent, ...]:
    """Process a guess as a table does; return the events that the breaker gets."""
    events = begin_events(secret)
    decision = decide(fold(events), GuessCode(GUESS), BREAKER.id)
    assert isinstance(decision, Decision)
    return show((*events, *decision.events), BREAKER.id)


def answer_by_search(secret: Code) -> None:
    answer_guess(secret)
    search(secret)


def let_bot_guess(secret: Code, bot: str) -> None:
    """Ask a bot for its next guess, from the breaker's view."""
    worker_functions.choose(bot, BreakerView.of(fold(answer_guess(secret))), 0)


def let_bot_peek(secret: Code, bot: str) -> None:
    let_bot_guess(secret, bot)
    search(secret)


def test_the_steps_of_an_answer_do_not_depend_on_the_secret():
    assert find_spread(answer_guess, list_alike()) <= NOISE


def test_a_search_for_the_secret_is_detected():
    assert find_spread(answer_by_search, list_alike()[::6]) > NOISE


@pytest.mark.parametrize("bot", ["knuth", "random"])
def test_a_bot_takes_the_same_steps_for_any_secret(bot):
    assert find_spread(let_bot_guess, SeededRandom(1).sample(list_alike(), 6), bot) <= NOISE


def test_a_bot_that_looks_at_the_secret_is_detected():
    assert find_spread(let_bot_peek, SeededRandom(1).sample(list_alike(), 6), "random") > NOISE
