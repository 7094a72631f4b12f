"""The first form of the store."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "matches",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("table_name", sa.Text, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("begun_ms", sa.BigInteger, nullable=False),
        sa.Column("variant", sa.Text, nullable=False),
        sa.Column("length", sa.Integer, nullable=False),
        sa.Column("light", sa.Text, nullable=False),
        sa.Column("dark", sa.Text, nullable=False),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("events", sa.Integer, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("event", sa.Text, nullable=False),
        sa.Column("round", sa.Text, nullable=False),
        sa.Column("place", sa.Text, nullable=False),
        sa.Column("light_score", sa.Integer, nullable=False),
        sa.Column("dark_score", sa.Integer, nullable=False),
        sa.Column("winner", sa.Text, nullable=False),
        sa.Column("ended", sa.Float),
        sa.UniqueConstraint("table_name", "number", "begun_ms", name="one_match"),
    )
    op.create_table(
        "events",
        sa.Column("match", sa.Integer, sa.ForeignKey("matches.id"), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("payload", sa.Text, nullable=False),
    )
    op.create_table(
        "notices",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("url", sa.Text, primary_key=True),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("made", sa.Float, nullable=False),
        sa.Column("due", sa.Float),
        sa.Column("tries", sa.Integer, nullable=False),
        sa.Column("answer", sa.Text, nullable=False),
    )
    op.create_index("notices_due", "notices", ["due"])
