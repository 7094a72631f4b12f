"""The tables of the hall's store, and how a store is opened and migrated."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from alembic.util import CommandError

from tableside.errors import NewerRecord, StoreError, WrongUsage
from tableside.paths import private_file, private_folder

METADATA: Final = sa.MetaData()
MATCHES: Final = sa.Table(
    "matches",
    METADATA,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("table_name", sa.Text, nullable=False),
    sa.Column("number", sa.Integer, nullable=False),
    sa.Column("begun_ms", sa.BigInteger, nullable=False),
    sa.Column("variant", sa.Text, nullable=False),
    sa.Column("length", sa.Integer, nullable=False),
    sa.Column("light", sa.Text, nullable=False),
    sa.Column("dark", sa.Text, nullable=False),
    sa.Column("source", sa.Text, nullable=False),
    sa.Column("events", sa.Integer, nullable=False),  # how many are stored: 1 to this number
    sa.Column("status", sa.Text, nullable=False),
    sa.Column("event", sa.Text, nullable=False),
    sa.Column("round", sa.Text, nullable=False),
    sa.Column("place", sa.Text, nullable=False),
    sa.Column("light_score", sa.Integer, nullable=False),
    sa.Column("dark_score", sa.Integer, nullable=False),
    sa.Column("winner", sa.Text, nullable=False),
    sa.Column("ended", sa.Float),  # seconds since 1970, by the table's clock
    sa.Column("edition", sa.BigInteger, nullable=False, server_default="0"),
    # how many events this version cannot read; a later one reads the match again
    sa.Column("unread", sa.Integer, nullable=False, server_default="0"),
    sa.Column("light_key", sa.Text, nullable=False, server_default=""),  # see `player_key`
    sa.Column("dark_key", sa.Text, nullable=False, server_default=""),
    sa.Column("event_key", sa.Text, nullable=False, server_default=""),
    # seconds since 1970 by the hall's clock: its last event arrived
    sa.Column("heard", sa.Float, nullable=False, server_default="0"),
    # whether its rows in `turns` and `seats` are there: nobody plays it, see `indexer`
    sa.Column("is_indexed", sa.Boolean, nullable=False, server_default=sa.false()),
    # why those rows cannot be made; it is tried again when the match changes or the hall starts
    sa.Column("unindexed", sa.Text, nullable=False, server_default=""),
    sa.UniqueConstraint("table_name", "number", "begun_ms", name="one_match"),
    sa.Index("matches_indexed", "is_indexed"),
)
EVENTS: Final = sa.Table(
    "events",
    METADATA,
    sa.Column("match", sa.Integer, sa.ForeignKey("matches.id"), primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("payload", sa.Text, nullable=False),
)
TURNS: Final = sa.Table(
    "turns",  # of indexed matches, that stand, each with the position before its play
    METADATA,
    sa.Column("match", sa.Integer, sa.ForeignKey("matches.id"), primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True),  # in the match, counting rejected ones
    sa.Column("game", sa.Integer, nullable=False),
    sa.Column("side", sa.SmallInteger, nullable=False),  # light (0) or dark (1) at the end
    sa.Column("color", sa.SmallInteger, nullable=False),  # the same, by the colors of its game
    sa.Column("die1", sa.SmallInteger),  # the larger; none: not known
    sa.Column("die2", sa.SmallInteger),
    sa.Column("play", sa.Text, nullable=False),
    sa.Column("own_low", sa.BigInteger, nullable=False),
    sa.Column("own_high", sa.BigInteger, nullable=False),
    sa.Column("other_low", sa.BigInteger, nullable=False),
    sa.Column("other_high", sa.BigInteger, nullable=False),
    sa.Index("turns_position", "own_low", "own_high", "other_low", "other_high", "match"),
)
SEATS: Final = sa.Table(
    "seats",  # of indexed matches, two of each: what its players did, see `SeatFacts`
    METADATA,
    sa.Column("match", sa.Integer, sa.ForeignKey("matches.id"), primary_key=True),
    sa.Column("side", sa.SmallInteger, primary_key=True),  # light (0) or dark (1) at the end
    sa.Column("key", sa.Text, nullable=False),  # see `player_key`; empty: no name
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("games", sa.Integer, nullable=False),
    sa.Column("points", sa.Integer, nullable=False),
    sa.Column("won", sa.SmallInteger, nullable=False),
    sa.Column("lost", sa.SmallInteger, nullable=False),
    sa.Column("plays", sa.Integer, nullable=False),
    sa.Column("rolls", sa.Integer, nullable=False),
    sa.Column("doubles", sa.Integer, nullable=False),
    sa.Column("pips", sa.Integer, nullable=False),
    sa.Column("timed", sa.Integer, nullable=False),
    sa.Column("seconds", sa.Float, nullable=False),
    sa.Index("seats_key", "key"),
)
NOTICES: Final = sa.Table(
    "notices",
    METADATA,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("url", sa.Text, primary_key=True),
    sa.Column("body", sa.Text, nullable=False),
    sa.Column("made", sa.Float, nullable=False),
    sa.Column("due", sa.Float),  # none: delivered, or given up
    sa.Column("tries", sa.Integer, nullable=False),
    sa.Column("answer", sa.Text, nullable=False),
    sa.Index("notices_due", "due"),
)
BUSY_MS: Final = 5000
ANSWER_S: Final = 5.0
"""Seconds that a page waits for an answer of the store."""
MIGRATION_S: Final = 600.0
"""The same while tables are changed, which takes long if they are large."""


def open_engine(where: str, patience: float = ANSWER_S) -> sa.Engine:
    """The store in a file, or at a URL such as `postgresql://hall@localhost/hall`, migrated.

    patience: seconds without an answer after which a server is given up.

    Raises `StoreError` if it cannot be opened, `NewerRecord` if a later version wrote it.
    """
    url = _url(where)
    name = url.render_as_string(hide_password=True)
    try:
        migrating = _engine(url, MIGRATION_S)
    except ModuleNotFoundError as error:
        raise WrongUsage(f"{name} needs the package {error.name}") from error
    try:
        with migrating.begin() as connection:
            migrate(connection)
    except CommandError as error:
        raise NewerRecord(
            f"the hall's store {name} was written by a later version of Tableside; update the "
            "program or name another --store"
        ) from error
    except sa.exc.SQLAlchemyError as error:
        raise StoreError(f"the hall's store {name} cannot be opened: {reason(error)}") from error
    finally:
        migrating.dispose()
    return _engine(url, patience)


def _engine(url: sa.URL, patience: float) -> sa.Engine:
    """An engine whose server may be silent for so many seconds."""
    if url.get_backend_name() == "sqlite":
        engine = sa.create_engine(url)
        sa.event.listen(engine, "connect", _prepare_sqlite)
        return engine
    from tableside.hall.postgresql import patient_connect, settings

    engine = sa.create_engine(url, connect_args=settings(url, patience), pool_timeout=patience)
    sa.event.listen(engine, "do_connect", patient_connect(patience))
    return engine


def _url(where: str) -> sa.URL:
    if "://" not in where:
        try:
            private_folder(Path(where).absolute().parent)
            private_file(Path(where))
        except OSError as error:
            raise StoreError(f"{where} cannot be created: {error.strerror}") from error
        return sa.URL.create("sqlite", database=where)
    try:
        url = sa.make_url(where)
    except sa.exc.ArgumentError as error:
        raise WrongUsage(f"{where!r} is not the address of a store") from error
    if url.get_backend_name() == "postgresql":
        return url.set(drivername="postgresql+psycopg")
    if url.get_backend_name() == "sqlite":
        return url
    raise WrongUsage(f"a store is a file or postgresql://..., not {url.get_backend_name()}")


def _prepare_sqlite(connection: Any, _: object) -> None:
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute(f"PRAGMA busy_timeout = {BUSY_MS}")
    connection.execute("PRAGMA foreign_keys = ON")


def migrate(connection: sa.Connection, version: str = "head") -> None:
    """Bring the tables to a form, the newest by default.

    Raises `CommandError` if a later one than this program knows is there.
    """
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.attributes["connection"] = connection
    ScriptDirectory.from_config(config)
    command.upgrade(config, version)


def reason(error: sa.exc.SQLAlchemyError) -> str:
    """What the database says, in one line."""
    cause = getattr(error, "orig", None) or error
    lines = str(cause).strip().splitlines()
    return lines[0] if lines else type(cause).__name__
