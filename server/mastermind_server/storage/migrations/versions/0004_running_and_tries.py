"""Every player's matches that are not over, and how many guesses each round took it."""

import logging
from collections.abc import Iterator
from typing import Any

import msgpack
import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_LOG = logging.getLogger(__name__)
_DAMAGE = (ValueError, TypeError, LookupError, AttributeError, msgpack.UnpackException)
_SEATS = ("maker", "breaker")


def upgrade() -> None:
    """Make the table and the column, and fill both from the logs."""
    running = op.create_table(
        "running",
        sa.Column("match", sa.String(6), nullable=False),
        sa.Column("player", sa.String(40), nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False, comment="of this row, ms since 1970, UTC"),
        sa.Column("rules", sa.String(40), nullable=False),
        sa.Column("rounds", sa.Integer, nullable=False),
        sa.Column("round", sa.Integer, nullable=False, comment="which is played, from 1"),
        sa.Column("phase", sa.String(10), nullable=False),
        sa.Column("rated", sa.Boolean, nullable=False),
        sa.Column("seat", sa.String(7), nullable=False, comment="the player's in this round"),
        sa.Column("opponent", sa.String(24), comment="the name; null: nobody yet"),
        sa.Column(
            "opponent_id", sa.String(40), comment="null: nobody yet, or a bot of this server"
        ),
        sa.Column("bot", sa.Boolean, nullable=False, comment="whether that is no person"),
        sa.Column("turn", sa.Boolean, nullable=False, comment="whether it waits for the player"),
        sa.Column(
            "others", sa.Integer, nullable=False, comment="rows of the log but this round's guesses"
        ),
        sa.PrimaryKeyConstraint("match", "player", name="pk_running"),
        comment="a player's matches that are not over, kept in the same commit as the log",
    )
    op.create_index("ix_running_player_at", "running", ["player", "at"])
    tries = sa.Column(
        "tries",
        sa.JSON,
        nullable=False,
        server_default="[]",
        comment="guesses by the player in each round, 0: the code stood",
    )
    op.add_column("archive", tries)
    connection = op.get_bind()
    for match, story in _read_stories(connection):
        try:
            if story.phase == "finished":
                _fill_archive(connection, match, story)
            else:
                op.bulk_insert(running, story.list_running(match))
        except _DAMAGE as error:  # one log is no reason to start no server
            _LOG.warning("match %s is not counted: %s", match, type(error).__name__)


def downgrade() -> None:
    """Drop them."""
    op.drop_column("archive", "tries")
    op.drop_table("running")


# The rows as they were when this migration was written, from the events as they were then: nothing
# here is shared with the code that goes on changing.


class _Story:
    """What comes of a match's events, row after row."""

    def __init__(self) -> None:
        self.phase, self.at, self.rows = "gathering", 0, 0
        self.opened: dict[str, Any] = {}
        self.seated: dict[str, dict[str, Any]] = {}
        self.guesses = 0
        self.rounds: list[tuple[str, int, str]] = []  # codebreaker, guesses and how it ended

    def take(self, at: int, events: list[dict[str, Any]]) -> None:
        """Go on by a row of the log."""
        self.rows += 1
        phase = self.phase
        for event in events:
            self._take_event(event)
        if self.phase != phase or not any(event["event"] == "guessed" for event in events):
            self.at = at

    def _take_event(self, event: dict[str, Any]) -> None:
        match event["event"]:
            case "opened":
                self.opened = event
            case "joined":
                self.seated[event["seat"]] = event["player"]
                if len(self.seated) == len(_SEATS):
                    self.phase = "setting"
            case "secret":
                self.phase = "breaking"
            case "guessed":
                self.guesses += 1
            case "round_ended":
                self._end_round(event["how"])
            case "finished":
                self.phase = "finished"

    def _end_round(self, how: str) -> None:
        self.rounds.append((self.seated["breaker"]["id"], self.guesses, how))
        self.guesses = 0
        if how == "left" or len(self.rounds) == self.opened["rounds"]:
            self.phase = "finished"
        else:
            self.phase = "setting"
            maker, breaker = self.seated["maker"], self.seated["breaker"]
            self.seated = {"maker": breaker, "breaker": maker}

    def list_running(self, match: str) -> list[dict[str, Any]]:
        """Return the rows of the players of a match that is not over."""
        rows = []
        mover = {"setting": "maker", "breaking": "breaker"}.get(self.phase)
        for seat, other in zip(_SEATS, reversed(_SEATS), strict=True):
            player, opponent = self.seated.get(seat), self.seated.get(other)
            if player is None or player.get("bot") is not None:
                continue
            person = opponent is not None and opponent.get("bot") is None
            row = {
                "match": match,
                "player": player["id"],
                "at": self.at,
                "rules": self.opened["rules"],
                "rounds": self.opened["rounds"],
                "round": len(self.rounds) + 1,
                "phase": self.phase,
                "rated": self.opened.get("rated", False),
                "seat": seat,
                "opponent": opponent["name"] if opponent else None,
                "opponent_id": opponent["id"] if opponent and person else None,
                "bot": opponent is not None and (not person or opponent.get("program", False)),
                "turn": seat == mover,
                "others": self.rows - self.guesses,
            }
            rows.append(row)
        return rows


def _read_stories(connection: sa.Connection) -> Iterator[tuple[str, _Story]]:
    matches = sa.table("matches", sa.column("match"))
    log = sa.table("log", *map(sa.column, ("match", "version", "at", "events")))
    for match in list(connection.execute(sa.select(matches.c.match)).scalars()):
        rows = sa.select(log.c.at, log.c.events).where(log.c.match == match).order_by(log.c.version)
        story = _Story()
        try:
            for at, events in connection.execute(rows):
                story.take(at, msgpack.unpackb(events))
        except _DAMAGE as error:
            _LOG.warning("match %s is not counted: %s", match, type(error).__name__)
            continue
        yield match, story


def _fill_archive(connection: sa.Connection, match: str, story: _Story) -> None:
    archive = sa.table(
        "archive", sa.column("match"), sa.column("player"), sa.column("tries", sa.JSON)
    )
    for player in story.seated.values():
        tries = [
            guesses if how == "broken" else 0
            for breaker, guesses, how in story.rounds
            if breaker == player["id"] and how != "left"
        ]
        mine = sa.and_(archive.c.match == match, archive.c.player == player["id"])
        connection.execute(sa.update(archive).where(mine).values(tries=tries))
