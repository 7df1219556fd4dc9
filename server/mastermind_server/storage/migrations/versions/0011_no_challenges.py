"""Players who take no challenges.

Nodes of the previous revision insert players without this column.
"""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column."""
    op.add_column(
        "players",
        sa.Column(
            "challenges",
            sa.Boolean,
            nullable=False,
            server_default=sa.true(),
            comment="whether others may challenge the player",
        ),
    )


def downgrade() -> None:
    """Drop the column."""
    op.drop_column("players", "challenges")
