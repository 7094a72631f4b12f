"""The metrics that Prometheus scrapes at /metrics."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from prometheus_client.registry import Collector

from webui.contracts.hall import Hall
from webui.contracts.metrics import FrameTally

CONTENT_TYPE: Final = CONTENT_TYPE_PLAIN_0_0_4
_SECONDS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6)
_LONG_SECONDS: Final = (*_SECONDS[3:], 3.2, 6.4, 12.8)


class Metrics:
    """The metrics of one table or of a hall, and of the page that shows it."""

    def __init__(self) -> None:
        self._registry, self._page = CollectorRegistry(), CollectorRegistry()
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
        self.streams = Gauge("tableside_open_streams", "Open streams", registry=self._page)
        self.refused = Counter(
            "tableside_refused_streams",
            "Streams refused because there were too many",
            registry=self._page,
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

    def show_hall(self, hall: Hall) -> None:
        """Show the metrics of a hall in place of a table's."""
        self._registry = CollectorRegistry()
        self._registry.register(_HallCollector(hall))

    def text(self) -> bytes:
        """All metrics in the Prometheus text format."""
        return generate_latest(self._registry) + generate_latest(self._page)


class _HallCollector(Collector):
    """Asks a hall for its figures when they are scraped."""

    def __init__(self, hall: Hall) -> None:
        self._hall = hall

    def describe(self) -> Iterator[Metric]:
        """Nothing, so that the hall is not asked when this is registered."""
        return iter(())

    def collect(self) -> Iterator[Metric]:
        """The figures as they are now."""
        figures = self._hall.figures()
        tables = GaugeMetricFamily(
            "tableside_hall_tables",
            "Tables that were heard of; `silent` and `clock_off` are among the others",
            labels=["state"],
        )
        tables.add_metric(["online"], figures["online"])
        tables.add_metric(["offline"], figures["tables"] - figures["online"])
        tables.add_metric(["silent"], figures["silent"])
        tables.add_metric(["clock_off"], figures["clocks_off"])
        yield tables
        for name, about, value in (
            ("broker_up", "1 while the broker is connected", figures["has_broker"]),
            ("store_up", "1 while the store takes what arrives", figures["has_store"]),
            ("waiting_events", "Events that wait for the store", figures["waiting"]),
            (
                "waiting_notices",
                "Notices that a webhook's address has not accepted yet",
                figures["undelivered"],
            ),
            ("unindexed_matches", "Matches that no question finds", figures["unindexed"]),
        ):
            if value is not None:
                yield GaugeMetricFamily(f"tableside_hall_{name}", about, value=float(value))
        for name, about, value in (
            ("events", "Events stored", figures["stored"]),
            ("dropped_messages", "Messages that could not be taken", figures["dropped"]),
            ("store_faults", "Times that the store failed", figures["store_faults"]),
        ):
            yield CounterMetricFamily(f"tableside_hall_{name}", about, value=value)
