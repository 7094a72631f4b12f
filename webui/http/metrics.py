"""The metrics that Prometheus scrapes at /metrics."""

from __future__ import annotations

from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4

from webui.contracts.metrics import FrameTally

CONTENT_TYPE: Final = CONTENT_TYPE_PLAIN_0_0_4
_SECONDS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6)
_LONG_SECONDS: Final = (*_SECONDS[3:], 3.2, 6.4, 12.8)


class Metrics:
    """The metrics of one table, in their own registry."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self.camera_fps = Gauge(
            "tableside_camera_fps",
            "Pictures a second that the source gives",
            registry=self._registry,
        )
        self.frames = Counter(
            "tableside_frames",
            "Pictures taken in; `skipped` were replaced by newer ones or came during a pause",
            ["fate"],
            registry=self._registry,
        )
        for fate in ("seen", "skipped"):
            self.frames.labels(fate)
        self.look_seconds = Histogram(
            "tableside_look_seconds",
            "Time that one picture took to be judged, until its events were on the disk",
            buckets=_SECONDS,
            registry=self._registry,
        )
        self.look_lateness = Histogram(
            "tableside_look_lateness_seconds",
            "Age of a picture when its judging began",
            buckets=_LONG_SECONDS,
            registry=self._registry,
        )
        self.look_interval = Histogram(
            "tableside_look_interval_seconds",
            "Time between two pictures that were judged: long ones are gaps in what was seen",
            buckets=_LONG_SECONDS,
            registry=self._registry,
        )
        self.is_behind = Gauge(
            "tableside_behind",
            "1 while the machine cannot keep up with the camera",
            registry=self._registry,
        )
        self.events = Counter(
            "tableside_events", "Events recorded", ["type"], registry=self._registry
        )
        self.commands = Counter(
            "tableside_commands", "Words said by hand", ["answer"], registry=self._registry
        )
        for answer in ("done", "refused", "unanswered"):
            self.commands.labels(answer)
        self.streams = Gauge("tableside_open_streams", "Open streams", registry=self._registry)
        self.refused = Counter(
            "tableside_refused_streams",
            "Streams refused because there were too many",
            registry=self._registry,
        )

    def add(self, tally: FrameTally) -> None:
        """Add a tally of the vision process."""
        self.camera_fps.set(tally.fps)
        self.frames.labels("seen").inc(tally.processed)
        self.frames.labels("skipped").inc(tally.skipped)
        for seconds in tally.durations:
            self.look_seconds.observe(seconds)
        for seconds in tally.lateness:
            self.look_lateness.observe(seconds)
        for seconds in tally.intervals:
            self.look_interval.observe(seconds)
        self.is_behind.set(tally.is_behind)
        for kind in tally.events:
            self.events.labels(kind).inc()

    def text(self) -> bytes:
        """All metrics in the Prometheus text format."""
        return generate_latest(self._registry)
