"""Several tokens a player and codes for more; whom the operator bans, and what it orders."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables; every player keeps the token that it has."""
    tokens = op.create_table(
        "tokens",
        sa.Column("digest", sa.LargeBinary(32), nullable=False, comment="its SHA-256"),
        sa.Column("player", sa.String(40), nullable=False),
        sa.Column("created", sa.BigInteger, nullable=False, comment="milliseconds since 1970, UTC"),
        sa.PrimaryKeyConstraint("digest", name="pk_tokens"),
        comment="what players prove by who they are; one that is void is deleted",
    )
    op.create_index("ix_tokens_player", "tokens", ["player"])
    op.create_table(
        "transfers",
        sa.Column("player", sa.String(40), nullable=False),
        sa.Column("digest", sa.LargeBinary(32), nullable=False, comment="the code's SHA-256"),
        sa.Column("until", sa.BigInteger, nullable=False, comment="milliseconds since 1970, UTC"),
        sa.PrimaryKeyConstraint("player", name="pk_transfers"),
        sa.UniqueConstraint("digest"),
        comment="codes by which another computer becomes a player; one that was used is deleted",
    )
    op.create_table(
        "bans",
        sa.Column("subject", sa.String(43), nullable=False, comment="a player's id, or a network"),
        sa.Column("until", sa.BigInteger, comment="milliseconds since 1970, UTC; null: for ever"),
        sa.Column("why", sa.String(100), nullable=False),
        sa.PrimaryKeyConstraint("subject", name="pk_bans"),
        comment="whom the operator lets in no more",
    )
    op.create_table(
        "orders",
        sa.Column("n", sa.Integer, nullable=False, autoincrement=False, comment="in their order"),
        sa.Column("at", sa.BigInteger, nullable=False, comment="milliseconds since 1970, UTC"),
        sa.Column("match", sa.String(6), comment="that is to be ended; null: none is"),
        sa.Column(
            "text",
            sa.String(200),
            nullable=False,
            comment="what is announced with it; empty: bans have changed",
        ),
        sa.PrimaryKeyConstraint("n", name="pk_orders"),
        comment="what the operator has told all nodes to do, each by itself",
    )
    players = sa.table("players", *map(sa.column, ("token", "id", "created")))
    kept = sa.select(players.c.token, players.c.id, players.c.created)
    op.execute(sa.insert(tokens).from_select(["digest", "player", "created"], kept))
    with op.batch_alter_table("players") as table:
        table.drop_column("token")


def downgrade() -> None:
    """Let every player keep one token; who has none keeps a digest that is no token's."""
    op.add_column("players", sa.Column("token", sa.LargeBinary(32), comment="its SHA-256"))
    players = sa.table("players", *map(sa.column, ("token", "id")))
    tokens = sa.table("tokens", *map(sa.column, ("digest", "player", "created")))
    last = (
        sa.select(tokens.c.digest)
        .where(tokens.c.player == players.c.id)
        .order_by(tokens.c.created.desc(), tokens.c.digest)
        .limit(1)
    )
    op.execute(sa.update(players).values(token=last.scalar_subquery()))
    connection = op.get_bind()
    without = sa.select(players.c.id).where(players.c.token.is_(None))
    for player in connection.scalars(without).all():
        nobodys = sa.update(players).where(players.c.id == player).values(token=player.encode())
        connection.execute(nobodys)
    with op.batch_alter_table("players") as table:
        table.alter_column("token", existing_type=sa.LargeBinary(32), nullable=False)
        table.create_unique_constraint("players_token_key", ["token"])
    op.drop_table("orders")
    op.drop_table("bans")
    op.drop_table("transfers")
    op.drop_table("tokens")
