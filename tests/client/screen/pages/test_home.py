import pytest

from kit.players import identities
from kit.screen.golden import read_golden, read_text
from kit.screen.scenes import ADA, SERVER, SETTINGS, answer, answer_nothing
from kit.screen.scripted import settle
from kit.screen.slate import Slate
from kit.screen.stage import stage
from mastermind_client.config.options import OFFLINE, JoinOptions
from mastermind_client.config.settings import Settings
from mastermind_client.language import LANGUAGES, use_language
from mastermind_client.network.running import OwnSeat, UnfinishedMatch, WhoseTurn
from mastermind_client.network.session import Session
from mastermind_client.screen.app import App
from mastermind_client.screen.pages.entering import EnteringScreen
from mastermind_client.screen.pages.home import HomeScreen
from mastermind_client.screen.pages.today.page import TodayScreen
from mastermind_client.screen.screen import Destination, Screen
from mastermind_client.screen.servers.running import RunningMatches
from mastermind_client.screen.window import SMALLEST_WINDOW
from mastermind_protocol.messages import AnyMessage
from mastermind_protocol.requests import GUEST, AnyRequest, Archive

NOWHERE = Settings(server="ws://127.0.0.1:1")


def reply(request: AnyRequest) -> AnyMessage:
    return answer_nothing(request) if isinstance(request, Archive) else answer(request)


@pytest.mark.parametrize("language", LANGUAGES)
async def test_the_smallest_window_crops_no_explanation(language):
    use_language(language)
    async with stage(*SMALLEST_WINDOW) as shown:
        await shown.until("F10")
        assert "…" not in shown.text()


@pytest.mark.parametrize("by_number", [True, False])
@pytest.mark.parametrize(
    ("number", "keys", "scene"),
    [
        (1, ["down"], "play"),
        (2, [], "invite"),
        (4, ["pagedown"], "find"),
        (5, ["pagedown"], "watch"),
        (6, ["right"], "archive-empty"),
        (7, [], "how-to-play"),
        (8, ["down", "down", "down"], "settings"),
    ],
)
async def test_numbers_and_arrows_open_every_screen(number, keys, scene, by_number):
    async with stage(settings=SETTINGS) as shown:
        for address in (SERVER, OFFLINE):
            settle(shown.app, address, ADA, reply)
        if by_number:
            shown.type(chr(ord("０") + number))  # full-width, as of an input method
        else:
            shown.press(*["down"] * (number - 1), "enter")
        await shown.until(
            lambda: not isinstance(shown.app.screen, HomeScreen) and not shown.app.busy
        )
        shown.press(*keys)
        await shown.until(lambda: read_text(shown.screen) == read_golden(scene))
        shown.press("escape")
        home = await shown.wait_for_screen(HomeScreen)
        assert home.view.selected.key == str(number)  # the one that was opened


async def test_a_new_player_finds_how_to_play_first():
    async with stage(settings=NOWHERE, introduction="all") as shown:
        await shown.until("► How to play")
        assert "1 Play a bot" in shown.text()  # the numbers are those of later days
        shown.press("7")
        await shown.until("One player hides a row of pegs")


@pytest.mark.parametrize(
    ("server", "words"),
    [
        (Settings().server, "One for all; it needs a server."),
        (NOWHERE.server, "One code for everybody, one try."),
    ],
)
async def test_a_player_who_has_chosen_a_server_reads_of_no_need_for_one(server, words):
    async with stage(*SMALLEST_WINDOW, settings=Settings(server=server)) as shown:
        await shown.until(words)


async def test_a_player_without_a_name_in_the_settings_keeps_the_last_one(server):
    with identities().claim(server.address) as identity:
        async with Session.connect(server.address, identity, "Bob"):
            pass
    async with stage(settings=Settings(server=server.address)) as shown:
        await shown.until("Bob")
        assert (await shown.app.connect(server.address)).session.player.name == "Bob"
    async with stage(settings=Settings(name=GUEST, server=server.address)) as shown:
        await shown.until("a guest")
        player = (await shown.app.connect(server.address)).session.player
        assert player.name == f"{GUEST}-{player.id[:4]}"


@pytest.mark.parametrize("key", ["s", "S", "ы", "Σ", "ｓ"])
async def test_s_opens_the_statistics_in_any_layout(key):
    async with stage(settings=NOWHERE) as shown:
        shown.type(key)
        await shown.until("All your games")


async def test_esc_asks_before_it_ends_the_program():
    async with stage() as shown:
        for answer in (["enter"], ["down", "enter"]):
            shown.press("escape")
            await shown.until("End the program?")
            shown.press(*answer)
            await shown.until(lambda: "End the program?" not in shown.text())
        await shown.ended()


def list_seats(*opponents: tuple[str, str], turn: WhoseTurn = WhoseTurn.THEIRS) -> list[OwnSeat]:
    """Return seats in matches with these opponents and codes."""
    return [
        OwnSeat(
            "", "Ada", UnfinishedMatch(code=code, rules="classic", opponent=opponent, turn=turn)
        )
        for opponent, code in opponents
    ]


@pytest.fixture
def resumed(monkeypatch):
    """Return the list of the codes of resumed matches, which are not opened."""
    codes: list[str | None] = []
    go = App.go

    def note(app: App, destination: Destination, **more: Screen) -> None:
        if isinstance(destination, JoinOptions):
            codes.append(destination.code)
        else:
            go(app, destination, **more)

    monkeypatch.setattr(App, "go", note)
    return codes


async def test_running_matches_come_first_and_more_than_three_have_a_page(monkeypatch, resumed):
    seats = list_seats(("Ana", "X922X4"), turn=WhoseTurn.MINE) + list_seats(
        ("Bob", "K7M2QX"), ("Eve", "W4T9BN"), ("Max", "H3KX7P"), ("Tom", "R9W2TD")
    )
    monkeypatch.setattr(RunningMatches, "seats", property(lambda _running: seats))
    async with stage() as shown:
        await shown.until("and 2 more")
        rows = [row.strip() for row in shown.text().split("\n")]
        begin = rows.index("► Ana · X922X4         your turn · classic")
        assert rows[begin : begin + 2] == [
            "► Ana · X922X4         your turn · classic",
            "Bob · K7M2QX         their turn · classic",
        ]
        assert "R9W2TD" not in shown.text()
        shown.press("down", "down", "down", "enter")
        await shown.until("R9W2TD")
        shown.press("home", "enter")
        await shown.until(lambda: resumed == ["X922X4"])
        shown.press("1", "escape", "c")
        await shown.until(lambda: resumed == ["X922X4"] * 2)


async def test_enter_opens_no_other_match_when_the_selected_one_has_ended(monkeypatch, resumed):
    seats = list_seats(("Bob", "X922X4"), ("Bob", "K7M2QX"))
    monkeypatch.setattr(RunningMatches, "seats", property(lambda _running: seats))
    async with stage() as shown:
        shown.press("home")
        await shown.until("► Bob · X922X4")
        del seats[0]
        shown.app.redraw()
        await shown.until(lambda: "X922X4" not in shown.text())
        shown.press("enter")
        await shown.until("The selected row is no longer in the list.")
        assert resumed == []
        shown.press("enter")
        await shown.until(lambda: resumed == ["K7M2QX"])
        shown.app.open(Slate(shown.app))
        seats.clear()
        shown.app.back()
        shown.press("enter")
        await shown.wait_for_screen(TodayScreen)


async def test_a_code_is_checked_and_a_pasted_command_gives_code_and_server():
    async with stage(settings=NOWHERE) as shown:
        shown.press("3")
        await shown.until("Code, link or whole line:")
        shown.type("abc")
        shown.press("enter")
        await shown.until("'abc' is no match code: 6 of ")
        shown.press("c-u")
        shown.type("\x1b[200~mastermind join '127.0.0.1:2/k7m2qx#Ada'\x1b[201~")
        shown.press("enter")
        screen = await shown.wait_for_screen(EnteringScreen)
        await shown.until("On the server of that line: ws://127.0.0.1:2")
        assert screen.options == JoinOptions(
            "K7M2QX", "ws://127.0.0.1:2", names_server=True, host="Ada"
        )
        await shown.until("Ada has closed the game at ws://127.0.0.1:2: it is kept")


async def test_pasted_text_presses_no_keys():
    async with stage() as shown:
        shown.type("\x1b[200~8q\x1b[201~")
        shown.press("down")
        await shown.until("\u25ba Invite a friend")
        assert isinstance(shown.app.screen, HomeScreen)
