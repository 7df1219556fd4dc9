"""The tables of the database."""

from __future__ import annotations

import sqlalchemy as sa

metadata = sa.MetaData(
    naming_convention={"pk": "pk_%(table_name)s", "ix": "ix_%(table_name)s_%(column_0_N_name)s"}
)

log = sa.Table(
    "log",
    metadata,
    sa.Column("match", sa.String(6), primary_key=True),
    sa.Column("version", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("at", sa.BigInteger, nullable=False, comment="milliseconds since 1970, UTC"),
    sa.Column("events", sa.LargeBinary, nullable=False, comment="msgpack, as on the wire"),
    sa.Column("player", sa.String(40), comment="id of the player who gave the command"),
    sa.Column("request", sa.BigInteger, comment="id that the player chose"),
    sa.Column("digest", sa.LargeBinary(8), comment="digest of the request"),
    sa.Index("ix_log_player_request", "player", "request", unique=True),
    comment="events of all matches, from which the other tables derive",
)

matches = sa.Table(
    "matches",
    metadata,
    sa.Column("match", sa.String(6), primary_key=True),
    sa.Column("rules", sa.String(40), nullable=False),
    sa.Column("rounds", sa.Integer, nullable=False),
    sa.Column("public", sa.Boolean, nullable=False),
    sa.Column("phase", sa.String(10), nullable=False),
    sa.Column("maker", sa.String(24)),
    sa.Column("breaker", sa.String(24)),
    sa.Column("changed", sa.BigInteger, nullable=False, comment="milliseconds since 1970, UTC"),
    sa.Column("rated", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("bots", sa.String(13), nullable=False, server_default="", comment="seats of bots"),
    sa.Column(
        "shown",
        sa.Boolean,
        key="bots_only",
        nullable=False,
        server_default=sa.false(),
        comment="two bots of the server play for spectators",
    ),
    sa.Column("reserved", sa.String(40), comment="player who may take the seat of a rematch"),
    sa.Column("due", sa.BigInteger, comment="end if the match stays inactive; null: has ended"),
    sa.Column("clock", sa.String(12), comment="name of the clock; null: none"),
    sa.Index("ix_matches_public_phase_changed", "public", "phase", "changed"),
    sa.Index("ix_matches_due", "due"),
    sa.Index("ix_matches_reserved_phase", "reserved", "phase"),
    comment="the entry of a match in lists, written in the commit of its log",
)

players = sa.Table(
    "players",
    metadata,
    sa.Column("id", sa.String(40), primary_key=True),
    sa.Column("name", sa.String(24), nullable=False),
    sa.Column("created", sa.BigInteger, nullable=False, comment="milliseconds since 1970, UTC"),
    sa.Column(
        "program", sa.Boolean, nullable=False, server_default=sa.false(), comment="ever a program"
    ),
    sa.Column(
        "challenges",
        sa.Boolean,
        nullable=False,
        server_default=sa.true(),
        comment="whether others may challenge the player",
    ),
)

tokens = sa.Table(
    "tokens",
    metadata,
    sa.Column("digest", sa.LargeBinary(32), primary_key=True, comment="SHA-256 of the token"),
    sa.Column("player", sa.String(40), nullable=False),
    sa.Column("created", sa.BigInteger, nullable=False, comment="milliseconds since 1970, UTC"),
    sa.Index("ix_tokens_player", "player"),
    comment="tokens by which players log in; a revoked token is deleted",
)

transfers = sa.Table(
    "transfers",
    metadata,
    sa.Column("player", sa.String(40), primary_key=True),
    sa.Column(
        "digest", sa.LargeBinary(32), nullable=False, unique=True, comment="the code's SHA-256"
    ),
    sa.Column("until", sa.BigInteger, nullable=False, comment="milliseconds since 1970, UTC"),
    comment="codes to log in once on another computer; a used code is deleted",
)

chat = sa.Table(
    "chat",
    metadata,
    sa.Column("match", sa.String(6), primary_key=True),
    sa.Column("room", sa.String(10), primary_key=True),
    sa.Column("n", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("round", sa.Integer, nullable=False, comment="number of its round, from 1"),
    sa.Column("at", sa.BigInteger, nullable=False, comment="milliseconds since 1970, UTC"),
    sa.Column("player", sa.String(40), nullable=False, comment="id of the writer"),
    sa.Column("name", sa.String(24), nullable=False, comment="name of the writer at the time"),
    sa.Column("text", sa.String(120)),
    sa.Column("phrase", sa.Integer),
    sa.Column("request", sa.BigInteger, nullable=False, comment="id that the player chose"),
    sa.Column("digest", sa.LargeBinary(8), comment="digest of the request"),
    sa.Index("ix_chat_player_request", "player", "request", unique=True),
    comment="chat lines of matches; no part of their logs",
)

archive = sa.Table(
    "archive",
    metadata,
    sa.Column("player", sa.String(40), primary_key=True),
    sa.Column("match", sa.String(6), primary_key=True),
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
        nullable=False,
        server_default="[]",
        comment="guesses of the player in each round; 0: the code was not broken",
    ),
    sa.Column("clock", sa.String(12), comment="name of the clock; null: none"),
    sa.Column("opponent_id", sa.String(40), comment="null: a bot of the server, or not known"),
    sa.Index("ix_archive_player_at_match", "player", "at", "match"),
    sa.Index("ix_archive_player_opponent_id_at", "player", "opponent_id", "at"),
    comment="finished matches of a player, written in the commit of the log",
)

running = sa.Table(
    "running",
    metadata,
    sa.Column("match", sa.String(6), primary_key=True),
    sa.Column("player", sa.String(40), primary_key=True),
    sa.Column("at", sa.BigInteger, nullable=False, comment="write time, ms since 1970, UTC"),
    sa.Column("rules", sa.String(40), nullable=False),
    sa.Column("rounds", sa.Integer, nullable=False),
    sa.Column("round", sa.Integer, nullable=False, comment="number of the current round, from 1"),
    sa.Column("phase", sa.String(10), nullable=False),
    sa.Column("rated", sa.Boolean, nullable=False),
    sa.Column("seat", sa.String(7), nullable=False, comment="player's seat in this round"),
    sa.Column("opponent", sa.String(24), comment="name of the opponent; null: none yet"),
    sa.Column("opponent_id", sa.String(40), comment="null: none yet, or a bot of the server"),
    sa.Column("bot", sa.Boolean, nullable=False, comment="opponent is a bot or program"),
    sa.Column("turn", sa.Boolean, nullable=False, comment="whether the player has to move"),
    sa.Column(
        "others", sa.Integer, nullable=False, comment="log rows without the guesses of this round"
    ),
    sa.Column("clock", sa.String(12), comment="name of the clock; null: none"),
    sa.Index("ix_running_player_at", "player", "at"),
    comment="unfinished matches of a player, written in the commit of the log",
)


nodes = sa.Table(
    "nodes",
    metadata,
    sa.Column("node", sa.String(16), primary_key=True),
    sa.Column("address", sa.String(200), nullable=False),
    sa.Column("version", sa.String(40), nullable=False, comment="version of the server"),
    sa.Column("started", sa.BigInteger, nullable=False, comment="milliseconds since 1970, UTC"),
    sa.Column("until", sa.BigInteger, nullable=False, comment="lease end, ms since 1970, UTC"),
    sa.Column("connections", sa.Integer, nullable=False),
    sa.Column("draining", sa.Boolean, nullable=False, comment="whether it rejects new clients"),
    sa.Column(
        "ahead",
        sa.BigInteger,
        nullable=False,
        server_default="0",
        comment="node time minus database time, in milliseconds",
    ),
    sa.Column(
        "connection_limit",
        sa.Integer,
        comment="greatest number of connections; empty for earlier servers",
    ),
    comment="nodes of this database; a node with an expired lease does not count",
)

presence = sa.Table(
    "presence",
    metadata,
    sa.Column("match", sa.String(6), primary_key=True),
    sa.Column("node", sa.String(16), primary_key=True),
    sa.Column("players", sa.String(81), nullable=False, comment="seated player ids, with blanks"),
    sa.Column("spectators", sa.Integer, nullable=False),
    sa.Index("ix_presence_node", "node"),
    comment="followers of a match at a node; they count while the node has a lease",
)

outages = sa.Table(
    "outages",
    metadata,
    sa.Column("match", sa.String(6), primary_key=True),
    sa.Column(
        "began", sa.BigInteger, primary_key=True, autoincrement=False, comment="ms of node time"
    ),
    sa.Column("ended", sa.BigInteger, nullable=False, comment="ms of node time"),
    sa.Column(
        "disconnected",
        sa.Boolean,
        nullable=False,
        server_default=sa.false(),
        comment="whether clients had to connect again",
    ),
    sa.Index("ix_outages_match_ended", "match", "ended"),
    comment="times in which the server of a match was down; of all matches if match is empty",
)


ratings = sa.Table(
    "ratings",
    metadata,
    sa.Column("player", sa.String(40), primary_key=True),
    sa.Column("rules", sa.String(40), primary_key=True),
    sa.Column("n", sa.Integer, primary_key=True, autoincrement=False, comment="from 1, in order"),
    sa.Column("at", sa.BigInteger, nullable=False, comment="match end, ms since 1970, UTC"),
    sa.Column("match", sa.String(6), nullable=False),
    sa.Column("opponent", sa.String(40), nullable=False, comment="id of the opponent"),
    sa.Column(
        "established",
        sa.Boolean,
        nullable=False,
        comment="opponent's rating was not provisional before the match",
    ),
    sa.Column("rating", sa.Double, nullable=False, comment="after the match"),
    sa.Column("deviation", sa.Double, nullable=False, comment="after the match"),
    sa.Column("volatility", sa.Double, nullable=False, comment="after the match"),
    sa.Column("score", sa.Double, nullable=False, comment="1: won, 0.5: draw, 0: lost"),
    sa.Column("rounds", sa.Integer, nullable=False, comment="finished, as codebreaker"),
    sa.Column("broken", sa.Integer, nullable=False, comment="rounds that ended with the code"),
    sa.Column(
        "guesses", sa.Integer, nullable=False, comment="in these rounds; limit + 1 if not broken"
    ),
    sa.Column("luck", sa.Double, comment="guesses lost by bad luck; null: not computed"),
    sa.Column("fewest", sa.Integer, comment="guesses for a broken code; null: none, or not known"),
    sa.Index("ix_ratings_player_opponent_at", "player", "opponent", "at"),
    sa.Index("ix_ratings_player_at", "player", "at"),
    comment="rating of each player after each rated match, written in the commit of the log",
)

standings = sa.Table(
    "standings",
    metadata,
    sa.Column("player", sa.String(40), primary_key=True),
    sa.Column("rules", sa.String(40), primary_key=True),
    sa.Column("n", sa.Integer, nullable=False, comment="number of rated matches"),
    sa.Column("at", sa.BigInteger, nullable=False, comment="last match, ms since 1970, UTC"),
    sa.Column("rating", sa.Double, nullable=False, comment="after the last match"),
    sa.Column("deviation", sa.Double, nullable=False, comment="after the last match"),
    sa.Column("volatility", sa.Double, nullable=False, comment="after the last match"),
    sa.Column("wins", sa.Integer, nullable=False),
    sa.Column("draws", sa.Integer, nullable=False),
    sa.Column("losses", sa.Integer, nullable=False),
    sa.Column("rounds", sa.Integer, nullable=False, comment="sum, as in ratings"),
    sa.Column("broken", sa.Integer, nullable=False, comment="sum, as in ratings"),
    sa.Column("guesses", sa.Integer, nullable=False, comment="sum, as in ratings"),
    sa.Column("luck", sa.Double, comment="sum, as in ratings"),
    sa.Column("opponents", sa.Integer, nullable=False, comment="different established opponents"),
    sa.Column("best", sa.Double, comment="highest rating that was not provisional"),
    sa.Column("best_at", sa.BigInteger, comment="ms since 1970, UTC"),
    sa.Column("fewest", sa.Integer, comment="minimum, as in ratings"),
    # All columns of `statements.leaderboard.list_candidates`, whose order begins with the time.
    sa.Index(
        "ix_standings_rules_at",
        "rules",
        "at",
        "player",
        "n",
        "opponents",
        "rating",
        "deviation",
        "volatility",
    ),
    comment="sums of the ratings of a player by rules, for the leaderboard",
)

names = sa.Table(
    "names",
    metadata,
    sa.Column(
        "skeleton", sa.String(72), primary_key=True, comment="equal for names that look alike"
    ),
    sa.Column("player", sa.String(40), nullable=False, comment="id of the owner"),
    sa.Column("name", sa.String(24), nullable=False),
    sa.Column(
        "seen", sa.BigInteger, nullable=False, comment="last rated match, ms since 1970, UTC"
    ),
    sa.Index("ix_names_player_seen", "player", "seen"),
    comment="names on the leaderboard: each has one owner",
)


days = sa.Table(
    "days",
    metadata,
    sa.Column("day", sa.Integer, primary_key=True, autoincrement=False, comment="its number"),
    sa.Column("rules", sa.String(40), primary_key=True),
    sa.Column("code", sa.LargeBinary(9), nullable=False, comment="a byte for each peg"),
    sa.Column("nonce", sa.LargeBinary(16), nullable=False),
    sa.Column("commitment", sa.LargeBinary(32), nullable=False),
    sa.Column("key", sa.LargeBinary(16), comment="of the hashes in tries; null: revealed"),
    sa.Column("epoch", sa.String(40), nullable=False, comment="of the store that has all tries"),
    sa.Column("drawn", sa.BigInteger, nullable=False, comment="milliseconds since 1970, UTC"),
    sa.Column("revealed", sa.BigInteger, comment="milliseconds since 1970, UTC; null: open"),
    sa.Column("withdrawn", sa.BigInteger, comment="milliseconds since 1970, UTC; null: it counts"),
    sa.Index("ix_days_withdrawn", "withdrawn", "day", "rules"),
    comment="the code of each day by rules, drawn by the first node that needs it",
)

tries = sa.Table(
    "tries",
    metadata,
    sa.Column("day", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("rules", sa.String(40), primary_key=True),
    sa.Column("player", sa.String(40), primary_key=True),
    sa.Column("match", sa.String(6), nullable=False),
    sa.Column("started", sa.BigInteger, nullable=False, comment="milliseconds since 1970, UTC"),
    sa.Column("counted", sa.Boolean, nullable=False, comment="whether it has a place"),
    sa.Column("address", sa.LargeBinary(16), comment="keyed hash, if counted; null: a private one"),
    sa.Column("ended", sa.BigInteger, comment="milliseconds since 1970, UTC; null: not in time"),
    sa.Column("how", sa.String(9), comment="a RoundEnd; null: not in time"),
    sa.Column("guesses", sa.Integer, comment="limit + 1 if the code was not broken"),
    sa.Column("milliseconds", sa.BigInteger, comment="between the first and the last guess"),
    sa.Column("luck", sa.Double, comment="guesses lost by bad luck; null: not computed"),
    sa.Index(
        "ix_tries_day_rules_address",
        "day",
        "rules",
        "address",
        unique=True,
    ),
    sa.Index("ix_tries_player_day", "player", "day", "rules", "how"),
    sa.Index("ix_tries_day_rules_started", "day", "rules", "started"),
    sa.Index("ix_tries_day_rules_ended", "day", "rules", "ended", "player"),
    sa.Index(
        "ix_tries_day_rules_counted",
        *("day", "rules", "counted", "guesses", "milliseconds", "player"),
    ),
    comment="tries of players at the code of a day, written in the commits of their logs",
)

loss_checks = sa.Table(
    "loss_checks",
    metadata,
    sa.Column("epoch", sa.String(40), primary_key=True, comment="new epoch of the store"),
    sa.Column("node", sa.String(16), primary_key=True),
    sa.Column("until", sa.BigInteger, nullable=False, comment="its lease end at the change"),
    sa.Column("deadline", sa.BigInteger, nullable=False, comment="milliseconds since 1970, UTC"),
    comment="nodes that must still find their last rows, or else open days are withdrawn",
)

bans = sa.Table(
    "bans",
    metadata,
    sa.Column("subject", sa.String(43), primary_key=True, comment="a player's id, or a network"),
    sa.Column("until", sa.BigInteger, comment="milliseconds since 1970, UTC; null: for ever"),
    sa.Column("why", sa.String(100), nullable=False),
    comment="banned players and networks",
)

orders = sa.Table(
    "orders",
    metadata,
    sa.Column("n", sa.Integer, primary_key=True, autoincrement=False, comment="from 1, in order"),
    sa.Column("at", sa.BigInteger, nullable=False, comment="milliseconds since 1970, UTC"),
    sa.Column("match", sa.String(6), comment="match to end, or null"),
    sa.Column(
        "text",
        sa.String(200),
        nullable=False,
        comment="announcement or reason; empty: bans have changed",
    ),
    comment="admin commands that each node executes",
)
