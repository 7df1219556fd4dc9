from kit.screen.stage import stage
from mastermind_client.screen.pages import listing
from mastermind_client.screen.pages.find import FindScreen
from mastermind_client.screen.pages.match import MatchScreen
from mastermind_client.screen.pages.waiting import WaitingScreen
from mastermind_protocol.events import Seat


async def test_whoever_waits_is_in_the_list_and_can_be_joined(server, ada):
    await ada.session.seek("lab", rounds=2, seat=Seat.MAKER)
    async with stage(opening=lambda app: FindScreen(app, server.address)) as shown:
        await shown.until("Ada")
        shown.press("pagedown", "enter")
        screen = await shown.reaches(MatchScreen)
        assert screen.mirror.state.seat_of(screen.place.me) is Seat.BREAKER


async def test_where_nobody_waits_it_says_what_to_do(server):
    async with stage(opening=lambda app: FindScreen(app, server.address)) as shown:
        await shown.until("Nobody is waiting.")
        shown.press("down", "right", "down", "right", "down", "right", "home", "enter")
        screen = await shown.reaches(WaitingScreen)
        match = screen.mirror.state
        assert (match.rules.name, match.opened.rounds) == ("thirteen", 2)
        assert match.seat_of(screen.place.me) is Seat.BREAKER
        assert match.opened.public


async def test_the_list_is_looked_at_again_by_itself(server, ada, monkeypatch):
    monkeypatch.setattr(listing, "REFRESH_SECONDS", 0.01)
    async with stage(opening=lambda app: FindScreen(app, server.address)) as shown:
        await shown.until("Nobody is waiting.")
        waiting = await ada.session.seek("classic")
        await shown.until("Ada")
        await ada.session.leave(waiting)
        await shown.until("Nobody is waiting.")


async def test_without_a_server_it_says_so_and_looks_again_when_asked_to(server):
    await server.stop()
    async with stage(60, 20, opening=lambda app: FindScreen(app, server.address)) as shown:
        await shown.until("Cannot reach ws://")
        await shown.until("can be changed in the settings")
        await server.start()
        shown.press("r")
        await shown.until("Nobody is waiting.")


async def test_whoever_comes_too_late_may_watch(server, ada, bob):
    mirror = await ada.session.seek("classic", seat=Seat.MAKER)
    async with stage(opening=lambda app: FindScreen(app, server.address)) as shown:
        await shown.until("Ada")
        await bob.session.join(mirror.code)
        shown.press("pagedown", "enter")
        await shown.until("Both seats are taken")
        await shown.until("Watch it")


async def test_programs_are_marked(server, people):
    robot = await people.connect_program("Robbie")
    await robot.session.seek("classic", seat=Seat.MAKER)
    async with stage(opening=lambda app: FindScreen(app, server.address)) as shown:
        await shown.until("Robbie (bot)")
