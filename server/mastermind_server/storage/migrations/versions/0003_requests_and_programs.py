"""What a row's request was, beside its id; and who plays by a program."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns. What older requests were is not known."""
    for table in ("log", "chat"):
        digest = sa.Column("digest", sa.LargeBinary(8), comment="of that request")
        op.add_column(table, digest)
    program = sa.Column(
        "program", sa.Boolean, nullable=False, server_default=sa.false(), comment="has ever said so"
    )
    op.add_column("players", program)


def downgrade() -> None:
    """Drop the columns."""
    op.drop_column("players", "program")
    for table in ("chat", "log"):
        op.drop_column(table, "digest")
