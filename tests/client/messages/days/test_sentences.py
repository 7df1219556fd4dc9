from datetime import UTC

import pytest
from msgspec.structs import replace

from kit.day_answers import BROKEN, FAILED, NOON, NUMBER, make_day, make_ended_day
from mastermind_client.messages.days.sentences import (
    DayStage,
    describe_action,
    describe_percentage,
    describe_place,
    describe_players,
    describe_streak,
    describe_time_left,
    describe_totals,
    describe_trouble,
    find_stage,
    format_headline,
    list_day,
    make_distribution,
    name_code,
    name_next_rules,
)
from mastermind_client.network.failures import Cause, ServerUnreachable
from mastermind_protocol.days import DAY_RULES, find_day_start, find_tries_end
from mastermind_protocol.errors import Reason, Refused
from mastermind_protocol.events import RoundEnd
from mastermind_protocol.messages import DayStreak, OwnTry

RUNNING = OwnTry(match="K7M2QX")
AFTER_MIDNIGHT, CLOSED = find_day_start(NUMBER + 1), find_tries_end(NUMBER)


@pytest.mark.parametrize(
    ("changes", "now", "stage", "headline"),
    [
        ({}, NOON, DayStage.READY, "Your one try"),
        ({}, AFTER_MIDNIGHT, DayStage.MISSED, "You did not play"),
        ({"own": RUNNING}, CLOSED - 1, DayStage.RUNNING, "Your try has begun"),
        ({"own": RUNNING}, CLOSED, DayStage.UNBROKEN, "Not cracked"),
        ({"own": BROKEN}, NOON, DayStage.BROKEN, "Cracked in 4 of 12"),
        ({"own": FAILED}, NOON, DayStage.UNBROKEN, "Not cracked"),
        ({"own": replace(FAILED, how=RoundEnd.RESIGNED)}, NOON, DayStage.UNBROKEN, "Given up"),
        ({"state": "closed", "today": NUMBER + 1}, CLOSED, DayStage.MISSED, "You did not play"),
        ({"state": "withdrawn", "own": BROKEN}, NOON, DayStage.WITHDRAWN, "Withdrawn"),
        (
            {"state": "closed", "today": NUMBER + 9, "commitment": None},
            CLOSED, DayStage.NO_CODE, "No code that day",
        ),
    ],
)  # fmt: skip
def test_a_day_has_one_stage_with_its_headline_and_an_action(changes, now, stage, headline):
    day = make_day(**changes)
    assert find_stage(day, now) is stage
    assert format_headline(day, now) == headline
    assert describe_action(day, now, UTC).endswith(".")


def test_the_action_names_the_end_of_a_try_and_of_the_secret_in_local_time():
    assert describe_action(make_day(own=RUNNING), NOON, UTC) == "Enter continues it, until 00:30."
    assert describe_action(make_day(own=FAILED), NOON, UTC) == "The code stays hidden until 00:31."


def test_the_place_counts_guesses_and_then_time():
    assert describe_place(BROKEN) == "19th: 4 guesses in 01:12"
    assert describe_place(replace(BROKEN, counted=False)) == "would be 19th: 4 guesses in 01:12"
    assert describe_place(FAILED) == ""
    assert describe_percentage(BROKEN) == "better than 61 %"
    assert not describe_percentage(replace(BROKEN, better=0))  # a reproach, not a result
    assert describe_percentage(FAILED) == ""


def test_the_countdown_is_that_of_today_only():
    assert describe_time_left(make_day(), NOON) == "Begin within 12:00:00"
    assert describe_time_left(make_ended_day(), NOON) == "Next code in 12:00:00"
    assert describe_time_left(make_ended_day(), AFTER_MIDNIGHT) == ""


def test_a_streak_of_no_days_is_not_mentioned():
    assert describe_streak(DayStreak(current=1)) == "1 day in a row"
    assert describe_streak(DayStreak(longest=3, days=5)) == ""
    assert describe_totals(DayStreak()) == ""
    assert (
        describe_totals(DayStreak(current=2, longest=3, days=5, broken=1))
        == "5 days played, 1 code cracked, longest streak 3"
    )


def test_only_the_number_of_players_is_known_before_the_own_try():
    assert describe_players(make_day()) == "214 players have begun."
    assert describe_players(make_day(players=0)) == "Nobody has begun yet."
    assert make_distribution(make_day()).games == 0


def test_rules_follow_each_other_in_a_circle():
    assert [name_next_rules(rules) for rules in DAY_RULES] == [*DAY_RULES[1:], DAY_RULES[0]]
    assert name_code(NUMBER, NUMBER) == "today's code"
    assert name_code(NUMBER, NUMBER + 1) == "code of the day"


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (Refused(Reason.DAY_NEEDS_SERVER), "needs a server"),
        (ServerUnreachable(Cause.NEVER_REACHED, server="x", reason="refused"), "needs a server"),
        (Refused(Reason.UNKNOWN_OP), "needs a newer server"),
        (Refused(Reason.TEXT_FRAME), "not now"),
    ],
)
def test_home_names_what_is_missing(error, words):
    assert describe_trouble(error) == words


def test_the_lines_of_a_day_before_and_after_the_own_try():
    assert list(list_day(make_day(), NOON, "#", UTC)) == [
        "Tuesday 24 November: today's code, number 147, classic",
        "One code for everybody, one try.",
        "214 players have begun.",
        "Begin it until 00:00, end it until 00:30.",
        "6 days in a row",
        "51 days played, 41 codes cracked, longest streak 19",
        "Begin within 12:00:00. A new code comes daily at 00:00.",
    ]
    running = list(list_day(make_day(own=RUNNING), AFTER_MIDNIGHT, "#", UTC))
    assert running[3] == "You can continue it until 00:30."
    after = list(list_day(make_ended_day(), NOON, "#", UTC))
    assert after[1:6] == [
        "Cracked in 4 of 12, better than 61 %",
        "19th: 4 guesses in 01:12",
        "7 days in a row",
        "52 days played, 42 codes cracked, longest streak 19",
        "Today so far: 214",
    ]
    assert after[-2].split() == ["X", "#", "2"]
    failed = list(list_day(make_ended_day(FAILED), NOON, "#", UTC))
    assert failed[-2] == "The code stays hidden until 00:31."
