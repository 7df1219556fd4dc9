from kit.screen.stage import stage
from mastermind_client.screen.pages.lists import FindScreen
from mastermind_client.screen.pages.match import MatchScreen
from mastermind_client.screen.pages.waiting import WaitingScreen
from mastermind_protocol.events import Seat


async def test_a_waiting_program_is_marked_and_can_be_joined(server, people):
    robot = await people.connect_program("Robbie")
    await robot.session.seek("lab", rounds=2, seat=Seat.MAKER)
    async with stage(opening=lambda app: FindScreen(app, server.address)) as shown:
        await shown.until("Robbie (bot)")
        shown.press("pagedown", "enter")
        screen = await shown.wait_for_screen(MatchScreen)
        assert screen.mirror.state.seat_of(screen.server.me) is Seat.BREAKER


async def test_without_waiting_players_enter_offers_a_public_match(server):
    async with stage(opening=lambda app: FindScreen(app, server.address)) as shown:
        await shown.until("Nobody is waiting.")
        shown.press("down", "right", "down", "right", "down", "right", "home", "enter")
        screen = await shown.wait_for_screen(WaitingScreen)
        match = screen.mirror.state
        assert (match.rules.name, match.opened.rounds) == ("thirteen", 2)
        assert match.seat_of(screen.server.me) is Seat.BREAKER
        assert match.opened.public
