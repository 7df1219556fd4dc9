import pytest
from msgspec.structs import replace

from mastermind_client.messages.days.tables import (
    describe_day_result,
    describe_month,
    list_places,
)
from mastermind_protocol.messages import DayResult, Days, PlacedTry, Places

PLACES = Places(
    id=1, rules="classic", day=147,
    places=(
        PlacedTry(place=1, player="A", name="Ada", guesses=3, milliseconds=61_000),
        PlacedTry(place=1, player="B", name="\x1b[31mBob\u202e", guesses=3, milliseconds=61_000),
        PlacedTry(place=3, player="C", name="Noor"),
    ),
)  # fmt: skip


def test_places_have_harmless_names_and_share_places():
    titles, ada, bob, noor, _conditions = list_places(PLACES)
    assert titles.split() == ["name", "guesses", "time"]
    assert ada.split() == ["1", "Ada", "3", "01:01"]
    assert bob.split()[::2] == ["1", "3"]
    assert "\x1b" not in bob
    assert "\u202e" not in bob
    assert noor.split() == ["3", "Noor", "not", "cracked"]
    assert list(list_places(replace(PLACES, places=()))) == ["Nobody has a place yet."]


@pytest.mark.parametrize(
    ("result", "words"),
    [
        (DayResult(day=1), "-"),
        (DayResult(day=1, match="K7M2QX", guesses=4), "cracked in 4"),
        (DayResult(day=1, match="K7M2QX", guesses=0), "not cracked"),
        (DayResult(day=1, match="K7M2QX"), "not cracked"),
        (DayResult(day=1, match="K7M2QX", state="open"), "your try runs"),
        (DayResult(day=1, match="K7M2QX", state="withdrawn"), "withdrawn"),
    ],
)
def test_a_day_of_a_month_has_the_own_result(result, words):
    assert describe_day_result(result) == words


def test_a_month_has_the_own_figures():
    month = Days(id=1, rules="classic", month="2026-11")
    assert describe_month(month) == "You have not played in this month."
    played = replace(month, played=12, broken=1, mean=4.6, without_luck=4.75)
    assert describe_month(played) == "12 days played, 1 code cracked, 4.60 guesses, 4.75 less luck"
