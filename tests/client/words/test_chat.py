from __future__ import annotations

from mastermind_client.language import use_language
from mastermind_client.words.chat import PHRASES, describe_line, find_phrase, list_phrases
from mastermind_protocol import chat
from mastermind_protocol.chat import ChatLine
from mastermind_protocol.events import Joined, Opened, Player, Seat
from mastermind_protocol.transitions import fold

ADA = Player(id="ADA", name="Ada")
ROBOT = Player(id="ROBOT", name="Robot", program=True)
MATCH = fold(
    [
        Opened(rules="classic", rounds=1),
        Joined(player=ADA, seat=Seat.MAKER),
        Joined(player=ROBOT, seat=Seat.BREAKER),
    ]
)


def line(text: str | None = None, *, by: str = "ADA", phrase: int | None = None) -> ChatLine:
    """Return something that a player has said."""
    name = "Ada" if by == "ADA" else "Ad\x1ba"
    return ChatLine(room="players", n=1, by=by, name=name, text=text, phrase=phrase)


def test_there_are_as_many_phrases_as_the_protocol_has():
    assert len(set(PHRASES)) == len(PHRASES) == chat.MAX_PHRASE
    assert all(len(phrase) <= chat.MAX_CHAT and phrase.isprintable() for phrase in PHRASES)
    assert list_phrases()[1] == "2  Good luck!"


def test_whoever_says_something_is_named_but_for_oneself():
    assert describe_line(line("Hello"), MATCH, "BOB") == "Ada says: Hello"
    assert describe_line(line("Hello"), MATCH, "ADA") == "You say: Hello"


def test_a_program_shows_as_one_and_whoever_has_no_seat_as_spectator():
    assert describe_line(line("Hi", by="ROBOT"), MATCH, None) == "Robot (bot) says: Hi"
    looking = ChatLine(room="spectators", n=1, by="EVE", name="Eve", text="Hi")
    assert describe_line(looking, MATCH, "ADA") == "Eve (spectator) says: Hi"


def test_what_others_write_moves_no_cursor():
    told = describe_line(line("\x1b[2Jboo", by="EVE"), MATCH, None)
    assert told == "Ad?a says: ?[2Jboo"


def test_a_phrase_is_said_in_the_readers_language():
    assert describe_line(line(phrase=2), MATCH, None) == "Ada says: Good luck!"
    use_language("pl")
    assert describe_line(line(phrase=2), MATCH, None) == "Ada mówi: Powodzenia!"
    assert describe_line(line(phrase=2), MATCH, "ADA") == "Mówisz: Powodzenia!"


def test_a_phrase_that_only_others_know_is_named_by_its_number():
    newer = line(phrase=chat.MAX_PHRASE + 1)
    assert describe_line(newer, MATCH, None) == "Ada says: phrase 10"
    assert find_phrase(99) == "phrase 99"


def test_a_joined_emoji_takes_the_room_of_its_parts():
    told = describe_line(line("\N{WOMAN}\N{ZERO WIDTH JOINER}\N{MAN}"), MATCH, None)
    assert told == "Ada says: \N{WOMAN}\N{MAN}"
