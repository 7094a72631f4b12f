"""A table that returns after hours sends steadily, and slower if the hall cannot follow."""

import pytest

from tableside.hall.pace import BURST, FASTEST, SLOWEST, Pace


@pytest.fixture
def clock():
    class Clock:
        now = 0.0

        def __call__(self):
            return self.now

    return Clock()


def sent_in(pace, clock, seconds):
    """How many events are sent by a table that always has more."""
    sent = 0
    for _ in range(round(100 * seconds)):
        room = pace.room()
        pace.spend(room)
        sent += room
        clock.now += 0.01
    return sent


def test_what_is_played_now_is_sent_at_once(clock):
    pace = Pace(clock)
    assert pace.room() == BURST
    pace.spend(1)
    assert pace.room() == BURST - 1


def test_what_waited_is_sent_at_a_steady_pace(clock):
    assert sent_in(Pace(clock), clock, 60) == pytest.approx(60 * FASTEST, rel=0.02)


def test_a_table_whose_events_get_lost_slows_down_and_recovers(clock):
    pace = Pace(clock)
    for _ in range(20):
        pace.slow_down()
    assert sent_in(pace, clock, 1) < BURST + 3 * SLOWEST
    sent_in(pace, clock, FASTEST / SLOWEST)
    assert sent_in(pace, clock, 10) == pytest.approx(10 * FASTEST, rel=0.05)
