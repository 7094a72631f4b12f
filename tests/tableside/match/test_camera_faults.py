"""Faults of the camera are named in time, are over in time, and invent no play."""

from __future__ import annotations

import json
from itertools import chain, islice

import numpy as np
import pytest

import samples
from engine import find_rules
from tableside.match.config import MatchConfig
from tableside.match.session import Session
from tableside.recording.sample_match import true_plays
from tests.faulty_camera import each_fault
from vision.sources.frame import Frame
from vision.sources.open import open_source

FPS = 12
NAMED, LASTS, BACK = 2.0, 2.5, 5.0
"""Seconds until a fault is named, that it lasts, and until the board is seen again."""


class Table:
    """A match that is watched by a camera with faults; the clip goes on between them."""

    def __init__(self, plays):
        events = [json.loads(line) for line in samples.TRUTH.read_text().splitlines()]
        throws = [one["frame"] for one in events if one["event"] == "throw"]
        played = [one["frame"] for one in events if one["event"] == "play"][:plays]
        self.pauses = {next(at for at in throws if at > frame) - 2 for frame in played}
        """Frames of the clip in which a play is over and the next throw has not begun."""
        self.clip = list(islice(open_source(str(samples.CLIP)), max(self.pauses) + 1))
        self.kept, self.count = [], 0
        config = MatchConfig(find_rules("short"))
        self.session = Session(config, self.kept.extend)
        self.wanted = true_plays(samples.TRUTH)[:plays]

    def show(self, image, every=1):
        """Show a picture, or let it pass unless its number is a multiple of `every`."""
        if every and self.count % every == 0:
            self.session.feed(Frame(image, self.count, self.count / FPS))
        self.count += 1

    def watch(self, image, seconds, *, every=1, until=lambda: False):
        """Show a picture until something is so; whether it was before the time was over."""
        for _ in range(round(seconds * FPS)):
            self.show(image, every)
            if until():
                return True
        return False

    def is_seen(self):
        return self.session.sees_board and self.session.trouble is None

    def suffer(self, fault, image):
        """One fault; what was wrong about it, empty if nothing."""

        def is_told():
            return fault.named in str(self.session.message) if fault.named else self.is_seen()

        before, begun, every = len(self.kept), self.count, fault.every
        self.show(fault.shows(image), every)
        is_named = is_told() or self.watch(fault.shows(image), NAMED, every=every, until=is_told)
        said = str(self.session.message)
        self.watch(fault.shows(image), LASTS - (self.count - begun) / FPS, every=every)
        is_back = self.watch(image, BACK, until=self.is_seen)
        self.watch(image, 0.5)
        told = {one.type for one in self.kept[before:]} - {"unseen", "board_moved"}
        wrong = [] if is_named else [f"{fault.kind}: the page said {said!r}"]
        wrong += [] if is_back else [f"{fault.kind}: the board was not seen again"]
        return [*wrong, *(f"{fault.kind}: {one} was invented" for one in told)]

    def play(self, faults):
        """Play the clip with as many faults as there are, spread over its pauses."""
        each, wrong = iter(faults), []
        share = -(-len(faults) // len(self.pauses))
        for frame in self.clip:
            self.show(frame.image)
            if frame.index in self.pauses:
                assert self.watch(frame.image, BACK, until=self.is_seen)
                for fault in islice(each, share):
                    wrong += self.suffer(fault, frame.image)
        assert next(each, None) is None
        return wrong

    def played(self):
        return [(one.player, one.position) for one in self.kept if one.type in {"play", "illegal"}]


def test_each_fault_is_named_in_time_and_invents_no_play(record_property):
    table, faults = Table(plays=2), each_fault(np.random.default_rng(1))[::4]
    assert table.play(faults) == []
    assert table.played() == table.wanted
    record_property("seen", f"{len(faults)} faults: each named in 2 s, over in 5 s; none invented")


@pytest.mark.slow
def test_two_hundred_faults_are_named_in_time_and_invent_no_play(record_property):
    rng = np.random.default_rng(34)
    faults = list(chain.from_iterable(each_fault(rng) for _ in range(10)))[:200]
    rng.shuffle(faults)
    table = Table(plays=9)
    assert table.play(faults) == []
    assert table.played() == table.wanted
    record_property("seen", "200 faults: each named in 2 s, over in 5 s; none of 9 plays wrong")
