from datetime import UTC

import msgspec
import pytest

from mastermind_client.language import use_language
from mastermind_client.words.events import compare_points
from mastermind_client.words.listings import PHASES, describe_archived, describe_listed, write_time
from mastermind_protocol.events import MatchEnd, Seat
from mastermind_protocol.match import Phase
from mastermind_protocol.messages import ArchivedMatch, Listed


@pytest.mark.parametrize("phase", Phase)
def test_every_phase_has_a_name(phase):
    assert PHASES[phase] == phase.value


def test_a_match_is_told_with_its_terms_and_its_players():
    listed = Listed(
        match="ABC234", rules="mini", rounds=3, phase=Phase.BREAKING, maker="Ada",
        breaker="hard", bots=(Seat.BREAKER,), rated=True,
    )  # fmt: skip
    assert describe_listed(listed) == (
        "mini, 3 rounds, rated: Ada sets, hard (bot) breaks (breaking)"
    )
    use_language("pl")
    assert describe_listed(listed) == (
        "mini, 3 rundy, rankingowa: Ada szyfruje, hard (bot) łamie (łamanie)"
    )


WON = ArchivedMatch(
    match="ABC234", rules="mini", rounds=1, at=1_795_273_440_000, seat=Seat.BREAKER,
    opponent="Ada", won=True, how=MatchEnd.PLAYED, guesses=3, points=(0, 3),
)  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({}, "mini: won against Ada, as codebreaker, 3 guesses"),
        ({"won": False, "guesses": 1}, "mini: lost to Ada, as codebreaker, 1 guess"),
        ({"rated": True}, "mini, rated: won against Ada, as codebreaker, 3 guesses"),
        ({"bot": True}, "mini: won against Ada (bot), as codebreaker, 3 guesses"),
        ({"opponent": None}, "mini: won against Somebody, as codebreaker, 3 guesses"),
        ({"opponent": "\x1b[2J"}, "mini: won against ?[2J, as codebreaker, 3 guesses"),
        (
            {"rounds": 2, "won": None, "points": (4, 4), "seat": Seat.MAKER},
            "mini, 2 rounds: a draw with Ada, first as codemaker, 3 guesses, 4 points to 4",
        ),
        ({"how": MatchEnd.LEFT}, "mini: won, for Ada left, as codebreaker, 3 guesses"),
        (
            {"how": MatchEnd.LEFT, "won": False},
            "mini: lost to Ada by leaving, as codebreaker, 3 guesses",
        ),
    ],
)
def test_a_match_that_is_over_is_told_in_a_line(changes, told):
    archived = msgspec.structs.replace(WON, **changes)
    assert describe_archived(archived, UTC) == f"2026-11-21 15:04  {told}"


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({}, "mini: wygrana jako łamacz; przeciwnik: Ada; 3 próby"),
        ({"won": False, "seat": Seat.MAKER}, "mini: przegrana jako szyfrant; przeciwnik: Ada; 3"),
        ({"how": MatchEnd.LEFT}, "mini: wygrana jako łamacz przez odejście przeciwnika: Ada; 3"),
        (
            {"how": MatchEnd.LEFT, "won": False},
            "mini: przegrana jako łamacz przez własne odejście; przeciwnik: Ada; 3 próby",
        ),
        (
            {"rounds": 2, "won": None, "points": (4, 4)},
            "mini, 2 rundy: remis z rolą łamacza na początku; przeciwnik: Ada; 3 próby, punkty 4",
        ),
    ],
)
def test_in_polish_too_the_seat_is_one_s_own(changes, told):
    use_language("pl")
    assert f"  {told}" in describe_archived(msgspec.structs.replace(WON, **changes), UTC)


@pytest.mark.parametrize("milliseconds", [10**18, 2**63])
def test_a_time_that_no_calendar_has_is_no_trouble(milliseconds):
    assert write_time(milliseconds, UTC) == "?"


def test_one_point_is_a_point():
    assert (compare_points(1, 2), compare_points(2, 1)) == ("1 point to 2", "2 points to 1")
