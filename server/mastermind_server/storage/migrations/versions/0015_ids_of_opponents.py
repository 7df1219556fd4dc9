"""The ids of opponents in the archive.

Nodes of the previous revision insert their rows without this column.
"""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column, and fill it for matches that the archives of both players have."""
    op.add_column(
        "archive",
        sa.Column("opponent_id", sa.String(40), comment="null: a bot of the server, or not known"),
    )
    op.execute(_FILL)
    op.create_index("ix_archive_player_opponent_id_at", "archive", ["player", "opponent_id", "at"])


def downgrade() -> None:
    """Drop the column."""
    op.drop_index("ix_archive_player_opponent_id_at", "archive")
    op.drop_column("archive", "opponent_id")


_FILL = """
    UPDATE archive SET opponent_id = theirs.player FROM archive AS theirs
    WHERE theirs.match = archive.match AND theirs.player <> archive.player
"""
