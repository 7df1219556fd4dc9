"""Before a round ends, only its codemaker receives anything that depends on the secret.

`make leaks` compares thousands of pairs. These tests compare a few, and detect planted leaks.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import Any

import msgspec
import pytest
from hypothesis import Phase, given, settings

from campaigns.leaks.comparison import Comparison
from campaigns.leaks.scripts import (
    LIVE_CLOCK,
    Action,
    Ask,
    Ending,
    Opening,
    Script,
    Step,
    Who,
    pairs,
)
from mastermind_protocol.commands import Command
from mastermind_protocol.errors import Refused
from mastermind_protocol.events import Advised, AnyEvent, RoundEnded
from mastermind_protocol.match import Match
from mastermind_protocol.requests import (
    Advise,
    EnterDay,
    Follow,
    Guess,
    ListDays,
    ListMatches,
    ListOwn,
    ListPlaces,
    Review,
    Say,
    ShowDay,
    Unfollow,
)
from mastermind_protocol.transitions import Decision, Moment, decide
from mastermind_server.commands import player_data
from mastermind_server.matches.contests.lists import DayLists
from mastermind_server.matches.contests.places import DayRanking
from mastermind_server.matches.tables import match_log, row_messages, table
from mastermind_server.matches.tables.followers import Followers
from mastermind_server.matches.tables.match_log import MatchLog
from mastermind_server.matches.tables.views import show
from mastermind_server.network.sockets.connection import Connection
from mastermind_server.storage.day_rows import DayRow
from mastermind_server.timekeeping.match_time import MatchTime

PAIRS = 4
HERE = "234567"  # a placeholder: a script inserts the code of its own match


def step(who: Who, what: Any, off: int = 0) -> Step:
    return Step(who, what if isinstance(what, Action) else Ask(what, here=True, off=off))


EXAMPLE = Script(
    rules="classic",
    opening=Opening.MAKER_OPENS,
    public=True,
    rated=False,
    clock=None,
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
    "classic",
    Opening.DEVIOUS,
    False,
    False,
    None,
    1,
    0,
    EXAMPLE.guesses,
    ((), (), ()),
    Ending.RESIGNED,
)


DAY = replace(
    EXAMPLE, opening=Opening.DAY, public=False, rounds=1, before=0,
    steps=(
        (step(Who.EARLY, ShowDay(id=1)),),
        (step(Who.SECOND, ShowDay(id=1)), step(Who.LATE, EnterDay(id=1, rules="classic", day=0))),
        (step(Who.STRANGER, ListPlaces(id=1, rules="classic", day=0)),),
        (
            *(step(who, ShowDay(id=1)) for who in (Who.BREAKER, Who.LATE, Who.STRANGER)),
            step(Who.BREAKER, ListPlaces(id=1, rules="classic", day=0)),
            step(Who.BREAKER, ListDays(id=1)),
            step(Who.BREAKER, Review(id=1, match=HERE)),
            step(Who.SECOND, Follow(id=1, match=HERE)),
            step(Who.EARLY, Follow(id=1, match=HERE)),
        ),
    ),
)  # fmt: skip


@pytest.fixture
def compare():
    """Return a function that compares a pair, on the same two servers for all pairs of a test."""
    with asyncio.Runner() as runner:
        stack = AsyncExitStack()
        comparison = runner.run(Comparison.between(stack))
        yield lambda *pair: runner.run(comparison.compare(*pair))
        runner.run(stack.aclose())


@pytest.mark.promise("secret")
def test_only_the_codemaker_can_distinguish_secrets_with_equal_feedback(compare):
    @settings(max_examples=PAIRS, derandomize=True, database=None, phases=[Phase.generate])
    @given(pairs())
    def compare_some(pair):
        compare(*pair)

    compare_some()


def test_the_example_has_no_leak(compare):
    compare(EXAMPLE, FIRST, SECOND)


@pytest.mark.parametrize("ending", [Ending.RESIGNED, Ending.BREAKER_LEAVES])
def test_nobody_can_distinguish_codes_of_the_day_that_gave_a_player_equal_feedback(compare, ending):
    compare(replace(DAY, ending=ending), FIRST, SECOND)


def test_no_message_depends_on_another_players_try_at_the_code_of_the_day(compare):
    compare(replace(DAY, rival=True), FIRST, SECOND)


# Planted leaks: each replaces the function that normally prevents it, or acts before each notice.


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


def leak_in_errors(match: Match, command: Command, by: str, moment: Moment) -> Decision | Refused:
    outcome = decide(match, command, by, moment)
    if isinstance(outcome, Refused):
        text = f"no, {sum(find_secret(match)[::2])}"
        return Refused.with_message(outcome.code, text, field=outcome.field)
    return outcome


def leak_in_advice(match: Match, command: Command, by: str, moment: Moment) -> Decision | Refused:
    """Repeat the event of advice for some secrets."""
    outcome = decide(match, command, by, moment)
    if isinstance(outcome, Decision) and outcome.events == (Advised(by=by),):
        return Decision(outcome.events * (1 + find_secret(match)[0] % 2), outcome.after)
    return outcome


def log_secret(log: MatchLog, _followers: Followers) -> None:
    logging.getLogger("mastermind_server").debug("it is %s", find_secret(log.state))


def count_secret(log: MatchLog, followers: Followers) -> None:
    followers._limiter.exceeded["followed"] += find_secret(log.state)[0]


def reverse_players(log: MatchLog, followers: Followers) -> None:
    if find_secret(log.state)[0] % 2:
        followers.seated = dict(reversed(followers.seated.items()))


def send_more(log: MatchLog, followers: Followers) -> None:
    if find_secret(log.state)[0] % 2:
        followers.broadcast(b"\xc0")


def leak_in_close_reasons(log: MatchLog, _followers: Followers) -> None:
    secret, end = find_secret(log.state), END
    Connection.end = lambda self, code, reason: end(  # type: ignore[method-assign]
        self, code, f"{reason} {secret}"
    )


END = Connection.end


def before_notices(leak: Callable[[MatchLog, Followers], None]) -> tuple[Any, str, Any]:
    """Return a patch that calls `leak` for each row a table has applied, before it notifies."""

    def leak_and_notify(log: MatchLog, followers: Followers, *row: Any) -> None:
        leak(log, followers)
        row_messages.send_row(log, followers, *row)

    return table, "send_row", leak_and_notify


LEAKS: dict[str, tuple[tuple[Any, str, Any], str]] = {
    "the code to all": ((row_messages, "show", show_all), ""),
    "the code to spectators": ((row_messages, "show", show_spectators), ""),
    "the code to the codebreaker": ((row_messages, "show", show_breaker), ""),
    "an error's text": ((table, "decide", leak_in_errors), ""),
    "a longer frame": ((table, "decide", leak_in_advice), ""),
    "an export": ((player_data, "show", show_all), "export"),
    "the log": (before_notices(log_secret), "DEBUG"),
    "a metric": (before_notices(count_secret), "metrics"),
    "the order of messages": (before_notices(reverse_players), ""),
    "a close reason": (before_notices(leak_in_close_reasons), "stranger"),
    "another frame": (before_notices(send_more), ""),
}


@pytest.mark.promise("secret")
@pytest.mark.parametrize("leak", LEAKS)
def test_a_planted_leak_is_found(leak, compare, monkeypatch):
    patch, recipient = LEAKS[leak]
    monkeypatch.setattr(Connection, "end", END)
    monkeypatch.setattr(*patch)
    with pytest.raises(AssertionError, match=f"{recipient} can distinguish"):
        compare(EXAMPLE, FIRST, SECOND)


def end_with_code(match: Match, command: Command, by: str, moment: Moment) -> Decision | Refused:
    """Show the code of a try at its end."""
    outcome = decide(match, command, by, moment)
    if not isinstance(outcome, Decision):
        return outcome
    events = [
        msgspec.structs.replace(event, code=find_secret(match))
        if isinstance(event, RoundEnded)
        else event
        for event in outcome.events
    ]
    return Decision(tuple(events), outcome.after)


async def rank_for_all(self: DayLists, row: DayRow, _own: object) -> DayRanking:
    """Show the results of a day also to players whose try has not ended."""
    return await self._rankings.refresh(row.day, row.rules, 12, closed=False)


@pytest.mark.parametrize(
    ("patch", "rival"),
    [
        ((match_log, "show", show_breaker), False),
        ((table, "decide", end_with_code), False),
        ((DayLists, "_find_ranking", rank_for_all), True),
    ],
    ids=["the code", "the code after a failure", "results of others"],
)
def test_a_leak_of_the_code_of_the_day_is_found(patch, rival, compare, monkeypatch):
    monkeypatch.setattr(*patch)
    with pytest.raises(AssertionError, match="can distinguish"):
        compare(replace(DAY, rival=rival), FIRST, SECOND)


@pytest.mark.parametrize("opening", [Opening.DEVIOUS, Opening.BOT])
def test_a_leak_of_a_bots_code_is_found(opening, compare, monkeypatch):
    script = replace(DEVIOUS, opening=opening)
    compare(script, FIRST, SECOND)
    monkeypatch.setattr(row_messages, "show", show_all)
    with pytest.raises(AssertionError, match="can distinguish"):
        compare(script, FIRST, SECOND)


RATED = replace(EXAMPLE, rated=True, clock=LIVE_CLOCK, before=0)


@pytest.mark.parametrize("ending", [Ending.TIME, Ending.BREAKER_LEAVES])
def test_neither_times_nor_ratings_depend_on_the_secret(compare, ending):
    compare(replace(RATED, ending=ending), FIRST, SECOND)


def test_a_time_that_depends_on_the_secret_is_found(compare, monkeypatch):
    find_moment = MatchTime.find_moment

    def leak_in_times(self: MatchTime, at: float | None = None) -> Moment:
        moment = find_moment(self, at)
        return Moment(moment.at + find_secret(self._log.state)[0], moment.credit)

    monkeypatch.setattr(MatchTime, "find_moment", leak_in_times)
    with pytest.raises(AssertionError, match="can distinguish"):
        compare(RATED, FIRST, SECOND)
