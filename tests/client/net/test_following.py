from __future__ import annotations

from mastermind_client.net.following import Following
from mastermind_client.net.mirror import Mirror
from mastermind_client.net.updates import PresenceChanged, Update
from mastermind_protocol.events import Joined, Opened, Player, Seat
from mastermind_protocol.messages import Log, Presence, Row

CODE, ADA, BOB = "ABC234", Player(id="ADA", name="Ada"), Player(id="BOB", name="Bob")
SEATED = (Joined(player=ADA, seat=Seat.MAKER), Joined(player=BOB, seat=Seat.BREAKER))
ROWS = (Row(1, (Opened(rules="classic", rounds=1), *SEATED)),)


def follow(*presents: tuple[str, ...]) -> tuple[Following, Mirror, list[PresenceChanged]]:
    """Let Ada be told who is there each time that she comes, and return what she is told."""
    told: list[Update] = []
    following, mirror = Following("ws://h", told.append), Mirror(CODE)
    following[CODE] = mirror
    for present in presents:
        following.take_log(mirror, Log(id=1, match=CODE, rows=ROWS, present=present), ADA.id)
    return following, mirror, [news for news in told if isinstance(news, PresenceChanged)]


def test_whoever_is_missing_when_one_comes_for_the_first_time_is_away():
    _, mirror, told = follow(("ADA",))
    assert "BOB" in mirror.away
    assert [(news.here, news.with_us) for news in told] == [(False, False)]


def test_whoever_was_cut_off_with_us_is_no_news_neither_then_nor_when_coming_back():
    _, mirror, told = follow(("ADA", "BOB"), ("ADA",), ("ADA", "BOB"))
    assert not mirror.away
    assert [(news.here, news.with_us) for news in told] == [(False, True), (True, True)]


def test_whoever_goes_later_is_news_again():
    _, mirror, _ = follow(("ADA", "BOB"), ("ADA",), ("ADA", "BOB"))
    told: list[Update] = []
    following = Following("ws://h", told.append)
    following[CODE] = mirror
    for here in (False, True):
        following.take_presence(Presence(match=CODE, player="BOB", here=here))
    assert [news.with_us for news in told if isinstance(news, PresenceChanged)] == [False, False]
