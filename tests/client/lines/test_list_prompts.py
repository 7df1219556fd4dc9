from dataclasses import replace
from datetime import timedelta, timezone

from kit.people import SessionClient
from kit.proxy import RelayProxy
from kit.terminal_user import TerminalUser
from mastermind_client.lines.inbox import Inbox
from mastermind_client.lines.list_prompts import pick_entry
from mastermind_client.lists import LISTS
from mastermind_protocol.events import MatchEnd, Seat
from mastermind_protocol.messages import Archived, ArchivedMatch
from mastermind_protocol.requests import AnyRequest, Archive

MORE = "Which one? (number, Enter for older ones, q to quit) "
LAST = "Which one? (number, q to quit) "


def pick(desk: TerminalUser, person: SessionClient) -> list[str | None]:
    """Start picking; return the list that receives the picked code."""
    picked: list[str | None] = []

    async def pick() -> None:
        with Inbox.open(person.session, desk.terminal) as inbox:
            picked.append(await pick_entry(inbox, LISTS["archive"]))

    desk.start(pick())
    return picked


def archived(match: str) -> ArchivedMatch:
    return ArchivedMatch(
        match=match, rules="mini", rounds=1, at=0, seat=Seat.MAKER, opponent="Ada", won=False,
        how=MatchEnd.PLAYED, guesses=5, points=(5, 0),
    )  # fmt: skip


def serve_pages(relay: RelayProxy) -> None:
    """Answer the next two requests: a page of two matches, then the last page."""

    def serve_first(request: AnyRequest) -> Archived:
        relay.answer(Archive, serve_last)
        return Archived(id=request.id, matches=(archived("AAAAAA"), archived("BBBBBB")), more=True)

    def serve_last(request: AnyRequest) -> Archived:
        return Archived(id=request.id, matches=(archived("CCCCCC"),))

    relay.answer(Archive, serve_first)


async def test_older_matches_come_page_by_page_until_one_is_picked(bob, desk, relay):
    serve_pages(relay)
    desk.terminal.context = replace(desk.terminal.context, zone=timezone(timedelta(hours=14)))
    picked = pick(desk, bob)
    await desk.until(" 1  AAAAAA  1970-01-01 14:00  ")
    await desk.until("mini: lost to Ada, as codemaker, 5 guesses\n 2  BBBBBB  ")
    await desk.until(MORE)
    desk.type("4")
    await desk.until(f"4\nThere is no match 4 in the list.\n{MORE}")
    desk.type("")
    await desk.until(" 3  CCCCCC  ")
    await desk.until(LAST)
    desk.type("", "\x1b", "２")
    await desk.until(f"\n{LAST}")
    await desk.until(f"There is no match ? in the list.\n{LAST}")
    await desk.finish()
    assert picked == ["BBBBBB"]
    asked = [request.before for request in relay.asked if isinstance(request, Archive)]
    assert asked == [None, "BBBBBB"]


async def test_a_match_that_is_in_no_list_is_picked_by_its_code(bob, desk, relay):
    serve_pages(relay)
    picked = pick(desk, bob)
    await desk.until(MORE)
    desk.type("k7m 2qp")
    await desk.finish()
    assert picked == ["K7M2QP"]
