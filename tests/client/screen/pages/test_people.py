from kit.players import identities
from kit.screen.leaders import ADA
from kit.screen.scenes import SETTINGS, answer_people
from kit.screen.scripted import settle
from kit.screen.stage import stage
from mastermind_client.config.options import HOSTED, OFFLINE
from mastermind_client.config.settings import Settings
from mastermind_client.network.updates import ChallengeReceived
from mastermind_client.screen.pages.matches.waiting import WaitingScreen
from mastermind_client.screen.pages.profile import ProfileScreen
from mastermind_client.screen.screen import MenuPage
from mastermind_protocol.commands import ResignRound
from mastermind_protocol.events import Finished
from mastermind_protocol.match import Phase
from mastermind_protocol.messages import Error
from mastermind_protocol.requests import ListPeople


async def test_a_former_opponent_is_challenged_and_shown_from_the_list(server, people, ada):
    await people.win_here(ada)
    async with stage(settings=Settings(server=server.address)) as shown:
        shown.press("9")
        await shown.until("Ada")
        await shown.until("1 : 0")
        await shown.until("online")
        await shown.app.context.writer.flush()
        assert identities().people_file.read_text() == "Ada\n"
        shown.press("enter")
        await shown.wait_for_screen(ProfileScreen)
        await shown.until("You and Ada: 1 won, 0 drawn, 0 lost, last today")
        shown.press("escape", "c")
        await shown.until("Challenge Ada?")
        shown.press("down", "down", "enter")
        await shown.wait_for_screen(WaitingScreen)
        assert (await ada.wait_for_update(ChallengeReceived)).challenge.by.name == "Bob"


async def test_a_friend_on_the_own_server_is_online_and_can_be_challenged(people):
    async with stage(settings=Settings(name="Bob")) as shown:
        session = (await shown.app.connect(HOSTED)).session
        ada = await people.meet("Ada", session.server)
        theirs = await ada.session.open("classic", maker="me", breaker="open")
        ours = await session.join(theirs.code)
        await ada.set(theirs, "1234")
        await shown.until(lambda: ours.state.phase is Phase.BREAKING)
        await session.perform(ours, ResignRound())
        await ada.wait_for_event(Finished)
        shown.app.go(MenuPage.PEOPLE)
        await shown.until("0 : 1")
        await shown.until("online")
        shown.press("c")
        await shown.until("Challenge Ada?")


async def test_a_player_met_at_home_is_not_challenged():
    async with stage(settings=SETTINGS) as shown:
        settle(shown.app, OFFLINE, ADA, answer_people)
        shown.app.go(MenuPage.PEOPLE)
        await shown.until("Hal")
        shown.press("end", "c")
        await shown.until("You have met at home")


async def test_a_server_without_the_list_is_named_below_the_people_of_this_computer(relay):
    relay.answer(
        ListPeople, lambda request: Error(id=request.id, code="unknown_message", message="?")
    )
    with identities().claim(relay.address) as identity:
        identity.store_token("x" * 43)
    async with stage(settings=Settings(server=relay.address)) as shown:
        shown.app.go(MenuPage.PEOPLE)
        await shown.until("Nobody yet. Invite a friend: 2.")
        await shown.until("is not counted: the server is older")
