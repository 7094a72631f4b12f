"""Each match says how many of its events this version of the program cannot read."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add the column, and have every match read again: an earlier version noted none of them."""
    op.add_column("matches", sa.Column("unread", sa.Integer, nullable=False, server_default="0"))
    op.execute("UPDATE matches SET unread = 1")
