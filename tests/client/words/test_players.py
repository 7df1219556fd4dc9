import pytest

from mastermind_client.words.players import find_name, name_player, say_of
from mastermind_protocol.events import Joined, Opened, Player, Seat
from mastermind_protocol.transitions import fold

ADA = Player(id="ADA", name="Ada")
KNUTH = Player(id="bot-knuth-maker", name="knuth", bot="knuth")
ROBOT = Player(id="ROBOT", name="Robot", program=True)
HARD = Player(id="bot-hard-maker", name="hard", bot="optimal")
MATCH = fold([Opened(rules="classic", rounds=1), Joined(player=ADA, seat=Seat.MAKER)])


@pytest.mark.parametrize(
    ("player", "name"),
    [(ADA, "Ada"), (KNUTH, "knuth (bot)"), (HARD, "hard (bot)"), (ROBOT, "Robot (bot)")],
)
def test_bots_show_as_bots_and_under_an_alias_as_what_they_are(player, name):
    assert name_player(player) == name


@pytest.mark.parametrize(("player", "name"), [("ADA", "Ada"), ("EVE", "Somebody")])
def test_whoever_has_a_seat_is_found_by_name(player, name):
    assert find_name(MATCH, player) == name


@pytest.mark.parametrize(("me", "said"), [("ADA", "You take 2."), (None, "Ada takes 2.")])
def test_a_sentence_is_about_oneself_or_about_another(me, said):
    assert say_of(MATCH, "ADA", me, "You take {n}.", "{name} takes {n}.", n=2) == said


def test_braces_in_a_name_do_no_harm():
    rogue = Player(id="EVE", name="{0.x}{name}")
    match = fold([Opened(rules="classic", rounds=1), Joined(player=rogue, seat=Seat.MAKER)])
    assert say_of(match, "EVE", None, "You.", "{name} left.") == "{0.x}{name} left."
