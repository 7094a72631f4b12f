"""A disk that fails at any call loses and doubles nothing, and only ever raises `StoreError`."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.paths import ROOT

ERRORS = ("ENOSPC", "EIO", "EROFS")


def matches_recorded(preloaded, folder, error, step):
    """How many matches were recorded, each with calls that failed at another place."""
    done = subprocess.run(
        [
            sys.executable,
            Path(__file__).with_name("failing_disk.py"),
            folder,
            str(getattr(errno, error)),
            str(step),
        ],
        check=False,
        capture_output=True,
        text=True,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "LD_PRELOAD": str(preloaded),
            "TRACE_DIR": str(folder),
        },
    )
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


@pytest.mark.parametrize("error", ERRORS)
def test_a_disk_that_fails_loses_and_doubles_nothing(preloaded, tmp_path, error, record_property):
    matches = matches_recorded(preloaded, tmp_path, error, step=11)
    assert matches > 5
    record_property("seen", f"{error}: {matches} matches, none lost or doubled")


@pytest.mark.slow
@pytest.mark.parametrize("error", ERRORS)
def test_a_failure_of_any_call_of_a_match_loses_and_doubles_nothing(
    preloaded, tmp_path, error, record_property
):
    matches = matches_recorded(preloaded, tmp_path, error, step=1)
    assert matches > 60
    record_property("seen", f"{error}: {matches} matches, none lost or doubled")
