"""What a hall does again and again ends with it, and never in silence."""

from __future__ import annotations

import threading
from contextlib import closing

import pytest

from tableside.hall.loop import Loop


def test_a_step_is_repeated_after_the_pause_that_it_wants_until_it_is_closed():
    done, third = [], threading.Event()

    def step():
        done.append(len(done))
        if len(done) == 3:
            third.set()
            return 99.0
        return 0.0

    loop = Loop("count", step, lambda *_: pytest.fail("nothing is wrong"))
    with closing(loop):
        loop.start()
        assert third.wait(9)
    assert done == [0, 1, 2]


def test_a_fault_of_the_program_is_said_on_the_page_and_logged():
    said, logged = {}, []
    before, threading.excepthook = threading.excepthook, lambda args: logged.append(args.exc_type)
    loop = Loop("count", lambda: 1 / 0, lambda kind, why: said.update({kind: str(why)}))
    try:
        loop.start()
        loop.close()
    finally:
        threading.excepthook = before
    assert said["count"].startswith("a part of the hall (count) has ended by a fault")
    assert logged == [ZeroDivisionError]
