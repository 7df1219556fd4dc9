import re
from argparse import ArgumentTypeError

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit.strategies import brief
from mastermind_client.config.values import (
    MAX_PAGE_CHARACTERS,
    Invitation,
    parse_invitation,
    parse_match_code,
    parse_name,
    parse_opponent,
    parse_pace,
    parse_rounds,
    parse_seed,
    parse_server,
    parse_transfer_code,
    write_invitation,
    write_join_command,
    write_link,
)
from mastermind_client.playback import MAX_PACE_SECONDS
from mastermind_protocol.events import LINK_END, MAX_NAME_LENGTH, MAX_SEED
from mastermind_protocol.rules import MAX_ROUNDS
from mastermind_protocol.text import is_displayable, tidy_name


@pytest.mark.parametrize(
    ("parse", "typed", "value"),
    [
        (parse_match_code, "abc-234", "ABC234"),
        (parse_match_code, "A B C 2 3 4", "ABC234"),
        (parse_transfer_code, "7kq2-mx9d", "7KQ2MX9D"),
        (parse_name, " Ada ", "Ada"),
        (parse_name, "Žofie K.", "Žofie K."),
        (parse_name, "Jan\N{NO-BREAK SPACE}III", "Jan III"),
        (parse_name, "x" * MAX_NAME_LENGTH, "x" * MAX_NAME_LENGTH),
        (parse_opponent, "Knuth", "knuth"),
        (parse_server, "ws://localhost", "ws://localhost"),
        (parse_server, "wss://[::1]:65535/path", "wss://[::1]:65535/path"),
        (parse_server, "wss://h/?a=1", "wss://h/?a=1"),
        (parse_server, "localhost", "ws://localhost:8765"),
        (parse_server, "localhost:18500", "ws://localhost:18500"),
        (parse_server, "192.168.1.7", "ws://192.168.1.7:8765"),
        (parse_server, "[::1]", "ws://[::1]:8765"),
        (parse_server, "play.example.org", "wss://play.example.org"),
        (parse_server, "play.example.org:8765", "ws://play.example.org:8765"),
        (parse_rounds, "1", 1),
        (parse_rounds, "20", MAX_ROUNDS),
        (parse_pace, "0", 0.0),
        (parse_pace, "0.7", 0.7),
        (parse_pace, "60", MAX_PACE_SECONDS),
        (parse_seed, "-1", -1),
        (parse_seed, str(MAX_SEED), MAX_SEED),
    ],
)
def test_a_valid_value_is_parsed(parse, typed, value):
    assert parse(typed) == value


@pytest.mark.parametrize(
    ("parse", "typed", "told"),
    [
        (parse_match_code, "", "'' is no match code: 6 of 23456789ABC"),
        (parse_match_code, "ABCDE0", "'ABCDE0' is no match code"),
        (parse_match_code, "ILOU01", "'ILOU01' is no match code"),
        (parse_match_code, "ABCDEFG", "'ABCDEFG' is no match code"),
        (parse_transfer_code, "ABC234", "'ABC234' is no transfer code: 8 of 23456789ABC"),
        (parse_name, "", "a name has 1 to 24 characters"),
        (parse_name, " ", "a name has 1 to 24 characters that can be shown"),
        (parse_name, "x" * 25, "a name has 1 to 24 characters"),
        (parse_name, "\x1b[2J", "a name has 1 to 24 characters"),
        (parse_name, "a\tb", "a name has 1 to 24 characters"),
        (parse_name, "\N{HANGUL FILLER}", "a name has 1 to 24 characters"),
        (parse_opponent, "ME", "'ME' is no opponent: use friend, anyone"),
        (parse_opponent, "open", "'open' is no opponent: use friend, anyone"),
        (parse_server, "http://x", "'http://x' is no server address: use HOST, HOST:PORT"),
        (parse_server, "", "is no server address: use HOST, HOST:PORT"),
        (parse_server, "two words", "is no server address"),
        (parse_server, "ws://", "is no server address"),
        (parse_server, "ws://:8765", "is no server address"),
        (parse_server, "ws://x:0", "is no server address"),
        (parse_server, "ws://x:70000", "is no server address"),
        (parse_server, "ws://[::1", "is no server address"),
        (parse_rounds, "0", "'0' is no number of rounds: 1 to 20"),
        (parse_rounds, "21", "'21' is no number of rounds: 1 to 20"),
        (parse_rounds, "-1", "'-1' is no number of rounds"),
        (parse_rounds, "²", "'²' is no number of rounds"),
        (parse_pace, "-1", "'-1' is no pace: 0 to 60 seconds a guess"),
        (parse_pace, "60.1", "is no pace: 0 to 60 seconds a guess"),
        (parse_pace, "nan", "is no pace"),
        (parse_pace, "slow", "'slow' is no pace"),
        (parse_seed, "1.5", "'1.5' is no seed: a whole number of at most 64 bits"),
        (parse_seed, str(-MAX_SEED - 1), "is no seed"),
        (parse_seed, str(MAX_SEED + 1), "is no seed"),
    ],
)
def test_an_invalid_value_is_explained(parse, typed, told):
    with pytest.raises(ArgumentTypeError) as raised:
        parse(typed)
    assert told in str(raised.value)


def test_an_invitation_is_a_code_or_the_whole_line_with_its_server():
    assert parse_invitation("k7m-2qx") == Invitation("K7M2QX")
    line = "mastermind join K7M2QX --server ws://h:1"
    assert parse_invitation(line) == Invitation("K7M2QX", "ws://h:1")
    assert parse_invitation("mastermind watch --server 'wss://h/?a=1' K7M2QX") == Invitation(
        "K7M2QX", "wss://h/?a=1"
    )
    assert parse_invitation("mastermind join K7M2QX") == Invitation("K7M2QX")
    line = "mastermind join localhost:1/K7M2QX"
    assert parse_invitation(line) == Invitation("K7M2QX", "ws://localhost:1")
    for wrong in (
        "mastermind join",
        "mastermind join K7M2QX --server",
        "join K7M2QX",
        "https://h/",
        "https://h",
    ):
        with pytest.raises(ArgumentTypeError, match="no match code"):
            parse_invitation(wrong)


@pytest.mark.parametrize(
    ("link", "server"),
    [
        ("https://play.example.org/K7M2QX", "wss://play.example.org"),
        (" HTTPS://h/games/k7m2qx?fbclid=a/b#c ", "wss://h/games"),
        ("http://192.168.0.7:8765/K7M2QX#", "ws://192.168.0.7:8765"),
        ("http://h/K7M2QX", "ws://h"),
        ("play.example.org/K7M2QX?utm=x", "wss://play.example.org"),
        ("mastermind join 'https://h/K7M2QX?a=1'", "wss://h"),
        ("https://h/K7M2QX/", "wss://h"),
        ("https://h/k7m2qx).", "wss://h"),
        ("https://h/K7M2QX%20", "wss://h"),
        ("https://h/abcdef/K7M2QX/?fbclid=1", "wss://h/abcdef"),
        ("K7M2QX!", None),
        ("K7M2QX?", None),
        ("K7M2QX#Ada", None),
        ("\N{LEFT SINGLE QUOTATION MARK}h/K7M2QX\N{RIGHT SINGLE QUOTATION MARK}", "wss://h"),
    ],
)
def test_an_invitation_is_a_link_to_the_page_of_a_match(link, server):
    assert parse_invitation(link) == Invitation("K7M2QX", server)


@pytest.mark.parametrize(
    ("fragment", "host"),
    [
        ("Ada", "Ada"),
        ("Ada%20L'A", "Ada L'A"),
        ("Jan%C2%A0III", "Jan III"),
        ("%C5%BDofie%231", "Žofie#1"),
        ("", ""),
        ("%20", ""),
        ("%FF", ""),
        ("x" * 25, ""),
        ("a%0Ab", ""),
        ("%1b%5b2J", ""),
        ("a%E2%80%AEb", ""),
    ],
)
def test_an_invitation_to_a_hosted_game_names_the_host_unless_the_name_is_invalid(fragment, host):
    for line in (f"h:1/K7M2QX#{fragment}", f"mastermind join 'ws://h:1/k7m2qx#{fragment}'"):
        assert parse_invitation(line) == Invitation("K7M2QX", "ws://h:1", host)
    assert parse_invitation(f"http://h:1/K7M2QX#{fragment}").host == ""  # a route of the page


@pytest.mark.parametrize(
    ("page", "server", "link"),
    [
        ("https://play.example.org/", "ws://10.0.0.1:8765", "https://play.example.org/K7M2QX"),
        ("/", "wss://h:1/games?a=1", "https://h:1/games/K7M2QX"),
        ("/", "ws://192.168.0.7:8765/", "http://192.168.0.7:8765/K7M2QX"),
        ("/", "ws://[::1]:1", "http://[::1]:1/K7M2QX"),
        (None, "wss://h", ""),
        ("javascript:alert(1)/", "wss://h", ""),
        ("https://h/\x1b[2J/", "wss://h", ""),
        ("https://h:99999/", "wss://h", ""),
        (f"https://{'a' * MAX_PAGE_CHARACTERS}/", "wss://h", ""),
    ],
)
def test_the_link_of_a_match_is_at_the_page_of_its_server(page, server, link):
    assert write_link(page, Invitation("K7M2QX", server)) == link


@pytest.mark.parametrize(
    ("server", "text"),
    [
        (None, "K7M2QX"),
        ("ws://localhost:8765", "localhost/K7M2QX"),
        ("ws://h:8765", "h:8765/K7M2QX"),
        ("ws://h:1", "h:1/K7M2QX"),
        ("wss://h", "h/K7M2QX"),
        ("ws://h", "ws://h/K7M2QX"),
        ("wss://h:1/path", "wss://h:1/path/K7M2QX"),
    ],
)
def test_an_invitation_is_written_as_short_as_it_is_read(server, text):
    invitation = Invitation("K7M2QX", server)
    assert write_invitation(invitation) == text
    assert parse_invitation(text) == invitation


@given(name=st.text(max_size=MAX_NAME_LENGTH).map(tidy_name).filter(is_displayable))
@brief
def test_each_name_of_a_host_is_written_in_characters_that_are_safe_in_quotes(name):
    invitation = Invitation("K7M2QX", "ws://h:1", name[:MAX_NAME_LENGTH].strip())
    command = write_join_command(invitation, "/")
    assert parse_invitation(command) == invitation
    assert re.fullmatch(r"mastermind join 'h:1/K7M2QX#[\w.~%-]+'", command, re.ASCII)
    with_link_end = rf"h:1/K7M2QX{LINK_END}"  # as clients without names of hosts read it
    assert re.fullmatch(with_link_end, command.split("'")[1])
