"""A table without a board: the test writes its record, and the rest is what `live` runs."""

from __future__ import annotations

import time

from engine import fold
from tableside.hall.broker import TableLink, find_broker
from tableside.hall.publisher import Publisher
from tableside.record.store import Store
from tableside.site.page_state import clock_part, match_part, phase_of, whole_match_part
from tableside.site.state_hub import StateHub
from tests.tableside.hall.servers import Mosquitto


class Table:
    """A record and what publishes it."""

    def __init__(self, folder, broker, name="7", ahead=0.0):
        folder.mkdir(parents=True, exist_ok=True)
        self.path, self.name = folder / "record.sqlite", name
        self.store, self.page = Store.open(self.path, keeps_journal=False), StateHub()
        self.match = 0
        is_server = isinstance(broker, Mosquitto)
        self.link = TableLink(find_broker(broker.url) if is_server else broker, name)
        self.publisher = None
        self.clock = lambda: time.time() + ahead
        self.connect()

    def connect(self):
        show = self.page.set_other_troubles
        self.publisher = Publisher(self.link, self.path, self.page, self.clock, show)

    def disconnect(self):
        self.publisher.close()
        self.publisher = None

    def begin(self, **match):
        self.match = self.store.new_match(**match)

    def record(self, *events):
        """Write the events, then show the state, as a match does."""
        self.store.append(self.match, events)
        all_events = self.store.events(self.match)
        state = fold(all_events, self.store.match(self.match).blank_state)
        whole = whole_match_part(state, all_events)
        self.page.publish(**match_part(state, all_events), referee=whole)
        self.page.publish(phase=phase_of(state), clock=clock_part(state, all_events[-1].time))

    def close(self):
        if self.publisher is not None:
            self.publisher.close()
        self.store.close()
