"""Whatever a file, a cookie, a line or a message contains: it is read, or refused by our own error.

Match files have tests of their own (`tests/engine/formats/test_hostile.py`), so have the cup's
frames (`tests/hardware/test_firmware_core.py`) and the API's requests
(`tests/tableside/pages/test_api_contract.py`). `make fuzz` feeds each a million inputs.
"""

from __future__ import annotations

import pytest

from tests.tableside.fuzz.__main__ import main
from tests.tableside.fuzz.target import feed
from tests.tableside.fuzz.targets import targets

NAMES = (
    *("profiles", "rules", "rolls", "events", "files of events", "names of dice"),
    *("rows of the journal", "evidence", "the last set-up", "cookies", "pictures of a phone"),
    *("logos", "overlay links", "passwords", "pictures", "the cup's memory"),
    *("plays", "id", "check", "export"),
)


@pytest.fixture
def known(tmp_path):
    return targets(tmp_path)


def test_every_target_is_run(known):
    assert set(known) == {
        *NAMES,
        *(f"{name} files" for name in ("mat", "sgf", "json", "xg", "bgf")),
    }


@pytest.mark.parametrize("name", NAMES)
def test_ten_thousand_broken_inputs_are_read_or_refused(known, name):
    assert feed(known[name], 10_000, seed=34).read > 20


def test_a_long_run_goes_on_where_it_was_and_names_the_input_that_fails(tmp_path, capsys):
    log = tmp_path / "log"
    args = ["--only", "id", "--log", str(log), "--inputs"]
    assert main([*args, "10_000"]) == 0
    assert main([*args, "20_000"]) == 0
    first, second = log.read_text().splitlines()
    assert '"part": 0' in first
    assert '"part": 1' in second
    assert "id: 20,000 inputs" in capsys.readouterr().out
