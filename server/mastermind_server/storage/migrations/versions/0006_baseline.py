"""The tables of the first release. Nothing older is migrated; later revisions start here."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "archive",
        sa.Column("player", sa.String(40), nullable=False),
        sa.Column("match", sa.String(6), nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False, comment="match end, ms since 1970, UTC"),
        sa.Column("rules", sa.String(40), nullable=False),
        sa.Column("rounds", sa.Integer, nullable=False),
        sa.Column("rated", sa.Boolean, nullable=False),
        sa.Column("seat", sa.String(7), nullable=False, comment="player's seat in the first round"),
        sa.Column("opponent", sa.String(24), nullable=False, comment="name of the opponent"),
        sa.Column("bot", sa.Boolean, nullable=False, comment="opponent is a bot or program"),
        sa.Column("won", sa.Boolean, comment="null: a draw"),
        sa.Column("how", sa.String(6), nullable=False),
        sa.Column("guesses", sa.Integer, nullable=False, comment="number in all rounds"),
        sa.Column("mine", sa.Integer, nullable=False, comment="the player's points"),
        sa.Column("theirs", sa.Integer, nullable=False, comment="the opponent's points"),
        sa.Column(
            "tries",
            sa.JSON,
            server_default="[]",
            nullable=False,
            comment="guesses of the player in each round; 0: the code was not broken",
        ),
        sa.PrimaryKeyConstraint("player", "match", name="pk_archive"),
        comment="finished matches of a player, written in the commit of the log",
    )
    op.create_index("ix_archive_player_at_match", "archive", ["player", "at", "match"])
    op.create_table(
        "bans",
        sa.Column("subject", sa.String(43), nullable=False, comment="a player's id, or a network"),
        sa.Column("until", sa.BigInteger, comment="milliseconds since 1970, UTC; null: for ever"),
        sa.Column("why", sa.String(100), nullable=False),
        sa.PrimaryKeyConstraint("subject", name="pk_bans"),
        comment="banned players and networks",
    )
    op.create_table(
        "chat",
        sa.Column("match", sa.String(6), nullable=False),
        sa.Column("room", sa.String(10), nullable=False),
        sa.Column("n", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("round", sa.Integer, nullable=False, comment="number of its round, from 1"),
        sa.Column("at", sa.BigInteger, nullable=False, comment="milliseconds since 1970, UTC"),
        sa.Column("player", sa.String(40), nullable=False, comment="id of the writer"),
        sa.Column("name", sa.String(24), nullable=False, comment="name of the writer at the time"),
        sa.Column("text", sa.String(120)),
        sa.Column("phrase", sa.Integer),
        sa.Column("request", sa.BigInteger, nullable=False, comment="id that the player chose"),
        sa.Column("digest", sa.LargeBinary(8), comment="digest of the request"),
        sa.PrimaryKeyConstraint("match", "room", "n", name="pk_chat"),
        comment="chat lines of matches; no part of their logs",
    )
    op.create_index("ix_chat_player_request", "chat", ["player", "request"], unique=True)
    op.create_table(
        "log",
        sa.Column("match", sa.String(6), nullable=False),
        sa.Column("version", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False, comment="milliseconds since 1970, UTC"),
        sa.Column("events", sa.LargeBinary, nullable=False, comment="msgpack, as on the wire"),
        sa.Column("player", sa.String(40), comment="id of the player who gave the command"),
        sa.Column("request", sa.BigInteger, comment="id that the player chose"),
        sa.Column("digest", sa.LargeBinary(8), comment="digest of the request"),
        sa.PrimaryKeyConstraint("match", "version", name="pk_log"),
        comment="events of all matches, from which the other tables derive",
    )
    if op.get_context().dialect.name == "postgresql":
        op.create_index(
            "ix_log_at",
            "log",
            ["at"],
            postgresql_using="brin",
            postgresql_with={"autosummarize": "on"},
        )
    op.create_index("ix_log_player_request", "log", ["player", "request"], unique=True)
    op.create_table(
        "matches",
        sa.Column("match", sa.String(6), nullable=False),
        sa.Column("rules", sa.String(40), nullable=False),
        sa.Column("rounds", sa.Integer, nullable=False),
        sa.Column("public", sa.Boolean, nullable=False),
        sa.Column("phase", sa.String(10), nullable=False),
        sa.Column("maker", sa.String(24)),
        sa.Column("breaker", sa.String(24)),
        sa.Column("changed", sa.BigInteger, nullable=False, comment="milliseconds since 1970, UTC"),
        sa.Column("rated", sa.Boolean, server_default=sa.false(), nullable=False),
        sa.Column(
            "bots", sa.String(13), server_default="", nullable=False, comment="seats of bots"
        ),
        sa.Column(
            "shown",
            sa.Boolean,
            server_default=sa.false(),
            nullable=False,
            comment="two bots of the server play for spectators",
        ),
        sa.Column("reserved", sa.String(40), comment="player who may take the seat of a rematch"),
        sa.Column("due", sa.BigInteger, comment="end if the match stays inactive; null: has ended"),
        sa.PrimaryKeyConstraint("match", name="pk_matches"),
        comment="the entry of a match in lists, written in the commit of its log",
    )
    op.create_index("ix_matches_due", "matches", ["due"])
    op.create_index("ix_matches_public_phase_changed", "matches", ["public", "phase", "changed"])
    op.create_table(
        "nodes",
        sa.Column("node", sa.String(16), nullable=False),
        sa.Column("address", sa.String(200), nullable=False),
        sa.Column("version", sa.String(40), nullable=False, comment="version of the server"),
        sa.Column("started", sa.BigInteger, nullable=False, comment="milliseconds since 1970, UTC"),
        sa.Column("until", sa.BigInteger, nullable=False, comment="lease end, ms since 1970, UTC"),
        sa.Column("connections", sa.Integer, nullable=False),
        sa.Column("draining", sa.Boolean, nullable=False, comment="whether it rejects new clients"),
        sa.PrimaryKeyConstraint("node", name="pk_nodes"),
        comment="nodes of this database; a node with an expired lease does not count",
    )
    op.create_table(
        "orders",
        sa.Column("n", sa.Integer, autoincrement=False, nullable=False, comment="from 1, in order"),
        sa.Column("at", sa.BigInteger, nullable=False, comment="milliseconds since 1970, UTC"),
        sa.Column("match", sa.String(6), comment="match to end, or null"),
        sa.Column(
            "text",
            sa.String(200),
            nullable=False,
            comment="announcement or reason; empty: bans have changed",
        ),
        sa.PrimaryKeyConstraint("n", name="pk_orders"),
        comment="admin commands that each node executes",
    )
    op.create_table(
        "players",
        sa.Column("id", sa.String(40), nullable=False),
        sa.Column("name", sa.String(24), nullable=False),
        sa.Column("created", sa.BigInteger, nullable=False, comment="milliseconds since 1970, UTC"),
        sa.Column(
            "program",
            sa.Boolean,
            server_default=sa.false(),
            nullable=False,
            comment="ever a program",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_players"),
    )
    op.create_table(
        "presence",
        sa.Column("match", sa.String(6), nullable=False),
        sa.Column("node", sa.String(16), nullable=False),
        sa.Column(
            "players", sa.String(81), nullable=False, comment="seated player ids, with blanks"
        ),
        sa.Column("spectators", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("match", "node", name="pk_presence"),
        comment="followers of a match at a node; they count while the node has a lease",
    )
    op.create_index("ix_presence_node", "presence", ["node"])
    op.create_table(
        "running",
        sa.Column("match", sa.String(6), nullable=False),
        sa.Column("player", sa.String(40), nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False, comment="write time, ms since 1970, UTC"),
        sa.Column("rules", sa.String(40), nullable=False),
        sa.Column("rounds", sa.Integer, nullable=False),
        sa.Column(
            "round", sa.Integer, nullable=False, comment="number of the current round, from 1"
        ),
        sa.Column("phase", sa.String(10), nullable=False),
        sa.Column("rated", sa.Boolean, nullable=False),
        sa.Column("seat", sa.String(7), nullable=False, comment="player's seat in this round"),
        sa.Column("opponent", sa.String(24), comment="name of the opponent; null: none yet"),
        sa.Column("opponent_id", sa.String(40), comment="null: none yet, or a bot of the server"),
        sa.Column("bot", sa.Boolean, nullable=False, comment="opponent is a bot or program"),
        sa.Column("turn", sa.Boolean, nullable=False, comment="whether the player has to move"),
        sa.Column(
            "others",
            sa.Integer,
            nullable=False,
            comment="log rows without the guesses of this round",
        ),
        sa.PrimaryKeyConstraint("match", "player", name="pk_running"),
        comment="unfinished matches of a player, written in the commit of the log",
    )
    op.create_index("ix_running_player_at", "running", ["player", "at"])
    op.create_table(
        "tokens",
        sa.Column("digest", sa.LargeBinary(32), nullable=False, comment="SHA-256 of the token"),
        sa.Column("player", sa.String(40), nullable=False),
        sa.Column("created", sa.BigInteger, nullable=False, comment="milliseconds since 1970, UTC"),
        sa.PrimaryKeyConstraint("digest", name="pk_tokens"),
        comment="tokens by which players log in; a revoked token is deleted",
    )
    op.create_index("ix_tokens_player", "tokens", ["player"])
    op.create_table(
        "transfers",
        sa.Column("player", sa.String(40), nullable=False),
        sa.Column("digest", sa.LargeBinary(32), nullable=False, comment="the code's SHA-256"),
        sa.Column("until", sa.BigInteger, nullable=False, comment="milliseconds since 1970, UTC"),
        sa.PrimaryKeyConstraint("player", name="pk_transfers"),
        sa.UniqueConstraint("digest"),
        comment="codes to log in once on another computer; a used code is deleted",
    )


def downgrade() -> None:
    """Drop the tables."""
    for table in (
        "archive",
        "bans",
        "chat",
        "log",
        "matches",
        "nodes",
        "orders",
        "players",
        "presence",
        "running",
        "tokens",
        "transfers",
    ):
        op.drop_table(table)
