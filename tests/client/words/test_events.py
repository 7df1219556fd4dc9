from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit.matches import pegs
from mastermind_client.words.events import FORFEITS, describe
from mastermind_client.words.players import name_player
from mastermind_protocol.commitment import commit
from mastermind_protocol.events import (
    Advised,
    AnyEvent,
    Finished,
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
from mastermind_protocol.match import Match
from mastermind_protocol.transitions import evolve, fold

ADA, BOB = Player(id="ADA", name="Ada"), Player(id="BOB", name="Bob")
KNUTH = Player(id="bot-knuth-maker", name="knuth", bot="knuth")
NONCE = bytes(16)
SECRET = pegs("1234")
COMMITMENT = commit(NONCE, SECRET)
PROVEN = "Code proven: it is the one committed to, and every feedback fits it."
SHOWN = "The secret was 1 2 3 4: red green blue yellow."


def opened(rules: str = "classic", rounds: int = 1) -> list[AnyEvent]:
    return [
        Opened(rules=rules, rounds=rounds),
        Joined(player=ADA, seat=Seat.MAKER),
        Joined(player=BOB, seat=Seat.BREAKER),
    ]


def secret(by: Player = ADA, *, known: bool = False) -> SecretSet:
    if not known:
        return SecretSet(by=by.id, commitment=COMMITMENT)
    return SecretSet(by=by.id, commitment=COMMITMENT, code=SECRET, nonce=NONCE)


def guess(digits: str) -> Guessed:
    black, white = score(SECRET, pegs(digits))
    return Guessed(code=pegs(digits), black=black, white=white)


def ended(how: RoundEnd, points: int) -> RoundEnded:
    return RoundEnded(how=how, code=SECRET, nonce=NONCE, points=points)


def played(winner: Player | None) -> Finished:
    return Finished(how=MatchEnd.PLAYED, winner=winner.id if winner else None)


BROKEN: list[AnyEvent] = [guess("1234"), ended(RoundEnd.BROKEN, 1), played(BOB)]


def told(
    before: list[AnyEvent],
    events: list[AnyEvent],
    me: Player | None = None,
    *,
    whole_board: bool = False,
) -> list[str]:
    """Return the lines that tell the last events of a match to somebody."""
    match = fold(before) if before else None
    return list(describe(events, match, me.id if me else None, whole_board=whole_board))


def test_a_match_is_opened_with_its_rules():
    assert told([], opened("mini")[:1]) == [
        "mini: 4 pegs, 6 colours, 6 guesses.",
        "Colours: R red, G green, O orange, B blue, P purple, Y yellow.",
    ]
    assert "Colours: 1 or R red, 2 or G green, 3 or B blue," in told([], opened()[:1])[1]
    assert told([], [Opened(rules="classic", rounds=1, rated=True)])[2:] == [
        "It is rated: without advice, and without programs."
    ]
    assert told([], opened("knuth")[:1])[0] == (
        "knuth: 4 pegs, 6 colours, as many guesses as it takes."
    )
    assert told([], opened(rounds=3)[:1])[2:] == [
        "3 rounds are played; the seats are swapped after each."
    ]


@pytest.mark.parametrize(
    ("me", "lines"),
    [
        (ADA, ["You are the codemaker.", "Bob is the codebreaker."]),
        (BOB, ["Ada is the codemaker.", "You are the codebreaker."]),
        (None, ["Ada is the codemaker.", "Bob is the codebreaker."]),
    ],
)
def test_who_sits_where_is_told(me, lines):
    assert told(opened()[:1], opened()[1:], me) == lines


def test_bots_are_told_from_people():
    events: list[AnyEvent] = [Joined(player=KNUTH, seat=Seat.MAKER)]
    assert told(opened()[:1], events) == ["knuth (bot) is the codemaker."]


def test_the_codemaker_alone_is_told_the_secret():
    sealed = "It is sealed: who set it cannot change it unseen."
    assert told(opened(), [secret(known=True)], ADA) == [
        "Your secret is set.",
        "It is 1 2 3 4; only you can see it.",
        sealed,
    ]
    for viewer in (BOB, None):
        assert told(opened(), [secret()], viewer) == ["The secret is set.", sealed]


@pytest.mark.parametrize("me", [BOB, None])
def test_a_secret_that_a_server_gives_away_is_still_not_shown(me):
    assert not [line for line in told(opened(), [secret(known=True)], me) if "1 2 3 4" in line]


@pytest.mark.parametrize("me", [ADA, BOB, None])
def test_a_guess_is_a_row_of_the_board_for_everybody(me):
    before: list[AnyEvent] = [*opened(), secret(), guess("1111")]
    assert told(before, [guess("4221")], me) == [" 2  4 2 2 1  1 black, 2 white"]


@pytest.mark.parametrize(
    ("me", "who", "result"),
    [
        (ADA, "Bob", "Bob wins. You lose."),
        (BOB, "You", "You win."),
        (None, "Bob", "Bob wins."),
    ],
)
def test_a_broken_code_is_shown_and_proven(me, who, result):
    assert told([*opened(), secret()], BROKEN, me) == [
        " 1  1 2 3 4  4 black, 0 white",
        f"{who} broke the code in 1 guess.",
        SHOWN,
        PROVEN,
        result,
    ]


def test_guesses_are_counted_in_good_english():
    lines = told([*opened(), secret()], [guess("1111"), *_again(BROKEN, points=2)])
    assert "Bob broke the code in 2 guesses." in lines


def test_a_code_that_stands_is_shown_too():
    before: list[AnyEvent] = [*opened("4x6/2"), secret(), guess("6666")]
    last: list[AnyEvent] = [guess("6666"), ended(RoundEnd.EXHAUSTED, 3), played(ADA)]
    assert told(before, last, BOB) == [
        " 2  P P P P  0 black, 0 white",
        "The code stands: 2 guesses, and no more are left.",
        "The secret was R G B Y: red green blue yellow.",
        PROVEN,
        "Ada wins. You lose.",
    ]


def test_giving_up_is_told_to_both():
    before: list[AnyEvent] = [*opened(), secret(), guess("6666")]
    events: list[AnyEvent] = [ended(RoundEnd.RESIGNED, 2), played(ADA)]
    assert told(before, events, BOB)[0] == "You gave up after 1 guess: the code stands."
    assert told(before, events, ADA)[::3] == [
        "Bob gave up after 1 guess: the code stands.",
        "You win.",
    ]


def test_whoever_leaves_is_named_and_what_was_hidden_is_shown():
    before: list[AnyEvent] = [*opened(), secret()]
    events: list[AnyEvent] = [
        Left(player="ADA"),
        ended(RoundEnd.LEFT, 0),
        Finished(how=MatchEnd.LEFT, winner="BOB"),
    ]
    lines = ["The round ends after 0 guesses.", SHOWN, PROVEN]
    assert told(before, events, BOB) == ["Ada left.", *lines, "You win."]
    assert told(before, events, ADA) == ["You left.", *lines, "Bob wins. You lose."]
    assert told(before, events, None) == ["Ada left.", *lines, "Bob wins."]


def test_whoever_stayed_away_for_too_long_is_named():
    before: list[AnyEvent] = [*opened(), secret()]
    events: list[AnyEvent] = [Left(player="BOB", absent=True)]
    assert told(before, events, ADA) == ["Bob stayed away for too long, and has left the match."]
    assert told(before, events, BOB) == ["You stayed away for too long: you have left the match."]


def test_a_lobby_that_nobody_came_to_is_closed():
    events: list[AnyEvent] = [Left(player="ADA"), Finished(how=MatchEnd.CLOSED)]
    assert told(opened()[:2], events, ADA) == ["You left.", "The match is closed: nobody joined."]


def test_a_rematch_is_offered_by_its_code():
    before: list[AnyEvent] = [*opened(), secret(), *BROKEN]
    events: list[AnyEvent] = [RematchOffered(by="BOB", match="ABC234")]
    assert told(before, events, ADA) == ["Bob offered a rematch: match ABC234."]
    assert told(before, events, BOB) == ["You offered a rematch: match ABC234."]


def test_rounds_are_announced_with_points_between_them():
    before: list[AnyEvent] = [*opened(rounds=2), secret()]
    assert told(opened(rounds=2)[:2], opened(rounds=2)[2:], BOB)[1:] == [
        "Round 1 of 2: Ada sets the secret, you break it."
    ]
    assert told(before, BROKEN[:2], BOB)[-2:] == [
        "Points: Bob 0, Ada 1.",
        "Round 2 of 2: you set the secret, Ada breaks it.",
    ]
    assert told(before, BROKEN[:2], ADA)[-1] == "Round 2 of 2: Bob sets the secret, you break it."
    assert told(before, BROKEN[:2])[-1] == "Round 2 of 2: Bob sets the secret, Ada breaks it."


@pytest.mark.parametrize(
    ("guesses", "points", "winner", "result"),
    [
        (["1234"], 1, None, "The match is a draw."),
        (["6666", "1234"], 2, BOB, "Bob wins. You lose."),
    ],
)
def test_more_points_win_and_as_many_are_a_draw(guesses, points, winner, result):
    before: list[AnyEvent] = [*opened(rounds=2), secret(), *BROKEN[:2], secret(BOB)]
    events: list[AnyEvent] = [*map(guess, guesses), ended(RoundEnd.BROKEN, points), played(winner)]
    lines = told(before, events, ADA)
    assert lines[-2:] == [f"Points: Bob {points}, Ada 1.", result]
    assert "You broke the code in" in lines[len(guesses)]


@pytest.mark.parametrize(("code", "nonce"), [(pegs("1235"), NONCE), (SECRET, bytes(15) + b"x")])
def test_a_code_that_was_not_committed_to_is_said_loudly(code, nonce):
    shown = RoundEnded(how=RoundEnd.RESIGNED, points=2, code=code, nonce=nonce)
    lines = told([*opened(), secret()], [guess("6666"), shown], BOB)
    assert lines[-1] == (
        "WARNING! CODE NOT PROVEN: the code shown is not the one that was committed to. "
        "You have been cheated."
    )
    assert PROVEN not in lines


def test_feedback_that_does_not_fit_the_code_is_said_loudly():
    lie = Guessed(code=pegs("6666"), black=1, white=0)
    events: list[AnyEvent] = [guess("1111"), lie, ended(RoundEnd.RESIGNED, 3)]
    assert told([*opened(), secret()], events, BOB)[-1] == (
        "WARNING! CODE NOT PROVEN: the feedback to guess 2 does not fit the code shown. "
        "You have been cheated."
    )


def test_the_whole_board_can_be_shown_after_every_guess():
    before = [*opened("thirteen"), secret(), guess("1111")]
    lines = told(before, [guess("1324")], BOB, whole_board=True)
    assert lines == [
        " 1  R R R R  [X][ ][ ][ ]  1 black, 0 white",
        " 2  R Y O G  [X][X][O][O]  2 black, 2 white",
        *(f"{number:2}  . . . ." for number in range(3, 14)),
    ]


@given(st.text(min_size=1, max_size=24).filter(lambda name: not name.isprintable()))
def test_nobodys_name_moves_a_cursor(name):
    rogue = Player(id="ADA", name=name)
    assert name_player(rogue).isprintable()
    events: list[AnyEvent] = [
        Opened(rules="classic", rounds=2),
        Joined(player=rogue, seat=Seat.MAKER),
        Joined(player=BOB, seat=Seat.BREAKER),
        secret(),
        *BROKEN[:2],
        secret(BOB),
        Left(player="ADA"),
        ended(RoundEnd.LEFT, 0),
        Finished(how=MatchEnd.LEFT, winner="BOB"),
    ]
    for me in (ADA, BOB, None):
        assert all(line.isprintable() for line in told([], events, me))


def test_a_rounds_events_may_come_one_by_one_or_all_at_once():
    events: list[AnyEvent] = [*opened(rounds=2), secret(), *BROKEN[:2], secret(BOB), *BROKEN[:2]]
    events.append(played(None))
    match: Match | None = None
    lines: list[str] = []
    for event in events:
        lines += describe([event], match, "BOB")
        match = evolve(match, event)
    assert lines == told([], events, BOB)


def _again(events: list[AnyEvent], points: int) -> list[AnyEvent]:
    return [
        ended(event.how, points) if isinstance(event, RoundEnded) else event for event in events
    ]


# What bots brought.

DEVIOUS = Player(id="bot-devious-maker", name="devious", bot="devious")


@pytest.mark.parametrize(("me", "who"), [(BOB, "You"), (ADA, "Bob"), (None, "Bob")])
def test_everybody_is_told_that_advice_was_taken(me, who):
    before = [*opened(), secret(), guess("5566")]
    assert told(before, [Advised(by="BOB")], me) == [f"{who} took advice for guess 2."]


def test_a_codemaker_that_keeps_no_code_says_so():
    before = [*opened()[:1], Joined(player=DEVIOUS, seat=Seat.MAKER), opened()[2]]
    assert told(before, [SecretSet(by=DEVIOUS.id)], BOB) == [
        "devious (bot) keeps no code, and so can commit to none:",
        "it answers each guess by any code that agrees with all its answers.",
    ]
    shown = RoundEnded(how=RoundEnd.RESIGNED, code=SECRET, points=1)
    lines = told([*before, SecretSet(by=DEVIOUS.id)], [shown], BOB)
    assert lines[1:3] == [SHOWN, "Every feedback fits it; there was no commitment to prove."]


def test_a_codemaker_that_keeps_no_code_and_contradicts_itself_is_a_fraud():
    before = [*opened()[:1], Joined(player=DEVIOUS, seat=Seat.MAKER), opened()[2]]
    before += [SecretSet(by=DEVIOUS.id), Guessed(code=SECRET, black=0, white=0)]
    shown = RoundEnded(how=RoundEnd.RESIGNED, code=SECRET, points=2)
    assert "WARNING! CODE NOT PROVEN" in told(before, [shown], BOB)[2]


@pytest.mark.parametrize("why", Forfeit)
def test_it_is_told_why_a_bot_had_to_leave(why):
    program = Joined(player=Player(id="ADA", name="Ada", program=True), seat=Seat.MAKER)
    before = [opened()[0], program, opened()[2], secret(known=True)]
    lines = told(before, [Left(player="ADA", why=why)], BOB)
    assert lines == [f"Ada (bot) left: {FORFEITS[why]}."]
    assert "forfeits" in lines[0]
