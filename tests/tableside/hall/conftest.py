"""Fixtures of the hall: a broker, and tables whose record a test writes."""

from __future__ import annotations

import pytest

from tests.tableside.hall.servers import Mosquitto


@pytest.fixture
def broker(tmp_path):
    folder = tmp_path / "broker"
    folder.mkdir()
    mosquitto = Mosquitto(folder)
    yield mosquitto
    mosquitto.kill()
