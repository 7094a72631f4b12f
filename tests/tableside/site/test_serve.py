"""A program that serves the page ends in order on every signal that asks it to."""

import os
import signal
import sys

import pytest

from tableside.site.serve import SIGNALS, ended_by_signals

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot send them")


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_ends_the_program_in_order(number):
    stopped = []
    before = signal.signal(number, signal.SIG_DFL)  # whoever runs the tests may ignore it
    try:
        with ended_by_signals(lambda: stopped.append(number)):
            signal.raise_signal(number)
    finally:
        signal.signal(number, before)
    assert stopped == [number]


def test_a_closed_terminal_ends_the_program_in_order_unless_it_runs_under_nohup():
    stopped = []
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with ended_by_signals(lambda: stopped.append("hung up")):
            os.kill(os.getpid(), signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, before)
    assert signal.SIGHUP in SIGNALS
    assert stopped == []
