"""The checks of a storm's log find ends of time that are wrong."""

from __future__ import annotations

import pytest

from campaigns.chaos.clocks import ClockFigures, Refusal, Strike
from campaigns.ledger import Flaw
from kit.matches import ADA, BOB, NONCE, pegs
from kit.rated import start_rated
from mastermind_protocol.clock import MINUTE, SECOND
from mastermind_protocol.codec import encode_events
from mastermind_protocol.commands import LeaveMatch, SetSecret
from mastermind_protocol.errors import Refused
from mastermind_protocol.events import AnyEvent
from mastermind_protocol.match import Match
from mastermind_protocol.transitions import Decision, Moment, decide, expire, fold, resume
from mastermind_server.storage.rows import LogRow

CODE, STARTED, SET = "CKCKED", 10**12, 5 * SECOND
DEADLINE = SET + 5 * MINUTE


class Log:
    """The rows of a match with a clock until the codebreaker's time runs."""

    def __init__(self) -> None:
        self.rows: list[LogRow] = []
        self.match: Match
        self.add(0, start_rated())
        self.decide(SET, decide(self.match, SetSecret(pegs("1234"), NONCE), ADA.id, Moment(SET)))

    def add(self, at: int, events: tuple[AnyEvent, ...]) -> None:
        version = len(self.rows) + 1
        self.match = fold(events, self.match if self.rows else None, at)
        self.rows.append(LogRow(CODE, version, STARTED + at, encode_events(events)))

    def decide(self, at: int, decision: Decision | Refused | None) -> None:
        assert isinstance(decision, Decision)
        self.add(at, decision.events)

    def flag(self, at: int) -> None:
        """End the time of the codebreaker, and let the new codemaker leave after it."""
        self.decide(at, expire(self.match, Moment(at), lambda _: SetSecret(pegs("1234"), NONCE)))

    def check(self, *refusals: Refusal, strikes: tuple[Strike, ...] = ()) -> ClockFigures:
        figures = ClockFigures(refusals, strikes, [])
        figures.check(self.rows)
        return figures


@pytest.fixture
def log():
    return Log()


def flaws(figures: ClockFigures) -> list[tuple[Flaw, str]]:
    """Return the faults, without that of a match that goes on."""
    return [(each.flaw, each.text) for each in figures.faults if each.text != "0 outcomes"]


def test_a_flag_at_the_deadline_is_counted(log):
    log.flag(DEADLINE + 4)
    figures = log.check(Refusal(CODE, BOB.id, 2, STARTED + DEADLINE - 20))
    assert flaws(figures) == []
    assert (figures.flags, figures.latest) == (1, 4)


def test_a_guess_that_was_sent_in_time_and_beaten_by_a_flag_is_a_fault(log):
    log.flag(DEADLINE + 1)
    refusal = Refusal(CODE, BOB.id, 2, STARTED + DEADLINE - 1500)
    assert flaws(log.check(refusal)) == [
        (Flaw.LOST, "version 3: a guess sent 1500 ms early was beaten by the flag")
    ]
    strike = Strike(refusal.sent, refusal.sent + 100, "stop")
    assert flaws(log.check(refusal, strikes=(strike,))) == []  # no server has read it


def test_a_flag_after_lost_time_that_was_not_given_back_is_a_fault(log):
    strike = Strike(STARTED + SET + 1000, STARTED + SET + 4000, "kill")
    log.flag(DEADLINE + 1)
    assert flaws(log.check(strikes=(strike,))) == [
        (Flaw.LOST, "version 3: flagged with 0 of 3000 ms given back: kill")
    ]


def test_a_flag_after_lost_time_that_was_given_back_is_none(log):
    strike = Strike(STARTED + SET + 1000, STARTED + SET + 4000, "kill")
    log.decide(SET + 4100, resume(log.match, Moment(SET + 4100), 3000))
    log.flag(DEADLINE + 3001)
    figures = log.check(strikes=(strike,))
    assert flaws(figures) == []
    assert (figures.resumed, figures.given_back) == (1, 3000)


def test_a_flag_before_the_deadline_is_a_fault(log):
    log.flag(DEADLINE + 1)
    log.rows[-1] = log.rows[-1]._replace(at=STARTED + DEADLINE - 1)
    assert (Flaw.CHANGED, "version 3: flagged 1 ms before the deadline") in flaws(log.check())


def test_a_finished_match_without_its_change_of_ratings_is_a_fault(log):
    log.flag(DEADLINE + 1)
    at = DEADLINE + 1000
    log.decide(at, decide(log.match, LeaveMatch(), ADA.id, Moment(at)))
    assert flaws(log.check()) == [(Flaw.DISORDERED, "0 changes of ratings")]
