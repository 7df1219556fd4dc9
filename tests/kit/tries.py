"""Days and tries in a store, without playing them."""

from __future__ import annotations

from itertools import count
from typing import Any

import sqlalchemy as sa

from kit.days import DAY, make_day
from mastermind_protocol.days import DAY_MS, find_day_start, find_tries_end
from mastermind_protocol.events import RoundEnd
from mastermind_protocol.rules import find_rules
from mastermind_server.storage.engines.database import Session
from mastermind_server.storage.schema import players, tries
from mastermind_server.storage.statements.days import add_day

_matches = count(1)


def store_day(session: Session, day: int = DAY, rules: str = "classic", **columns: Any) -> None:
    """Store the code of a day, which is open unless `columns` has `revealed` or `withdrawn`."""
    add_day(session, make_day(rules, epoch=session.epoch)._replace(day=day, **columns))


def store_try(
    session: Session,
    player: str,
    guesses: int | None = None,
    seconds: float = 60,
    *,
    day: int = DAY,
    rules: str = "classic",
    **columns: Any,
) -> None:
    """Store a try that ended with this number of guesses, or a running one without a number.

    It began at noon. The limit of guesses + 1 is a try that did not break the code.
    """
    began = find_day_start(day) + DAY_MS // 2
    values: dict[str, Any] = {
        "day": day,
        "rules": rules,
        "player": player,
        "match": f"{next(_matches):06}".replace("0", "A").replace("1", "B"),
        "started": began,
        "counted": True,
        "address": None,
    }
    if guesses is not None:
        broken = guesses <= find_rules(rules).guess_limit
        values |= {
            "ended": min(began + int(1000 * seconds), find_tries_end(day) - 1),
            "how": RoundEnd.BROKEN if broken else RoundEnd.RESIGNED,
            "guesses": guesses,
            "milliseconds": int(1000 * seconds),
            "luck": 0.0,
        }
    session.connection.execute(sa.insert(tries).values({**values, **columns}))


def store_account(session: Session, player: str, name: str) -> None:
    """Store the account of a player, without a token."""
    values = {"id": player, "name": name, "program": False, "created": 0, "challenges": True}
    session.connection.execute(sa.insert(players).values(values))
