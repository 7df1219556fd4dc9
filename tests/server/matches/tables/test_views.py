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
    Guessed,
    Opened,
    SecretSet,
)
from mastermind_server.matches.tables.views import show

CODE = pegs("1234")
NONCE = b"nonce of 16 byte"
COMMITMENT = commit(NONCE, CODE)
SECRET = SecretSet(by="ada", commitment=COMMITMENT, code=CODE, nonce=NONCE)
VIEWERS = ("bob", "eve", None)


@pytest.mark.promise("spectator-view")
@pytest.mark.parametrize("viewer", VIEWERS)
def test_only_the_codemaker_sees_more_than_the_commitment(viewer):
    assert show((SECRET,), viewer) == (SecretSet(by="ada", commitment=COMMITMENT),)
    assert show((SECRET,), "ada") == (SECRET,)


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
def test_no_event_of_another_player_depends_on_hidden_fields(data):
    first, second = data.draw(values_of(SecretSet)), data.draw(values_of(SecretSet))
    alike = msgspec.structs.replace(second, by=first.by, commitment=first.commitment, lag=first.lag)
    assert encode_events(show((first,), None)) == encode_events(show((alike,), None))


HARMLESS = {
    *("rules", "rounds", "public", "rated", "previous", "reserved", "commitment", "black", "white"),
    *("by", "player", "seat", "why", "how", "winner", "points", "match", "absent", "late"),
    *("clock", "lag", "lost", "rating", "players", "contest"),
}
"""What a field may be called that carries nothing of a secret, whatever the event."""


def test_every_field_of_an_event_is_classed_as_harmless_or_secret():
    """A new field of any event must be listed here."""
    judged = {
        "Opened": {"seed", "drawn", "secret"},
        "SecretSet": {"code", "nonce"},
        "Guessed": {"code", "held"},
        "RoundEnded": {"code", "nonce"},
    }
    for kind in get_args(AnyEvent):
        assert {*kind.__struct_fields__} - HARMLESS == judged.get(kind.__name__, set()), kind
