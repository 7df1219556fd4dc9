from typing import get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit.matches import pegs
from kit.strategies import thorough, values_of
from mastermind_protocol.codec import encode_events
from mastermind_protocol.commitment import commit
from mastermind_protocol.events import (
    AnyEvent,
    Finished,
    Guessed,
    Joined,
    Left,
    MatchEnd,
    Opened,
    Player,
    RoundEnd,
    RoundEnded,
    Seat,
    SecretSet,
)
from mastermind_protocol.transitions import evolve, fold
from mastermind_server.matches.tables.views import may_read, show

CODE = pegs("1234")
NONCE = b"nonce of 16 byte"
COMMITMENT = commit(NONCE, CODE)
SECRET = SecretSet(by="ada", commitment=COMMITMENT, code=CODE, nonce=NONCE)
VIEWERS = ("bob", "eve", None)


def test_a_codemaker_sees_the_secret_that_it_has_set():
    assert show((SECRET,), "ada") == (SECRET,)


@pytest.mark.parametrize("viewer", VIEWERS)
def test_nobody_else_sees_more_than_the_commitment(viewer):
    assert show((SECRET,), viewer) == (SecretSet(by="ada", commitment=COMMITMENT),)


@pytest.mark.parametrize("viewer", ["ada", *VIEWERS])
def test_nobody_sees_what_fixes_a_bots_secrets(viewer):
    opened = Opened(rules="lab", rounds=1, public=True, seed=42, drawn=3, secret=CODE)
    assert show((opened,), viewer) == (Opened(rules="lab", rounds=1, public=True),)


@pytest.mark.parametrize("viewer", ["ada", "bot-devious-maker", *VIEWERS])
def test_nobody_sees_the_code_that_a_codemaker_without_one_holds(viewer):
    guessed = Guessed(code=CODE, black=0, white=1, held=pegs("6661"))
    assert show((guessed,), viewer) == (Guessed(code=CODE, black=0, white=1),)


@pytest.mark.parametrize("viewer", ["ada", *VIEWERS])
def test_everybody_sees_the_code_when_the_round_is_over(viewer):
    ended = RoundEnded(how=RoundEnd.RESIGNED, code=CODE, nonce=NONCE, points=1)
    assert show((ended,), viewer) == (ended,)


any_events = st.lists(values_of(AnyEvent), max_size=4).map(tuple)
HIDDEN = {
    Opened: {"seed", "drawn", "secret"},
    SecretSet: {"code", "nonce"},
    Guessed: {"held"},
}


@given(any_events, st.none() | st.text(min_size=1, max_size=3))
@thorough
def test_only_the_hidden_fields_differ_from_what_is_stored(events, viewer):
    shown = show(events, viewer)
    assert len(shown) == len(events)
    for event, seen in zip(events, shown, strict=True):
        assert type(seen) is type(event)
        for field in event.__struct_fields__:
            if field not in HIDDEN.get(type(event), ()):
                assert getattr(seen, field) == getattr(event, field)
    assert show(shown, viewer) == shown


@given(st.data())
@thorough
def test_no_event_that_is_not_by_the_viewer_depends_on_what_is_hidden(data):
    first, second = data.draw(values_of(SecretSet)), data.draw(values_of(SecretSet))
    alike = msgspec.structs.replace(second, by=first.by, commitment=first.commitment)
    assert encode_events(show((first,), None)) == encode_events(show((alike,), None))


HARMLESS = {
    *("rules", "rounds", "public", "rated", "previous", "reserved", "commitment", "black", "white"),
    *("by", "player", "seat", "why", "how", "winner", "points", "match", "absent"),
}
"""What a field may be called that carries nothing of a secret, whatever the event."""


def test_every_field_that_may_tell_of_a_secret_has_been_thought_of():
    """A field that is new, in whichever event, must be judged here."""
    judged = {
        "Opened": {"seed", "drawn", "secret"},
        "SecretSet": {"code", "nonce"},
        "Guessed": {"code", "held"},
        "RoundEnded": {"code", "nonce"},
    }
    for kind in get_args(AnyEvent):
        assert {*kind.__struct_fields__} - HARMLESS == judged.get(kind.__name__, set()), kind


# What is said.

ADA, BOB = Player(id="ada", name="Ada"), Player(id="bob", name="Bob")
GATHERING = fold((Opened(rules="mini", rounds=2), Joined(player=ADA, seat=Seat.MAKER)))
FIRST = fold((Joined(player=BOB, seat=Seat.BREAKER), SECRET), GATHERING)
SECOND = evolve(FIRST, RoundEnded(how=RoundEnd.RESIGNED, code=CODE, nonce=NONCE, points=1))
OVER = fold((Left(player="ada"), Finished(how=MatchEnd.LEFT, winner="bob")), SECOND)
CLOSED = fold((Left(player="ada"), Finished(how=MatchEnd.CLOSED)), GATHERING)
EVERYWHERE = (GATHERING, FIRST, SECOND, OVER, CLOSED)


@pytest.mark.parametrize("match", EVERYWHERE)
@pytest.mark.parametrize("viewer", ["ada", *VIEWERS])
def test_everybody_reads_at_once_what_the_players_say(match, viewer):
    assert may_read("players", match.round_number, match, viewer)


@pytest.mark.parametrize("match", EVERYWHERE)
@pytest.mark.parametrize("viewer", ["eve", None])
def test_spectators_read_at_once_what_spectators_say(match, viewer):
    assert may_read("spectators", match.round_number, match, viewer)


@pytest.mark.parametrize("viewer", ["ada", "bob"])
@pytest.mark.parametrize(
    ("said_in", "match", "read"),
    [
        (1, FIRST, False),
        (1, SECOND, True),
        (2, SECOND, False),
        (1, OVER, True),
        (2, OVER, True),
    ],
)
def test_players_read_what_spectators_say_when_the_round_is_over(viewer, said_in, match, read):
    assert may_read("spectators", said_in, match, viewer) is read


def test_who_waits_for_an_opponent_reads_nothing_of_spectators_until_the_lobby_is_closed():
    assert not may_read("spectators", GATHERING.round_number, GATHERING, "ada")
    assert may_read("spectators", CLOSED.round_number, CLOSED, "ada")
