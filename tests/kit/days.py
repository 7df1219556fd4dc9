"""A day with a fixed code, and its times."""

from __future__ import annotations

from typing import NamedTuple

import sqlalchemy as sa

from kit.matches import pegs
from kit.server import GameServer
from mastermind_protocol.commitment import commit
from mastermind_protocol.days import DAY_MS, find_day_start, find_reveal, find_tries_end
from mastermind_protocol.events import Player
from mastermind_server.storage.day_rows import DayRow
from mastermind_server.storage.engines.database import Session
from mastermind_server.storage.schema import days, tries
from mastermind_server.storage.statements.days import add_day

DAY = 2600  # after the first day of any ManualClock: players are older
CODE = "1234"
NONCE, KEY = bytes(16), b"of all addresses"
START, NOON = find_day_start(DAY), find_day_start(DAY) + DAY_MS // 2
TRIES_END, REVEAL = find_tries_end(DAY), find_reveal(DAY)


class Try(NamedTuple):
    """A row of the table `tries`, without its day and rules."""

    player: str
    match: str
    counted: bool
    address: bytes | None
    ended: int | None
    how: str | None
    guesses: int | None
    milliseconds: int | None
    luck: float | None


def make_day(rules: str = "classic", code: str = CODE, epoch: str = "") -> DayRow:
    """Return the code of DAY, drawn at its start."""
    secret = pegs(code)
    return DayRow(DAY, rules, bytes(secret), NONCE, commit(NONCE, secret), KEY, epoch, START)


async def begin_day(hall: GameServer, *rules: str) -> None:
    """Store the codes of DAY for `rules`, by default classic, and set the time of day to NOON."""
    for each in rules or ("classic",):
        await hall.store.write(add_day, make_day(each, epoch=hall.store.epoch))
    hall.clock.jump(NOON)


async def withdraw_day(hall: GameServer) -> None:
    """Withdraw the codes of DAY, as an operator does."""
    await hall.store.write(withdraw)


async def list_tries(hall: GameServer, rules: str = "classic") -> dict[str, Try]:
    """Return the tries at the code of DAY, by the id of their player."""
    return await hall.store.read(read_tries, rules)


async def find_try(hall: GameServer, player: Player, rules: str = "classic") -> Try:
    """Return the try of a player at the code of DAY."""
    return (await list_tries(hall, rules))[player.id]


def read_tries(session: Session, rules: str) -> dict[str, Try]:
    """Return the tries at the code of DAY in the order of their starts, by player."""
    query = sa.select(*(tries.c[name] for name in Try._fields))
    query = query.where(tries.c.day == DAY, tries.c.rules == rules).order_by(tries.c.started)
    return {row[0]: Try(*row) for row in session.connection.execute(query)}


def withdraw(session: Session) -> None:
    """Withdraw the codes of DAY in the transaction of a session."""
    session.connection.execute(sa.update(days).where(days.c.day == DAY).values(withdrawn=NOON))
