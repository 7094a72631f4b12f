"""A machine that cannot keep up says so, drops what nobody needs, and says when it recovers."""

import logging
from itertools import pairwise

import numpy as np
import pytest

from tableside.recording.load_meter import SLOW_RATE, LoadMeter, Shed
from vision.sources.frame import Frame

SMALL, LARGE = (np.zeros((height, 16 * height // 9, 3), np.uint8) for height in (360, 1080))


class Machine:
    """Looks at the newest picture of a camera at the speed it is given."""

    def __init__(self, fps=12.0, image=SMALL):
        self.meter, self.fps, self.image = LoadMeter(), fps, image
        self.now = 0.0
        self.told = []

    def run(self, seconds, cost):
        """Look for `seconds`, each look taking `cost`; return whether it reports a lag, by time."""
        until = self.now + seconds
        while self.now < until:
            index = int(self.now * self.fps + 1e-6)
            began = self.now
            frame = Frame(self.image, index, index / self.fps)
            # The next picture comes at its time, even if the look ends sooner.
            self.now = max(began + cost, (index + 1) / self.fps)
            self.meter.begin(frame, began)
            self.told.append((began, self.meter.shown is not None))
        return self.told


def changes(told):
    return [(when, after) for (_, before), (when, after) in pairwise(told) if before != after]


@pytest.mark.parametrize("fps", [5.0, 12.0, 30.0, 60.0])
def test_a_machine_that_keeps_up_says_nothing(fps):
    machine = Machine(fps)
    machine.run(60, 0.9 / fps)
    assert not changes(machine.told)
    assert machine.meter.shed is Shed.NOTHING


def test_a_slow_camera_is_no_slow_machine():
    machine = Machine(fps=3.0)
    machine.run(60, 0.2)
    assert not changes(machine.told)


def test_pictures_that_are_skipped_do_no_harm_while_enough_are_looked_at():
    machine = Machine(fps=60.0)
    machine.run(60, 1 / 12)
    assert not changes(machine.told)


def test_one_long_look_is_nothing_to_speak_of():
    machine = Machine()
    machine.run(20, 0.05)
    machine.run(0.1, 1.2)
    machine.run(20, 0.05)
    assert not changes(machine.told)


def test_the_first_looks_may_take_long():
    machine = Machine()
    machine.run(0.1, 2.5)
    machine.run(1, 0.05)
    machine.run(0.1, 3.0)
    machine.run(20, 0.05)
    assert not changes(machine.told)


def test_a_machine_that_is_slow_from_the_first_says_so_once_that_lasts():
    machine = Machine()
    machine.run(30, 0.5)
    ((began, _),) = changes(machine.told)
    assert 4 < began < 8


@pytest.mark.parametrize("rate", [4.0, 2.0, 1.0, 0.2])
def test_falling_behind_is_said_soon_and_once_and_so_is_its_end(rate):
    machine = Machine()
    machine.run(30, 0.05)
    machine.run(60, 1 / rate)
    machine.run(30, 0.05)
    (began, _), (ended, _) = changes(machine.told)
    assert began - 30 <= 5.2
    assert ended - 90 <= 9.0 + 1 / rate


@pytest.mark.parametrize(
    ("rate", "fps", "image", "said"),
    [
        (3.0, 12.0, SMALL, "3 of 4 pictures are skipped: close other programs"),
        (6.0, 12.0, SMALL, "5 of 10 pictures are skipped: close other programs"),
        (
            7.5,
            30.0,
            LARGE,
            "3 of 4 pictures are skipped: set the camera to 720p or close other programs",
        ),
        (1.0, 30.0, SMALL, "19 of 20 pictures are skipped: close other programs"),
    ],
)
def test_the_message_says_how_many_and_what_to_do(rate, fps, image, said):
    machine = Machine(fps, image)
    machine.run(30, 1 / rate)
    assert str(machine.meter.shown.message) == said


def test_between_two_bursts_of_other_work_the_message_stays():
    machine = Machine()
    machine.run(20, 0.05)
    for _ in range(6):
        machine.run(0.1, 4.0)
        machine.run(5, 0.05)
    assert len(changes(machine.told)) == 1


def test_around_the_limit_the_message_does_not_flicker():
    machine, rng = Machine(), np.random.default_rng(1)
    for _ in range(1200):
        machine.run(0.01, rng.uniform(0.8, 1.25) / SLOW_RATE)
    assert len(changes(machine.told)) <= 1


def test_the_figures_on_show_stand_for_a_while():
    machine, rng, shown = Machine(), np.random.default_rng(2), []
    while machine.now < 120:
        machine.run(0.01, rng.uniform(0.2, 1.2))
        if machine.meter.shown not in (None, *shown[-1:]):
            shown.append(machine.meter.shown)
    assert 2 <= len(shown) <= 120 / 3 + 1


def test_a_film_that_is_shown_as_it_was_taken_skips_nothing_but_runs_late():
    meter, now = LoadMeter(), 0.0
    for index in range(120):
        seconds = index / 12
        began = max(now, seconds)
        now = began + 0.15
        meter.begin(Frame(SMALL, index, seconds), began)
    said = str(meter.shown.message)
    assert said.startswith("the page is ")
    assert said.endswith(" s late: close other programs")


def test_what_is_left_out_grows_while_the_machine_is_behind_and_comes_back_slowly():
    machine, shed = Machine(), []
    for cost, seconds in ((0.5, 40), (0.05, 400)):
        until = machine.now + seconds
        while machine.now < until:
            machine.run(0.01, cost)
            shed.append((machine.now, machine.meter.shed))
    steps = [(when, one) for (_, last), (when, one) in pairwise(shed) if last is not one]
    assert [one for _, one in steps] == [1, 2, 3, 2, 1, 0]
    times = [when for when, _ in steps]
    assert times[2] < 30, "all of it within seconds"
    assert all(after - before >= 59 for before, after in pairwise(times[2:]))


def test_a_pause_is_not_held_against_the_machine():
    machine = Machine()
    machine.run(20, 0.05)
    last = machine.told[-1][0]
    for index in range(int(machine.now * 12), int(machine.now * 12) + 600, 100):
        machine.meter.leave(Frame(SMALL, index, index / 12))
    machine.now = last + 55
    machine.run(20, 0.05)
    assert not changes(machine.told)


def test_after_a_pause_nothing_is_left_out_until_the_machine_is_behind_again(caplog):
    machine = Machine()
    with caplog.at_level(logging.WARNING):
        machine.run(40, 0.5)
        assert machine.meter.shed is Shed.OVERLAY
        for _ in range(2):
            machine.meter.restart()
        assert machine.meter.shown is None
        assert machine.meter.shed is Shed.NOTHING
        machine.run(20, 0.05)
    assert machine.meter.shed is Shed.NOTHING
    behind, anew = (record.getMessage() for record in caplog.records)
    assert "pictures are skipped" in behind
    assert anew == "measuring again whether the computer keeps up with the pictures"


def test_every_picture_is_counted_once():
    meter = LoadMeter()
    looks = [meter.begin(Frame(SMALL, index, index / 12), index) for index in (4, 5, 9)]
    assert [look.skipped for look in looks] == [0, 0, 3]
    assert meter.leave(Frame(SMALL, 12, 1.0)) == 3
    assert meter.begin(Frame(SMALL, 13, 1.1), 13).skipped == 0


def test_it_is_logged_once_with_its_end(caplog):
    machine = Machine()
    with caplog.at_level(logging.WARNING):
        for _ in range(4):
            machine.run(20, 0.5)
            machine.run(20, 0.05)
    said = [record.getMessage() for record in caplog.records]
    assert len(said) == 2
    assert "pictures are skipped" in said[0]
    assert said[1] == "the computer keeps up with the pictures again"
