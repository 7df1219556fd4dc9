"""Outages after which clients had to connect again.

An outage of all matches has the match code "" since this revision.
"""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column."""
    op.create_index("ix_outages_match_ended", "outages", ["match", "ended"])
    if op.get_context().dialect.name == "postgresql":  # SQLite stores no comments
        op.create_table_comment(
            "outages",
            "times in which the server of a match was down; of all matches if match is empty",
            existing_comment="times in which the server of a match with a running clock was down",
        )
    op.add_column(
        "outages",
        sa.Column(
            "disconnected",
            sa.Boolean,
            nullable=False,
            server_default=sa.false(),
            comment="whether clients had to connect again",
        ),
    )


def downgrade() -> None:
    """Drop the index and the column."""
    op.drop_index("ix_outages_match_ended", "outages")
    op.drop_column("outages", "disconnected")
