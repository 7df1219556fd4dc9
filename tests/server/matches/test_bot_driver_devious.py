"""The adaptive codemaker at a table, and the view of a bot in either seat."""

from __future__ import annotations

from kit.matches import events_of, pegs
from mastermind_protocol.codec import decode_events
from mastermind_protocol.errors import ErrorCode
from mastermind_protocol.events import (
    Finished,
    Forfeit,
    Guessed,
    Left,
    MatchEnd,
    RoundEnd,
    SecretSet,
)
from mastermind_protocol.match import BreakerView, Match, Phase
from mastermind_protocol.proof import find_fraud
from mastermind_protocol.requests import Guess
from mastermind_protocol.rules import DEFAULT
from mastermind_server.bots.devious import DeviousBot
from mastermind_server.storage.statements.log import read_log


async def test_devious_has_no_commitment_and_leaves_the_most_codes(ada, eve):
    log = await ada.open(maker="devious", breaker="me")
    await eve.follow(log.match)
    answer = await ada.guess(log.match, "1122")
    (secret,) = [e for e in events_of(await eve.follow(log.match)) if isinstance(e, SecretSet)]
    assert secret == SecretSet(by="bot-devious-maker")
    assert answer.events == (Guessed(code=pegs("1122"), black=0, white=0),)  # 256 codes are left


async def test_a_finished_round_against_devious_is_consistent(ada):
    match = (await ada.open(maker="devious", breaker="me")).match
    while ada.matches[match].phase is not Phase.FINISHED:
        if ada.matches[match].phase is Phase.BREAKING:
            played = ada.matches[match].current
            assert played is not None
            advice = await ada.advise(match, most=1)
            await ada.guess(match, "".join(str(peg + 1) for peg in advice.guesses[0].code))
        else:
            await ada.wait_for_turn(match)
    (played,) = ada.matches[match].played
    assert played.how is RoundEnd.BROKEN
    assert len(played.turns) >= 5  # against the best first guesses it lasts that long
    assert (played.commitment, played.nonce) == (None, None)
    assert find_fraud(played, DEFAULT) is None


async def test_a_guess_at_devious_of_an_older_version_is_refused(ada):
    match = (await ada.open(maker="devious", breaker="me")).match
    answer = await ada.guess(match, "1122")
    refusal = await ada.refused(Guess, match=match, code=pegs("3344"), v=answer.v - 1)
    assert refusal.code == ErrorCode.STALE_VERSION
    refusal = await ada.refused(Guess, match=match, code=pegs("33"), v=answer.v)
    assert refusal.code == ErrorCode.INVALID_CODE


async def test_a_match_against_devious_is_consistent_after_a_restart(hall, ada):
    match = (await ada.open(maker="devious", breaker="me")).match
    await ada.guess(match, "1122")
    await hall.restart()
    ada = await hall.connect_again(ada)
    await ada.follow(match)
    await ada.guess(match, "3344")
    await ada.resign(match)
    assert find_fraud(ada.matches[match].played[0], DEFAULT) is None


async def test_the_held_code_of_devious_is_sent_to_nobody(hall, ada, eve):
    match = (await ada.open(maker="devious", breaker="me")).match
    await eve.follow(match)
    await ada.guess(match, "1122")
    await eve.follow(match)
    rows = await hall.store.read(read_log, match)
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


async def test_devious_forfeits_if_it_finds_no_answer(ada, monkeypatch):
    def fail(self, view, guess):
        del self, view, guess
        raise RuntimeError("no idea")

    match = (await ada.open(maker="devious", breaker="me")).match
    await ada.wait_for_turn(match)
    monkeypatch.setattr(DeviousBot, "rechoose", fail)
    refusal = await ada.refused(Guess, match=match, code=pegs("1122"))
    assert refusal.code == ErrorCode.WRONG_PHASE
    events = events_of(await ada.follow(match))
    assert Left(player="bot-devious-maker", why=Forfeit.FAILED) in events
    assert events[-1] == Finished(how=MatchEnd.LEFT, winner=ada.id)


# The view of a bot is the view of a player in its seat.


async def test_a_bot_that_breaks_sees_what_a_spectator_sees(hall, ada, eve, monkeypatch):
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
        assert BreakerView.of(seen) == BreakerView(DEFAULT, seen.current.turns)
