"""The first roll is timed in a process of its own."""

import pytest

from tableside.bench.first_roll import measure_first_roll


@pytest.mark.slow
def test_the_slowest_variant_is_named_and_compared_with_importing_numba():
    row = measure_first_roll(["short", "narde"])
    assert row.unit == "s"
    assert row.value > 0
    assert row.baseline is not None
    assert row.baseline_name.endswith(("slowest: short", "slowest: narde"))
