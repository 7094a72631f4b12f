"""The migrations of the hall's store, which alembic runs."""
