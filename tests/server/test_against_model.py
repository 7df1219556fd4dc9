"""A whole server beside the pure model, step by step, whatever happens to its lines and itself.

Lines drop between requests, and while one is under way, which is then sent once more. Servers
restart between requests, and nobody asks at once with another: that is tried in tests/chaos.

Some examples are tried with every suite, the same each time; as many as MASTERMIND_EXAMPLES says,
and others each time, where that is set.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, NamedTuple

from hypothesis import Phase as Stage
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)

from kit.client import Wire
from kit.matches import Dice
from kit.server import Hall
from mastermind_protocol.code import Code
from mastermind_protocol.codec import decode_events, encode
from mastermind_protocol.commands import (
    Command,
    GuessCode,
    LeaveMatch,
    ResignRound,
    SetSecret,
    TakeSeat,
    refuse,
)
from mastermind_protocol.commitment import NONCE_BYTES
from mastermind_protocol.errors import ErrorCode
from mastermind_protocol.events import AnyEvent, Joined, Opened, Seat
from mastermind_protocol.match import Match, Phase
from mastermind_protocol.messages import AnyMessage, Error, Happened, Log
from mastermind_protocol.requests import (
    AnyRequest,
    Follow,
    Guess,
    Join,
    Leave,
    Open,
    Request,
    Resign,
    Secret,
)
from mastermind_protocol.transitions import Decision, decide, fold
from mastermind_server.limits import Limits, Rate
from mastermind_server.matches.tables.views import show

VARIABLE = "MASTERMIND_EXAMPLES"
EXAMPLES, STEPS = 10, 40
MATCHES = 2  # at once: more are not played far
NAMES = ("Ada", "Bob", "Eve")
NONCE = bytes(NONCE_BYTES)
ANY = Rate(burst=10**6, per_second=10**6)  # the clock stands still, so no rate lets anybody on
LIMITS = Limits(
    openings=ANY,
    work=ANY,
    work_of_address=ANY,
    moves_of_address=ANY,
    new_players=ANY,
    arrivals=ANY,
)

names = st.sampled_from(NAMES)
pegs: st.SearchStrategy[Code] = st.tuples(st.integers(0, 1), st.integers(0, 2))  # none at 2x2
rules = st.sampled_from(("2x2/3", "2x3/2"))
seats = st.sampled_from(Seat)
kinds = st.sampled_from((Secret, Guess, Guess, Guess, Resign, Leave))


class OpenDice(Dice):
    """Chance that the model knows too: of what it is for, nonces alone are told."""

    def randbytes(self, n: int) -> bytes:
        return bytes(n)


class Asked(NamedTuple):
    """A request that was done, and its answer."""

    name: str
    request: AnyRequest
    answer: AnyMessage


class ServerMachine(RuleBasedStateMachine):
    """Three players on one server, or on several nodes of one database.

    `rows` is the model: what the events of every match must be. `lags` is by how much a player may
    be mistaken in a match's version: with several nodes one may refuse by what it knows itself.
    """

    matches = Bundle("matches")
    size = 1
    database: str | None = None
    lags: tuple[int, ...] = (0, 0, 0, 0, 1, -1)

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.folder = tempfile.TemporaryDirectory()
        self.crashes: list[dict[str, Any]] = []
        self.dice = OpenDice(1)
        self.halls: list[Hall] = []
        self.homes: dict[str, Hall] = {}
        self.wires: dict[str, Wire] = {}
        self.rows: dict[str, list[tuple[AnyEvent, ...]]] = {}
        self.states: dict[str, Match] = {}
        self.asked: list[Asked] = []
        self.refused: dict[
            tuple[str, int], str
        ] = {}  # by which code, as the running server remembers

    def run(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Let the server run until something is done."""
        return self.runner.run(work)

    @initialize(target=matches, rules=rules, seat=seats, rounds=st.integers(1, 2))
    def start(self, rules: str, seat: Seat, rounds: int) -> str:
        """Begin with a match of two: not every example has every rule."""
        self.runner.get_loop().set_exception_handler(lambda _, crash: self.crashes.append(crash))
        self.run(self._start())
        match = self.open(NAMES[0], rules, seat, rounds)
        assert isinstance(match, str)
        self.join(NAMES[1], match)
        return match

    @precondition(lambda self: len(self.rows) < MATCHES)
    @rule(target=matches, name=names, rules=rules, seat=seats, rounds=st.integers(1, 2))
    def open(self, name: str, rules: str, seat: Seat, rounds: int) -> str:
        chairs = {"maker": "open", "breaker": "open", seat.value: "me"}
        request = self.wires[name].new(Open, rules=rules, rounds=rounds, **chairs)
        answer = self.run(self.wires[name].ask(request))
        assert isinstance(answer, Log), answer
        joined = Joined(player=self.wires[name].player, seat=seat)
        self.rows[answer.match] = [(Opened(rules=rules, rounds=rounds), joined)]
        self.states[answer.match] = fold(self.rows[answer.match][0])
        self._check_log(name, answer)
        self.asked.append(Asked(name, request, answer))
        return answer.match

    @rule(name=names, match=matches)
    def join(self, name: str, match: str) -> None:
        self._ask(name, self.wires[name].new(Join, match=match))

    @rule(name=names, match=matches)
    def follow(self, name: str, match: str) -> None:
        self._ask(name, self.wires[name].new(Follow, match=match))

    @rule(name=names, match=matches, kind=kinds, code=pegs, data=st.data())
    def move(self, name: str, match: str, kind: type[Any], code: Code, data: st.DataObject) -> None:
        """Make any move, mostly one that is refused; at times the line drops over it."""
        fields: dict[str, Any] = {}
        if kind is not Leave:
            lag = data.draw(st.sampled_from(self.lags), "lag")
            fields["v"] = max(0, len(self.rows[match]) - lag)
        if kind in (Secret, Guess):
            fields["code"] = code
        request = self.wires[name].new(kind, match=match, **fields)
        self._ask(name, request, lost=data.draw(st.booleans(), "lost"))

    @rule(match=matches, code=pegs, data=st.data(), again=st.booleans(), lost=st.booleans())
    def play_on(self, match: str, code: Code, data: st.DataObject, again: bool, lost: bool) -> None:
        """Make the move that the match waits for, at times by a wrong version, or twice."""
        state = self.states[match]
        if (mover := state.to_move) is not None:
            kind: type[Secret | Guess] = Secret if state.phase is Phase.SETTING else Guess
            version = len(self.rows[match]) - data.draw(st.sampled_from(self.lags), "lag")
            wire = self.wires[mover.name]
            self._ask(mover.name, wire.new(kind, match=match, v=version, code=code), lost=lost)
            if again:
                self.repeat(0, moves=False)

    @rule(number=st.integers(0, 9), moves=st.booleans())
    def repeat(self, number: int, moves: bool) -> None:
        """Send one of the last requests once more: the same is answered, and nothing is done."""
        kinds = (Happened,) if moves else (Happened, Log, Error)
        asked = [asked for asked in self.asked if isinstance(asked.answer, kinds)]
        if asked:
            name, request, first = asked[-1 - number % len(asked)]
            answer = self.run(self.wires[name].ask(request))
            if isinstance(first, Log):
                assert isinstance(answer, Log), answer
                self._check_log(name, answer)
            elif isinstance(first, Error):
                self._check(name, request, answer)
            else:
                assert answer == first

    @rule(name=names)
    def drop(self, name: str) -> None:
        self.run(self._come_back(name, drop=True))

    @rule(number=st.integers(0, 9))
    def restart(self, number: int) -> None:
        self.run(self._restart(self.halls[number % len(self.halls)]))

    @rule(seconds=st.integers(1, 100))
    def let_time_pass(self, seconds: int) -> None:
        async def skip() -> None:
            for hall in self.halls:
                hall.clock.skip(seconds)

        self.run(skip())

    def teardown(self) -> None:
        with self.runner, self.folder:
            try:
                for match in self.rows:
                    for name in self.wires:
                        self.follow(name, match)
                    stored = self.run(self.halls[0].store.read_log(match))
                    assert [decode_events(row.events) for row in stored] == self.rows[match]
            finally:
                for hall in self.halls:
                    self.run(hall.close())
        assert not self.crashes

    def _ask(self, name: str, request: Any, *, lost: bool = False) -> None:
        if lost:
            self.run(self._lose(name, request))
        answer = self.run(self.wires[name].ask(request))
        self._check(name, request, answer)
        self.asked.append(Asked(name, request, answer))

    def _check(self, name: str, request: AnyRequest, answer: AnyMessage) -> None:
        """Hold the answer to a request that was not done before against the model."""
        player = self.wires[name].player
        expected = self.refused.get((name, request.id)) or self._predict(name, request)
        if isinstance(expected, str):
            assert isinstance(answer, Error), (answer, expected)
            assert answer.code == expected, (answer, expected)
            self.refused[name, request.id] = expected
            return
        match = request.match  # type: ignore[union-attr] # each of those that are asked here has one
        if expected is not None:
            self.rows[match].append(expected.events)
            self.states[match] = expected.after
        if isinstance(request, Follow | Join):
            assert isinstance(answer, Log), answer
            self._check_log(name, answer)
        else:
            assert expected is not None
            shown = show(expected.events, player.id)
            version = len(self.rows[match])
            assert answer == Happened(match=match, v=version, events=shown, id=request.id)

    def _predict(self, name: str, request: AnyRequest) -> Decision | str | None:
        """Return what a request causes by the model, and None for nothing."""
        player, version = self.wires[name].player, getattr(request, "v", None)
        command: Command
        match request:
            case Follow():
                return None
            case Join(match=match):
                if self.states[match].seat_of(player.id) is not None:
                    return None
                command = TakeSeat(player)
            case Secret(match=match, code=code):
                command = SetSecret(code, NONCE)
            case Guess(match=match, code=code):
                command = GuessCode(code)
            case Resign(match=match):
                command = ResignRound()
            case Leave(match=match):
                command = LeaveMatch()
            case _:
                raise AssertionError(f"{request} is not asked here")
        state = self.states[match]
        if version is not None and version != len(self.rows[match]):
            refusal = refuse(state, command, player.id)
            return refusal.code if refusal else ErrorCode.STALE_VERSION
        decision = decide(state, command, player.id)
        return decision if isinstance(decision, Decision) else decision.code

    def _check_log(self, name: str, answer: Log) -> None:
        """See that a player is told of every row, at once or by and by, and of each as it may."""
        rows = [show(events, self.wires[name].player.id) for events in self.rows[answer.match]]
        told = [row.events for row in answer.rows]
        assert told == rows[: len(told)]
        self.run(self._wait_for(name, answer.match, len(rows)))
        known = self.wires[name].matches[answer.match]
        assert known == fold(event for events in rows for event in events)

    async def _wait_for(self, name: str, match: str, version: int) -> None:
        while self.wires[name].versions[match] < version:
            await self.wires[name].next()

    async def _start(self) -> None:
        for _ in range(self.size):
            hall = Hall(Path(self.folder.name), self.database)
            self.halls.append(hall)
            await hall.start(random=self.dice, limits=LIMITS)
        for number, name in enumerate(NAMES):
            self.homes[name] = self.halls[number % self.size]
            self.wires[name] = await self.homes[name].meet(name)

    async def _come_back(self, name: str, *, drop: bool) -> None:
        lost = self.wires[name]
        if drop:
            lost.websocket.transport.abort()
        self.wires[name] = await self.homes[name].again(lost)

    async def _lose(self, name: str, request: Request) -> None:
        """Send a request and drop the line, whether that has come in, is done or answered."""
        await self.wires[name].send(encode(request))
        await self._come_back(name, drop=True)

    async def _restart(self, hall: Hall) -> None:
        await hall.restart(random=self.dice, limits=LIMITS)
        for name, home in self.homes.items():
            if home is hall:
                await self._come_back(name, drop=False)
                self.refused = {key: code for key, code in self.refused.items() if key[0] != name}


class NodesMachine(ServerMachine):
    """The same on two nodes."""

    size = 2
    lags = (0,)


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


def test_a_server_does_what_the_model_does_whatever_happens_to_it():
    try_out(ServerMachine, None, EXAMPLES)


def test_two_nodes_do_what_the_model_does_whatever_happens_to_them(postgres_url):
    try_out(NodesMachine, postgres_url, EXAMPLES // 3)
