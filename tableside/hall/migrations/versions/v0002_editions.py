"""Each match says from which edition of its table's record it is."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add the column."""
    op.add_column(
        "matches", sa.Column("edition", sa.BigInteger, nullable=False, server_default="0")
    )
