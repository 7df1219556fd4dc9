import time
from functools import partial

from kit.players import identities
from kit.rated import store_league
from kit.screen.leaders import ADA, OWN_PLACE, RANKED, answer_leaders, make_leaderboard, make_record
from kit.screen.scripted import settle
from kit.screen.stage import stage
from mastermind_client.config.settings import Settings
from mastermind_client.screen.pages.home import HomeScreen
from mastermind_client.screen.pages.leaderboard import LeaderboardScreen
from mastermind_client.screen.pages.profile import ProfileScreen
from mastermind_client.screen.screen import ListDestination
from mastermind_protocol import requests
from mastermind_protocol.messages import AnyMessage, Leaderboard, RankedPlayer

FAR = "ws://far.example"


def asking(asked: list[requests.ShowLeaderboard], request: requests.AnyRequest) -> AnyMessage:
    """Answer like `answer_leaders`, and record the requests for leaderboards."""
    if isinstance(request, requests.ShowLeaderboard):
        asked.append(request)
    return answer_leaders(request)


async def test_l_on_home_opens_it_and_enter_opens_a_player(server, people):
    names = ["Noor", "Kasia", "Bob", "tor", "Ola"]
    with identities().claim(server.address) as identity:
        clients = [await people.meet(n, identity=identity if n == "Bob" else None) for n in names]
    players = [client.session.player for client in clients]
    await server.store.write(store_league, players, int(time.time() * 1000))
    async with stage(settings=Settings(name="Bob", server=server.address)) as shown:
        shown.press("l")
        await shown.until("Rated matches by classic: 5 players")
        assert [row.cells[1] for row in shown.on(LeaderboardScreen).view.rows] == names
        assert "Bob 1" in shown.text().splitlines()[0]
        shown.press("enter")
        await shown.wait_for_screen(ProfileScreen)
        await shown.until("You and Noor: 0 won, 2 drawn, 6 lost")
        shown.press("l")
        await shown.wait_for_screen(LeaderboardScreen)
        shown.press("escape", "escape", "escape")
        await shown.wait_for_screen(HomeScreen)


async def test_left_and_right_choose_the_rules():
    asked: list[requests.ShowLeaderboard] = []
    async with stage() as shown:
        settle(shown.app, FAR, ADA, partial(asking, asked))
        shown.app.go(ListDestination("leaderboard", FAR))
        await shown.until("Rated matches by classic")
        shown.press("right", "right")
        await shown.until("Rated matches by mini")
        shown.press("left", "left", "left")
        await shown.until("Rated matches by bulls")
        assert shown.on(LeaderboardScreen).view.selected.cells[1] == "Noor"
        assert [request.rules for request in asked[:1] + asked[-1:]] == ["classic", "bulls"]


async def test_the_next_page_follows_and_the_own_row_stays_in_sight():
    asked: list[requests.ShowLeaderboard] = []
    async with stage() as shown:
        settle(shown.app, FAR, ADA, partial(asking, asked))
        shown.app.go(ListDestination("leaderboard", FAR))
        await shown.until("…")
        assert f"{OWN_PLACE}  Ada" in shown.text()
        shown.press("end")
        await shown.until(lambda: len(shown.on(LeaderboardScreen).view.rows) == 2 * len(RANKED))
        shown.press("end")
        await shown.until("player 20")
        assert f"{OWN_PLACE}  Ada" in shown.text()
        assert [request.after for request in asked[:2]] == [0, 10]


async def test_m_finds_the_own_row_and_then_the_first_again():
    async with stage() as shown:
        settle(shown.app, FAR, ADA, answer_leaders)
        shown.app.go(ListDestination("leaderboard", FAR))
        await shown.until("Noor")
        shown.press("m")
        await shown.until(f"►  {OWN_PLACE}  Ada")
        assert "player 33" in shown.text()
        assert "…" not in shown.text()
        shown.press("m")
        await shown.until("Noor")


async def test_m_tells_the_conditions_to_a_player_without_a_place():
    def answer(request: requests.AnyRequest) -> AnyMessage:
        assert isinstance(request, requests.ShowLeaderboard)
        board = make_leaderboard(request)
        return Leaderboard(id=board.id, rules=board.rules, players=board.players, total=10)

    async with stage(60, 20) as shown:
        settle(shown.app, FAR, ADA, answer)
        shown.app.go(ListDestination("leaderboard", FAR))
        await shown.until("Noor")
        assert "ten rated matches" not in shown.text()
        shown.press("m")
        await shown.until("ten rated matches")


async def test_a_leaderboard_without_players_says_so(server):
    async with stage(settings=Settings(server=server.address)) as shown:
        shown.press("l")
        await shown.until("Nobody is on this leaderboard yet.")
        assert "Enter" not in shown.text()
        shown.press("enter", "m")
        await shown.until("A place needs ten rated matches")


def answer_beginner(request: requests.AnyRequest) -> AnyMessage:
    """Answer with a leaderboard without places: Ada has played one match."""
    assert isinstance(request, requests.ShowLeaderboard)
    own = RankedPlayer(player=ADA.id, name=ADA.name, record=make_record(1662, 150, 1, 4.0, 0))
    return Leaderboard(
        id=request.id, rules=request.rules, players=(), total=0, own=own, unplaced=(own,)
    )


async def test_a_player_without_a_place_is_listed_with_the_progress_to_one():
    async with stage() as shown:
        settle(shown.app, FAR, ADA, answer_beginner)
        shown.app.go(ListDestination("leaderboard", FAR))
        await shown.until("Ada 1 of 10 matches, 1662?")
        assert shown.on(LeaderboardScreen).view.rows[0].cells[:2] == ("  -", "Ada")
        shown.press("m")
        assert shown.on(LeaderboardScreen).view.selected.name == ADA.id
