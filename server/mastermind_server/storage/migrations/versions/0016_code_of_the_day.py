"""The code of the day: the days, and the tries of the players."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "days",
        sa.Column("day", sa.Integer, primary_key=True, autoincrement=False, comment="its number"),
        sa.Column("rules", sa.String(40), primary_key=True),
        sa.Column("code", sa.LargeBinary(9), nullable=False, comment="a byte for each peg"),
        sa.Column("nonce", sa.LargeBinary(16), nullable=False),
        sa.Column("commitment", sa.LargeBinary(32), nullable=False),
        sa.Column("key", sa.LargeBinary(16), comment="of the hashes in tries; null: revealed"),
        sa.Column(
            "epoch", sa.String(40), nullable=False, comment="of the store that has all tries"
        ),
        sa.Column("drawn", sa.BigInteger, nullable=False, comment="milliseconds since 1970, UTC"),
        sa.Column("revealed", sa.BigInteger, comment="milliseconds since 1970, UTC; null: open"),
        sa.Column(
            "withdrawn", sa.BigInteger, comment="milliseconds since 1970, UTC; null: it counts"
        ),
        comment="the code of each day by rules, drawn by the first node that needs it",
    )
    op.create_index("ix_days_withdrawn", "days", ["withdrawn", "day", "rules"])
    op.create_table(
        "tries",
        sa.Column("day", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("rules", sa.String(40), primary_key=True),
        sa.Column("player", sa.String(40), primary_key=True),
        sa.Column("match", sa.String(6), nullable=False),
        sa.Column("started", sa.BigInteger, nullable=False, comment="milliseconds since 1970, UTC"),
        sa.Column("counted", sa.Boolean, nullable=False, comment="whether it has a place"),
        sa.Column(
            "address", sa.LargeBinary(16), comment="keyed hash, if counted; null: a private one"
        ),
        sa.Column(
            "ended", sa.BigInteger, comment="milliseconds since 1970, UTC; null: not in time"
        ),
        sa.Column("how", sa.String(9), comment="a RoundEnd; null: not in time"),
        sa.Column("guesses", sa.Integer, comment="limit + 1 if the code was not broken"),
        sa.Column("milliseconds", sa.BigInteger, comment="between the first and the last guess"),
        sa.Column("luck", sa.Double, comment="guesses lost by bad luck; null: not computed"),
        comment="tries of players at the code of a day, written in the commits of their logs",
    )
    op.create_index(
        "ix_tries_day_rules_address",
        "tries",
        ["day", "rules", "address"],
        unique=True,
    )
    op.create_index("ix_tries_player_day", "tries", ["player", "day", "rules", "how"])
    op.create_index("ix_tries_day_rules_started", "tries", ["day", "rules", "started"])
    op.create_index("ix_tries_day_rules_ended", "tries", ["day", "rules", "ended", "player"])
    op.create_index(
        "ix_tries_day_rules_counted",
        "tries",
        ["day", "rules", "counted", "guesses", "milliseconds", "player"],
    )
    op.create_table(
        "loss_checks",
        sa.Column("epoch", sa.String(40), primary_key=True, comment="new epoch of the store"),
        sa.Column("node", sa.String(16), primary_key=True),
        sa.Column("until", sa.BigInteger, nullable=False, comment="its lease end at the change"),
        sa.Column(
            "deadline", sa.BigInteger, nullable=False, comment="milliseconds since 1970, UTC"
        ),
        comment="nodes that must still find their last rows, or else open days are withdrawn",
    )


def downgrade() -> None:
    """Drop the tables."""
    op.drop_table("loss_checks")
    op.drop_table("tries")
    op.drop_table("days")
