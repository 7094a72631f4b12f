"""A day of match time, compressed, watched by phones: nothing that the program uses grows."""

from pathlib import Path

import pytest

from tests.e2e.soak import slope, soak, summary


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="only Linux tells what is used")
def test_a_day_of_matches_keeps_memory_handles_threads_and_the_log_flat(tmp_path, record_property):
    samples = soak(tmp_path, hours=24.0)
    record_property("seen", summary(samples))
    assert samples[-1].hours >= 23.5
    assert slope(samples, "memory") < 1.0
    assert abs(slope(samples, "handles")) < 0.2
    assert abs(slope(samples, "threads")) < 0.1
    assert max(one.wal for one in samples) < 64
    assert max(one.log for one in samples) < 2.1
