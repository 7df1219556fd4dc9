"""What is said at the matches, and every player's finished matches, from the logs there are."""

import itertools
import logging
from typing import Any

import msgpack
import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_LOG = logging.getLogger(__name__)
_DAMAGE = (ValueError, TypeError, LookupError, AttributeError, msgpack.UnpackException)


def upgrade() -> None:
    """Make the tables, and fill the archive."""
    op.create_table(
        "chat",
        sa.Column("match", sa.String(6), nullable=False),
        sa.Column("room", sa.String(10), nullable=False),
        sa.Column("n", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("round", sa.Integer, nullable=False, comment="during which it was said, from 1"),
        sa.Column("at", sa.BigInteger, nullable=False, comment="milliseconds since 1970, UTC"),
        sa.Column("player", sa.String(40), nullable=False, comment="who said it"),
        sa.Column("name", sa.String(24), nullable=False, comment="the player's at the time"),
        sa.Column("text", sa.String(120)),
        sa.Column("phrase", sa.Integer),
        sa.Column("request", sa.BigInteger, nullable=False, comment="that player's id for it"),
        sa.PrimaryKeyConstraint("match", "room", "n", name="pk_chat"),
        comment="what is said at a match; no part of its log",
    )
    op.create_index("ix_chat_player_request", "chat", ["player", "request"], unique=True)
    archive = op.create_table(
        "archive",
        sa.Column("player", sa.String(40), nullable=False),
        sa.Column("match", sa.String(6), nullable=False),
        sa.Column(
            "at", sa.BigInteger, nullable=False, comment="when it finished, ms since 1970, UTC"
        ),
        sa.Column("rules", sa.String(40), nullable=False),
        sa.Column("rounds", sa.Integer, nullable=False),
        sa.Column("rated", sa.Boolean, nullable=False),
        sa.Column("seat", sa.String(7), nullable=False, comment="the player's in the first round"),
        sa.Column("opponent", sa.String(24), nullable=False, comment="the name"),
        sa.Column("bot", sa.Boolean, nullable=False, comment="whether that is no person"),
        sa.Column("won", sa.Boolean, comment="null: a draw"),
        sa.Column("how", sa.String(6), nullable=False),
        sa.Column("guesses", sa.Integer, nullable=False, comment="of all rounds"),
        sa.Column("mine", sa.Integer, nullable=False, comment="the player's points"),
        sa.Column("theirs", sa.Integer, nullable=False, comment="the opponent's points"),
        sa.PrimaryKeyConstraint("player", "match", name="pk_archive"),
        comment="a player's finished matches, kept in the same commit as the log",
    )
    op.create_index("ix_archive_player_at_match", "archive", ["player", "at", "match"])
    connection = op.get_bind()
    for match in _find_finished(connection):
        op.bulk_insert(archive, _read_archive(connection, match))


def downgrade() -> None:
    """Drop the tables."""
    op.drop_table("archive")
    op.drop_table("chat")


# The archive as it was when this migration was written, from the events as they were then: nothing
# here is shared with the code that goes on changing.


def _find_finished(connection: sa.Connection) -> list[str]:
    matches = sa.table("matches", sa.column("match"), sa.column("phase"))
    finished = sa.select(matches.c.match).where(matches.c.phase == "finished")
    return list(connection.execute(finished).scalars())


def _read_archive(connection: sa.Connection, match: str) -> list[dict[str, Any]]:
    log = sa.table("log", *map(sa.column, ("match", "version", "at", "events")))
    rows = sa.select(log.c.at, log.c.events).where(log.c.match == match).order_by(log.c.version)
    story: list[dict[str, Any]] = []
    try:
        for at, events in connection.execute(rows):
            story += msgpack.unpackb(events)
            if story[-1]["event"] == "finished":
                return _archive(match, story, at)
    except _DAMAGE as error:  # one log is no reason to start no server
        _LOG.warning("match %s is left out of the archive: %s", match, type(error).__name__)
    return []


def _archive(match: str, story: list[dict[str, Any]], at: int) -> list[dict[str, Any]]:
    """Return what a finished match came to: one row for each player but the bots."""
    opened, finished = story[0], story[-1]
    if finished["how"] == "closed":
        return []
    seated = {event["seat"]: event["player"] for event in story if event["event"] == "joined"}
    points = {"maker": 0, "breaker": 0}  # by the seats of the first round, which change each round
    guesses = turns = 0
    makers = itertools.cycle(points)
    for event in story:
        if event["event"] == "guessed":
            turns += 1
        elif event["event"] == "round_ended":
            points[next(makers)] += event["points"]
            guesses, turns = guesses + turns, 0
    rows = []
    for seat, other in itertools.permutations(points):
        player, opponent = seated[seat], seated[other]
        if player.get("bot") is not None:
            continue
        winner = finished.get("winner")
        row = {
            "player": player["id"],
            "match": match,
            "at": at,
            "rules": opened["rules"],
            "rounds": opened["rounds"],
            "rated": opened.get("rated", False),
            "seat": seat,
            "opponent": opponent["name"],
            "bot": opponent.get("bot") is not None or opponent.get("program", False),
            "won": None if winner is None else winner == player["id"],
            "how": finished["how"],
            "guesses": guesses,
            "mine": points[seat],
            "theirs": points[other],
        }
        rows.append(row)
    return rows
