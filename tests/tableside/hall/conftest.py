"""Fixtures of the hall: a broker, and tables whose record a test writes."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from tests.tableside.hall.postgres import Postgres
from tests.tableside.hall.servers import Mosquitto


@pytest.fixture
def broker(tmp_path):
    folder = tmp_path / "broker"
    folder.mkdir()
    mosquitto = Mosquitto(folder)
    yield mosquitto
    mosquitto.kill()


@pytest.fixture(scope="session")
def postgres():
    # Other users must get to its folder, so it is not below pytest's own.
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        (Path(folder) / "server").mkdir()
        server = Postgres(Path(folder) / "server")
        yield server
        server.close()


@pytest.fixture(params=["sqlite", "postgresql"])
def where(request, tmp_path):
    """Where a store may be: in a file, or in a real PostgreSQL."""
    if request.param == "sqlite":
        return str(tmp_path / "hall.sqlite")
    return request.getfixturevalue("postgres").new_database()
