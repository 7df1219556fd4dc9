import pytest

from mastermind_client.language import use_language
from mastermind_client.messages.chat import PHRASES, describe_line, find_phrase, list_phrases
from mastermind_protocol import chat
from mastermind_protocol.chat import ChatLine
from mastermind_protocol.events import Joined, Opened, Player, Seat
from mastermind_protocol.transitions import fold

ROBOT = Player(id="ROBOT", name="Robot", program=True)
MATCH = fold(
    [
        Opened(rules="classic", rounds=1),
        Joined(player=Player(id="ADA", name="Ada"), seat=Seat.MAKER),
        Joined(player=ROBOT, seat=Seat.BREAKER),
    ]
)


def test_there_are_as_many_phrases_as_the_protocol_has():
    assert len(set(PHRASES)) == len(PHRASES) == chat.MAX_PHRASE
    assert all(len(phrase) <= chat.MAX_CHAT and phrase.isprintable() for phrase in PHRASES)
    assert list_phrases()[1] == "2  Good luck!"
    assert len(list_phrases()) == chat.MAX_PHRASE
    assert find_phrase(99) == "phrase 99"


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
        ({"phrase": chat.MAX_PHRASE + 1}, None, "Ada says: phrase 10"),
        ({"text": "\N{WOMAN}\N{ZERO WIDTH JOINER}\N{MAN}"}, None,
         "Ada says: \N{WOMAN}\N{MAN}"),  # as terminals draw the parts
    ],
)  # fmt: skip
def test_a_line_of_chat_names_its_author(words, me, line):
    said = ChatLine(**{"room": "players", "n": 1, "by": "ADA", "name": "Ada", **words})
    assert describe_line(said, MATCH, me) == line


@pytest.mark.parametrize(
    ("me", "line"), [(None, "Ada mówi: Powodzenia!"), ("ADA", "Mówisz: Powodzenia!")]
)
def test_a_phrase_is_in_the_readers_language(me, line):
    use_language("pl")
    said = ChatLine(room="players", n=1, by="ADA", name="Ada", phrase=2)
    assert describe_line(said, MATCH, me) == line
