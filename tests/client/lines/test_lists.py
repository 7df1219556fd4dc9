from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from client.people import sit_down
from mastermind_client.config.options import JoinOptions, ReviewOptions
from mastermind_client.lines import app
from mastermind_client.lines.inbox import Inbox
from mastermind_client.lines.lists import pick_archived
from mastermind_client.lines.terminal import InputEnded
from mastermind_protocol.events import Finished, MatchEnd, Seat
from mastermind_protocol.messages import Archived, ArchivedMatch
from mastermind_protocol.requests import Archive

if TYPE_CHECKING:
    from collections.abc import Callable

    from client.desk import Desk
    from client.people import Person, RestartableServer
    from client.relay import Relay
    from mastermind_protocol.requests import AnyRequest

    NewDesk = Callable[..., Desk]

MORE = "Which one? (number, Enter for older ones, q to quit) "
LAST = "Which one? (number, q to quit) "


@pytest.fixture
async def desk(new_desk: NewDesk) -> Desk:
    """Bob's desk."""
    return new_desk()


def pick(desk: Desk, person: Person) -> list[str | None]:
    """Begin to pick; the list that is returned will have what was picked."""
    picked: list[str | None] = []

    async def pick() -> None:
        async with Inbox.open(person.session, desk.terminal) as inbox:
            picked.append(await pick_archived(inbox))

    desk.start(pick())
    return picked


def archived(match: str) -> ArchivedMatch:
    return ArchivedMatch(
        match=match, rules="mini", rounds=1, at=0, seat=Seat.MAKER, opponent="Ada", won=False,
        how=MatchEnd.PLAYED, guesses=5, points=(5, 0),
    )  # fmt: skip


def serve_pages(relay: Relay) -> None:
    """Answer the next two requests with a page of two matches and with the last one."""

    def serve_first(request: AnyRequest) -> Archived:
        relay.answer(Archive, serve_last)
        return Archived(id=request.id, matches=(archived("AAAAAA"), archived("BBBBBB")), more=True)

    def serve_last(request: AnyRequest) -> Archived:
        return Archived(id=request.id, matches=(archived("CCCCCC"),))

    relay.answer(Archive, serve_first)


async def test_older_matches_come_page_by_page_until_one_is_picked(
    bob: Person, desk: Desk, relay: Relay
) -> None:
    serve_pages(relay)
    picked = pick(desk, bob)
    await desk.until(" 1  AAAAAA  ")
    await desk.until("mini: lost to Ada, as codemaker, 5 guesses\n 2  BBBBBB  ")
    await desk.until(MORE)
    desk.type("4")
    await desk.until(f"4\nThere is no match 4 in the list.\n{MORE}")
    desk.type("")
    await desk.until(" 3  CCCCCC  ")
    await desk.until(LAST)
    desk.type("", "\x1b", "2")
    await desk.until(f"\n{LAST}")
    await desk.until(f"There is no match ? in the list.\n{LAST}")
    await desk.finish()
    assert picked == ["BBBBBB"]
    asked = [request.before for request in relay.asked if isinstance(request, Archive)]
    assert asked == [None, "BBBBBB"]


@pytest.mark.parametrize("word", ["q", "QUIT"])
async def test_none_need_be_picked(bob: Person, desk: Desk, relay: Relay, word: str) -> None:
    serve_pages(relay)
    picked = pick(desk, bob)
    desk.type(word)
    await desk.finish()
    assert picked == [None]
    assert desk.shown.endswith(f"{MORE}{word}\n")


async def test_the_end_of_the_input_picks_none(bob: Person, desk: Desk, relay: Relay) -> None:
    serve_pages(relay)
    pick(desk, bob)
    desk.hang_up()
    with pytest.raises(InputEnded):
        await desk.finish()


async def test_it_is_told_that_there_is_none_yet(bob: Person, desk: Desk) -> None:
    picked = pick(desk, bob)
    await desk.finish()
    assert desk.shown == "You have finished no match on this server yet.\n"
    assert picked == [None]


async def test_ones_own_match_is_found_again_and_reviewed(
    new_desk: NewDesk, server: RestartableServer, ada: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    playing, reviewing = new_desk(), new_desk()
    desks = iter((playing, reviewing))
    monkeypatch.setattr(app, "open_terminal", lambda: next(desks).terminal)
    mirror = await ada.session.open("mini", maker="me", breaker="open")
    playing.start(app.join(JoinOptions(mirror.code, server.address, "Bob")))
    await ada.set(mirror, "0123")
    playing.type("rgob", "n")
    await ada.hear_of(Finished)
    await playing.finish()
    reviewing.start(app.review(ReviewOptions(None, server.address, "Bob")))
    await reviewing.until(f" 1  {mirror.code}  ")
    await reviewing.until("mini: won against Ada, as codebreaker, 1 guess\n")
    reviewing.type("1")
    await reviewing.until("Review of round 1, you breaking:\n100 of 100: ")
    await reviewing.finish()


async def test_nothing_is_reviewed_if_none_is_picked(
    desk: Desk, server: RestartableServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app, "open_terminal", lambda: desk.terminal)
    desk.start(app.review(ReviewOptions(None, server.address, "Bob")))
    await desk.finish()
    assert desk.shown == "You have finished no match on this server yet.\n"


async def test_the_archive_is_of_ones_own_matches(ada: Person, bob: Person, desk: Desk) -> None:
    ours, theirs = await sit_down(ada, bob, "mini")
    await ada.set(ours, "0123")
    await bob.guess(theirs, "0123")
    await ada.hear_of(Finished)
    picked = pick(desk, ada)
    await desk.until("mini: lost to Bob, as codemaker, 1 guess\n")
    desk.type("1")
    await desk.finish()
    assert picked == [ours.code]
