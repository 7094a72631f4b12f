"""Times of the phone in terms of ours."""

from __future__ import annotations

import pytest

from tableside.site.phone_clock import PhoneClock

APART = 12345.0
FASTEST = 0.01


def ages(transfers, step=0.1, apart=APART):
    """What is found for pictures that took these seconds to arrive, and were taken `step` apart."""
    clock = PhoneClock()
    return [
        clock.age(n * step + apart, n * step + transfer) for n, transfer in enumerate(transfers)
    ]


def test_a_slow_transfer_makes_a_picture_older_not_later():
    found = ages([FASTEST, 0.2, FASTEST, 0.05])
    assert found == pytest.approx([0, 0.2 - FASTEST, 0, 0.05 - FASTEST])


def test_times_never_decrease_when_a_faster_transfer_is_found():
    transfers = [0.3, 0.25, 0.2, 0.15, 0.05, FASTEST, 0.2]
    arrived = [n * 0.1 + transfer for n, transfer in enumerate(transfers)]
    taken = [at - age for at, age in zip(arrived, ages(transfers), strict=True)]
    assert taken == pytest.approx(sorted(taken))


def test_a_clock_that_jumped_is_learned_again():
    clock = PhoneClock()
    assert clock.age(100.0, 5.0) == 0
    assert clock.age(100.5, 65.5) == 0, "it stood still for a minute"
    assert clock.age(100.6, 65.9) == pytest.approx(0.3)
