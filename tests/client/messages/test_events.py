import pytest

from kit.entries import open_try
from kit.matches import pegs
from mastermind_client.messages.events import FORFEIT_TEXTS, describe_events
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
DEVIOUS = Player(id="bot-devious-maker", name="devious", bot="devious")
NONCE = bytes(16)
SECRET = pegs("1234")
HIDDEN = SecretSet(by="ADA", commitment=commit(NONCE, SECRET))
KNOWN = SecretSet(by="ADA", commitment=commit(NONCE, SECRET), code=SECRET, nonce=NONCE)
PROVEN = "Code proven: it is the locked one, and all feedback fits it."
SHOWN = "The secret was 1 2 3 4: red green blue yellow."
SEALED = "It is locked: any change would show at the end."
FRAUD = "WARNING! CODE NOT PROVEN: {} You have been cheated."


def opened(rules: str = "classic", rounds: int = 1, maker: Player = ADA) -> list[AnyEvent]:
    """Return the first events of a match: Bob breaks a player's code."""
    joined = Joined(player=maker, seat=Seat.MAKER), Joined(player=BOB, seat=Seat.BREAKER)
    return [Opened(rules=rules, rounds=rounds), *joined]


def guess(digits: str) -> Guessed:
    """Return a guess with its true feedback."""
    black, white = score(SECRET, pegs(digits))
    return Guessed(code=pegs(digits), black=black, white=white)


def ended(how: RoundEnd, points: int) -> RoundEnded:
    """Return the end of a round that shows the true code."""
    return RoundEnded(how=how, code=SECRET, nonce=NONCE, points=points)


def played(winner: Player | None, how: MatchEnd = MatchEnd.PLAYED) -> Finished:
    """Return the end of a match."""
    return Finished(how=how, winner=winner.id if winner else None)


def told(
    before: list[AnyEvent],
    events: list[AnyEvent],
    me: Player | None = None,
    *,
    whole_board: bool = False,
) -> list[str]:
    """Return the lines that describe the last events of a match to a player or a spectator."""
    match = fold(before) if before else None
    return list(describe_events(events, match, me.id if me else None, whole_board=whole_board))


CLASSIC, TWO = opened(), opened(rounds=2)
BROKEN: list[AnyEvent] = [guess("1234"), ended(RoundEnd.BROKEN, 1), played(BOB)]
LEFT = [Left(player="ADA"), ended(RoundEnd.LEFT, 0), played(BOB, MatchEnd.LEFT)]
LEFT_LINES = ["The round ends after 0 guesses.", SHOWN, PROVEN]
LIE = Guessed(code=pegs("6666"), black=1, white=0)
SECOND: list[AnyEvent] = [
    *TWO,
    HIDDEN,
    *BROKEN[:2],
    SecretSet(by="BOB", commitment=commit(NONCE, SECRET)),
]
ADAPTIVE = [*opened(maker=DEVIOUS), SecretSet(by=DEVIOUS.id)]


@pytest.mark.parametrize(
    ("before", "events", "lines"),
    [
        ([], opened("mini")[:1], [
            "mini: 4 pegs, 6 colours, 6 guesses.",
            "Colours: R red, G green, O orange, B blue, P purple, Y yellow.",
        ]),
        (CLASSIC[:1], [Joined(player=KNUTH, seat=Seat.MAKER)], ["knuth (bot) is the codemaker."]),
        ([*CLASSIC, HIDDEN, guess("1111")], [guess("4221")], [" 2  4 2 2 1  1 black, 2 white"]),
        ([*opened("4x6/2"), HIDDEN, guess("6666")],
         [guess("6666"), ended(RoundEnd.EXHAUSTED, 3), played(ADA)], [
            " 2  P P P P  0 black, 0 white",
            "The code stands: 2 guesses used, none left.",
            "The secret was R G B Y: red green blue yellow.",
            PROVEN,
            "Ada wins.",
        ]),
        (open_try()[:3], open_try()[3:], ["The secret is set.", SEALED]),
        (CLASSIC[:2], [Left(player="ADA"), Finished(how=MatchEnd.CLOSED)],
         ["Ada left.", "The match is closed: nobody joined."]),
        (opened(maker=DEVIOUS), [SecretSet(by=DEVIOUS.id)], [
            "devious (bot) keeps no fixed code, so it cannot commit to one:",
            "each answer only has to fit its earlier ones.",
        ]),
    ],
    ids=["opened", "bot joins", "guess", "exhausted", "a try", "closed", "adaptive codemaker"],
)  # fmt: skip
def test_a_spectator_reads_these_lines(before, events, lines):
    assert told(before, events) == lines


@pytest.mark.parametrize(
    ("before", "events", "to_ada", "to_bob", "to_others"),
    [
        (CLASSIC[:1], CLASSIC[1:],
         ["You are the codemaker.", "Bob is the codebreaker."],
         ["Ada is the codemaker.", "You are the codebreaker."],
         ["Ada is the codemaker.", "Bob is the codebreaker."]),
        (CLASSIC, [KNOWN],  # others never read the code, even if a server gives it away
         ["Your secret is set.", "It is 1 2 3 4; only you can see it.", SEALED],
         ["The secret is set.", SEALED], ["The secret is set.", SEALED]),
        ([*CLASSIC, HIDDEN], BROKEN,
         *([" 1  1 2 3 4  4 black, 0 white", f"{who} broke the code in 1 guess.", SHOWN, PROVEN,
            result]
           for who, result in (("Bob", "Bob wins. You lose."), ("You", "You win."),
                               ("Bob", "Bob wins.")))),
        ([*CLASSIC, HIDDEN, guess("6666")], [ended(RoundEnd.RESIGNED, 13), played(ADA)],
         ["Bob gave up after 1 guess: the code stands.", SHOWN, PROVEN, "You win."],
         ["You gave up after 1 guess: the code stands.", SHOWN, PROVEN, "Ada wins. You lose."],
         ["Bob gave up after 1 guess: the code stands.", SHOWN, PROVEN, "Ada wins."]),
        ([*CLASSIC, HIDDEN], LEFT,
         ["You left.", *LEFT_LINES, "Bob wins. You lose."],
         ["Ada left.", *LEFT_LINES, "You win."],
         ["Ada left.", *LEFT_LINES, "Bob wins."]),
        ([*CLASSIC, HIDDEN], [Left(player="BOB", absent=True)],
         ["Bob was away for too long and has left the match."],
         ["You were away for too long, so you have left the match."],
         ["Bob was away for too long and has left the match."]),
        ([*CLASSIC, HIDDEN, *BROKEN], [RematchOffered(by="BOB", match="ABC234")],
         ["Bob offered a rematch: match ABC234."], ["You offered a rematch: match ABC234."],
         ["Bob offered a rematch: match ABC234."]),
        ([*CLASSIC, HIDDEN, guess("5566")], [Advised(by="BOB")],
         *([f"{who} took advice for guess 2."] for who in ("Bob", "You", "Bob"))),
        (TWO[:2], TWO[2:],
         ["Bob is the codebreaker.", "Round 1 of 2: you set the secret, Bob breaks it."],
         ["You are the codebreaker.", "Round 1 of 2: Ada sets the secret, you break it."],
         ["Bob is the codebreaker.", "Round 1 of 2: Ada sets the secret, Bob breaks it."]),
        ([*TWO, HIDDEN], BROKEN[:2],
         *([" 1  1 2 3 4  4 black, 0 white", f"{who} broke the code in 1 guess.", SHOWN, PROVEN,
            "Points: Bob 0, Ada 1.", f"Round 2 of 2: {task}."]
           for who, task in (("Bob", "Bob sets the secret, you break it"),
                             ("You", "you set the secret, Ada breaks it"),
                             ("Bob", "Bob sets the secret, Ada breaks it")))),
    ],
    ids=[
        "seats", "secret", "broken", "given up", "left", "absent", "rematch", "advice",
        "first round", "second round",
    ],
)  # fmt: skip
def test_each_reader_is_addressed(before, events, to_ada, to_bob, to_others):
    read = [told(before, events, me) for me in (ADA, BOB, None)]
    assert read == [to_ada, to_bob, to_others]


@pytest.mark.parametrize(
    ("before", "events", "number", "line"),
    [
        ([], CLASSIC[:1], 1, "Colours: 1 or R red, 2 or G green, 3 or B blue, 4 or Y yellow, "),
        ([], [Opened(rules="classic", rounds=1, rated=True)], 2,
         "This match is rated: no advice, no programs."),
        ([], opened("knuth"), 0, "knuth: 4 pegs, 6 digits, as many guesses as it takes."),
        ([], opened(rounds=3), 2, "3 rounds; you swap seats after each."),
        ([*CLASSIC, HIDDEN], [guess("1111"), guess("1234"), ended(RoundEnd.BROKEN, 2)], 2,
         "Bob broke the code in 2 guesses."),
        (SECOND, [guess("1234"), ended(RoundEnd.BROKEN, 1), played(None)], -2,
         "Points: Bob 1, Ada 1."),
        (SECOND, [guess("1234"), ended(RoundEnd.BROKEN, 1), played(None)], -1,
         "The match is a draw."),
        (SECOND, [guess("6666"), guess("1234"), ended(RoundEnd.BROKEN, 2), played(BOB)], -1,
         "Bob wins."),
        (ADAPTIVE, [RoundEnded(how=RoundEnd.RESIGNED, code=SECRET, points=13)], 1, SHOWN),
        (ADAPTIVE, [RoundEnded(how=RoundEnd.RESIGNED, code=SECRET, points=13)], 2,
         "All feedback fits it; there was no commitment to check."),
        ([*ADAPTIVE, LIE], [RoundEnded(how=RoundEnd.RESIGNED, code=SECRET, points=13)], 2,
         "WARNING! CODE NOT PROVEN"),
    ],
)  # fmt: skip
def test_one_line_says(before, events, number, line):
    assert told(before, events)[number].startswith(line)


@pytest.mark.parametrize(
    ("events", "reason"),
    [
        *(
            ([guess("6666"), RoundEnded(how=RoundEnd.RESIGNED, points=13, code=code, nonce=nonce)],
             "this was not the locked code.")
            for code, nonce in ((pegs("1235"), NONCE), (SECRET, bytes(15) + b"x"))
        ),
        ([guess("1111"), LIE, ended(RoundEnd.RESIGNED, 13)],
         "the answer to guess 2 was wrong."),
    ],
    ids=["another code", "another nonce", "false feedback"],
)  # fmt: skip
def test_a_fraud_is_reported_in_place_of_the_proof(events, reason):
    lines = told([*CLASSIC, HIDDEN], events, BOB)
    assert lines[-1] == FRAUD.format(reason)
    assert PROVEN not in lines


def test_the_whole_board_can_be_shown_after_every_guess():
    before = [*opened("thirteen"), HIDDEN, guess("1111")]
    assert told(before, [guess("1324")], BOB, whole_board=True) == [
        " 1  R R R R  [X][ ][ ][ ]  1 black, 0 white",
        " 2  R Y O G  [X][X][O][O]  2 black, 2 white",
        *(f"{number:2}  . . . ." for number in range(3, 14)),
    ]


def test_events_are_described_alike_one_by_one_or_all_at_once():
    events: list[AnyEvent] = [*SECOND, *BROKEN[:2], played(None)]
    match: Match | None = None
    lines: list[str] = []
    for event in events:
        lines += describe_events([event], match, "BOB")
        match = evolve(match, event)
    assert lines == told([], events, BOB)


@pytest.mark.parametrize("why", Forfeit)
def test_the_reason_of_a_forfeit_is_given(why):
    program = Player(id="ADA", name="Ada", program=True)
    lines = told([*opened(maker=program), KNOWN], [Left(player="ADA", why=why)], BOB)
    assert lines == [f"Ada (bot) left: {FORFEIT_TEXTS[why]}."]
    assert "forfeits" in lines[0]
