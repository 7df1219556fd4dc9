import asyncio
import dataclasses
from collections.abc import Sequence
from datetime import timedelta, timezone

from msgspec.structs import replace

from kit.screen.scenes import ADA, ARCHIVED
from kit.screen.scripted import settle
from kit.screen.stage import Stage, stage
from mastermind_client.config.options import OFFLINE
from mastermind_client.config.settings import Settings
from mastermind_client.screen.pages.list_page import ArchiveScreen
from mastermind_client.screen.pages.matches.watching import ReplayScreen
from mastermind_client.screen.servers.server import Server
from mastermind_client.screen.toolkit.list_view import ListView
from mastermind_protocol.commands import ResignRound
from mastermind_protocol.events import MatchEnd, Seat
from mastermind_protocol.match import Phase
from mastermind_protocol.messages import MAX_ARCHIVED_MATCHES, Archived, ArchivedMatch
from mastermind_protocol.requests import AnyRequest, Archive

FAR = "ws://far.example"
EAST = timezone(timedelta(hours=14))
PLAYED = ArchivedMatch(
    match="ABCDEF", rules="classic", rounds=2, at=1_795_269_900_000, seat=Seat.MAKER,
    opponent="Grace", won=True, how=MatchEnd.PLAYED, guesses=11, points=(7, 4),
)  # fmt: skip


def list_page(
    request: AnyRequest, matches: Sequence[ArchivedMatch], *, more: bool = False
) -> Archived:
    assert isinstance(request, Archive)
    return Archived(id=request.id, matches=tuple(matches), more=more)


def view_of(shown: Stage) -> ListView:
    return shown.on(ArchiveScreen).view


def codes_of(shown: Stage) -> list[str]:
    return [row.name for row in view_of(shown).rows]


async def test_an_offline_game_is_listed_and_reviewed_from_the_list_or_by_its_code():
    async with stage() as shown:
        place = await shown.app.connect(OFFLINE)
        mirror = await place.session.open("mini", maker="easy", breaker="me")
        await shown.until(lambda: mirror.state.phase is Phase.BREAKING)
        await place.session.perform(mirror, ResignRound())
        shown.app.open(ArchiveScreen(shown.app, OFFLINE))
        await shown.until("easy (bot)")
        assert "mini" in shown.text()
        shown.press("pagedown", "enter")
        await shown.wait_for_screen(ReplayScreen)
        shown.press("escape")
        await shown.until("Your finished matches here")
        shown.press("home", "up", "home", "down", "enter")
        shown.type(mirror.code)
        shown.press("enter")
        await shown.wait_for_screen(ReplayScreen)


async def test_reaching_the_end_loads_earlier_matches():
    played = [f"{number:06}" for number in range(2 * MAX_ARCHIVED_MATCHES + 1)]
    asked: list[str | None] = []

    def answer(request: AnyRequest) -> Archived:
        assert isinstance(request, Archive)
        asked.append(request.before)
        begin = played.index(request.before) + 1 if request.before else 0
        page = [
            replace(PLAYED, match=code) for code in played[begin : begin + MAX_ARCHIVED_MATCHES]
        ]
        return list_page(request, page, more=begin + MAX_ARCHIVED_MATCHES < len(played))

    async with stage(settings=Settings(server=FAR)) as shown:
        settle(shown.app, FAR, ADA, answer)
        shown.app.open(ArchiveScreen(shown.app, FAR))
        await shown.until(lambda: len(codes_of(shown)) == MAX_ARCHIVED_MATCHES)
        shown.press("pagedown", "end")
        await shown.until(lambda: len(codes_of(shown)) == 2 * MAX_ARCHIVED_MATCHES)
        shown.press("end")
        await shown.until(lambda: codes_of(shown) == played)
        shown.press("home", "end", "down", "home")
        await shown.until(lambda: view_of(shown).selected.name == played[0] and not shown.app.busy)
        assert codes_of(shown) == played
        assert asked == [
            None,
            played[MAX_ARCHIVED_MATCHES - 1],
            played[2 * MAX_ARCHIVED_MATCHES - 1],
        ]


async def test_a_late_answer_is_not_added_to_the_list_of_another_server():
    reached = asyncio.Event()
    async with stage(settings=Settings(server=FAR)) as shown:
        far = settle(shown.app, FAR, ADA, lambda request: list_page(request, ARCHIVED, more=True))
        settle(shown.app, OFFLINE, ADA, lambda request: list_page(request, ARCHIVED[:1], more=True))
        screen = ArchiveScreen(shown.app, FAR)
        shown.app.open(screen)
        await shown.until(lambda: screen.loaded)

        async def connect_anew() -> Server:
            await reached.wait()
            return far

        shown.app.servers._servers[FAR, None] = asyncio.create_task(connect_anew())
        view_of(shown).select_last()
        await shown.until("Loading earlier matches ...")
        screen.go_to(OFFLINE)
        await shown.until(lambda: codes_of(shown) == [ARCHIVED[0].match])
        view_of(shown).select_last()  # another page of this place does not wait for the other's
        await shown.until(lambda: codes_of(shown) == [ARCHIVED[0].match] * 2)
        reached.set()
        await shown.until(lambda: not shown.app.busy)
        assert codes_of(shown) == [ARCHIVED[0].match] * 2


async def test_each_server_has_its_own_list(server):
    async with stage(settings=Settings(server=server.address)) as shown:
        place = await shown.app.connect(server.address)
        mirror = await place.session.open("classic", maker="easy", breaker="me")
        await place.session.leave(mirror)
        shown.app.open(ArchiveScreen(shown.app, OFFLINE))
        await shown.until("No game has been played offline.")
        shown.press("right")
        await shown.until(lambda: codes_of(shown) == [mirror.code])
        shown.press("right")
        await shown.until("No game has been played offline.")


async def test_dates_are_in_the_time_zone_of_the_player():
    async with stage(settings=Settings(server=FAR)) as shown:
        shown.app.context = dataclasses.replace(shown.app.context, zone=EAST)
        settle(shown.app, FAR, ADA, lambda request: list_page(request, [PLAYED]))
        shown.app.open(ArchiveScreen(shown.app, FAR))
        await shown.until("2026-11-22")
