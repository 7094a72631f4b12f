"""Fixtures for tests of a running match."""

import pytest

from tests.tableside.running_match import RunningMatch


@pytest.fixture
def start(tmp_path):
    """`start()` is a match whose game has begun; `start(rule_set=...)` plays by other rules."""
    started = []

    def begin(**options):
        started.append(RunningMatch(tmp_path, **options))
        started[-1].begin()
        return started[-1]

    yield begin
    for running in started:
        running.close()
