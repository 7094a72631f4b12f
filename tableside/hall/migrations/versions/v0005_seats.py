"""The players of each match, and which matches are indexed; turns are those of no other match.

All matches are indexed again, in the background.
"""

from __future__ import annotations

import time

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Add the table and the columns; what may be in play counts as heard of now."""
    whole = ("games", "points", "plays", "rolls", "doubles", "pips", "timed")
    op.create_table(
        "seats",
        sa.Column("match", sa.Integer, sa.ForeignKey("matches.id"), primary_key=True),
        sa.Column("side", sa.SmallInteger, primary_key=True),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        *(sa.Column(name, sa.Integer, nullable=False) for name in whole),
        sa.Column("won", sa.SmallInteger, nullable=False),
        sa.Column("lost", sa.SmallInteger, nullable=False),
        sa.Column("seconds", sa.Float, nullable=False),
    )
    op.create_index("seats_key", "seats", ["key"])
    op.add_column("matches", sa.Column("heard", sa.Float, nullable=False, server_default="0"))
    indexed = sa.Column("is_indexed", sa.Boolean, nullable=False, server_default=sa.false())
    op.add_column("matches", indexed)
    op.create_index("matches_indexed", "matches", ["is_indexed"])
    op.execute(sa.text("UPDATE matches SET heard = :now").bindparams(now=time.time()))
    op.execute("DELETE FROM turns")
    op.drop_index("turns_position", "turns")
    position = ["own_low", "own_high", "other_low", "other_high"]
    op.create_index("turns_position", "turns", [*position, "match"])
