"""The limit on the connections of each node.

Nodes of the previous revision insert their rows without this column.
"""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column."""
    op.add_column(
        "nodes",
        sa.Column(
            "connection_limit",
            sa.Integer,
            comment="greatest number of connections; empty for earlier servers",
        ),
    )


def downgrade() -> None:
    """Drop the column."""
    op.drop_column("nodes", "connection_limit")
