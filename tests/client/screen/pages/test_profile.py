import time

from kit.matches import BOB as OPPONENT
from kit.players import identities
from kit.rated import store_rated
from kit.screen.leaders import ADA, BOB, answer_leaders
from kit.screen.scripted import settle
from kit.screen.stage import stage
from mastermind_client.config.options import OFFLINE, ProfileOptions
from mastermind_client.config.settings import Settings
from mastermind_client.screen.pages.profile import ProfileScreen
from mastermind_protocol import requests
from mastermind_protocol.errors import Reason, Refused
from mastermind_protocol.messages import AnyMessage

FAR = "ws://far.example"


async def test_p_on_home_opens_the_own_profile(server, people):
    with identities().claim(server.address) as identity:
        ada = (await people.meet("Ada", identity=identity)).session.player
    now = int(time.time() * 1000)
    await server.store.write(store_rated, "MATCHA", ada, OPPONENT, at=now)
    async with stage(settings=Settings(name="Ada", server=server.address)) as shown:
        shown.press("p")
        await shown.until("1 won, 0 drawn, 0 lost")
        assert " ?" in shown.text()
        assert "You and" not in shown.text()
        shown.press("s")
        await shown.until("All your games")


async def test_p_on_home_needs_no_server_that_a_friend_hosts_and_has_closed():
    settings = Settings(name="Ada", server=FAR)
    with identities().claim(FAR) as identity:
        identity.store_token("T" * 43)
        identity.set_player("", "Bob")
    async with stage(settings=settings) as shown:
        await shown.app.connect(OFFLINE)
        shown.press("p")
        await shown.until("No rated match yet.")


async def test_the_own_profile_is_none_of_a_temporary_player():
    async with stage(settings=Settings(name="Ada", server=FAR)) as shown:
        settle(shown.app, OFFLINE, ADA).kept = False
        shown.app.go(ProfileOptions(OFFLINE))
        await shown.until("Your matches are open in another terminal")


async def test_a_player_without_a_rated_match_is_told_so(server):
    async with stage(settings=Settings(name="Ada", server=server.address)) as shown:
        shown.press("p")
        await shown.until("No rated match yet.")
        shown.press("right", "left", "escape")
        await shown.until("Play a bot")


async def test_n_on_the_own_profile_refuses_challenges_until_it_is_pressed_again(server):
    async with stage(settings=Settings(name="Ada", server=server.address)) as shown:
        shown.press("p")
        await shown.until("No rated match yet.")
        shown.press("n")
        await shown.until(lambda: shown.text().count("You take no challenges.") == 2)
        shown.press("n")
        await shown.until("You take challenges.")


async def test_a_refusal_is_explained():
    def refuse(_request: requests.AnyRequest) -> AnyMessage:
        raise Refused(Reason.UNKNOWN_PLAYER, field="name", name="Eve")

    async with stage() as shown:
        settle(shown.app, FAR, ADA, refuse)
        shown.app.go(ProfileOptions(FAR, "Eve"))
        await shown.until("Eve has played no rated match")


async def test_the_page_has_the_facts_about_a_player():
    async with stage() as shown:
        settle(shown.app, FAR, ADA, answer_leaders)
        shown.app.go(ProfileOptions(FAR, player=BOB.id))
        await shown.until("last 24 rated matches")
        for fact in (
            "131 games since 2026-03-14", "± 83, place 38 of 40", "best 1541, 3 days ago",
            "last 24 matches:", "16 won, 0 drawn, 8 lost", "eight 1388 ± 121 ?",
            "thirteen, mini, lab, bulls: no rated match yet", "5.30 guesses, best 3,",
            "You and Bob: 4 won, 1 drawn, 7 lost, last today", "Eve", "Noor", "r matches",
        ):  # fmt: skip
            assert fact in shown.text(), fact


async def test_left_and_right_choose_the_rating_its_chart_and_its_matches():
    async with stage() as shown:
        settle(shown.app, FAR, ADA, answer_leaders)
        shown.app.go(ProfileOptions(FAR, player=BOB.id))
        await shown.until("last 24 rated matches")
        shown.press("right")
        await shown.until("last 2 rated matches")
        assert "± 121 ?, no place" in shown.text()
        assert "classic 1512 ± 83" in shown.text()
        assert "1407 ┤" in shown.text()
        assert "Noor" not in shown.text()
        shown.press("left")
        await shown.until("last 24 rated matches")


async def test_keys_in_quick_succession_choose_the_last_rules():
    asked: list[str | None] = []

    def answer(request: requests.AnyRequest) -> AnyMessage:
        assert isinstance(request, requests.ShowProfile)
        asked.append(request.rules)
        return answer_leaders(request)

    async with stage() as shown:
        settle(shown.app, FAR, ADA, answer)
        shown.app.go(ProfileOptions(FAR))
        await shown.until("last 24 rated matches")
        shown.press("right", "right", "right")
        await shown.until("last 2 rated matches")
        await shown.until(lambda: len(asked) == 4)  # a thread chooses the server for each
        assert (len(asked), asked[-1]) == (4, "eight")


async def test_r_lists_the_public_matches_of_another_player():
    async with stage() as shown:
        settle(shown.app, FAR, ADA, answer_leaders)
        shown.app.go(ProfileOptions(FAR, player=BOB.id))
        await shown.until("last 24 rated matches")
        shown.press("r")
        await shown.until("Matches of a player")
        await shown.until("won, classic, 2 rounds")


async def test_r_on_the_own_profile_lists_all_matches():
    async with stage() as shown:
        settle(shown.app, FAR, ADA, answer_leaders)
        shown.app.go(ProfileOptions(FAR))
        await shown.until("last 24 rated matches")
        shown.press("r")
        await shown.until("Your finished matches here")


async def test_rules_that_cannot_be_loaded_leave_the_page_as_it_is():
    def answer(request: requests.AnyRequest) -> AnyMessage:
        if isinstance(request, requests.ShowProfile) and request.rules:
            raise Refused(Reason.UNKNOWN_PLAYER, field="name", name="Eve")
        return answer_leaders(request)

    async with stage() as shown:
        settle(shown.app, FAR, ADA, answer)
        shown.app.go(ProfileOptions(FAR))
        await shown.until("last 24 rated matches")
        shown.press("right")
        await shown.until("Eve has played no rated match")
        assert "last 24 rated matches" in shown.text()


async def test_the_profile_is_loaded_again_when_it_is_shown_again():
    asked: list[requests.AnyRequest] = []

    def answer(request: requests.AnyRequest) -> AnyMessage:
        asked.append(request)
        return answer_leaders(request)

    async with stage() as shown:
        settle(shown.app, FAR, ADA, answer)
        shown.app.go(ProfileOptions(FAR))
        await shown.until("last 24 rated matches")
        shown.press("l")
        await shown.until(lambda: len(asked) == 2)
        shown.press("escape")
        await shown.wait_for_screen(ProfileScreen)
        await shown.until(lambda: len(asked) == 3)
