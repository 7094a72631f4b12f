"""What tests of a sitting share."""

import pytest

from tests.tableside.running_match import Sat


@pytest.fixture
def sit(tmp_path, monkeypatch):
    """`sit()` is a sitting with a game begun, `sit(rule_set=...)` one by other rules."""
    seated = []

    def begin(**plan):
        seated.append(Sat(tmp_path, monkeypatch, **plan))
        seated[-1].begin()
        return seated[-1]

    yield begin
    for sat in seated:
        sat.close()
