"""The turns of each match, by whose positions it is found, and the keys of its names.

Every match is read again for them when the store is opened.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Add the table and the columns."""
    op.create_table(
        "turns",
        sa.Column("match", sa.Integer, sa.ForeignKey("matches.id"), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("game", sa.Integer, nullable=False),
        sa.Column("side", sa.SmallInteger, nullable=False),
        sa.Column("color", sa.SmallInteger, nullable=False),
        sa.Column("die1", sa.SmallInteger),
        sa.Column("die2", sa.SmallInteger),
        sa.Column("play", sa.Text, nullable=False),
        sa.Column("own_low", sa.BigInteger, nullable=False),
        sa.Column("own_high", sa.BigInteger, nullable=False),
        sa.Column("other_low", sa.BigInteger, nullable=False),
        sa.Column("other_high", sa.BigInteger, nullable=False),
    )
    position = ["own_low", "own_high", "other_low", "other_high"]
    op.create_index("turns_position", "turns", position)
    for name in ("light_key", "dark_key", "event_key"):
        op.add_column("matches", sa.Column(name, sa.Text, nullable=False, server_default=""))
    op.execute("UPDATE matches SET unread = 1")
