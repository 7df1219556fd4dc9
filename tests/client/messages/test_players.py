import pytest

from mastermind_client.messages.players import find_name, name_player, say_of
from mastermind_protocol.events import Joined, Opened, Player, Seat
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
    assert name_player(player) == name


@pytest.mark.parametrize(("player", "name"), [("ADA", "Ada"), ("EVE", "Somebody")])
def test_a_seated_player_is_found_by_id(player, name):
    assert find_name(MATCH, player) == name


@pytest.mark.parametrize(("me", "said"), [("ADA", "You take 2."), (None, "Ada takes 2.")])
def test_a_sentence_addresses_its_reader(me, said):
    assert say_of(MATCH, "ADA", me, "You take {n}.", "{name} takes {n}.", n=2) == said
