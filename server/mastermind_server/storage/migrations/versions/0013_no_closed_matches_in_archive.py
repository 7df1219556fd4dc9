"""No matches in the archive that closed before the first guess. Earlier servers archived them."""

from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Delete their rows."""
    op.execute("DELETE FROM archive WHERE how = 'closed'")


def downgrade() -> None:
    """Do nothing: earlier servers do not need the rows."""
