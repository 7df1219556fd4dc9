"""Long finished matches and long archives, written to a server's database before the attacks.

The database also has a leaderboard with the players of `kit.rated.store_ranked`.
"""

from __future__ import annotations

import contextlib
import itertools
import sqlite3
from typing import TYPE_CHECKING

import sqlalchemy as sa

from mastermind_protocol.codec import encode_events
from mastermind_protocol.commands import Command, GuessCode, ResignRound, SetSecret
from mastermind_protocol.errors import Refused
from mastermind_protocol.events import (
    MATCH_CODE_ALPHABET,
    MATCH_CODE_LENGTH,
    Joined,
    Opened,
    Player,
    Seat,
)
from mastermind_protocol.messages import MAX_STATISTICS_MATCHES
from mastermind_protocol.transitions import decide, fold
from mastermind_server.network.identity import make_digest
from mastermind_server.storage.records import ArchiveRow
from mastermind_server.storage.schema import archive, players, tokens

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from mastermind_protocol.events import AnyEvent
    from mastermind_server.storage.engines.database import Session

GUESSES = 990
RANKED, RANKED_RULES = 50_000, "classic"  # the players of the leaderboard, and its rules
LONG = [f"ABCD{a}{b}" for a in "23" for b in MATCH_CODE_ALPHABET]
"""Codes of the long matches. Their rows exceed the server's cache of unused matches."""
ARCHIVED = [f"{number:043}" for number in range(8)]
"""Tokens of the players with long archives."""
OPPONENTS = 1000  # of each of them, more than one answer can have


def write_long_match() -> Iterator[tuple[int, bytes]]:
    """Yield the rows of a finished match: version and events."""
    ada, bob = Player(id="ADA", name="Ada"), Player(id="BOB", name="Bob")
    first: tuple[AnyEvent, ...] = (
        Opened(rules="knuth", rounds=1),
        Joined(player=ada, seat=Seat.MAKER),
    )
    state = fold(first)
    yield 1, encode_events(first)
    state = fold(joined := (Joined(player=bob, seat=Seat.BREAKER),), state)
    yield 2, encode_events(joined)
    commands: list[Command] = [SetSecret((0, 1, 2, 3), bytes(16))]
    commands += [*[GuessCode((0, 0, 1, 1))] * GUESSES, ResignRound()]
    for version, command in enumerate(commands, start=3):
        decision = decide(state, command, ada.id if version == 3 else bob.id)
        assert not isinstance(decision, Refused), decision
        state = decision.after
        yield version, encode_events(decision.events)


def write_history(database: Path) -> None:
    """Write the long matches to a server's database."""
    rows = list(write_long_match())
    with contextlib.closing(sqlite3.connect(database)) as connection, connection:
        for match in LONG:
            connection.executemany(
                "INSERT INTO log (match, version, at, events) VALUES (?, ?, 0, ?)",
                [(match, version, events) for version, events in rows],
            )


def store_archives(session: Session) -> None:
    """Store the players of ARCHIVED. Each has as many matches as the server counts."""
    people = [f"archived-{number}" for number in range(len(ARCHIVED))]
    given = [{"id": player, "name": player, "created": 0} for player in people]
    session.connection.execute(players.insert(), given)
    given = [
        {"digest": make_digest(token), "player": player, "created": 0}
        for token, player in zip(ARCHIVED, people, strict=True)
    ]
    session.connection.execute(tokens.insert(), given)
    first, *others = people
    codes = itertools.product(MATCH_CODE_ALPHABET, repeat=MATCH_CODE_LENGTH)
    rows = [
        ArchiveRow(
            player=first, match="".join(code), at=number, rules=RANKED_RULES, rounds=2,
            rated=False, seat="maker", opponent=f"opponent-{number % OPPONENTS}", bot=False,
            won=number % 3 > 0, how="played", guesses=9, mine=6, theirs=4, tries=[number % 9],
        )._asdict()
        for number, code in zip(range(MAX_STATISTICS_MATCHES), codes, strict=False)
    ]  # fmt: skip
    session.connection.execute(archive.insert(), rows)
    copied = [column for column in archive.c if column is not archive.c.player]
    for player in others:
        query = sa.select(sa.literal(player), *copied).where(archive.c.player == first)
        insert = sa.insert(archive).from_select([archive.c.player, *copied], query)
        session.connection.execute(insert)
