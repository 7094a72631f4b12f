"""Matches say why they cannot be indexed; those that were left out before are tried again."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Add the column; what is indexed has two seats."""
    op.add_column("matches", sa.Column("unindexed", sa.Text, nullable=False, server_default=""))
    op.execute(
        "UPDATE matches SET is_indexed = (1 = 0) "
        "WHERE is_indexed AND id NOT IN (SELECT match FROM seats)"
    )
