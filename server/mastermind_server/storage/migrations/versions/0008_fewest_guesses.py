"""The fewest guesses in which a player has broken a code."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns, and fill them from the guesses of each round in the archive."""
    op.add_column(
        "ratings",
        sa.Column(
            "fewest", sa.Integer, comment="guesses for a broken code; null: none, or not known"
        ),
    )
    op.add_column("standings", sa.Column("fewest", sa.Integer, comment="minimum, as in ratings"))
    dialect = op.get_context().dialect.name
    each = "json_array_elements_text" if dialect == "postgresql" else "json_each"
    op.execute(_FILL_RATINGS.format(each=each))
    op.execute(_FILL_STANDINGS)


def downgrade() -> None:
    """Drop the columns."""
    for table in ("ratings", "standings"):
        op.drop_column(table, "fewest")


_FILL_RATINGS = """
    UPDATE ratings SET fewest = (
        SELECT min(CAST(tried.value AS INTEGER))
        FROM archive, {each}(archive.tries) AS tried
        WHERE archive.player = ratings.player AND archive.match = ratings.match
        AND CAST(tried.value AS INTEGER) > 0
    )
"""
_FILL_STANDINGS = """
    UPDATE standings SET fewest = (
        SELECT min(ratings.fewest) FROM ratings
        WHERE ratings.player = standings.player AND ratings.rules = standings.rules
    )
"""
