"""A whole server compared with the pure model after each step, with failing lines and restarts.

Two of the players have two connections. After each step every connection has received exactly the
rows, the chat and the presence that the model predicts. Connections drop between requests, and
during a request, which is then sent again. Concurrent requests are for tests/campaigns/chaos.

The suite always runs the same few examples. MASTERMIND_EXAMPLES=N draws N other ones.
"""

import asyncio
import itertools
import os
import tempfile
from collections import defaultdict, deque
from collections.abc import Callable, Coroutine
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest
import sqlalchemy as sa
from hypothesis import Phase as Stage
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)

from kit.client import PATIENCE, RawClient
from kit.matches import SeededRandom
from kit.server import GameServer
from mastermind_protocol.chat import MAX_CHAT_LINES_SHOWN, ROOMS, ChatLine, Room
from mastermind_protocol.code import Code
from mastermind_protocol.codec import decode_events, encode
from mastermind_protocol.commands import (
    Command,
    GuessCode,
    LeaveMatch,
    OfferRematch,
    ResignRound,
    SetSecret,
    TakeAdvice,
    TakeSeat,
    find_refusal,
)
from mastermind_protocol.commitment import NONCE_BYTES
from mastermind_protocol.errors import ErrorCode, Reason
from mastermind_protocol.events import (
    AnyEvent,
    Finished,
    Guessed,
    Joined,
    MatchEnd,
    Opened,
    Player,
    Rated,
    RatedPlayer,
    RematchOffered,
    Seat,
    SecretSet,
    Unrated,
)
from mastermind_protocol.feedback import score
from mastermind_protocol.glicko import INITIAL_RATING, Rating, rate
from mastermind_protocol.match import Match, Phase, is_advised
from mastermind_protocol.messages import (
    Advice,
    AnyMessage,
    Archived,
    Challenged,
    ChallengeEnded,
    Chat,
    Done,
    Error,
    Happened,
    Listed,
    Listing,
    Log,
    OwnMatches,
    Presence,
    Row,
    Said,
    Spectators,
)
from mastermind_protocol.requests import (
    Advise,
    Archive,
    Follow,
    Guess,
    Join,
    Leave,
    ListMatches,
    ListOwn,
    Open,
    Ping,
    Rematch,
    Resign,
    Say,
    Secret,
    Seek,
    Unfollow,
)
from mastermind_protocol.transitions import Decision, Moment, decide, fold
from mastermind_server.limits import Limits, Rate
from mastermind_server.matches.nodes.deadlines import DUE_POLL_SECONDS
from mastermind_server.matches.nodes.presence import LOBBY_GRACE_SECONDS
from mastermind_server.matches.ratings import MAX_PAIR_MATCHES
from mastermind_server.matches.tables.followers import SPECTATOR_COUNT_SECONDS
from mastermind_server.storage.engines.database import Session
from mastermind_server.storage.schema import names as owned_names
from mastermind_server.storage.statements.log import read_log
from mastermind_server.storage.statements.matches import list_due
from mastermind_server.storage.statements.presence import find_presence

VARIABLE = "MASTERMIND_EXAMPLES"
EXAMPLES, STEPS = 12, 40
MATCHES = 3  # more than these are opened only by seeks and rematches
CONNECTIONS = {"Ada": 2, "Bob": 2, "Eve": 1, "Rob": 1}
NONCE = bytes(NONCE_BYTES)
CLOSED = Finished(how=MatchEnd.CLOSED)
ANY = Rate(burst=10**6, per_second=10**6)
RATES: dict[str, Any] = {
    field.name: ANY for field in msgspec.structs.fields(Limits) if field.type is Rate
}

names = st.sampled_from(("Ada", "Ada", "Ada", "Bob", "Bob", "Bob", "Eve", "Rob"))
PROGRAM = "Rob"
numbers = st.integers(0, 9)
codes: st.SearchStrategy[Code] = st.tuples(st.integers(0, 1), st.integers(0, 2))  # some illegal
seats = st.sampled_from(Seat)
_shared = {"rules": st.sampled_from(("2x2/3", "2x3/2", "2x3u/3")), "rounds": st.integers(1, 2)}
_unrated = st.fixed_dictionaries(
    {**_shared, "rated": st.just(False), "clock": st.sampled_from((None, "3d/move"))}
)
_rated = st.fixed_dictionaries({**_shared, "rated": st.just(True), "clock": st.just("5+3")})
terms = _unrated | _unrated | _rated


class OpenDice(SeededRandom):
    """A random source with zeros for nonces, which the model knows."""

    def randbytes(self, n: int) -> bytes:
        return bytes(n)


def find_lag(answer: AnyMessage) -> int:
    """Return the latency that a move was credited, which depends on the machine."""
    events = answer.events if isinstance(answer, Happened) else ()
    return sum(event.lag for event in events if isinstance(event, SecretSet | Guessed))


class Line:
    """A connection of a player: the messages it is due, and who it believes is present."""

    def __init__(self, wire: RawClient, hall: GameServer) -> None:
        self.wire, self.hall, self.player = wire, hall, wire.player
        self.due: defaultdict[tuple[str, str], deque[object]] = defaultdict(deque)
        self.present: dict[str, set[str]] = {}  # by followed match
        self.spectators: dict[str, int] = {}

    def take(self, message: AnyMessage) -> None:
        """Check a message that answers no request."""
        match message:
            case Happened(id=None, match=match, v=version, events=events):
                self._check_due(match, "rows", Row(version, events))
            case Said(id=None, match=match, line=line):
                self._check_due(match, line.room, line)
            case Chat(match=match, lines=lines):
                assert 0 < len(lines) <= MAX_CHAT_LINES_SHOWN
                for line in lines:
                    self._check_due(match, line.room, line)
            case Presence(match=match, player=player, here=here):
                present = self.present.get(match, set())  # it may be on its way at an unfollow
                (present.add if here else present.discard)(player)
            case Spectators(match=match, count=count):
                self.spectators[match] = count
            case Challenged(previous=str()) | ChallengeEnded():
                pass  # a rematch was offered before this connection
            case _:
                raise AssertionError(f"an unexpected {message}")

    def _check_due(self, match: str, kind: str, received: object) -> None:
        due = self.due[match, kind]
        assert due, f"{received} is due to nobody"
        assert received == due.popleft()


class Asked(NamedTuple):
    """A request that was done, and its answer."""

    name: str
    request: Any
    answer: AnyMessage


class OwnLine(NamedTuple):
    """A line of a player's list of unfinished matches. `here`: the opponent follows the match."""

    match: str
    seat: Seat | None
    phase: Phase
    round: int
    guesses: int
    turn: bool
    opponent: str | None
    here: bool


class ServerMachine(RuleBasedStateMachine):
    """Four players, one of them a program, on one server or on two nodes of one database.

    `rows` is the model: the events of each match, one tuple a row. `chat` are the lines of each
    match. `lags` are the errors that a player may make in a version.
    """

    size = 1
    database: str | None = None
    lags: tuple[int, ...] = (0, 0, 0, 0, 1, -1)
    limits = msgspec.structs.replace(Limits(**RATES), chat_lines=3, lobbies=99)

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.folder = tempfile.TemporaryDirectory()
        self.crashes: list[dict[str, Any]] = []
        self.dice = OpenDice(1)
        self.halls: list[GameServer] = []
        self.lines: dict[str, list[Line]] = {}
        self.rows: dict[str, list[tuple[AnyEvent, ...]]] = {}
        self.states: dict[str, Match] = {}
        self.chat: dict[str, list[tuple[int, ChatLine]]] = {}  # each line with its round
        self.changed: dict[str, int] = {}  # the order of the last rows that the lists show,
        self.touched: dict[str, int] = {}  # and of the last rows of all
        self.ratings: dict[tuple[str, str], RatedPlayer] = {}  # the last one by player and rules
        self.order = itertools.count()
        self.asked: list[Asked] = []
        self.refused: dict[tuple[GameServer, str, int], str] = {}  # each node remembers its own

    def run(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Run the event loop until a coroutine is done."""
        return self.runner.run(work)

    # The model.

    def player(self, name: str) -> Player:
        return self.lines[name][0].player

    def sit(self, player: Player, match: str, answer: AnyMessage) -> TakeSeat:
        """Return the command by which a player joins: in a rated match, with its rating."""
        opened = self.states[match].opened
        if not (opened.rated and isinstance(answer, Log)):
            return TakeSeat(player)
        events = answer.rows[-1].events
        counts = not any(isinstance(event, Unrated) for event in events)
        assert counts or len(self.rows) > MAX_PAIR_MATCHES
        rating = self.check_joined(events, opened, player)
        return TakeSeat(player, rating=rating, counts_for_ratings=counts)

    def check_joined(
        self, events: tuple[AnyEvent, ...], opened: Opened, player: Player
    ) -> Rating | None:
        """Return the rating with which a player joins by `events`: None if it is not rated."""
        (joined,) = (e for e in events if isinstance(e, Joined) and e.player == player)
        assert (joined.rating is not None) == opened.rated
        if joined.rating is not None:
            self.check_rating(player.id, opened.rules, joined.rating)
        return joined.rating

    def check_rating(self, player: str, rules: str, rating: Rating) -> None:
        """Check that a player has the `rating` after its last match, grown by some minutes."""
        last = self.ratings.get((player, rules))
        expected = last.after if last else INITIAL_RATING
        assert rating.rating == expected.rating
        assert expected.deviation <= rating.deviation < expected.deviation + 0.01

    def rate(self, decision: Decision, answer: AnyMessage) -> Decision:
        """Return the decision with the event `rated` of the answer, if it ends a rated match."""
        after = decision.after
        ends = any(isinstance(event, Finished) for event in decision.events)
        if not (ends and after.rated) or after.outcome == CLOSED:
            return decision
        assert isinstance(answer, Happened)
        rated = answer.events[-1]
        assert isinstance(rated, Rated)
        assert [changed.player for changed in rated.players] == [p.id for p in after.players]
        for changed, opponent in itertools.permutations(rated.players):
            key = changed.player, after.opened.rules
            self.check_rating(*key, changed.before)
            score = after.find_score(changed.player)
            assert changed.after == rate(changed.before, [(opponent.before, score)])
            assert changed.n == (self.ratings[key].n + 1 if key in self.ratings else 1)
        for changed in rated.players:
            self.ratings[changed.player, after.opened.rules] = changed
        return Decision((*decision.events, rated), fold((rated,), after))

    def followers(self, match: str) -> list[Line]:
        every = itertools.chain.from_iterable(self.lines.values())
        return [line for line in every if match in line.present]

    def count_rows(self) -> int:
        return sum(map(len, self.rows.values()))

    def find_present(self, match: str) -> set[str]:
        here = {line.player.id for line in self.followers(match)}
        return {player.id for player in self.states[match].players if player.id in here}

    def count_spectators(self, match: str) -> int:
        """Return the number of players without a seat at each node, added up."""
        present = self.find_present(match)
        there = {(line.hall, line.player.id) for line in self.followers(match)}
        return sum(player not in present for _, player in there)

    def find_readable(self, match: str, state: Match, player: str) -> list[ChatLine]:
        """Return the kept lines that a player may read, the players' room first."""
        open_rounds = 9 if state.phase is Phase.FINISHED else len(state.played)
        found = []
        for room in ROOMS:
            lines = [(said_in, line) for said_in, line in self.chat[match] if line.room == room]
            kept = lines[-self.limits.chat_lines :]
            hidden = room == "spectators" and state.seat_of(player) is not None
            readable = [line for said_in, line in kept if not hidden or said_in <= open_rounds]
            found += readable[-MAX_CHAT_LINES_SHOWN:]
        return found

    def begin(self, match: str, events: tuple[AnyEvent, ...]) -> None:
        """Add a new match with its first row."""
        assert match not in self.rows
        self.rows[match], self.states[match], self.chat[match] = [events], fold(events), []
        self.changed[match] = self.touched[match] = next(self.order)

    def append(self, match: str, decision: Decision, asker: Line | None = None) -> None:
        """Take up the next row: all followers but the asker are due it, and the chat it reveals."""
        before = self.states[match]
        self.rows[match].append(decision.events)
        self.states[match] = decision.after
        self.touched[match] = next(self.order)
        if not isinstance(decision.events[-1], Guessed):
            self.changed[match] = self.touched[match]
        for line in self.followers(match):
            if line is not asker:
                line.due[match, "rows"].append(self.show_rows(match, line)[-1])
            known = self.find_readable(match, before, line.player.id)
            for said in self.find_readable(match, decision.after, line.player.id):
                if said not in known and decision.after.seat_of(line.player.id):
                    line.due[match, said.room].append(said)

    def show_rows(self, match: str, line: Line) -> list[Row]:
        """Return the rows of a match without the secrets of other players."""

        def show(event: AnyEvent) -> AnyEvent:
            if isinstance(event, SecretSet) and event.by != line.player.id:
                return msgspec.structs.replace(event, code=None, nonce=None)
            return event

        return [Row(v, tuple(map(show, row))) for v, row in enumerate(self.rows[match], 1)]

    def decide(
        self, match: str, command: Command, player: Player, version: int | None, lag: int = 0
    ) -> Any:
        """Return the decision, or the code of the refusal."""
        state = self.states[match]
        if version is not None and version != len(self.rows[match]):
            refusal = find_refusal(state, command, player.id)
            return refusal.code if refusal else ErrorCode.STALE_VERSION
        decision = decide(state, command, player.id, Moment(0, lag))
        return decision if isinstance(decision, Decision) else decision.code

    def find_seekable(self, player: Player, request: Seek) -> str | None:
        """Return the public match that has waited longest and suits a seeker."""
        for match, state in self.states.items():
            opened = state.opened
            if (
                state.phase is Phase.GATHERING
                and (opened.public, opened.reserved) == (True, None)
                and (opened.rules, opened.rounds) == (request.rules, request.rounds)
                and (opened.rated, opened.clock) == (request.rated, request.clock)
                and state.players[0].program == player.program
                and self.find_present(match)
            ):
                free = Seat.BREAKER if state.maker else Seat.MAKER
                mine = state.seat_of(player.id)
                if request.seat in (None, mine or free):
                    return match
        return None

    # Answers.

    def ask(self, line: Line, request: Any, *, lost: bool = False) -> AnyMessage:
        """Ask, then check the answer and its effects; with `lost`, the line drops first."""
        if lost:
            line = self.run(self._lose(line, request))
        written = self.count_rows()
        answer: AnyMessage = self.run(line.wire.ask(request))
        self.check(line, request, answer)
        if lost and self.size > 1:
            self.run(self._until(self._is_written))
        # A seek that finds the player's own lobby writes no row: repeated, it is a new seek.
        if not isinstance(request, Follow | Unfollow | Seek) or self.count_rows() > written:
            self.asked.append(Asked(line.player.name, request, answer))
        self.settle()
        return answer

    def check(self, line: Line, request: Any, answer: AnyMessage) -> None:
        """Compare the answer to a new request with the model, which then does the same."""
        key = (line.hall, line.player.id, request.id)
        expected = self.refused.get(key) or self.do(line, request, answer)
        if expected is not None:
            assert isinstance(answer, Error), (request, answer, expected)
            assert answer.code == expected, (request, answer, expected)
            self.refused[key] = expected

    def do(self, line: Line, request: Any, answer: AnyMessage) -> str | None:
        """Do a request in the model; return the code of its refusal."""
        match request:
            case Open() | Seek():
                return self.do_begin(line, request, answer)
            case Follow(match=match, v=after):
                if after > len(self.rows[match]):
                    return ErrorCode.STALE_VERSION
                self.enter(line, match, answer, after)
            case Unfollow(match=match):
                assert isinstance(answer, Done)
                line.present.pop(match, None)
            case Join(match=match):
                return self.do_join(line, match, answer)
            case Rematch(match=match):
                return self.do_rematch(line, match, answer)
            case Advise(match=match):
                return self.do_advise(line, request, answer)
            case Say(match=match):
                return self.do_say(line, request, answer)
            case _:
                return self.do_move(line, request, answer)
        return None

    def enter(self, line: Line, match: str, answer: AnyMessage, after: int = 0) -> None:
        """Check a log; from now on the line follows the match, and is due its chat."""
        assert isinstance(answer, Log), answer
        assert (answer.match, answer.more) == (match, False)
        rows = [Row(row.v, row.events) for row in answer.rows]  # without times
        assert rows == self.show_rows(match, line)[after:]
        line.present[match] = set(answer.present)
        line.spectators[match] = answer.spectators
        state, present = self.states[match], self.find_present(match)
        if self.size == 1:
            assert line.present[match] == present
            absent = {player.id for player in state.players} - present - state.departed
            assert {player.player for player in answer.absent} == absent
            assert answer.spectators == self.count_spectators(match)
        for said in self.find_readable(match, state, line.player.id):
            line.due[match, said.room].append(said)

    def do_begin(self, line: Line, request: Open | Seek, answer: AnyMessage) -> str | None:
        player = line.player
        if request.rated and (player.program or request.rounds == 1):
            return ErrorCode.RATED
        opened = Opened(
            rules=request.rules,
            rounds=request.rounds,
            rated=request.rated,
            public=isinstance(request, Seek) or request.public,
            clock=request.clock,
        )
        if isinstance(request, Open):
            seat = Seat.MAKER if request.maker == "me" else Seat.BREAKER
        elif match := self.find_seekable(player, request):
            if self.states[match].seat_of(player.id) is None:
                taken = decide(self.states[match], self.sit(player, match, answer), player.id)
                assert isinstance(taken, Decision)  # it is free
                self.append(match, taken)
                self.close_searches(match)
            self.enter(line, match, answer)
            return None
        else:
            assert isinstance(answer, Log), answer
            (joined,) = [event for event in answer.rows[0].events if isinstance(event, Joined)]
            seat = joined.seat
            assert request.seat in (None, seat)
        assert isinstance(answer, Log), answer
        rating = self.check_joined(answer.rows[0].events, opened, player)
        self.begin(answer.match, (opened, Joined(player=player, seat=seat, rating=rating)))
        self.enter(line, answer.match, answer)
        return None

    def do_join(self, line: Line, match: str, answer: AnyMessage) -> str | None:
        state = self.states[match]
        if self.is_offered(match, line.player) and state.rated and not self.find_present(match):
            return ErrorCode.NOT_ONLINE
        if self.states[match].seat_of(line.player.id) is None:
            decision = self.decide(match, self.sit(line.player, match, answer), line.player, None)
            if isinstance(decision, str):
                return decision
            self.append(match, decision)
            self.close_searches(match)
        self.enter(line, match, answer)
        return None

    def close_searches(self, begun: str) -> None:
        """Close the searches of people whose match has begun, if both have a live clock."""
        if not self.states[begun].has_live_clock:
            return
        for player in self.states[begun].players:
            for match, state in list(self.states.items()):
                waits = state.phase is Phase.GATHERING and state.has_live_clock
                for_anybody = state.opened.public and state.opened.reserved is None
                if waits and for_anybody and not player.program and state.seat_of(player.id):
                    closed = decide(state, LeaveMatch(), player.id)
                    assert isinstance(closed, Decision)
                    self.append(match, closed)

    def do_rematch(self, line: Line, match: str, answer: AnyMessage) -> str | None:
        state, player = self.states[match], line.player
        seat = state.seat_of(player.id)
        if state.rematch is None or seat is None:
            refusal = find_refusal(state, OfferRematch("AAAAAA"), player.id)
            if refusal is not None:
                return refusal.code
            assert isinstance(answer, Log), answer
            opponent = state.opponent_of(player.id)
            assert seat is not None
            assert opponent is not None
            opened = msgspec.structs.replace(
                state.opened, previous=match, reserved=opponent.id, public=state.opened.public
            )
            rating = self.check_joined(answer.rows[0].events, opened, player)
            joined = Joined(player=player, seat=seat.other, rating=rating)
            self.begin(answer.match, (opened, joined))
            offered = RematchOffered(by=player.id, match=answer.match)
            self.append(match, Decision((offered,), fold((offered,), state)))
        offered_match = self.states[match].rematch
        assert offered_match is not None
        return self.do_join(line, offered_match, answer)

    def do_advise(self, line: Line, request: Advise, answer: AnyMessage) -> str | None:
        match, player = request.match, line.player
        state = self.states[match]
        if not is_advised(state, player.id):
            decision = self.decide(match, TakeAdvice(), player, request.v)
            if isinstance(decision, str):
                return decision
            self.append(match, decision)
        elif request.v != len(self.rows[match]):
            return ErrorCode.STALE_VERSION
        assert isinstance(answer, Advice), answer
        assert state.current is not None
        turns = state.current.turns
        every = state.rules.space.iterate_codes()
        left = [c for c in every if all(score(c, t.code) == t.feedback for t in turns)]
        assert (answer.match, answer.guess, answer.left) == (match, len(turns) + 1, len(left))
        assert answer.guesses
        assert all(guess.possible == (guess.code in left) for guess in answer.guesses)
        return None

    def do_say(self, line: Line, request: Say, answer: AnyMessage) -> str | None:
        match, player = request.match, line.player
        state = self.states[match]
        if match not in line.present:
            return ErrorCode.NOT_FOLLOWED
        if player.id in state.departed:
            return ErrorCode.WRONG_PHASE
        room: Room = "players" if state.seat_of(player.id) else "spectators"
        n = 1 + sum(said.room == room for _, said in self.chat[match])
        said = ChatLine(
            room=room, n=n, by=player.id, name=player.name, text=request.text, phrase=request.phrase
        )
        assert isinstance(answer, Said)
        said = msgspec.structs.replace(said, v=answer.line.v, at=answer.line.at)
        assert answer == Said(match=match, line=said, id=request.id)
        self.chat[match].append((state.round_number, said))
        for other in self.followers(match):
            if other is not line and said in self.find_readable(match, state, other.player.id):
                other.due[match, room].append(said)
        return None

    def do_move(self, line: Line, request: Any, answer: AnyMessage) -> str | None:
        match, player = request.match, line.player
        command: Command
        match request:
            case Secret(code=code):
                command = SetSecret(code, NONCE)
            case Guess(code=code):
                command = GuessCode(code)
            case Resign():
                command = ResignRound()
            case _:
                command = LeaveMatch()
        if self.states[match].opened.rated and player.program and not isinstance(request, Leave):
            return ErrorCode.RATED
        if isinstance(request, Leave) and self.is_just_joined(match, player, answer):
            return ErrorCode.WRONG_PHASE
        version, lag = getattr(request, "v", None), find_lag(answer)
        decision = self.decide(match, command, player, version, lag)
        if isinstance(decision, str):
            return decision
        decision = self.rate(decision, answer)
        self.append(match, decision, line)
        row = self.show_rows(match, line)[-1]
        assert isinstance(answer, Happened)
        assert (answer.match, answer.v, answer.events) == (match, row.v, row.events)
        if isinstance(request, Leave):
            line.present.pop(match, None)
        return None

    def is_just_joined(self, match: str, player: Player, answer: AnyMessage) -> bool:
        """Return whether the first player may not leave yet, because the seat was just taken."""
        told = answer.details if isinstance(answer, Error) else None
        if not told or told["reason"] != Reason.JUST_JOINED.key:
            return False
        assert self.states[match].phase in (Phase.SETTING, Phase.BREAKING)
        (first,) = [event.player for event in self.rows[match][0] if isinstance(event, Joined)]
        assert first.id == player.id
        return True

    # The rules.

    @initialize(fields=terms, seat=seats)
    def start(self, fields: dict[str, Any], seat: Seat) -> None:
        """Begin with a match of two players and a spectator."""
        self.runner.get_loop().set_exception_handler(lambda _, crash: self.crashes.append(crash))
        self.run(self._start())
        rounds = 2 if fields["rated"] else fields["rounds"]
        self.open("Ada", 0, {**fields, "rounds": rounds}, seat, public=False)
        for name, kind in (("Bob", Join), ("Eve", Follow)):
            line = self.lines[name][0]
            self.ask(line, line.wire.new(kind, match=next(iter(self.rows))))

    def choose_line(self, name: str, number: int) -> Line:
        return self.lines[name][number % CONNECTIONS[name]]

    def choose_match(self, number: int, fits: Callable[[Match], object] = bool) -> str:
        """Return one of the matches that fit, or any match if none does."""
        fitting = [match for match, state in self.states.items() if fits(state)]
        return (fitting or list(self.rows))[number % len(fitting or self.rows)]

    @precondition(lambda self: len(self.rows) < MATCHES)
    @rule(name=names, number=numbers, fields=terms, seat=seats, public=st.booleans())
    def open(
        self, name: str, number: int, fields: dict[str, Any], seat: Seat, public: bool
    ) -> None:
        line = self.choose_line(name, number)
        chairs = {"maker": "open", "breaker": "open", seat.value: "me"}
        self.ask(line, line.wire.new(Open, public=public, **fields, **chairs))

    @precondition(lambda self: len(self.rows) < 2 * MATCHES)
    @rule(name=names, number=numbers, fields=terms, seat=st.none() | seats, lost=st.booleans())
    def seek(
        self, name: str, number: int, fields: dict[str, Any], seat: Seat | None, lost: bool
    ) -> None:
        line = self.choose_line(name, number)
        if self.size > 1:  # other nodes treat a player's own lobby otherwise, and learn of it later
            seat, lost = None, False
        self.ask(line, line.wire.new(Seek, seat=seat, **fields), lost=lost)

    @rule(name=names, number=numbers, which=numbers, lost=st.booleans())
    def join(self, name: str, number: int, which: int, lost: bool) -> None:
        line = self.choose_line(name, number)
        match = self.choose_match(which, lambda state: state.phase is Phase.GATHERING)
        self.ask(line, line.wire.new(Join, match=match), lost=lost)

    @rule(name=names, number=numbers, which=numbers, back=st.sampled_from((-1, 0, 0, 1, 2, 99)))
    def follow(self, name: str, number: int, which: int, back: int) -> None:
        line, match = self.choose_line(name, number), self.choose_match(which)
        after = max(0, len(self.rows[match]) - back)
        self.ask(line, line.wire.new(Follow, match=match, v=after))

    @rule(name=names, number=numbers, which=numbers)
    def unfollow(self, name: str, number: int, which: int) -> None:
        line, match = self.choose_line(name, number), self.choose_match(which)
        self.ask(line, line.wire.new(Unfollow, match=match))

    @rule(
        name=names,
        number=numbers,
        which=numbers,
        kind=st.sampled_from((Secret, Guess, Resign, Leave, Advise)),
        code=codes,
        lag=numbers,
        lost=st.booleans(),
    )
    def move(
        self, name: str, number: int, which: int, kind: Any, code: Code, lag: int, lost: bool
    ) -> None:
        """Make any move, mostly a refused one."""
        line, match = self.choose_line(name, number), self.choose_match(which)
        fields: dict[str, Any] = {"code": code} if kind in (Secret, Guess) else {}
        if kind is not Leave:
            fields["v"] = max(0, len(self.rows[match]) - self.lags[lag % len(self.lags)])
        self.ask(line, line.wire.new(kind, match=match, **fields), lost=lost)

    @rule(
        number=numbers,
        which=numbers,
        code=codes,
        more=st.lists(codes, min_size=1, max_size=5),
        advised=st.booleans(),
        lost=st.booleans(),
        again=st.booleans(),
    )
    def play_on(
        self,
        number: int,
        which: int,
        code: Code,
        more: list[Code],
        advised: bool,
        lost: bool,
        again: bool,
    ) -> None:
        """Make the moves that a match waits for; at times the line drops, or a move is repeated."""
        match = self.choose_match(which, lambda state: state.to_move)
        for guess in (code, *more):
            state = self.states[match]
            if (mover := state.to_move) is None:
                return
            line, version = self.choose_line(mover.name, number), len(self.rows[match])
            guess = guess[0], guess[1] % state.rules.colours
            kind: type[Secret | Guess] = Secret if state.phase is Phase.SETTING else Guess
            if kind is Guess and advised and not is_advised(state, mover.id):
                self.ask(line, line.wire.new(Advise, match=match, v=version), lost=lost)
                line, version = self.choose_line(mover.name, number), len(self.rows[match])
            self.ask(line, line.wire.new(kind, match=match, v=version, code=guess), lost=lost)
            if again:
                self.repeat(0, number + 1, moves=False)

    @rule(name=names, number=numbers, which=numbers, lost=st.booleans())
    def rematch(self, name: str, number: int, which: int, lost: bool) -> None:
        match = self.choose_match(which, lambda state: state.phase is Phase.FINISHED)
        seated = {player.name for player in self.states[match].players}
        line = self.choose_line(name if number == 0 else min(seated), number)
        self.ask(line, line.wire.new(Rematch, match=match), lost=lost)

    @rule(name=names, number=numbers, which=numbers, phrase=st.booleans(), times=st.integers(1, 3))
    def say(self, name: str, number: int, which: int, phrase: bool, times: int) -> None:
        """Chat, mostly at a followed match."""
        line = self.choose_line(name, number)
        followed = sorted(line.present)
        match = followed[which % len(followed)] if followed else self.choose_match(which)
        for _ in range(times):
            words: dict[str, Any] = {"phrase": 4} if phrase else {"text": f"{next(self.order)}!"}
            self.ask(line, line.wire.new(Say, match=match, **words))

    @rule(number=numbers, other=numbers, moves=st.booleans())
    def repeat(self, number: int, other: int, moves: bool) -> None:
        """Send one of the last requests again, by any connection: the answer is the same."""
        kinds = (Happened, Advice) if moves else (Happened, Advice, Said, Log, Error)
        asked = [asked for asked in self.asked if isinstance(asked.answer, kinds)]
        if not asked:
            return
        name, request, first = asked[-1 - number % len(asked)]
        line = self.choose_line(name, other)
        if isinstance(first, Said) and first.line not in (
            line for _, line in self.chat[first.match][-self.limits.chat_lines :]
        ):
            return  # a deleted line is written again
        answer = self.run(line.wire.ask(request))
        if isinstance(first, Log):
            self.enter(line, first.match, answer)
        elif isinstance(first, Error):
            self.check(line, request, answer)
        else:
            assert answer == first
        if isinstance(request, Leave):
            line.present.pop(request.match, None)
        self.settle()

    @rule(number=numbers, other=numbers, kind=st.sampled_from((Resign, Advise)))
    def reuse_an_id(self, number: int, other: int, kind: type[Resign | Advise]) -> None:
        """Ask for something else by the id of a done request: it is refused, and stays done."""
        written = [(*a[:2], a.answer) for a in self.asked if isinstance(a.answer, Happened | Log)]
        if written:
            name, request, first = written[-1 - number % len(written)]
            line, version = self.choose_line(name, other), len(self.rows[first.match])
            another = kind(id=request.id, match=first.match, v=version)
            answer = self.run(line.wire.ask(another))
            if not isinstance(request, kind):
                assert isinstance(answer, Error)
                if (type(first), kind) == (Happened, Resign):
                    assert (answer.code, answer.field) == (ErrorCode.INVALID_MESSAGE, "id")
            self.settle()

    @rule(name=names, number=numbers)
    def compare_lists(self, name: str, number: int) -> None:
        """Compare the four lists with the model."""
        line = self.choose_line(name, number)
        for what, phases in (
            ("waiting", {Phase.GATHERING}),
            ("running", {Phase.SETTING, Phase.BREAKING}),
        ):
            listing = self.run(line.wire.ask(line.wire.new(ListMatches, what=what)))
            assert isinstance(listing, Listing)
            expected = [
                describe(match, self.states[match])
                for match in self._sort(self.changed)
                if self.states[match].phase in phases
                and self.states[match].opened.public
                and not (Phase.GATHERING in phases and self.states[match].opened.reserved)
                and self.find_present(match)
            ]
            assert list(listing.matches) == expected
        own = self.run(line.wire.ask(line.wire.new(ListOwn)))
        assert isinstance(own, OwnMatches)
        me = line.player
        mine = [m for m in self._sort(self.touched) if self.states[m].seat_of(me.id)]
        running = [
            self._describe_own(match, me)
            for match in self._sort(self.touched)
            if (match in mine and self.states[match].phase is not Phase.FINISHED)
            or self.is_offered(match, me)
        ]
        running.sort(key=lambda described: not described.turn)  # a stable sort
        assert [
            OwnLine(
                m.match, m.seat, m.phase, m.round, m.guesses, m.turn, m.opponent, m.away is None
            )
            for m in own.matches
        ] == running
        archive = self.run(line.wire.ask(line.wire.new(Archive)))
        assert isinstance(archive, Archived)
        for kept in archive.matches:
            state = self.states[kept.match]
            opponent, outcome = state.opponent_of(line.player.id), state.outcome
            assert outcome is not None
            assert opponent is not None
            assert (kept.opponent, kept.bot, kept.how, kept.guesses) == (
                opponent.name,
                opponent.program,
                outcome.how,
                sum(len(played.turns) for played in state.played),
            )
            won = None if outcome.winner is None else outcome.winner == line.player.id
            assert kept.won is won
        assert {kept.match for kept in archive.matches} == {
            match for match in mine if self.states[match].outcome not in (None, CLOSED)
        }
        for message in line.wire.unread():
            line.take(message)

    def _sort(self, by: dict[str, int]) -> list[str]:
        return sorted(by, key=by.__getitem__, reverse=True)

    def is_offered(self, match: str, player: Player) -> bool:
        """Return whether a player may take the free seat of a rematch."""
        state = self.states[match]
        return state.phase is Phase.GATHERING and state.opened.reserved == player.id

    def _describe_own(self, match: str, player: Player) -> OwnLine:
        state, offered = self.states[match], self.is_offered(match, player)
        opponent, seat = state.opponent_of(player.id), state.seat_of(player.id)
        if offered:
            (opponent,) = state.players
            seat = Seat.BREAKER if state.maker else Seat.MAKER
        guesses = len(state.current.turns) if state.current else 0
        here = opponent is None or opponent.id in self.find_present(match)
        name = opponent.name if opponent else None
        turn = offered or state.to_move == player
        return OwnLine(match, seat, state.phase, state.round_number, guesses, turn, name, here)

    @rule(name=names, number=numbers)
    def drop(self, name: str, number: int) -> None:
        self.run(self._drop(self.choose_line(name, number)))
        self.settle()

    def is_any_clock_running(self) -> bool:
        """Return whether the server may write a row by itself: a flag, or time given back."""
        running = (Phase.SETTING, Phase.BREAKING)
        return any(
            state.has_live_clock and state.phase in running for state in self.states.values()
        )

    @precondition(lambda self: not self.is_any_clock_running())
    @rule(number=numbers)
    def restart(self, number: int) -> None:
        self.run(self._restart(self.halls[number % len(self.halls)]))
        self.settle()

    def can_time_pass(self) -> bool:
        """Return whether time can be skipped: at two nodes, presence is written in its own time."""
        return self.size == 1 and not self.is_any_clock_running()

    @precondition(can_time_pass)
    @rule()
    def let_time_pass(self) -> None:
        """Skip time: public lobbies without their player are closed, and crowds counted."""
        deserted = [
            match
            for match, state in self.states.items()
            if state.phase is Phase.GATHERING
            and state.opened.public
            and not self.find_present(match)
        ]
        self.run(self._close_lobbies(deserted))
        for match in deserted:
            (absentee,) = self.states[match].players
            decision = decide(self.states[match], LeaveMatch(absent=True), absentee.id)
            assert isinstance(decision, Decision)
            self.append(match, decision)
        self.settle()
        self.run(self._count_crowds())

    def teardown(self) -> None:
        with self.runner, self.folder:
            try:
                if self.rows and self.can_time_pass():
                    self.let_time_pass()
                for match, rows in self.rows.items():
                    for line in itertools.chain.from_iterable(self.lines.values()):
                        self.ask(line, line.wire.new(Follow, match=match))
                    stored = self.run(self.halls[0].store.read(read_log, match))
                    assert [decode_events(row.events) for row in stored] == rows
            finally:
                if self.database:  # the players of the next example have the same names
                    self.run(self.halls[0].store.write(forget_names))
                for hall in self.halls:
                    self.run(hall.close())
        assert not self.crashes

    # The lines.

    def settle(self) -> None:
        """Read on every connection until it has received exactly what it is due."""
        self.run(self._settle())

    async def _settle(self) -> None:
        for line in itertools.chain.from_iterable(self.lines.values()):
            await line.wire.ask(line.wire.new(Ping))
            for message in line.wire.unread():
                line.take(message)
            while not self._is_settled(line):
                line.take(await line.wire.next())
        if self.size > 1:
            await self._until(self._is_written)

    def _is_settled(self, line: Line) -> bool:
        there = all(present == self.find_present(m) for m, present in line.present.items())
        return there and not any(line.due.values())

    async def _is_written(self, but: str | None = None) -> bool:
        """Return whether the database has the presence at all matches, or at all `but` one."""
        matches = [match for match in self.rows if match != but]
        found = await self.halls[0].store.read(find_presence, matches, "another")
        there = {match: set(attendance.players) for match, attendance in found.items()}
        return all(there.get(match, set()) == self.find_present(match) for match in matches)

    async def _until(self, is_true: Callable[[], Coroutine[Any, Any, bool]]) -> None:
        async with asyncio.timeout(PATIENCE):
            while not await is_true():  # noqa: ASYNC110 - there is no event to wait for
                await asyncio.sleep(0)

    async def _count_crowds(self) -> None:
        async def is_counted() -> bool:
            for hall in self.halls:
                hall.clock.skip(SPECTATOR_COUNT_SECONDS)
            for line in itertools.chain.from_iterable(self.lines.values()):
                await line.wire.ask(line.wire.new(Ping))
                for message in line.wire.unread():
                    line.take(message)
            return all(
                line.spectators[match] == self.count_spectators(match)
                for match in self.rows
                for line in self.followers(match)
            )

        await self._until(is_counted)

    async def _close_lobbies(self, deserted: list[str]) -> None:
        async def is_due() -> bool:
            after = self.halls[0].clock.unix_milliseconds() + int(1000 * LOBBY_GRACE_SECONDS)
            return set(await self.halls[0].store.read(list_due, after, limit=99)) == set(deserted)

        await self._until(is_due)
        for hall in self.halls:
            hall.clock.skip(LOBBY_GRACE_SECONDS + DUE_POLL_SECONDS)
            await hall.server.deadlines.end_due_matches()

    async def _start(self) -> None:
        for _ in range(self.size):
            hall = GameServer(Path(self.folder.name), self.database)
            self.halls.append(hall)
            await hall.start(random=self.dice, limits=self.limits)
        for number, name in enumerate(CONNECTIONS):
            hall = self.halls[number % self.size]
            wire = await hall.meet(name, program=name == PROGRAM)
            self.lines[name] = [Line(wire, hall)]
            for more in range(1, CONNECTIONS[name]):
                hall = self.halls[(number + more) % self.size]
                self.lines[name].append(Line(await hall.connect_again(wire), hall))

    async def _replace(self, lost: Line) -> Line:
        """Return a new connection in the place of a lost one."""
        line = Line(await lost.hall.connect_again(lost.wire), lost.hall)
        lines = self.lines[line.player.name]
        lines[lines.index(lost)] = line
        return line

    async def _drop(self, line: Line, asked: str | None = None) -> Line:
        """Drop a connection; when the server has noticed, return the next one.

        At the match of a lost request, which may have seated a spectator, presence is not known.
        """

        async def is_gone() -> bool:
            return line.hall.server.gateway.count_connections() < self._count(line.hall)

        line.wire.websocket.transport.abort()
        await self._until(is_gone)
        line.present.clear()
        if self.size > 1:
            await self._until(partial(self._is_written, asked))
        return await self._replace(line)

    def _count(self, hall: GameServer) -> int:
        return sum(line.hall is hall for lines in self.lines.values() for line in lines)

    async def _lose(self, line: Line, request: Any) -> Line:
        """Send a request and drop the line, at any moment between its sending and its answer."""
        await line.wire.send(encode(request))
        return await self._drop(line, getattr(request, "match", None))

    async def _restart(self, hall: GameServer) -> None:
        await hall.restart(random=self.dice, limits=self.limits)
        for line in [line for lines in self.lines.values() for line in lines if line.hall is hall]:
            await self._replace(line)
        self.refused = {key: code for key, code in self.refused.items() if key[0] is not hall}


def forget_names(session: Session) -> None:
    """Let other players own all names."""
    session.connection.execute(sa.delete(owned_names))


def describe(match: str, state: Match) -> Listed:
    """Return the line of a match in the public lists."""
    return Listed(
        match=match,
        rules=state.opened.rules,
        rounds=state.opened.rounds,
        phase=state.phase,
        maker=state.maker.name if state.maker else None,
        breaker=state.breaker.name if state.breaker else None,
        bots=tuple(seat for seat in Seat if (player := state.in_seat(seat)) and player.program),
        rated=state.opened.rated,
        clock=state.opened.clock,
    )


class NodesMachine(ServerMachine):
    """The same on two nodes: each player has a connection with either."""

    size = 2
    limits = Limits(**RATES)


def try_out(machine: type[ServerMachine], database: str | None, examples: int) -> None:
    wanted = os.environ.get(VARIABLE)
    run_state_machine_as_test(
        type("Machine", (machine,), {"database": database}),
        settings=settings(
            max_examples=int(wanted) if wanted else examples,
            derandomize=not wanted,
            stateful_step_count=STEPS,
            database=None,
            phases=(Stage.generate,),  # a failure has few steps: making them fewer takes minutes
        ),
    )


@pytest.mark.promise("spectator-chat")
def test_a_server_does_what_the_model_does():
    try_out(ServerMachine, None, EXAMPLES)


def test_two_nodes_do_what_the_model_does(postgres_url):
    try_out(NodesMachine, postgres_url, EXAMPLES // 3)
