"""The adaptive codemaker at a table, and the view of a bot in either seat."""

from __future__ import annotations

import pytest

from kit.matches import events_of, pegs
from mastermind_protocol.breaker import BreakerView, see
from mastermind_protocol.codec import decode_events
from mastermind_protocol.errors import ErrorCode
from mastermind_protocol.events import (
    Finished,
    Forfeit,
    Guessed,
    Left,
    MatchEnd,
    RoundEnd,
    RoundEnded,
    SecretSet,
)
from mastermind_protocol.match import Match, Phase
from mastermind_protocol.proof import find_fraud
from mastermind_protocol.requests import Guess, Open
from mastermind_protocol.rules import DEFAULT
from mastermind_server.bots.devious import Devious


async def test_devious_commits_to_nothing_and_answers_so_that_most_codes_are_left(ada, eve):
    log = await ada.open(maker="devious", breaker="me")
    await eve.follow(log.match)
    answer = await ada.guess(log.match, "1122")
    (secret,) = [e for e in events_of(await eve.follow(log.match)) if isinstance(e, SecretSet)]
    assert secret == SecretSet(by="bot-devious-maker")
    assert answer.events == (Guessed(code=pegs("1122"), black=0, white=0),)  # 256 codes are left


async def test_a_round_against_devious_fits_together_when_it_is_over(ada):
    match = (await ada.open(maker="devious", breaker="me")).match
    while ada.matches[match].phase is not Phase.FINISHED:
        if ada.matches[match].phase is Phase.BREAKING:
            played = ada.matches[match].current
            assert played is not None
            advice = await ada.advise(match, most=1)
            await ada.guess(match, "".join(str(peg + 1) for peg in advice.guesses[0].code))
        else:
            await ada.turn(match)
    (played,) = ada.matches[match].played
    assert played.how is RoundEnd.BROKEN
    assert len(played.turns) >= 5  # against the best first guesses it lasts that long
    assert (played.commitment, played.nonce) == (None, None)
    assert find_fraud(played, DEFAULT) is None


async def test_a_guess_at_devious_that_is_sent_again_is_answered_with_its_row(ada):
    match = (await ada.open(maker="devious", breaker="me")).match
    await ada.turn(match)
    guess = ada.new(Guess, match=match, code=pegs("1122"))
    first = await ada.ask(guess)
    await ada.guess(match, "3344")
    assert await ada.ask(guess) == first


async def test_a_guess_at_devious_of_an_older_version_is_refused(ada):
    match = (await ada.open(maker="devious", breaker="me")).match
    answer = await ada.guess(match, "1122")
    refusal = await ada.refused(Guess, match=match, code=pegs("3344"), v=answer.v - 1)
    assert refusal.code == ErrorCode.STALE_VERSION
    refusal = await ada.refused(Guess, match=match, code=pegs("33"), v=answer.v)
    assert refusal.code == ErrorCode.INVALID_CODE


async def test_who_gives_up_against_devious_is_shown_a_code_that_fits(ada):
    match = (await ada.open(maker="devious", breaker="me")).match
    for guess in ("1122", "3344", "1234"):
        await ada.guess(match, guess)
    ended = (await ada.resign(match)).events[0]
    assert isinstance(ended, RoundEnded)
    assert find_fraud(ada.matches[match].played[0], DEFAULT) is None


async def test_a_match_with_devious_goes_on_after_a_restart_as_it_was(hall, ada):
    match = (await ada.open(maker="devious", breaker="me")).match
    await ada.guess(match, "1122")
    await hall.restart()
    ada = await hall.again(ada)
    await ada.follow(match)
    await ada.guess(match, "3344")
    await ada.resign(match)
    assert find_fraud(ada.matches[match].played[0], DEFAULT) is None


async def test_nobody_is_sent_the_code_that_devious_holds(hall, ada, eve):
    match = (await ada.open(maker="devious", breaker="me")).match
    await eve.follow(match)
    await ada.guess(match, "1122")
    await eve.follow(match)
    rows = await hall.store.read_log(match)
    (held,) = [
        event.held
        for row in rows
        for event in decode_events(row.events)
        if isinstance(event, Guessed)
    ]
    assert held is not None
    for person in (ada, eve):
        assert not [frame for frame in person.frames if b"held" in frame]
        seen = person.matches[match].current
        assert seen is not None
        assert seen.secret is None


@pytest.mark.parametrize(
    ("asked", "code", "field"),
    [
        pytest.param(
            {"breaker": "devious", "maker": "me"}, ErrorCode.INVALID_SEATS, "breaker", id="breaks"
        ),
        pytest.param(
            {"rounds": 2}, ErrorCode.INVALID_SEATS, "maker", id="breaks in the second round"
        ),
        pytest.param({"seed": 7}, ErrorCode.INVALID_SEATS, "seed", id="a seed"),
        pytest.param({"rated": True}, ErrorCode.RATED, "rated", id="rated"),
        pytest.param({"rules": "9x12"}, ErrorCode.RULES_TOO_LARGE, "maker", id="too many codes"),
        pytest.param(
            {"breaker": "knuth", "secret": (0, 0, 0, 0)},
            ErrorCode.INVALID_SEATS,
            "secret",
            id="a secret",
        ),
    ],
)
async def test_devious_is_refused_where_it_cannot_play(ada, asked, code, field):
    seats = {"rules": "classic", "maker": "devious", "breaker": "me", **asked}
    refusal = await ada.refused(Open, **seats)
    assert (refusal.code, refusal.field) == (code, field)
    if code is ErrorCode.RULES_TOO_LARGE:
        assert refusal.limit == Devious.largest_made


async def test_an_answer_that_cannot_be_found_forfeits_the_match(ada, monkeypatch):
    def fail(self, view, guess):
        del self, view, guess
        raise RuntimeError("no idea")

    match = (await ada.open(maker="devious", breaker="me")).match
    await ada.turn(match)
    monkeypatch.setattr(Devious, "dodge", fail)
    refusal = await ada.refused(Guess, match=match, code=pegs("1122"))
    assert refusal.code == ErrorCode.WRONG_PHASE
    events = events_of(await ada.follow(match))
    assert Left(player="bot-devious-maker", why=Forfeit.FAILED) in events
    assert events[-1] == Finished(how=MatchEnd.LEFT, winner=ada.id)


# The view of a bot is the view of a player in its seat.


async def test_a_bot_that_breaks_is_shown_what_a_spectator_is_sent_and_no_more(
    hall, ada, eve, monkeypatch
):
    """A spectator sees what the codebreaker sees; the two matches must be equal, field by field."""
    shown: list[Match] = []
    choose_move = hall.services.bots.choose_move

    async def note(seen, player, fixed=None):
        shown.append(seen)
        return await choose_move(seen, player, fixed)

    monkeypatch.setattr(hall.services.bots, "choose_move", note)
    match = (await ada.open(maker="me", breaker="random")).match
    await eve.follow(match)
    sent: list[Match] = []
    await ada.set(match, "1234")
    while eve.matches[match].phase is not Phase.FINISHED:
        await eve.next()
        sent.append(eve.matches[match])
    assert shown
    assert shown == sent[: len(shown)]
    for seen in shown:
        assert seen.current is not None
        assert (seen.current.secret, seen.current.nonce) == (None, None)
        assert see(seen) == BreakerView(DEFAULT, seen.current.turns)


def test_a_codebreakers_view_has_no_room_for_a_secret():
    assert BreakerView.__struct_fields__ == ("rules", "turns")
