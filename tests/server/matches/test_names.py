"""Similar names at a match are marked, and so are people with the name of a bot."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit.matches import state_of
from kit.strategies import brief
from mastermind_protocol.events import MAX_NAME_LENGTH, Player
from mastermind_server.bots import ALIASES, BOTS
from mastermind_server.look_alikes.skeletons import fold_name
from mastermind_server.matches.names import distinguish

ANN, OTHER = Player(id="9F7NWQKNW7", name="Ann"), "SFAZ3TXZ5D"


@pytest.mark.parametrize("name", ["Ann", "aNN", "\u0410nn", "~\u00c1nn."], ids=ascii)
def test_a_name_that_looks_like_another_is_marked(name):
    assert distinguish(Player(id=OTHER, name=name), [ANN]).name == f"{name}-SFAZ"


@pytest.mark.parametrize(
    ("first", "second"),
    [("Ann", "Anna"), ("Ann", "Bob"), ("李雷", "李蕾"), ("Anna", "Аня"), ("🎲", "🎯"), ("!", "?")],
)
def test_different_names_are_not_marked(first, second):
    player = Player(id=OTHER, name=second)
    assert distinguish(player, [Player(id="9F7NWQKNW7", name=first)]) is player


@pytest.mark.parametrize(
    "name",
    [*BOTS, *ALIASES, "Knuth", "\u043anu\u03c4h", "KNUTH.", "knu\u0167h", "\u0138nuth",
     "\u1d0bnuth", "knu\u01abh", "k\u043futh", "\u0198nuth", "k\u0274uth", "knuth^"],
    ids=ascii,
)  # fmt: skip
def test_a_person_with_the_name_of_a_bot_is_marked(name):
    assert distinguish(Player(id=OTHER, name=name)).name == f"{name}-SFAZ"
    bot = Player(id="bot-knuth-maker", name=name, bot="knuth")
    assert distinguish(bot) is bot


def test_a_name_with_a_mark_gets_a_longer_one():
    name = f"{'x' * 19}-SFAZ"
    marked = distinguish(Player(id=OTHER, name=name), [Player(id="9F7NWQKNW7", name=name)])
    assert marked.name == f"{'x' * 18}-SFAZ3"


def test_a_player_is_not_marked_because_of_itself():
    assert distinguish(ANN, [ANN]) is ANN


@given(st.text(min_size=1, max_size=MAX_NAME_LENGTH))
@brief
def test_a_marked_name_fits_and_differs(name):
    there = Player(id="9F7NWQKNW7", name=name)
    marked = distinguish(Player(id=OTHER, name=name), [there])
    assert 1 <= len(marked.name) <= MAX_NAME_LENGTH
    assert fold_name(marked.name) != fold_name(name)
    assert distinguish(marked, [there]).name == marked.name


@pytest.mark.promise("similar-names")
async def test_the_second_of_two_similar_names_at_a_match_is_marked(hall):
    ann, other = await hall.meet("Ann"), await hall.meet("\u0410nn")
    match = (await ann.open()).match
    state = state_of(await other.join(match))
    shown = f"\u0410nn-{other.id[:4]}"
    assert [player.name for player in state.players] == ["Ann", shown]
    assert (await other.say(match, "Hi")).line.name == shown
    assert (await ann.say(match, "Hi")).line.name == "Ann"
    assert other.player.name == "\u0410nn", "everywhere else it is the player's own"


@pytest.mark.promise("spectator-name")
async def test_a_spectator_with_the_name_of_a_player_is_marked(hall, ada, match):
    del ada
    spectator = await hall.meet("ADA")
    await spectator.follow(match)
    assert (await spectator.say(match, "Hi")).line.name == f"ADA-{spectator.id[:4]}"


@pytest.mark.promise("renaming")
async def test_a_renamed_player_keeps_the_name_of_its_seat(hall, ada, bob, match):
    for wire, seated in ((ada, "Ada"), (bob, "Bob")):
        again = await hall.connect(wire.ids)
        assert (await again.hello("Carol", token=wire.token)).player.name == "Carol"
        await again.follow(match)
        assert (await again.say(match, "Hi")).line.name == seated


async def test_a_seeker_with_the_name_of_a_bot_is_marked(hall):
    knuth, random = await hall.meet("knuth"), await hall.meet("Random")
    for log in (await knuth.seek("mini"), await random.open(breaker="knuth")):
        (person,) = (player for player in state_of(log).players if player.bot is None)
        assert person.name in (f"knuth-{knuth.id[:4]}", f"Random-{random.id[:4]}")


async def test_a_marked_player_stays_marked_in_the_rematch(hall):
    ann, other = await hall.meet("Ann"), await hall.meet("Ann")
    match = (await ann.open()).match
    await other.join(match)
    await ann.set(match, "1122")
    await other.guess(match, "1122")
    await other.rematch(match)
    names = {player.name for player in state_of(await ann.rematch(match)).players}
    assert names == {"Ann", f"Ann-{other.id[:4]}"}
