"""A day of matches, compressed, and an hour of sight: nothing that the program uses grows."""

from pathlib import Path

import pytest

from tests.e2e.soak import slope, soak, summary
from tests.e2e.soak_sight import watch

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not Path("/proc/self/status").exists(), reason="only Linux tells what is used"
    ),
]


def test_a_day_of_matches_keeps_memory_handles_threads_and_the_log_flat(tmp_path, record_property):
    samples = soak(tmp_path, hours=24.0)
    record_property("seen", summary(samples))
    assert samples[-1].hours >= 23.5
    assert slope(samples, "memory") < 1.0
    assert abs(slope(samples, "handles")) < 0.2
    assert abs(slope(samples, "threads")) < 0.1
    assert max(one.wal for one in samples) < 64
    assert max(one.log for one in samples) < 2.1


def test_an_hour_of_sight_keeps_memory_handles_and_threads_flat(tmp_path, record_property):
    """Pictures come and go: an hour tells the slope of memory to 2 MiB/h; it was 28 once."""
    seen = watch(tmp_path, hours=1.0)
    record_property("seen", str(seen))
    assert slope(seen.samples, "memory") < 7.0
    assert abs(slope(seen.samples, "handles")) < 3.0
    assert abs(slope(seen.samples, "threads")) < 3.0
