"""The store compared with dictionaries, on both databases."""

import asyncio
import tempfile
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import psycopg
import pytest
import sqlalchemy as sa
from hypothesis import Phase as Stage
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    rule,
    run_state_machine_as_test,
)

from mastermind_protocol.events import Player
from mastermind_protocol.match import Phase
from mastermind_server.storage.engines.database import Session
from mastermind_server.storage.idempotency import RequestKey, ReusedId
from mastermind_server.storage.records import (
    ArchiveRow,
    MatchRecord,
    Projection,
    RunningMatch,
    RunningRow,
)
from mastermind_server.storage.rows import (
    ChatRow,
    LogHead,
    LogRow,
    PredecessorMissing,
    RowTaken,
)
from mastermind_server.storage.schema import log, metadata
from mastermind_server.storage.statements.accounts import (
    NewPlayer,
    add_transfer,
    change_player,
    count_tokens,
    find_player,
    find_tokens,
    find_transfer_owner,
    is_program,
    revoke_tokens,
    take_transfer,
)
from mastermind_server.storage.statements.lobby import set_due_of_abandoned_lobbies
from mastermind_server.storage.statements.log import (
    append_chat,
    find_line,
    find_request,
    has_moved,
    read_chat,
    read_heads,
    read_log,
)
from mastermind_server.storage.statements.matches import (
    list_archive,
    list_due,
    list_public,
    list_running,
    postpone,
)
from mastermind_server.storage.store import Store
from mastermind_server.storage.threads import StorageFailed

EXAMPLES, STEPS = 8, 40
FAR = 10**12  # milliseconds: due later than everything here
MATCHES, PLAYERS = ("AAAAAA", "BBBBBB", "CCCCCC"), ("A", "B")
TOKENS = tuple(letter * 32 for letter in (b"a", b"b", b"c", b"d"))
MAX_TOKENS = 3  # of a player

matches = st.sampled_from(MATCHES)
players = st.sampled_from(PLAYERS)
tokens = st.sampled_from(TOKENS)
transfer_codes = st.sampled_from((b"code", b"edoc"))
requests = st.none() | st.integers(1, 6)
digests = st.sampled_from((None, b"guess", b"guess", b"leave"))
wishes = st.tuples(matches, st.sampled_from((0, 0, 0, 0, -1)), players, requests, digests)
projected = st.sampled_from((None, None, Phase.GATHERING, Phase.BREAKING, Phase.FINISHED))


class StoreMachine(RuleBasedStateMachine):
    """A store and its expected content."""

    database = ""  # the URL of a PostgreSQL database; a file of its own without one

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.folder = tempfile.TemporaryDirectory()
        self.place: Path | str = self.database or Path(self.folder.name) / "store.sqlite3"
        self.at = 0  # no two rows are written at one time
        self.log: dict[str, list[LogRow]] = {match: [] for match in MATCHES}
        self.chat: list[ChatRow] = []
        self.counts: dict[tuple[str, str], int] = {}  # the last number of each room
        self.records: dict[str, MatchRecord] = {}
        self.running: dict[str, tuple[RunningRow, ...]] = {}
        self.archive: dict[tuple[str, str], ArchiveRow] = {}
        self.players: dict[str, Player] = {}
        self.tokens: dict[bytes, str] = {}
        self.transfers: dict[str, tuple[bytes, int]] = {}

    def run(self, work: Coroutine[Any, Any, Any]) -> Any:
        return self.runner.run(work)

    def compare(self, comparison: Callable[..., None], *args: Any) -> None:
        """Run a comparison with a session: one call of the store is much faster than many."""
        self.run(self.store.read(comparison, *args))

    @initialize()
    def start(self) -> None:
        self.store = self.run(Store.open(self.place))
        if self.database:
            with psycopg.connect(self.database, autocommit=True) as driver:
                driver.execute(f"TRUNCATE {', '.join(metadata.tables)}")

    def teardown(self) -> None:
        with self.runner, self.folder:
            self.restart()
            self.run(self.store.close())

    @rule()
    def restart(self) -> None:
        """Open the store again, and find everything there."""
        self.run(self.store.close())
        self.store = self.run(Store.open(self.place))
        self.compare_matches(9)
        for match in MATCHES:
            self.compare_match(match)
        for player in PLAYERS:
            self.compare_player(player)

    # The log, the chat and the lists.

    @rule(
        groups=st.lists(st.lists(wishes, min_size=1, max_size=2), min_size=1, max_size=5),
        phase=projected,
    )
    def append(self, groups: list[list[Any]], phase: Phase | None) -> None:
        """Append rows at the same time: each write has the outcome that it has alone, in order.

        Single rows overtake others, so they are written without any.
        """
        writes: list[Coroutine[Any, Any, None]] = []
        expected: list[type[Exception] | None] = []
        for group in groups:
            rows = [self._make_row(*wish) for wish in (group if phase else group[:1])]
            made = [self._project(rows[-1].match, phase, len(rows))] if phase else []
            expected.append(self._append(rows, made))
            writes.append(self._write(rows, made))

        self._write_all(writes, expected)

    @rule(match=matches, lost=st.integers(1, 3), others=st.integers(0, 2))
    def go_back(self, match: str, lost: int, others: int) -> None:
        """Lose the last rows of a match, and then append the row after them: that leaves no gap."""
        ahead = self._make_row(match, 0, "A", None, None)
        kept = self.log[match][: max(1, ahead.version - 1 - lost)]
        later = sa.delete(log).where(log.c.match == match, log.c.version > len(kept))

        def delete(session: Session) -> None:
            session.connection.execute(later)

        self.run(self.store.write(delete))
        self.log[match] = kept
        elsewhere = [each for each in MATCHES if each != match][:others]
        rows = [ahead, *(self._make_row(each, 0, "A", None, None) for each in elsewhere)]
        expected = [self._append([row], []) for row in rows]
        self._write_all([self._write([row], []) for row in rows], expected)

    def _write_all(
        self,
        writes: list[Coroutine[Any, Any, None]],
        expected: list[type[Exception] | None],
    ) -> None:
        """Run writes at the same time, and compare their outcomes and all matches."""

        async def write_all() -> list[BaseException | None]:
            return await asyncio.gather(*writes, return_exceptions=True)

        assert [outcome and type(outcome) for outcome in self.run(write_all())] == expected
        for match in MATCHES:
            self.compare_match(match)

    async def _write(self, rows: list[LogRow], projections: list[Projection]) -> None:
        await self.store.append(*rows, projections=projections)

    def _make_row(
        self, match: str, lag: int, player: str, request: int | None, digest: bytes | None
    ) -> LogRow:
        self.at += 1
        version = max(1, len(self.log[match]) + 1 + lag)
        digest = digest if request else None
        return LogRow(match, version, self.at, b"\x90", player, request, digest)

    def _append(self, rows: list[LogRow], projections: list[Projection]) -> type[Exception] | None:
        """Return how an append ends; the dictionaries have its rows if it succeeds."""
        before = {match: list(kept) for match, kept in self.log.items()}
        for row in rows:
            taken = any(kept.version == row.version for kept in self.log[row.match])
            refusal = self._find_refusal(row.player, row.request, row.digest, "log")
            if refusal or taken:
                self.log = before
                return refusal or RowTaken
            if row.version > len(self.log[row.match]) + 1:
                self.log = before
                return PredecessorMissing
            self.log[row.match].append(row)
        for projection in projections:
            self.records[projection.record.match] = projection.record
            self.running[projection.record.match] = projection.running
            for kept in projection.archived:
                self.archive[kept.player, kept.match] = kept
        return None

    def _find_refusal(
        self, player: str | None, request: int | None, digest: bytes | None, table: str
    ) -> type[Exception] | None:
        """Return why a request may not be done: it was done before, or its id is another's."""
        written: list[tuple[str, LogRow | ChatRow]] = [("chat", row) for row in self.chat]
        written += [("log", row) for rows in self.log.values() for row in rows]
        for kind, kept in written:
            if request is not None and (kept.player, kept.request) == (player, request):
                same = kind == table and kept.digest in (None, digest)
                return RowTaken if same else ReusedId
        return None

    def _project(self, match: str, phase: Phase, number: int) -> Projection:
        """Return a projection: of a match that finishes once, and then stays as it is."""
        at = self.at
        if any(kept == match for _, kept in self.archive):
            phase = Phase.FINISHED
        record = MatchRecord(
            match, "mini", 1, at % 3 > 0, phase, "Ada", None, at, due=FAR + at
        )  # fmt: skip
        if phase is Phase.FINISHED:
            fresh = [player for player in PLAYERS if (player, match) not in self.archive]
            archived = tuple(
                ArchiveRow(
                    player=player, match=match, at=at // 9, rules="mini", rounds=1, rated=False,
                    seat="maker", opponent="Bob", bot=False, won=None, how="played", guesses=3,
                    mine=4, theirs=number, tries=[3, 0],
                )
                for player in fresh
            )  # fmt: skip
            return Projection(record._replace(due=None), archived=archived)
        running = tuple(
            RunningRow(
                match=match, player=player, at=at, rules="mini", rounds=1, round=1, phase=phase,
                rated=False, seat="maker", opponent="Bob", opponent_id=None, bot=True,
                turn=bool(at % 2), others=number,
            )
            for player in PLAYERS[: 1 + at % 2]
        )  # fmt: skip
        return Projection(record, running)

    @rule(
        match=matches,
        room=st.sampled_from(("players", "spectators")),
        lines=st.lists(
            st.tuples(st.sampled_from((0, 0, 0, -1)), players, st.integers(1, 9), digests),
            min_size=1,
            max_size=5,
        ),
        keep=st.integers(1, 4),
    )
    def say(self, match: str, room: Any, lines: list[Any], keep: int) -> None:
        """Append lines of chat, and delete all but the last ones of their room."""
        for lag, player, request, digest in lines:
            n = max(1, self.counts.get((match, room), 0) + 1 + lag)
            row = ChatRow(match, room, n, 1, 0, player, "Ada", "Hello", None, request, digest)
            self._say(row, n - keep)
        self.compare_match(match)

    def _say(self, row: ChatRow, forget: int) -> None:
        place = (row.match, row.room)
        expected = self._find_refusal(row.player, row.request, row.digest, "chat")
        if any((kept.match, kept.room, kept.n) == (*place, row.n) for kept in self.chat):
            expected = expected or RowTaken
        if expected is None:
            self.run(self.store.write(append_chat, row, delete_until=forget))
            gone = [
                kept for kept in self.chat if (kept.match, kept.room) == place and kept.n <= forget
            ]
            self.chat = [kept for kept in self.chat if kept not in gone] + [row]
            self.counts[place] = row.n
        else:
            with pytest.raises(expected):
                self.run(self.store.write(append_chat, row, delete_until=forget))

    def compare_match(self, match: str) -> None:
        """Compare the rows and the chat of a match, all of them and the later ones."""
        self.compare(self._compare_match, match)

    def _compare_match(self, session: Session, match: str) -> None:
        rows, mine = self.log[match], [row for row in self.chat if row.match == match]
        said = sorted(mine, key=lambda row: (row.room, row.n))
        assert read_log(session, match) == rows
        assert read_log(session, match, 1, 2) == rows[1:3]
        assert read_chat(session, match) == said
        later = [row for row in said if row.n > (1 if row.room == "players" else 2)]
        assert read_chat(session, match, 1, 2) == later
        newest = read_heads(session, [match, "ZZZZZZ"])
        if match in self.records:
            rooms = [
                [row.n for row in said if row.room == room] for room in ("players", "spectators")
            ]
            assert newest == [
                LogHead(match, rows[-1].version, *(max(room, default=0) for room in rooms))
            ]
        else:
            assert newest == []
        for player in PLAYERS:
            moved = has_moved(session, player, match)
            assert moved == any(row.player == player for row in rows)

    @rule(limit=st.integers(1, 3))
    def compare_matches(self, limit: int) -> None:
        """Compare the lists of all matches."""
        self.compare(self._compare_matches, limit)

    def _compare_matches(self, session: Session, limit: int) -> None:
        records = sorted(self.records.values(), key=lambda record: -record.changed)
        for phases in ((Phase.GATHERING,), (Phase.GATHERING, Phase.FINISHED)):
            public = [record for record in records if record.public and record.phase in phases]
            found = list_public(session, phases, limit=limit)
            assert [record._replace(public=bool(record.public)) for record in found] == [
                *public[:limit]
            ]
        dues = sorted((record.due, match) for match, record in self.records.items() if record.due)
        assert list_due(session, 2 * FAR, limit=limit) == [m for _, m in dues][:limit]
        assert list_due(session, FAR, limit=limit) == [
            match for due, match in dues if due <= FAR
        ][:limit]  # fmt: skip

    @rule(match=matches, later=st.integers(-5, 5))
    def postpone(self, match: str, later: int) -> None:
        """Postpone the end of a match."""
        self.run(self.store.write_locking(postpone, {match: FAR + later}))
        record = self.records.get(match)
        if record and record.due is not None:
            self.records[match] = record._replace(due=max(record.due, FAR + later))
        self.compare_matches(9)

    @rule(sooner=st.integers(1, 9))
    def desert(self, sooner: int) -> None:
        """Bring the end of all public lobbies forward: they have no players here."""
        self.run(self.store.write_locking(set_due_of_abandoned_lobbies, FAR - sooner))
        for match, record in self.records.items():
            lobby = record.public and record.phase is Phase.GATHERING and record.due is not None
            if lobby and record.due is not None:
                self.records[match] = record._replace(due=min(record.due, FAR - sooner))
        self.compare_matches(9)

    @rule(player=players, limit=st.integers(1, 2))
    def compare_player(self, player: str, limit: int = 9) -> None:
        """Compare the lists of a player, page by page, and the results of its requests."""
        self.compare(self._compare_player, player, limit)

    def _compare_player(self, session: Session, player: str, limit: int) -> None:
        mine = [row for (owner, _), row in self.archive.items() if owner == player]
        mine.sort(key=lambda row: (row.at, row.match), reverse=True)
        assert list_archive(session, player, limit=limit) == mine[:limit]
        for number, row in enumerate(mine):
            page = list_archive(session, player, row.match, limit=limit)
            assert page == mine[number + 1 :][:limit]
        assert list_archive(session, player, "ZZZZZZ", limit=limit) is None
        rows = [row for rows in self.running.values() for row in rows if row.player == player]
        last = sorted(rows, key=lambda row: -row.at)[: limit + 1]
        own = [
            RunningMatch(r, entry.version, entry.at, self.records[r.match].due)
            for r in last
            for entry in self.log[r.match][-1:]
        ]
        own.sort(key=lambda match: (not match.row.turn, -match.changed))
        assert list_running(session, player, searched=limit + 1, limit=limit) == own[:limit]
        assert has_moved(session, player) == any(
            row.player == player for rows in self.log.values() for row in rows
        )
        for request in range(1, 10):
            self._compare_request(session, player, request)

    def _compare_request(self, session: Session, player: str, request: int) -> None:
        whose = (player, request)
        rows = [row for rows in self.log.values() for row in rows]
        found = next((row for row in rows if (row.player, row.request) == whose), None)
        said = next((row for row in self.chat if (row.player, row.request) == whose), None)
        same = RequestKey(request, found.digest if found else b"?")
        expected = (found.match, found.version) if found else None
        assert find_request(session, player, same) == expected
        assert (
            find_line(session, player, RequestKey(request, said.digest if said else b"?")) == said
        )
        for kept, find in ((found, find_request), (said, find_line)):
            if kept is not None and kept.digest is not None:
                with pytest.raises(ReusedId):
                    find(session, player, RequestKey(request, b"another"))

    # The players.

    @rule(player=players, token=tokens)
    def add_player(self, player: str, token: bytes) -> None:
        new = Player(id=player, name="Ada")
        if player in self.players or token in self.tokens:
            with pytest.raises(StorageFailed):
                self.run(self.store.add_player(NewPlayer(new, token, 0)))
        else:
            self.run(self.store.add_player(NewPlayer(new, token, 0)))
            self.players[player], self.tokens[token] = new, player
        self.compare_tokens()

    @rule(player=players, program=st.booleans(), name=st.sampled_from(("Ada", "Countess")))
    def change_player(self, player: str, program: bool, name: str) -> None:
        found, changed = Player(player, "Found"), Player(player, name, program=program)
        self.run(self.store.write(change_player, found, changed))
        if known := self.players.get(player):
            self.players[player] = Player(id=player, name=name, program=program or known.program)
            assert self.run(self.store.read(is_program, player)) == (program or known.program)
        self.compare_tokens()

    @rule(player=players, token=tokens, others=st.booleans())
    def revoke_tokens(self, player: str, token: bytes, others: bool) -> None:
        proven = self.tokens.get(token) == player
        assert self.run(self.store.write(revoke_tokens, player, token, others=others)) is proven
        if proven and others:
            self.transfers.pop(player, None)
            self.tokens = {t: p for t, p in self.tokens.items() if t == token or p != player}
        elif proven:
            del self.tokens[token]
        self.compare_tokens()

    @rule(player=players, token=tokens, code=transfer_codes, now=st.integers(0, 9))
    def add_transfer(self, player: str, token: bytes, code: bytes, now: int) -> None:
        if any(kept == code for whose, (kept, _) in self.transfers.items() if whose != player):
            return  # no two players draw the same code
        proven = self.tokens.get(token) == player
        adding = self.store.write(add_transfer, player, token, code, now + 5, now, MAX_TOKENS)
        count = sum(whose == player for whose in self.tokens.values())
        assert self.run(adding) == (count if proven else None)
        if proven and count < MAX_TOKENS:
            lasting = {p: (c, until) for p, (c, until) in self.transfers.items() if until > now}
            self.transfers = {**lasting, player: (code, now + 5)}

    @rule(token=tokens, code=transfer_codes, now=st.integers(0, 14), rename=st.booleans())
    def take_transfer(self, token: bytes, code: bytes, now: int, rename: bool) -> None:
        owners = [p for p, (c, until) in self.transfers.items() if c == code and until > now]
        owner = self.players[owners[0]] if owners else None
        assert self.run(self.store.read(find_transfer_owner, code, now)) == owner

        def change(player: Player) -> Player:
            return Player(id=player.id, name="Moved", program=player.program) if rename else player

        taking = self.store.write(take_transfer, code, token, now, change)
        if owner is not None and token in self.tokens:
            with pytest.raises(StorageFailed):
                self.run(taking)
        else:
            expected = owner and change(owner)
            assert self.run(taking) == expected
            if expected is not None:
                del self.transfers[expected.id]
                self.players[expected.id], self.tokens[token] = expected, expected.id
        self.compare_tokens()

    def compare_tokens(self) -> None:
        """Compare the tokens of all players."""
        self.compare(self._compare_tokens)

    def _compare_tokens(self, session: Session) -> None:
        assert find_tokens(session, TOKENS) == set(self.tokens)
        for token in TOKENS:
            whose = self.tokens.get(token)
            expected = self.players[whose] if whose else None
            assert find_player(session, token) == expected
        for player in PLAYERS:
            count = sum(whose == player for whose in self.tokens.values())
            assert count_tokens(session, player) == count <= MAX_TOKENS


@pytest.mark.parametrize("database", ["SQLite", "PostgreSQL"])
def test_a_store_equals_its_model_of_dictionaries(database, request):
    url = request.getfixturevalue("postgres_url") if database == "PostgreSQL" else ""
    run_state_machine_as_test(
        type("Machine", (StoreMachine,), {"database": url}),
        settings=settings(
            max_examples=EXAMPLES,
            derandomize=True,
            stateful_step_count=STEPS,
            database=None,
            phases=(Stage.generate,),
        ),
    )
