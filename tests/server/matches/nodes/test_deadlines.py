"""Abandoned matches end once, when they are due, and both players receive it."""

from __future__ import annotations

from kit.matches import events_of, state_of
from kit.server import GameServer
from mastermind_protocol.events import Finished, Left, MatchEnd
from mastermind_protocol.match import Phase
from mastermind_protocol.messages import Happened
from mastermind_server.storage.records import ABANDONED_DAYS
from mastermind_server.storage.rows import LogRow
from mastermind_server.storage.statements.matches import list_due

DAY_MILLISECONDS = 24 * 3600  # seconds


async def wait(hall: GameServer, days: float) -> None:
    """Skip some days without a request, and poll."""
    hall.clock.skip(days * DAY_MILLISECONDS)
    await hall.server.deadlines.end_due_matches()


async def test_an_abandoned_match_is_lost_by_the_player_to_move(hall, ada, bob, match):
    await ada.close()
    await bob.close()
    await wait(hall, ABANDONED_DAYS)
    for wire in (ada, bob):
        back = await hall.connect_again(wire)
        assert events_of(await back.follow(match))[-2:] == [
            Left(player=ada.id, absent=True),
            Finished(how=MatchEnd.LEFT, winner=bob.id),
        ]
        assert (await back.list_own()).matches == ()


async def test_a_guess_postpones_the_end_and_followers_get_it_at_once(hall, ada, bob, match):
    await ada.set(match, "2345")
    hall.clock.skip((ABANDONED_DAYS - 1) * DAY_MILLISECONDS)
    await bob.guess(match, "2222")
    await bob.close()
    await wait(hall, 2)
    assert await hall.store.read(list_due, hall.clock.unix_milliseconds(), limit=9) == []
    assert state_of(await ada.follow(match)).phase is Phase.BREAKING
    await wait(hall, ABANDONED_DAYS - 2)
    told = await ada.until(Happened, lambda told: isinstance(told.events[0], Left))
    assert told.events[0] == Left(player=bob.id, absent=True)
    assert told.events[-1] == Finished(how=MatchEnd.LEFT, winner=ada.id)


async def test_a_match_does_not_end_while_its_player_follows_it(hall, ada, bob, match):
    await bob.close()
    await wait(hall, ABANDONED_DAYS)
    assert state_of(await ada.follow(match)).phase is Phase.SETTING
    await ada.close()
    eve = await hall.meet("Eve")
    await eve.follow(match)
    await wait(hall, ABANDONED_DAYS)
    assert isinstance((await eve.until(Happened)).events[-1], Finished)


async def test_an_abandoned_private_lobby_is_closed(hall, ada):
    match = (await ada.open()).match
    await ada.close()
    await wait(hall, ABANDONED_DAYS)
    back = await hall.connect_again(ada)
    assert events_of(await back.follow(match))[-2:] == [
        Left(player=ada.id, absent=True),
        Finished(how=MatchEnd.CLOSED),
    ]


async def test_a_damaged_match_is_due_only_once(hall, match, caplog):
    await hall.store.append(LogRow(match, 3, 0, b"\xc1"))
    await hall.restart()
    await wait(hall, ABANDONED_DAYS + 1)
    assert "cannot be ended: storage_failed" in caplog.text
    assert await hall.store.read(list_due, hall.clock.unix_milliseconds(), limit=9) == []
