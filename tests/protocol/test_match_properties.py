from __future__ import annotations

from typing import NamedTuple

from hypothesis import event as note
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from mastermind_protocol.commands import (
    Command,
    GuessCode,
    LeaveMatch,
    OfferRematch,
    ResignRound,
    SetSecret,
    TakeSeat,
    refuse,
)
from mastermind_protocol.commitment import commit
from mastermind_protocol.errors import ErrorCode, Refused
from mastermind_protocol.events import (
    AnyEvent,
    Left,
    MatchEnd,
    Opened,
    Player,
    RematchOffered,
    RoundEnd,
    Seat,
    SecretSet,
)
from mastermind_protocol.feedback import score
from mastermind_protocol.match import Match, Phase, Round
from mastermind_protocol.proof import find_fraud
from mastermind_protocol.transitions import Decision, decide, evolve, fold
from strategies import nonces

ANN = Player(id="p-ann", name="Ann")
BOB = Player(id="p-bob", name="Bob")
EVE = Player(id="p-eve", name="Eve")
EVERYBODY = (ANN, BOB, EVE)

# Small games, so that short sequences reach every end. One code in three does not fit them.
openings: st.SearchStrategy[Opened] = st.builds(
    Opened,
    rules=st.sampled_from(["2x2/2", "2x3/3", "1x2/1"]),
    rounds=st.integers(1, 3),
    reserved=st.sampled_from([None, None, None, BOB.id]),
    seed=st.none() | st.integers(0, 9),
    secret=st.none() | st.just((0, 1)),
)
codes = st.lists(st.integers(0, 2), min_size=1, max_size=3).map(tuple)
commands: st.SearchStrategy[Command] = st.one_of(
    st.builds(TakeSeat, st.sampled_from(EVERYBODY), st.sampled_from([None, *Seat])),
    st.builds(SetSecret, codes, nonces),
    st.builds(GuessCode, codes),
    st.builds(GuessCode, codes),
    st.just(ResignRound()),
    st.builds(LeaveMatch, absent=st.booleans()),
    st.just(OfferRematch("ABCDEF")),
)


class Move(NamedTuple):
    """What somebody tries. Nobody's move is made by whoever may, as the phase demands."""

    by: Player | None
    command: Command
    first: int
    nonce: bytes


moves: st.SearchStrategy[Move] = st.builds(
    Move, st.sampled_from([None] * 5 + list(EVERYBODY)), commands, st.integers(0, 1), nonces
)


class Step(NamedTuple):
    before: Match
    by: Player
    command: Command
    result: Decision | Refused
    after: Match


class History(NamedTuple):
    log: list[AnyEvent]
    steps: list[Step]

    @property
    def end(self) -> Match:
        return self.steps[-1].after


def play(opened: Opened, tried: list[Move]) -> History:
    """Let everybody try what they like; the authority decides, and keeps the log."""
    log: list[AnyEvent] = [opened, *seat_the_first(opened)]
    match = fold(log)
    steps = []
    for move in tried:
        by, command = attempt(match, move)
        result = decide(match, command, by.id)
        events = () if isinstance(result, Refused) else result.events
        after = fold(events, match)
        steps.append(Step(match, by, command, result, after))
        log.extend(events)
        match = after
    return History(log, steps)


def seat_the_first(opened: Opened) -> tuple[AnyEvent, ...]:
    free = fold([replace(opened, reserved=None)])
    decision = decide(free, TakeSeat(ANN), ANN.id)
    assert not isinstance(decision, Refused)
    return decision.events


def attempt(match: Match, move: Move) -> tuple[Player, Command]:
    if move.by is not None:
        command = move.command
        # Nobody sits down as somebody else: the server fills in who asks.
        return move.by, TakeSeat(move.by, command.seat) if isinstance(
            command, TakeSeat
        ) else command
    code = (move.first, *[0] * (match.rules.pegs - 1))
    match match.phase:
        case Phase.GATHERING:
            return BOB, TakeSeat(BOB)
        case Phase.SETTING:
            assert match.maker is not None
            return match.maker, SetSecret(code, move.nonce)
        case Phase.BREAKING:
            assert match.breaker is not None
            return match.breaker, GuessCode(code)
        case Phase.FINISHED:
            return ANN, OfferRematch("ABCDEF")


histories = st.builds(play, openings, st.lists(moves, min_size=8, max_size=25))
played_out = settings(max_examples=25)  # in each of twelve tests: three hundred in all


@given(histories)
@played_out
def test_the_phase_says_what_there_is(history):
    for _, _, _, _, match in history.steps:
        note(f"phase {match.phase}")
        running = match.phase in (Phase.SETTING, Phase.BREAKING)
        assert (match.current is not None) == running
        assert (match.to_move is not None) == running
        assert (match.outcome is not None) == (match.phase is Phase.FINISHED)
        if match.phase is Phase.GATHERING:
            assert len(match.players) == 1
            assert not match.played
        if running:
            assert len(match.players) == 2
            assert not match.left
        if match.rematch is not None:
            assert match.phase is Phase.FINISHED


@given(histories)
@played_out
def test_the_current_round_is_as_far_as_its_phase(history):
    for _, _, _, _, match in history.steps:
        current = match.current
        if current is None:
            continue
        assert (current.maker, current.breaker) == tuple(player.id for player in match.players)
        assert (current.how, current.points) == (None, 0)
        if match.phase is Phase.SETTING:
            assert (current.secret, current.nonce, current.commitment) == (None, None, None)
            assert current.turns == ()
        else:
            assert current.secret is not None
            assert current.nonce is not None
            assert current.commitment == commit(current.nonce, current.secret)
            assert len(current.turns) < match.rules.limit
            assert current.secret not in [turn.code for turn in current.turns]


@given(histories)
@played_out
def test_a_round_that_is_over_is_proven_and_has_its_points(history):
    match = history.end
    for played in match.played:
        note(f"round {played.how}")
        assert find_fraud(played, match.rules) is None
        assert len(played.turns) <= match.rules.limit
        assert all(score(played.secret or (), turn.code) == turn.feedback for turn in played.turns)
        broken = [turn.code == played.secret for turn in played.turns]
        assert any(broken[:-1]) is False
        assert (played.how is RoundEnd.BROKEN) == (broken[-1:] == [True])
        if played.how is RoundEnd.EXHAUSTED:
            assert len(played.turns) == match.rules.limit
        stands = {RoundEnd.EXHAUSTED: 1, RoundEnd.RESIGNED: 1, RoundEnd.BROKEN: 0}
        if played.how is RoundEnd.LEFT:
            assert (played.points, played) == (0, match.played[-1])
        else:
            assert played.how is not None
            assert played.points == len(played.turns) + stands[played.how]


@given(histories)
@played_out
def test_the_roles_are_swapped_each_round(history):
    match = history.end
    rounds: list[Round] = [*match.played, *([match.current] if match.current else [])]
    assert len(rounds) <= match.opened.rounds
    for number, played in enumerate(rounds):
        assert {played.maker, played.breaker} == {player.id for player in match.players}
        if number:
            assert (played.maker, played.breaker) == (
                rounds[number - 1].breaker,
                rounds[number - 1].maker,
            )


@given(histories)
@played_out
def test_a_match_is_over_when_its_rounds_are_played_or_somebody_has_left(history):
    match = history.end
    if match.outcome is None:
        assert len(match.played) < match.opened.rounds
        return
    note(f"match {match.outcome.how}")
    ids = [player.id for player in match.players]
    match match.outcome.how:
        case MatchEnd.PLAYED:
            assert len(match.played) == match.opened.rounds
            assert match.outcome.winner == expected_winner(match)
        case MatchEnd.LEFT:
            assert match.outcome.winner in ids
            assert match.left
        case MatchEnd.CLOSED:
            assert (match.outcome.winner, len(ids)) == (None, 1)


def expected_winner(match: Match) -> str | None:
    (only, *more) = match.played
    if not more:
        return only.breaker if only.how is RoundEnd.BROKEN else only.maker
    points = dict.fromkeys((only.maker, only.breaker), 0)
    for played in match.played:
        points[played.maker] += played.points
    best = [player for player, number in points.items() if number == max(points.values())]
    return best[0] if len(best) == 1 else None


@given(histories)
@played_out
def test_after_the_end_only_leaving_and_a_rematch_are_possible(history):
    for before, _, command, result, after in history.steps:
        if before.phase is not Phase.FINISHED:
            continue
        if not isinstance(result, Refused):
            assert isinstance(command, LeaveMatch | OfferRematch)
            assert [type(event) for event in result.events] in ([Left], [RematchOffered])
        unchanged = replace(after, left=before.left, rematch=before.rematch)
        assert unchanged == before


@given(histories)
@played_out
def test_what_is_refused_changes_nothing(history):
    for before, by, command, result, after in history.steps:
        refusal = refuse(before, command, by.id)
        assert isinstance(result, Refused) == (refusal is not None)
        if isinstance(result, Refused):
            assert refusal is not None
            note(f"refused {result.code}")
            assert after is before
            assert ErrorCode(result.code)
            assert (result.code, result.message) == (refusal.code, refusal.message)
        else:
            assert result.events
            assert after != before or isinstance(command, OfferRematch)


@given(histories)
@played_out
def test_a_move_is_made_by_whose_turn_it_is_alone(history):
    for before, by, command, result, _ in history.steps:
        if isinstance(command, SetSecret | GuessCode | ResignRound) and not isinstance(
            result, Refused
        ):
            assert by == before.to_move


@given(histories)
@played_out
def test_the_log_folded_from_the_start_is_the_match(history):
    assert fold(history.log) == history.end
    half = len(history.log) // 2 or 1
    assert fold(history.log[half:], fold(history.log[:half])) == history.end


@given(histories)
@played_out
def test_what_is_decided_is_what_its_events_make_of_the_match(history):
    for _, _, _, result, after in history.steps:
        assert isinstance(result, Refused) or result.after == after


def hide(event: AnyEvent) -> AnyEvent:
    """Return an event as those see it who may not know the secret."""
    if isinstance(event, Opened):
        return replace(event, seed=None, drawn=0, secret=None)
    return replace(event, code=None, nonce=None) if isinstance(event, SecretSet) else event


@given(histories)
@played_out
def test_who_is_not_shown_the_secret_has_the_same_match_but_for_it(history):
    seen = fold(map(hide, history.log))
    truth = history.end

    current = truth.current and replace(truth.current, secret=None, nonce=None)
    hidden = replace(truth.opened, seed=None, drawn=0, secret=None)
    assert seen == replace(truth, opened=hidden, current=current)


@given(histories, st.sampled_from(EVERYBODY), commands)
@played_out
def test_who_is_not_shown_the_secret_refuses_the_same_commands(history, by, command):
    seen = refuse(fold(map(hide, history.log)), command, by.id)
    truth = refuse(history.end, command, by.id)

    assert (seen and (seen.code, seen.message)) == (truth and (truth.code, truth.message))


@given(histories)
@played_out
def test_every_event_of_a_row_can_follow_the_one_before(history):
    match: Match | None = None
    for event in history.log:
        match = evolve(match, event)
        assert (match.current is not None) == (match.phase in (Phase.SETTING, Phase.BREAKING))
