"""Entries of contests: the server sets their secret, and their last event does not reveal it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from kit.entries import KEEPER, SECRET, begin_try, open_try, play_try, seal
from kit.matches import BOB, NONCE, pegs, play, sit
from kit.matches import game as round_of
from mastermind_protocol.commands import (
    COMMANDS,
    Command,
    GuessCode,
    LeaveMatch,
    OfferRematch,
    ResignRound,
    SetSecret,
    TakeAdvice,
    TakeSeat,
    find_advice_refusal,
    find_refusal,
    is_legal_event,
)
from mastermind_protocol.commitment import commit
from mastermind_protocol.errors import Reason, Refused
from mastermind_protocol.events import (
    SERVER,
    Advised,
    AnyEvent,
    Finished,
    Guessed,
    MatchEnd,
    RematchOffered,
    Resumed,
    RoundEnd,
    RoundEnded,
    SecretSet,
    Unrated,
)
from mastermind_protocol.match import Phase
from mastermind_protocol.proof import ChangedCode, find_fraud
from mastermind_protocol.transitions import decide, evolve, fold, reveal
from protocol.matches import EVE

OTHER = pegs("1122")
SETTING = fold(open_try()[:3])
BREAKING = begin_try()
HIT = evolve(BREAKING, Guessed(code=SECRET, black=4, white=0))
FINISHED = play_try("1122", "1234")

given_fields: dict[type[Command], st.SearchStrategy[Command]] = {
    TakeSeat: st.builds(TakeSeat, st.sampled_from([BOB, EVE, KEEPER])),
    SetSecret: st.just(SetSecret(OTHER, NONCE)),
    GuessCode: st.builds(GuessCode, st.sampled_from([SECRET, OTHER, OTHER, OTHER, (0, 0)])),
    LeaveMatch: st.builds(LeaveMatch, absent=st.booleans()),
    OfferRematch: st.just(OfferRematch("ABCDEF")),
}
commands: st.SearchStrategy[Command] = st.one_of(
    *(given_fields.get(kind, st.builds(kind)) for kind in COMMANDS.values()),
    *[given_fields[GuessCode]] * 8,
)
attempts = st.lists(st.tuples(st.sampled_from([BOB] * 6 + [EVE, KEEPER]), commands), max_size=24)


@given(attempts)
def test_every_course_of_an_entry_can_be_folded_and_shows_no_code_but_the_guesses(attempted):
    stored, seen = begin_try(shown=True), begin_try()
    guessed = []
    for player, command in attempted:
        decision = decide(stored, command, player.id)
        if isinstance(decision, Refused):
            continue
        shown = list(map(_find_code, decision.events))
        if isinstance(command, GuessCode):
            guessed.append(command.code)
            assert shown[0] == command.code
            shown[0] = None
        assert set(shown) == {None}
        assert fold(decision.events, stored) == decision.after
        stored, seen = decision.after, fold(decision.events, seen)
        if stored.current is None:
            assert seen == stored  # the server too forgets the code: the contest has it
    rounds = [*stored.played, *([stored.current] if stored.current else [])]
    assert [turn.code for each in rounds for turn in each.turns] == guessed
    assert all(each.awaits_proof and find_fraud(each, seen.rules) is None for each in seen.played)
    proven = reveal(seen, SECRET, NONCE)
    assert [find_fraud(each, seen.rules) for each in proven.played] == [None] * len(seen.played)
    forged = reveal(seen, OTHER, NONCE)
    assert all(find_fraud(each, seen.rules) == ChangedCode() for each in forged.played)


def _find_code(event: AnyEvent) -> tuple[int, ...] | bytes | None:
    """Return a code or nonce in an event, or None."""
    if isinstance(event, Guessed):
        return event.held or event.code
    return event.code or event.nonce if isinstance(event, RoundEnded | SecretSet) else None


@pytest.mark.parametrize(
    ("ended", "how", "winner"),
    [
        (play_try("1122", "1234"), RoundEnd.BROKEN, BOB.id),
        (play_try(*["1122"] * 12), RoundEnd.EXHAUSTED, KEEPER.id),
    ],
)
def test_an_entry_ends_like_a_match_of_one_round(ended, how, winner):
    (played,) = ended.played
    assert (played.how, ended.phase) == (how, Phase.FINISHED)
    assert ended.outcome == Finished(how=MatchEnd.PLAYED, winner=winner)
    assert played.points == (2 if how is RoundEnd.BROKEN else 13)


@pytest.mark.parametrize(
    ("forged", "before"),
    [
        (SecretSet(by=KEEPER.id, commitment=commit(NONCE, SECRET)), SETTING),
        (SecretSet(by=BOB.id, commitment=commit(NONCE, SECRET)), SETTING),
        (SecretSet(by=SERVER), SETTING),
        (SecretSet(by=SERVER, code=SECRET), SETTING),
        (replace(seal(shown=True), code=OTHER), SETTING),
        (seal(), BREAKING),
        (seal(), FINISHED),
        (Advised(by=BOB.id), BREAKING),
        (Unrated(why="pair"), SETTING),
        (Resumed(lost=5), BREAKING),
        (RoundEnded(how=RoundEnd.TIME, points=13), BREAKING),
        (RoundEnded(how=RoundEnd.BROKEN, points=1), BREAKING),
        (RoundEnded(how=RoundEnd.BROKEN, points=2), HIT),
        (RoundEnded(how=RoundEnd.BROKEN, points=1, code=SECRET), HIT),
        (RoundEnded(how=RoundEnd.BROKEN, points=1, nonce=NONCE), HIT),
        (RoundEnded(how=RoundEnd.BROKEN, points=1, code=SECRET, nonce=NONCE), HIT),
        (RoundEnded(how=RoundEnd.RESIGNED, points=13, code=SECRET, nonce=NONCE), BREAKING),
        (RematchOffered(by=BOB.id, match="ABCDEF"), FINISHED),
    ],
)
def test_a_client_refuses_events_that_an_entry_cannot_have(forged, before):
    assert not is_legal_event(before, forged)
    with pytest.raises(ValueError, match="cannot follow"):
        evolve(before, forged)


@pytest.mark.parametrize(
    "legal",
    [seal(), seal(shown=True)],
)
def test_the_server_sets_the_secret_of_an_entry_once(legal):
    after = evolve(SETTING, legal)
    assert after.phase is Phase.BREAKING
    assert after.current is not None
    assert after.current.drawn


def test_no_other_match_gets_its_first_secret_by_the_server_or_ends_without_its_code():
    assert not is_legal_event(sit(), seal())
    assert not is_legal_event(sit(), seal(shown=True))
    breaking = evolve(sit(), replace(seal(), by="ADA"))
    hit = evolve(breaking, Guessed(code=SECRET, black=4, white=0))
    shown = RoundEnded(how=RoundEnd.BROKEN, points=1, code=SECRET, nonce=NONCE)
    assert is_legal_event(hit, shown)
    assert not is_legal_event(hit, replace(shown, code=None, nonce=None))
    assert not is_legal_event(hit, replace(shown, code=None))


@pytest.mark.parametrize(
    ("match", "command", "reason"),
    [
        (BREAKING, TakeAdvice(), Reason.CONTEST_WITHOUT_ADVICE),
        (FINISHED, OfferRematch("ABCDEF"), Reason.CONTEST_WITHOUT_REMATCH),
        (BREAKING, ResignRound(), None),
        (BREAKING, LeaveMatch(), None),
    ],
)
def test_an_entry_has_no_advice_and_no_rematch(match, command, reason):
    refusal = find_refusal(match, command, BOB.id)
    assert (refusal and refusal.reason) == reason


def test_aids_are_refused_in_an_entry_before_its_size_is_considered():
    assert not BREAKING.allows_aids
    refusal = find_advice_refusal(BREAKING)
    assert refusal is not None
    assert refusal.reason is Reason.CONTEST_WITHOUT_ADVICE


def test_only_the_end_of_an_entry_takes_a_revealed_code():
    ordinary = play(round_of("1234", "1234"))
    assert reveal(ordinary, OTHER, NONCE) is ordinary
    assert reveal(BREAKING, SECRET, NONCE) is BREAKING
    assert reveal(FINISHED, SECRET, NONCE).played[-1].secret == SECRET
