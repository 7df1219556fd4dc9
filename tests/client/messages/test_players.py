import pytest

from mastermind_client.language import use_language
from mastermind_client.messages.players import (
    PHRASES,
    choose_sentence,
    describe_chat_line,
    describe_players,
    describe_spectators,
    describe_transfer,
    find_name,
    format_name,
    format_phrase,
    format_transfer_command,
    list_phrases,
    parse_phrase,
)
from mastermind_client.network.mirror import Mirror
from mastermind_protocol import chat
from mastermind_protocol.chat import ChatLine
from mastermind_protocol.events import (
    Finished,
    Joined,
    Left,
    MatchEnd,
    Opened,
    Player,
    Seat,
)
from mastermind_protocol.messages import Row, Transferable
from mastermind_protocol.transitions import fold

ADA = Player(id="ADA", name="Ada")
MATCH = fold([Opened(rules="classic", rounds=1), Joined(player=ADA, seat=Seat.MAKER)])


@pytest.mark.parametrize(
    ("player", "name"),
    [
        (ADA, "Ada"),
        (Player(id="bot-knuth-maker", name="knuth", bot="knuth"), "knuth (bot)"),
        (Player(id="bot-hard-maker", name="hard", bot="optimal"), "hard (bot)"),
        (Player(id="ROBOT", name="Robot", program=True), "Robot (bot)"),
    ],
)
def test_a_player_is_named_and_bots_are_marked(player, name):
    assert format_name(player) == name


@pytest.mark.parametrize(("player", "name"), [("ADA", "Ada"), ("EVE", "Someone")])
def test_a_seated_player_is_found_by_id(player, name):
    assert find_name(MATCH, player) == name


@pytest.mark.parametrize(("me", "said"), [("ADA", "You take 2."), (None, "Ada takes 2.")])
def test_a_sentence_addresses_its_reader(me, said):
    assert choose_sentence(MATCH, "ADA", me, "You take {n}.", "{name} takes {n}.", n=2) == said


ADA, BOB = Player(id="ADA", name="Ada"), Player(id="BOB", name="Bob")
KNUTH = Player(id="bot-knuth-breaker", name="knuth", bot="knuth")
HARD = Player(id="bot-optimal", name="hard", bot="optimal")
ROBOT = Player(id="ROBOT", name="Robot", program=True)
NOW = 1000.0  # seconds


def mirror(*seated: Player) -> Mirror:
    """Return a match between these players, the codemaker first."""
    made = Mirror("ABC234")
    joined = (Joined(player=player, seat=seat) for player, seat in zip(seated, Seat, strict=False))
    made.apply(Row(1, (Opened(rules="classic", rounds=1), *joined)))
    return made


@pytest.mark.parametrize(
    ("seated", "me", "lines"),
    [
        ((ADA, BOB), "ADA", ["Bob is a person.", "Bob is connected.", "Nobody is watching."]),
        ((ADA, BOB), None, ["Ada is a person.", "Ada is connected.", "Bob is a person."]),
        ((ADA,), "ADA", ["Nobody has joined yet.", "Nobody is watching."]),
        ((ADA, KNUTH), "ADA", ["knuth (bot) is a bot."]),
        ((ADA, HARD), "ADA", ["hard (bot) is the bot optimal."]),
        ((ADA, ROBOT), "ADA",
         ["Robot (bot) is a player's own program.", "Robot (bot) is connected."]),
    ],
)  # fmt: skip
def test_other_players_are_described(seated, me, lines):
    assert list(describe_players(mirror(*seated), me, NOW))[: len(lines)] == lines


@pytest.mark.parametrize(
    ("seconds", "written"),
    [(0, "0 seconds"), (1.9, "1 second"), (59, "59 seconds"), (60, "1 minute"), (239, "3 minutes")],
)
def test_an_absent_player_is_described_with_the_time_of_absence(seconds, written):
    match = mirror(ADA, BOB)
    match.away["BOB"] = NOW - seconds
    lines = list(describe_players(match, "ADA", NOW))
    assert lines[1] == f"Bob has been away for {written}; the seat is kept."


def test_a_player_who_has_left_is_described():
    match = mirror(ADA, BOB)
    match.apply(Row(2, (Left(player="BOB"), Finished(how=MatchEnd.LEFT, winner="ADA"))))
    assert "Bob has left." in list(describe_players(match, "ADA", NOW))


@pytest.mark.parametrize(
    ("number", "line"),
    [
        (0, "Nobody is watching."),
        (1, "1 spectator is watching."),
        (2, "2 spectators are watching."),
    ],
)
def test_spectators_are_counted(number, line):
    assert describe_spectators(number) == line
    match = mirror(ADA, BOB)
    match.spectators = number
    assert list(describe_players(match, "ADA", NOW))[-1] == line


TALKING = fold(
    [
        Opened(rules="classic", rounds=1),
        Joined(player=Player(id="ADA", name="Ada"), seat=Seat.MAKER),
        Joined(player=ROBOT, seat=Seat.BREAKER),
    ]
)


def test_there_are_as_many_phrases_as_the_protocol_has():
    assert len(set(PHRASES)) == len(PHRASES) == chat.MAX_PHRASE_NUMBER
    assert all(len(phrase) <= chat.MAX_CHAT_LENGTH and phrase.isprintable() for phrase in PHRASES)
    assert list_phrases()[1] == "2  Good luck!"
    assert len(list_phrases()) == chat.MAX_PHRASE_NUMBER
    assert format_phrase(99) == "phrase 99"


def test_only_the_plain_number_of_a_phrase_sends_it():
    assert [parse_phrase(text) for text in ("2", "9", "0", "10", "02", "٢", "2 ")] == [2, 9] + [
        None
    ] * 5


@pytest.mark.parametrize(
    ("words", "me", "line"),
    [
        ({"text": "Hello"}, "BOB", "Ada says: Hello"),
        ({"text": "Hello"}, "ADA", "You say: Hello"),
        ({"text": "Hi", "by": "ROBOT"}, None, "Robot (bot) says: Hi"),
        ({"text": "Hi", "by": "EVE", "name": "Eve"}, None, "Eve says: Hi"),
        ({"text": "Hi", "by": "EVE", "name": "Eve", "room": "spectators"}, "ADA",
         "Eve (spectator) says: Hi"),
        ({"phrase": 2}, None, "Ada says: Good luck!"),
        ({"phrase": chat.MAX_PHRASE_NUMBER + 1}, None, "Ada says: phrase 10"),
        ({"text": "\N{WOMAN}\N{ZERO WIDTH JOINER}\N{MAN}"}, None,
         "Ada says: \N{WOMAN}\N{MAN}"),  # as terminals draw the parts
    ],
)  # fmt: skip
def test_a_line_of_chat_names_its_author(words, me, line):
    said = ChatLine(**{"room": "players", "n": 1, "by": "ADA", "name": "Ada", **words})
    assert describe_chat_line(said, TALKING, me) == line


@pytest.mark.parametrize(
    ("me", "line"), [(None, "Ada mówi: Powodzenia!"), ("ADA", "Mówisz: Powodzenia!")]
)
def test_a_phrase_is_in_the_readers_language(me, line):
    use_language("pl")
    said = ChatLine(room="players", n=1, by="ADA", name="Ada", phrase=2)
    assert describe_chat_line(said, TALKING, me) == line


CODE = "7KQ2MX9D"


@pytest.mark.parametrize(
    ("seconds", "time"), [(600, "10 minutes"), (119, "1 minute"), (9, "1 minute")]
)
def test_a_transfer_code_is_offered_for_a_time(seconds, time):
    offered = Transferable(id=1, code=CODE, seconds=seconds)
    assert describe_transfer("Ada", offered) == (
        f"To play as Ada elsewhere, type there within {time}:"
    )
    assert format_transfer_command(CODE, "ws://h") == f"mastermind transfer {CODE} --server ws://h"
