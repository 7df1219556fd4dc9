from __future__ import annotations

from typing import get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mastermind_protocol.codec import encode_events
from mastermind_protocol.events import (
    AnyEvent,
    Guessed,
    Opened,
    RoundEnd,
    RoundEnded,
    SecretSet,
)
from mastermind_server.views import show
from strategies import thorough, values_of
from wire import pegs

CODE = pegs("0123")
NONCE = b"nonce of 16 byte"
SECRET = SecretSet(by="ada", commitment=b"?" * 32, code=CODE, nonce=NONCE)
VIEWERS = ("bob", "eve", None)


def test_a_codemaker_sees_the_secret_that_it_has_set() -> None:
    assert show((SECRET,), "ada") == (SECRET,)


@pytest.mark.parametrize("viewer", VIEWERS)
def test_nobody_else_sees_more_than_the_commitment(viewer: str | None) -> None:
    assert show((SECRET,), viewer) == (SecretSet(by="ada", commitment=b"?" * 32),)


@pytest.mark.parametrize("viewer", ["ada", *VIEWERS])
def test_nobody_sees_what_fixes_a_bots_secrets(viewer: str | None) -> None:
    opened = Opened(rules="lab", rounds=1, public=True, seed=42, drawn=3, secret=CODE)
    assert show((opened,), viewer) == (Opened(rules="lab", rounds=1, public=True),)


@pytest.mark.parametrize("viewer", ["ada", "bot-devious-maker", *VIEWERS])
def test_nobody_sees_the_code_that_a_codemaker_without_one_holds(viewer: str | None) -> None:
    guessed = Guessed(code=CODE, black=0, white=1, held=pegs("5550"))
    assert show((guessed,), viewer) == (Guessed(code=CODE, black=0, white=1),)


@pytest.mark.parametrize("viewer", ["ada", *VIEWERS])
def test_everybody_sees_the_code_when_the_round_is_over(viewer: str | None) -> None:
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
def test_only_the_hidden_fields_differ_from_what_is_stored(
    events: tuple[AnyEvent, ...], viewer: str | None
) -> None:
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
def test_no_event_that_is_not_by_the_viewer_depends_on_what_is_hidden(data: st.DataObject) -> None:
    first, second = data.draw(values_of(SecretSet)), data.draw(values_of(SecretSet))
    alike = msgspec.structs.replace(second, by=first.by, commitment=first.commitment)
    assert encode_events(show((first,), None)) == encode_events(show((alike,), None))


def test_every_event_has_been_thought_of() -> None:
    """An event that is new must be judged here: does it carry anything of a secret?"""
    judged = "Opened Joined SecretSet Advised Guessed RoundEnded Left Finished RematchOffered"
    assert [kind.__name__ for kind in get_args(AnyEvent)] == judged.split()
