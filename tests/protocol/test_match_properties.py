"""Properties of every match: players and bots try any commands, in any phase."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from hypothesis import event as note
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from kit.strategies import nonces
from mastermind_protocol.code import Code
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
    find_command,
    find_refusal,
)
from mastermind_protocol.commitment import commit
from mastermind_protocol.errors import Refused
from mastermind_protocol.events import (
    AnyEvent,
    Forfeit,
    Guessed,
    Joined,
    Left,
    MatchEnd,
    Opened,
    Player,
    RematchOffered,
    RoundEnd,
    RoundEnded,
    Seat,
    SecretSet,
)
from mastermind_protocol.feedback import score
from mastermind_protocol.match import (
    BreakerView,
    Match,
    Phase,
    Round,
    find_excluding_guess,
    find_player_to_remove,
    is_advised,
)
from mastermind_protocol.proof import find_fraud
from mastermind_protocol.rules import Rules
from mastermind_protocol.transitions import Decision, decide, evolve, fold
from protocol.matches import ANN, BOB, DEVIOUS, EVE, ROBOT, cause

CASTS = [(ANN, BOB), (ANN, BOB), (ANN, ROBOT), (DEVIOUS, BOB)]
EVERYBODY = (ANN, BOB, EVE)
MOVER = Player(id="p-mover", name="Mover")  # in an attempt: the player to move

# Small games, so that short sequences reach every end. One code in three does not fit them.
openings: st.SearchStrategy[Opened] = st.builds(
    Opened,
    rules=st.sampled_from(["2x2/2", "2x3/3", "1x2/1", "2x3u/3"]),
    rounds=st.integers(1, 3),
    rated=st.sampled_from([False, False, True]),
    reserved=st.sampled_from([None, None, None, BOB.id]),
    seed=st.none() | st.integers(0, 9),
    secret=st.none() | st.just((0, 1)),
)
codes = st.lists(st.integers(0, 2), min_size=1, max_size=3).map(tuple)
given_fields: dict[type[Command], st.SearchStrategy[Command]] = {
    TakeSeat: st.builds(TakeSeat, st.sampled_from(EVERYBODY), st.sampled_from([None, *Seat])),
    SetSecret: st.builds(SetSecret, codes, st.none() | nonces),
    GuessCode: st.builds(GuessCode, codes),
    LeaveMatch: st.builds(
        LeaveMatch, st.sampled_from([None, None, *Forfeit]), absent=st.booleans()
    ),
    OfferRematch: st.just(OfferRematch("ABCDEF")),
}
commands: st.SearchStrategy[Command] = st.one_of(
    *(
        given_fields[kind] if kind in given_fields else st.builds(kind)
        for kind in COMMANDS.values()
    ),
    given_fields[GuessCode],
)


class Move(NamedTuple):
    """An attempt. Without a player it is a legal move of the player to move."""

    by: Player | None
    command: Command
    first: int
    nonce: bytes


moves: st.SearchStrategy[Move] = st.builds(
    Move,
    st.sampled_from([None] * 6 + [MOVER] * 3 + [ANN, BOB, EVE, ROBOT, DEVIOUS]),
    commands,
    st.integers(0, 1),
    nonces,
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


def play(opened: Opened, cast: tuple[Player, Player], tried: list[Move]) -> History:
    """Return the log of the accepted attempts, and each attempt with its result."""
    first, second = cast
    if opened.rated and (first.is_bot or second.is_bot):
        opened = replace(opened, rated=False)
    log: list[AnyEvent] = [opened, *cause(fold([opened]), TakeSeat(first), first)]
    match = fold(log)
    steps = []
    for move in tried:
        by, command = attempt(match, move, second)
        result = decide(match, command, by.id)
        events = () if isinstance(result, Refused) else result.events
        after = fold(events, match)
        steps.append(Step(match, by, command, result, after))
        log.extend(events)
        match = after
    return History(log, steps)


def attempt(match: Match, move: Move, second: Player) -> tuple[Player, Command]:
    """Return the player and the command of a move, completed as the server does it."""
    by, command = choose(match, move, second)
    match command:
        case TakeSeat():  # the server fills in the sender
            command = TakeSeat(by, command.seat)
        case GuessCode() if match.current is not None:
            command = GuessCode(command.code, find_held(match.rules, match.current, move.first))
    return by, command


def choose(match: Match, move: Move, second: Player) -> tuple[Player, Command]:
    if move.by is not None:
        by = (match.to_move or match.players[0]) if move.by is MOVER else move.by
        return by, move.command
    code = list(match.rules.space.iterate_codes())[move.first]
    match match.phase:
        case Phase.GATHERING:
            return second, TakeSeat(second)
        case Phase.SETTING:
            assert match.maker is not None
            return match.maker, SetSecret(code, None if match.maker.bot else move.nonce)
        case Phase.BREAKING:
            assert match.breaker is not None
            return match.breaker, GuessCode(code)
        case Phase.FINISHED:
            return match.players[0], OfferRematch("ABCDEF")


def find_held(rules: Rules, current: Round, number: int) -> Code | None:
    """Return a code that fits all feedback of a round without a commitment."""
    if current.secret is None or current.commitment is not None:
        return None
    every = rules.space.iterate_codes()
    fitting = [code for code in every if find_excluding_guess(code, current.turns) is None]
    return fitting[number % len(fitting)]


histories = st.builds(
    play, openings, st.sampled_from(CASTS), st.lists(moves, min_size=8, max_size=25)
)
played_out = settings(max_examples=16)  # in each of fifteen tests


def expected_event(match: Match, command: Command, by: Player) -> AnyEvent | None:
    """Return the first event of an accepted command, or None if it only repeats the command."""
    current = match.current or Round(maker="", breaker="")
    secret = current.secret or ()
    free = Seat.BREAKER if match.maker else Seat.MAKER
    match command:
        case TakeSeat(player=player, seat=chosen):
            return Joined(player=player, seat=chosen or free)
        case SetSecret(code=code, nonce=nonce):
            commitment = None if nonce is None else commit(nonce, code)
            return SecretSet(by=by.id, commitment=commitment, code=code, nonce=nonce)
        case GuessCode(code=code, held=held):
            black, white = score(held or secret, code)
            return Guessed(code=code, black=black, white=white, held=held)
        case ResignRound():
            points = count_given_up(match, current)
            how = RoundEnd.RESIGNED
            return RoundEnded(how=how, code=secret, nonce=current.nonce, points=points)
        case _:
            return None


@given(histories)
@played_out
def test_a_match_is_what_its_commands_make_of_it(history):
    for before, by, command, result, after in history.steps:
        note(f"{type(command).__name__} {getattr(result, 'code', 'done')}")
        refusal = find_refusal(before, command, by.id)
        if isinstance(result, Refused):
            assert refusal is not None
            assert (result.code, result.message) == (refusal.code, refusal.message)
            assert after is before
        else:
            assert refusal is None
            first, expected = result.events[0], expected_event(before, command, by)
            if expected is None:
                assert not isinstance(first, Opened)
                assert find_command(first, before) == (command, by.id)
            else:
                assert first == expected
            assert result.after == after != before


@given(histories)
@played_out
def test_advice_is_for_the_next_guess_of_a_match_that_is_not_rated(history):
    for before, by, command, result, after in history.steps:
        assert is_advised(after, by.id) is (
            after.to_move == by
            and after.phase is Phase.BREAKING
            and len(after.current.turns) + 1 in after.current.advised
        )
        if isinstance(command, TakeAdvice) and not isinstance(result, Refused):
            assert not before.opened.rated
            assert before.to_move == by
            assert not is_advised(before, by.id)
            assert is_advised(after, by.id)
            assert replace(after, current=before.current) == before


@given(histories)
@played_out
def test_only_a_bot_explains_why_it_leaves_and_only_an_awaited_player_is_absent(history):
    for before, by, command, result, after in history.steps:
        if isinstance(command, LeaveMatch) and not isinstance(result, Refused):
            assert by.id in after.departed - before.departed
            assert command.why is None or (by.is_bot and not command.absent)
            assert not command.absent or find_player_to_remove(before) == by


@given(histories)
@played_out
def test_only_bots_set_a_secret_without_a_commitment_and_rated_matches_have_none(history):
    match = history.end
    for player in match.players:
        assert not (match.opened.rated and player.is_bot)
    for played in (*match.played, *([match.current] if match.current else [])):
        if played.secret is not None and played.commitment is None:
            assert played.maker == DEVIOUS.id


@given(histories)
@played_out
def test_the_phase_determines_the_parts_of_a_match(history):
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
            assert not match.departed
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
            if current.nonce is None:
                assert current.commitment is None
            else:
                assert current.commitment == commit(current.nonce, current.secret)
            assert len(current.turns) < match.rules.guess_limit
            assert current.secret not in [turn.code for turn in current.turns]


@given(histories)
@played_out
def test_a_finished_round_is_proven_and_has_its_points(history):
    match = history.end
    for played in match.played:
        note(f"round {played.how}")
        assert find_fraud(played, match.rules) is None
        assert len(played.turns) <= match.rules.guess_limit
        assert all(score(played.secret or (), turn.code) == turn.feedback for turn in played.turns)
        broken = [turn.code == played.secret for turn in played.turns]
        assert any(broken[:-1]) is False
        assert (played.how is RoundEnd.BROKEN) == (broken[-1:] == [True])
        if played.how is RoundEnd.EXHAUSTED:
            assert len(played.turns) == match.rules.guess_limit
        if played.how is RoundEnd.BROKEN:
            assert played.points == len(played.turns)
        elif played.how is RoundEnd.LEFT:
            assert played is match.played[-1]
            assert played.points in (0, count_given_up(match, played))
        else:
            assert played.points == count_given_up(match, played)


def count_given_up(match: Match, played: Round) -> int:
    """Return the points of a round that is given up: as if all guesses had been used."""
    return (match.rules.guesses or max(len(played.turns), 12)) + 1


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
def test_a_match_ends_when_its_rounds_are_played_or_a_player_has_left(history):
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
            (leaver,) = [
                step.by.id
                for step in history.steps
                if step.before.outcome is None and step.after.outcome is not None
            ]
            assert {match.outcome.winner, leaver} == set(ids)
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
        unchanged = replace(after, departed=before.departed, rematch=before.rematch)
        assert unchanged == before


@given(histories)
@played_out
def test_only_the_player_whose_turn_it_is_makes_a_move(history):
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


def hide(event: AnyEvent) -> AnyEvent:
    """Return an event without the secret, as a spectator is sent it."""
    if isinstance(event, Opened):
        return replace(event, seed=None, drawn=0, secret=None)
    if isinstance(event, Guessed):
        return replace(event, held=None)
    return replace(event, code=None, nonce=None) if isinstance(event, SecretSet) else event


@given(histories)
@played_out
def test_a_match_without_its_secret_is_the_same_but_for_the_secret(history):
    seen = fold(map(hide, history.log))
    truth = history.end
    current = truth.current and replace(truth.current, secret=None, nonce=None)
    hidden = replace(truth.opened, seed=None, drawn=0, secret=None)
    assert seen == replace(truth, opened=hidden, current=current)


@given(histories, st.sampled_from(EVERYBODY), commands)
@played_out
def test_a_match_without_its_secret_refuses_the_same_commands(history, by, command):
    seen = find_refusal(fold(map(hide, history.log)), command, by.id)
    truth = find_refusal(history.end, command, by.id)
    assert (seen and (seen.code, seen.message)) == (truth and (truth.code, truth.message))


@given(histories)
@played_out
def test_every_event_of_a_row_can_follow_the_one_before(history):
    match: Match | None = None
    for event in history.log:
        match = evolve(match, event)
        assert (match.current is not None) == (match.phase in (Phase.SETTING, Phase.BREAKING))


@given(histories)
@played_out
def test_a_codebreaker_sees_its_guesses_and_nothing_of_the_secret(history):
    for _, _, _, _, match in history.steps:
        if match.current is None:
            with pytest.raises(ValueError, match="no running round"):
                BreakerView.of(match)
        else:
            hidden = replace(match.current, secret=None, nonce=None)
            assert BreakerView.of(match) == BreakerView.of(replace(match, current=hidden))
            assert BreakerView.of(match) == BreakerView(match.rules, match.current.turns)
