"""Before a round ends, only its codemaker receives anything that depends on the secret.

`make leaks` compares thousands of pairs. These tests compare a few, and detect planted leaks.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import AsyncExitStack
from typing import Any, get_args

import pytest
from hypothesis import Phase, given, settings

from campaigns.leaks.comparison import Comparison
from campaigns.leaks.scripts import (
    Action,
    Ask,
    Ending,
    Opening,
    Script,
    Step,
    Who,
    list_requests,
    pairs,
)
from mastermind_protocol.commands import Command
from mastermind_protocol.errors import Refused
from mastermind_protocol.events import Advised, AnyEvent
from mastermind_protocol.match import Match
from mastermind_protocol.requests import (
    Advise,
    AnyRequest,
    Follow,
    Guess,
    ListMatches,
    ListOwn,
    Say,
    Unfollow,
)
from mastermind_protocol.transitions import Decision, decide
from mastermind_server.matches.tables import table
from mastermind_server.matches.tables.table import Table
from mastermind_server.matches.tables.views import show
from mastermind_server.network.sockets.connection import Connection
from mastermind_server.upkeep import personal_data

PAIRS = 6
HERE = "234567"  # a placeholder: a script inserts the code of its own match


def step(who: Who, what: Any, off: int = 0) -> Step:
    return Step(who, what if isinstance(what, Action) else Ask(what, here=True, off=off))


EXAMPLE = Script(
    rules="classic",
    opening=Opening.MAKER_OPENS,
    public=True,
    rated=False,
    rounds=2,
    before=1,
    guesses=((0, 0, 1, 1), (2, 2, 3, 3)),
    steps=(
        (step(Who.SECOND, ListOwn(id=1)), step(Who.EARLY, Say(id=1, match=HERE, text="Blue?"))),
        (
            step(Who.SECOND, Say(id=1, match=HERE, phrase=1)),
            step(Who.EARLY, Guess(id=1, match=HERE, v=1, code=(0, 0))),
            step(Who.LATE, Follow(id=1, match=HERE)),
            step(Who.STRANGER, Action.ABUSE),
        ),
        (
            step(Who.BREAKER, Advise(id=1, match=HERE, v=1)),
            step(Who.BREAKER, Guess(id=1, match=HERE, v=1, code=(3, 3, 3, 3)), off=-1),
            step(Who.SECOND, Action.DROP),
            step(Who.SECOND, Unfollow(id=1, match=HERE)),
            step(Who.STRANGER, ListMatches(id=1, what="running")),
        ),
    ),
    ending=Ending.BREAKER_LEAVES,
    exported=True,
)
FIRST, SECOND = (4, 5, 4, 5), (5, 4, 5, 4)
DEVIOUS = Script(
    "classic", Opening.DEVIOUS, False, False, 1, 0, EXAMPLE.guesses, ((), (), ()), Ending.RESIGNED
)


@pytest.fixture
def compare():
    """Return a function that compares a pair, on the same two servers for all pairs of a test."""
    with asyncio.Runner() as runner:
        stack = AsyncExitStack()
        comparison = runner.run(Comparison.between(stack))
        yield lambda *pair: runner.run(comparison.compare(*pair))
        runner.run(stack.aclose())


@pytest.fixture
def compare_example(compare):
    return lambda: compare(EXAMPLE, FIRST, SECOND)


def test_only_the_codemaker_can_distinguish_secrets_with_equal_feedback(compare):
    @settings(max_examples=PAIRS, derandomize=True, database=None, phases=[Phase.generate])
    @given(pairs())
    def compare_some(pair):
        compare(*pair)

    compare_some()


def test_every_request_of_the_protocol_is_tried():
    assert {type(request) for some in list_requests() for request in some} == set(
        get_args(AnyRequest)
    )


def test_the_example_has_no_leak(compare_example):
    compare_example()


# Planted leaks: each replaces the function that normally prevents it.


def find_secret(match: Match) -> tuple[int, ...]:
    """Return the secret of the current round, or `(0,)`."""
    return match.current.secret or (0,) if match.current else (0,)


def show_all(events: tuple[AnyEvent, ...], viewer: str | None) -> tuple[AnyEvent, ...]:
    del viewer
    return events


def show_spectators(events: tuple[AnyEvent, ...], viewer: str | None) -> tuple[AnyEvent, ...]:
    return events if viewer is None else show(events, viewer)


def show_breaker(events: tuple[AnyEvent, ...], viewer: str | None) -> tuple[AnyEvent, ...]:
    return events if viewer and viewer.startswith("breaker") else show(events, viewer)


def leak_in_errors(match: Match, command: Command, by: str) -> Decision | Refused:
    outcome = decide(match, command, by)
    if isinstance(outcome, Refused):
        text = f"no, {sum(find_secret(match)[::2])}"
        return Refused.told(outcome.code, text, field=outcome.field)
    return outcome


def leak_in_advice(match: Match, command: Command, by: str) -> Decision | Refused:
    """Repeat the event of advice for some secrets."""
    outcome = decide(match, command, by)
    if isinstance(outcome, Decision) and outcome.events == (Advised(by=by),):
        return Decision(outcome.events * (1 + find_secret(match)[0] % 2), outcome.after)
    return outcome


LEAKS: dict[str, tuple[Any, str, Any]] = {
    "the code to all": (table, "show", show_all),
    "the code to spectators": (table, "show", show_spectators),
    "the code to the codebreaker": (table, "show", show_breaker),
    "an error's text": (table, "decide", leak_in_errors),
    "a longer frame": (table, "decide", leak_in_advice),
    "an export": (personal_data, "show", show_all),
}


@pytest.mark.parametrize("leak", LEAKS)
def test_a_planted_leak_is_found(leak, compare_example, monkeypatch):
    monkeypatch.setattr(*LEAKS[leak])
    with pytest.raises(AssertionError, match="can distinguish"):
        compare_example()


@pytest.fixture
def leak_on_row(monkeypatch):
    """Return a function that calls `leak` for each row a table has applied, before it notifies."""

    def install(leak):
        notify = Table._tell

        def leak_and_notify(self, row, *more):
            leak(self)
            notify(self, row, *more)

        monkeypatch.setattr(Table, "_tell", leak_and_notify)

    return install


def test_a_leak_in_the_log_is_found(leak_on_row, compare_example):
    log = logging.getLogger("mastermind_server.matches.tables.table")
    leak_on_row(lambda table: log.debug("the secret is %s", find_secret(table.log.state)))
    with pytest.raises(AssertionError, match="DEBUG can distinguish"):
        compare_example()


def test_a_leak_in_a_metric_is_found(leak_on_row, compare_example):
    def count(table):
        table._services.limiter.met["followed"] += find_secret(table.log.state)[0]

    leak_on_row(count)
    with pytest.raises(AssertionError, match="metrics can distinguish"):
        compare_example()


def test_a_leak_in_the_order_of_messages_is_found(leak_on_row, compare_example):
    def reverse(table):
        if find_secret(table.log.state)[0] % 2:
            seated = table.followers.seated
            table.followers.seated = dict(reversed(seated.items()))

    leak_on_row(reverse)
    with pytest.raises(AssertionError, match="can distinguish"):
        compare_example()


def test_a_leak_in_a_close_reason_is_found(leak_on_row, compare_example, monkeypatch):
    known = []
    end = Connection.end
    leak_on_row(lambda table: known.append(find_secret(table.log.state)))
    monkeypatch.setattr(
        Connection, "end", lambda self, code, reason: end(self, code, f"{reason} {known[-1]}")
    )
    with pytest.raises(AssertionError, match="stranger can distinguish"):
        compare_example()


def test_a_leak_in_an_extra_frame_is_found(leak_on_row, compare_example):
    def hint(table):
        if find_secret(table.log.state)[0] % 2:
            table.followers.tell(b"\xc0")

    leak_on_row(hint)
    with pytest.raises(AssertionError, match="can distinguish"):
        compare_example()


def test_a_leak_of_the_adaptive_codemakers_code_is_found(compare, monkeypatch):
    compare(DEVIOUS, FIRST, SECOND)
    monkeypatch.setattr(table, "show", show_all)
    with pytest.raises(AssertionError, match="can distinguish"):
        compare(DEVIOUS, FIRST, SECOND)
