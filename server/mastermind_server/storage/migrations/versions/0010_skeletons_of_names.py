"""Skeletons of names by Unicode's UTS #39.

This changes no table: after an upgrade `revisions.migrate` computes `names.skeleton` again.

A node of the earlier release that still runs claims and finds a name by its earlier skeleton, which
differs for names with other characters than ASCII. Such a claim counts from its owner's next rated
match at a newer node.
"""

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Change nothing."""


def downgrade() -> None:
    """Change nothing."""
