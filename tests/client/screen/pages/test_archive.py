import asyncio
import time
from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from kit.screen.scenes import ADA, ARCHIVED
from kit.screen.stage import Stage, stage
from kit.screen.told import settle
from mastermind_client.config.options import OFFLINE
from mastermind_client.config.settings import Settings
from mastermind_client.screen.pages.archive import ArchiveScreen, write_archived
from mastermind_client.screen.pages.replay import ReplayScreen
from mastermind_client.screen.places.places import Place
from mastermind_protocol.events import MatchEnd, Seat
from mastermind_protocol.match import Phase
from mastermind_protocol.messages import MAX_ARCHIVED, Archived, ArchivedMatch
from mastermind_protocol.requests import AnyRequest, Archive

FAR = "ws://far.example"
PLAYED = ArchivedMatch(
    match="ABCDEF", rules="classic", rounds=2, at=1_795_269_900_000, seat=Seat.MAKER,
    opponent="Grace", won=True, how=MatchEnd.PLAYED, guesses=11, points=(7, 4),
)  # fmt: skip


@pytest.fixture
def far_east(monkeypatch):
    """Nine hours before Greenwich."""
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "JST-9")
        time.tzset()
        yield
    time.tzset()


async def play(shown: Stage, address: str, number: int = 1) -> list[str]:
    """Leave `number` games against a bot; return their codes, the newest first."""
    place = await shown.app.connect(address)
    codes = []
    for _game in range(number):
        mirror = await place.session.open("classic", maker="easy", breaker="me")
        await place.session.leave(mirror)
        codes.append(mirror.code)
    return codes[::-1]


def list_page(
    request: AnyRequest, matches: Sequence[ArchivedMatch], *, more: bool = False
) -> Archived:
    assert isinstance(request, Archive)
    return Archived(id=request.id, matches=tuple(matches), more=more)


def codes_of(shown: Stage) -> list[str]:
    screen = shown.on(ArchiveScreen)
    assert screen.table is not None
    return [row.key for row in screen.table.rows]


def selected_in(shown: Stage) -> str:
    screen = shown.on(ArchiveScreen)
    assert screen.table is not None
    assert screen.table.selected is not None
    return screen.table.selected.key


async def test_a_game_that_was_played_offline_is_there_and_can_be_gone_through():
    async with stage() as shown:
        place = await shown.app.connect(OFFLINE)
        mirror = await place.session.open("mini", maker="easy", breaker="me")
        await shown.until(lambda: mirror.state.phase is Phase.BREAKING)
        await place.session.resign(mirror)
        shown.app.open(ArchiveScreen(shown.app, OFFLINE))
        await shown.until("easy (bot)")
        assert "mini" in shown.text()
        shown.press("pagedown", "enter")
        await shown.reaches(ReplayScreen)
        shown.press("escape")
        await shown.until("Your matches that are over")


async def test_earlier_matches_come_when_the_end_is_reached():
    played = [f"{number:06}" for number in range(2 * MAX_ARCHIVED + 1)]
    asked: list[str | None] = []

    def answer(request: AnyRequest) -> Archived:
        assert isinstance(request, Archive)
        asked.append(request.before)
        begin = played.index(request.before) + 1 if request.before else 0
        page = [replace(PLAYED, match=code) for code in played[begin : begin + MAX_ARCHIVED]]
        return list_page(request, page, more=begin + MAX_ARCHIVED < len(played))

    async with stage(settings=Settings(server=FAR)) as shown:
        settle(shown.app, FAR, ADA, answer)
        shown.app.open(ArchiveScreen(shown.app, FAR))
        await shown.until(lambda: len(codes_of(shown)) == MAX_ARCHIVED)
        shown.press("pagedown", "end")
        await shown.until(lambda: len(codes_of(shown)) == 2 * MAX_ARCHIVED)
        shown.press("end")
        await shown.until(lambda: codes_of(shown) == played)
        shown.press("home", "end", "down", "home")
        await shown.until(lambda: selected_in(shown) == played[0] and not shown.app.busy)
        assert codes_of(shown) == played
        assert asked == [None, played[MAX_ARCHIVED - 1], played[2 * MAX_ARCHIVED - 1]]


async def test_whoever_goes_to_another_place_while_a_page_is_turned_ends_nothing():
    """The page is asked for, and the place is left, before anything else is done."""
    async with stage(settings=Settings(server=FAR)) as shown:
        settle(shown.app, FAR, ADA, lambda request: list_page(request, ARCHIVED, more=True))
        settle(shown.app, OFFLINE, ADA, lambda request: list_page(request, ()))
        screen = ArchiveScreen(shown.app, FAR)
        shown.app.open(screen)
        await shown.until(lambda: screen.loaded)
        assert screen.table is not None
        screen.table.last()
        screen.go_to(OFFLINE)
        await shown.until("No game has been played offline.")
        await shown.until(lambda: not shown.app.busy)
        assert codes_of(shown) == []


async def test_a_page_that_comes_late_is_not_added_to_another_places_list():
    reached = asyncio.Event()
    async with stage(settings=Settings(server=FAR)) as shown:
        far = settle(shown.app, FAR, ADA, lambda request: list_page(request, ARCHIVED, more=True))
        settle(shown.app, OFFLINE, ADA, lambda request: list_page(request, ARCHIVED[:1], more=True))
        screen = ArchiveScreen(shown.app, FAR)
        shown.app.open(screen)
        await shown.until(lambda: screen.loaded)

        async def connect_anew() -> Place:
            await reached.wait()
            return far

        shown.app.places._places[FAR, None] = asyncio.create_task(connect_anew())
        assert screen.table is not None
        screen.table.last()
        await shown.until("Looking for earlier matches ...")
        screen.go_to(OFFLINE)
        await shown.until(lambda: codes_of(shown) == [ARCHIVED[0].match])
        screen.table.last()  # another page of this place does not wait for the other's
        await shown.until(lambda: codes_of(shown) == [ARCHIVED[0].match] * 2)
        reached.set()
        await shown.until(lambda: not shown.app.busy)
        assert codes_of(shown) == [ARCHIVED[0].match] * 2


async def test_each_place_has_its_own_matches(server):
    async with stage(settings=Settings(server=server.address)) as shown:
        (code,) = await play(shown, server.address)
        shown.app.open(ArchiveScreen(shown.app, OFFLINE))
        await shown.until("No game has been played offline.")
        shown.press("right")
        await shown.until(lambda: codes_of(shown) == [code])
        shown.press("right")
        await shown.until("No game has been played offline.")


async def test_any_match_can_be_gone_through_by_its_code(server, ada):
    mirror = await ada.session.open("classic", maker="easy", breaker="me")
    await ada.guess(mirror, "1122")
    await ada.session.resign(mirror)
    async with stage(opening=lambda app: ArchiveScreen(app, server.address)) as shown:
        await shown.until("No match of yours is over there.")
        shown.press("down", "enter")
        shown.type(mirror.code)
        shown.press("enter")
        await shown.reaches(ReplayScreen)


@pytest.mark.usefixtures("far_east")
def test_a_match_says_when_it_was_by_ones_own_clock_and_how_it_went():
    cells = ("Grace", "won, classic, 2 rounds, 7:4", "2026-11-21")
    assert write_archived(PLAYED).cells == cells


@pytest.mark.parametrize(
    ("won", "how", "words"),
    [
        (True, MatchEnd.PLAYED, "won"),
        (False, MatchEnd.PLAYED, "lost"),
        (None, MatchEnd.PLAYED, "draw"),
        (True, MatchEnd.LEFT, "won: they left"),
        (False, MatchEnd.LEFT, "lost: you left"),
    ],
)
def test_it_says_who_won_and_who_left(won, how, words):
    match = ArchivedMatch(
        match="ABCDEF", rules="classic", rounds=1, at=0, seat=Seat.MAKER,
        won=won, how=how, guesses=0, points=(0, 0),
    )  # fmt: skip
    assert write_archived(match).cells[1] == f"{words}, classic, 0 guesses"
