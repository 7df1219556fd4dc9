from dataclasses import replace

import pytest

from client.screen.looks import LOOK, assert_fits, show
from kit.matches import ADA, BOB
from mastermind_client.screen.invitation import WaitingMatch, draw_waiting
from mastermind_client.screen.theme import Look
from mastermind_client.screen.theme.look import UNICODE
from mastermind_client.screen.toolkit.lines import Extent
from mastermind_protocol.events import Joined, Opened, Seat
from mastermind_protocol.match import Match
from mastermind_protocol.rules import PRESETS
from mastermind_protocol.transitions import fold

SMALLEST, USUAL = Extent(56, 18), Extent(60, 22)
LARGE = Extent(60, 98)
COLOURED = replace(LOOK, glyphs=UNICODE)
LETTERS = "##   ##  #######  ##   ##  ######    #####   ##   ##"
FAR = "wss://play.example.org:8765"


def gathering(opened: Opened | None = None, seat: Seat = Seat.BREAKER) -> Match:
    """Return a match with Bob as its only player."""
    return fold([opened or Opened(rules="classic", rounds=1), Joined(player=BOB, seat=seat)])


WAITING = WaitingMatch(match_code="K7M2QX", match=gathering(), me=BOB.id, server_address=FAR)
EVERYTHING = WaitingMatch(
    match_code="K7M2QX",
    match=gathering(Opened(rules="classic", rounds=2, rated=True, public=True)),
    me=BOB.id,
    server_address="ws://localhost:8765",
)


def draw(waiting: WaitingMatch, extent: Extent = USUAL) -> list[str]:
    return [line.strip() for line in show(draw_waiting(waiting, extent, LOOK))]


def test_an_address_with_shell_characters_is_quoted():
    waiting = replace(WAITING, server_address="ws://host/?a=1&b=2")
    assert waiting.command == "mastermind join 'ws://host/?a=1&b=2/K7M2QX'"


@pytest.mark.parametrize(
    ("server", "local"),
    [
        ("ws://localhost:8765", True),
        ("ws://LOCALHOST", True),
        ("ws://play.localhost:1", True),
        ("ws://127.0.0.1:8765", True),
        ("ws://127.8.8.8", True),
        ("wss://[::1]:8765", True),
        ("ws://192.168.0.7:8765", False),
        ("wss://localhost.example", False),
    ],
)
def test_a_local_address_gets_a_warning(server, local):
    warning = "This address is good on this machine only."
    assert (warning in draw(replace(WAITING, server_address=server))) == local


@pytest.mark.parametrize(
    ("opened", "seat", "told"),
    [
        (Opened(rules="classic", rounds=1), Seat.MAKER, "You hide a code for your friend."),
        (Opened(rules="classic", rounds=1), Seat.BREAKER, "You break your friend's code."),
        (Opened(rules="classic", rounds=2), Seat.BREAKER, "code. Then the seats change."),
        (Opened(rules="mini", rounds=1), Seat.MAKER, "4 pegs, 6 colours, 6 guesses."),
        (Opened(rules="mini", rounds=3, rated=True), Seat.MAKER, "Rated: no advice, no bots."),
        (Opened(rules="mini", rounds=3, public=True), Seat.MAKER, "in the list of open matches."),
        (Opened(rules="mini", rounds=1), Seat.MAKER, "Waiting for a friend"),
        (Opened(rules="mini", rounds=1, public=True), Seat.MAKER, "Waiting for an opponent"),
    ],
)
def test_the_page_describes_the_match(opened, seat, told):
    assert told in " ".join(draw(replace(WAITING, match=gathering(opened, seat))))


def test_a_rematch_shows_no_code():
    opened = Opened(rules="classic", rounds=1, previous="ABCDEF", reserved=ADA.id)
    lines = draw(replace(WAITING, match=gathering(opened), opponent="Ada"))
    assert any(line.endswith("Waiting for Ada ~") for line in lines)
    assert not any("K7M2QX" in line for line in lines)
    lines = draw(replace(WAITING, match=gathering(opened)))
    assert any(line.endswith("Waiting for the answer ~") for line in lines)


def test_the_tiles_fill_while_waiting_and_open_for_the_player_who_joins():
    def row(**changes: object) -> str:
        lines = draw(replace(WAITING, since_time="14:03", **changes))  # type: ignore[arg-type]
        return next(line for line in lines if "Waiting since" in line or "is here" in line)

    assert row() == ".     .     .     .     Waiting since 14:03 ~"
    assert row(filled_tiles=2) == "R     G     .     .     Waiting since 14:03 ~"
    assert row(joined_name="Ada") == "R     G     B     Y      Ada is here"


@pytest.mark.parametrize("extent", [SMALLEST, USUAL, LARGE])
@pytest.mark.parametrize(
    "server", [FAR, "ws://localhost:8765", "wss://" + "long." * 24 + "example"]
)
def test_code_and_command_are_visible_in_every_size(extent, server):
    waiting = replace(EVERYTHING, server_address=server)
    lines = draw_waiting(waiting, extent, LOOK)
    assert_fits(lines, extent)
    shown = [line.strip() for line in show(lines)]
    assert any(LETTERS in line or "K 7 M 2 Q X" in line for line in shown)
    assert waiting.command.replace(" ", "") in "".join(shown).replace(" ", "")


def draw_linked(extent: Extent, page: str, look: Look = COLOURED, **changes: object) -> list[str]:
    """Return the screen of a match with a page, without the indentation of the picture."""
    waiting = replace(EVERYTHING, page_url=page, server_address=FAR, **changes)  # type: ignore[arg-type]
    lines = draw_waiting(waiting, extent, look)
    assert_fits(lines, extent)
    return show(lines)


@pytest.mark.parametrize(
    ("extent", "page", "look", "pictured"),
    [
        (Extent(78, 22), "https://play.example.org/", COLOURED, True),
        (Extent(78, 22), "https://play.example.org/", LOOK, False),
        (Extent(77, 22), "https://play.example.org/", COLOURED, False),
        (Extent(78, 16), "https://play.example.org/", COLOURED, False),
        (Extent(78, 22), f"https://{'a' * 29}/", COLOURED, False),
        (Extent(100, 22), f"https://{'a' * 29}/", COLOURED, True),
        (Extent(56, 18), f"https://{'a' * 29}/", COLOURED, False),
        (Extent(56, 10), f"https://{'a' * 29}/", COLOURED, False),
    ],
)
def test_the_link_is_whole_in_every_size_and_has_a_picture_if_there_is_room(
    extent, page, look, pictured
):
    lines = draw_linked(extent, page, look)
    assert any(line.split("  ")[0] == f"{page}K7M2QX" for line in lines)
    assert any(line.startswith("mastermind join ") for line in lines)
    assert any("▀▀█" in line for line in lines) == pictured
    assert ("show the picture" in " ".join(lines)) == pictured


def test_the_command_names_the_server_of_the_page():
    assert replace(WAITING, page_url="/").link == "https://play.example.org:8765/K7M2QX"
    command = replace(WAITING, page_url="https://h/", server_address="ws://10.0.0.1").command
    assert command == "mastermind join h/K7M2QX"


@pytest.mark.parametrize(
    ("extent", "host", "shown"),
    [
        (Extent(78, 22), "Ada", "'192.0.2.17/K7M2QX#Ada'"),
        (Extent(78, 22), "Katharina Maximiliana", "192.0.2.17/K7M2QX"),
        (Extent(110, 22), "Katharina Maximiliana", "'192.0.2.17/K7M2QX#Katharina%20Maximiliana'"),
    ],
)
def test_the_command_names_the_host_if_it_fits_in_one_line_beside_the_picture(extent, host, shown):
    waiting = replace(WAITING, server_address="ws://192.0.2.17:8765", page_url="/", host=host)
    lines = show(draw_waiting(waiting, extent, COLOURED))
    assert any(line.strip().split("  ")[0] == f"mastermind join {shown}" for line in lines)
    assert any("▀▀█" in line for line in lines)


@pytest.mark.parametrize(("page", "local"), [("http://localhost:1/", True), ("http://h/", False)])
def test_a_local_link_gets_a_warning(page, local):
    shown = " ".join(draw_linked(USUAL, page))
    assert ("This address is good on this machine only." in shown) == local


def test_a_rematch_shows_no_link():
    opened = Opened(rules="classic", rounds=1, previous="ABCDEF", reserved=ADA.id)
    shown = "".join(draw_linked(USUAL, "/", match=gathering(opened), opponent="Ada"))
    assert "Waiting for Ada" in shown
    assert "K7M2QX" not in shown


@pytest.mark.parametrize("rules", PRESETS.values(), ids=str)
def test_the_smallest_screen_has_large_letters(rules):
    match = gathering(Opened(rules=str(rules), rounds=1))
    lines = draw(replace(WAITING, match=match, server_address="ws://localhost:8765"), SMALLEST)
    assert LETTERS in lines


def test_a_long_command_drops_the_rules_before_the_large_letters():
    rules = "4 pegs, 6 colours, 12 guesses."
    shown = "\n".join(draw(EVERYTHING, Extent(56, 13)))
    assert LETTERS in shown
    assert rules not in shown
    shown = "\n".join(
        draw(replace(EVERYTHING, server_address="wss://" + "long." * 60), Extent(56, 14))
    )
    assert LETTERS not in shown
    assert "K 7 M 2 Q X" in shown
