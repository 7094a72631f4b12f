"""The document for other programs says how messages are really sent."""

from __future__ import annotations

import json
from contextlib import closing

from paho.mqtt.client import Client
from paho.mqtt.subscribeoptions import SubscribeOptions

from engine import RefereeCalled
from tableside.hall.asyncapi import document
from tableside.hall.boards import Boards
from tableside.hall.broker import find_broker, new_client
from tableside.hall.messages import ROOT, topic
from tableside.hall.store import HallStore
from tableside.hall.subscriber import Subscriber
from tests.tableside.hall.servers import wait_for
from tests.tableside.hall.tables import Table
from tests.tableside.sample_record import match_events

EVENTS = match_events()


def documented():
    """The quality of service of each topic, and whether it is retained."""
    found = document()
    return {
        found["channels"][one["channel"]["$ref"].rpartition("/")[2]]["address"].replace(
            "{table}", "7"
        ): (one["bindings"]["mqtt"]["qos"], one["bindings"]["mqtt"]["retain"])
        for one in found["operations"].values()
    }


def test_what_is_sent_has_the_documented_quality_and_is_kept_as_documented(broker, tmp_path):
    seen: dict[str, set[tuple[int, bool]]] = {}
    presences = []

    def take(_client, _data, message):
        seen.setdefault(message.topic, set()).add((message.qos, message.retain))
        if message.topic == topic("7", "presence"):
            presences.append((json.loads(message.payload)["online"], message.qos, message.retain))

    # As it was published, not as it is delivered.
    options = SubscribeOptions(qos=2, retainAsPublished=True)
    listener: Client = new_client(find_broker(broker.url), "listener")
    listener.on_connect = lambda client, *_: client.subscribe(f"{ROOT}/#", options=options)
    listener.on_message = take
    listener.connect("127.0.0.1", broker.port)
    listener.loop_start()
    with closing(HallStore.open(str(tmp_path / "hall.sqlite"))) as store:
        hall = Subscriber(find_broker(broker.url), store, Boards(store))
        table = Table(tmp_path / "table", broker)
        table.begin(length=3)
        table.record(*EVENTS[:2], RefereeCalled(time=9.0, frame=9))
        wait_for(lambda: seen.keys() >= documented().keys())
        assert seen == {name: {facts} for name, facts in documented().items()}
        table.publisher._connection._client._sock_close()  # no farewell, as when the power fails
        will = document()["servers"]["broker"]["bindings"]["mqtt"]["lastWill"]
        assert will["topic"] == topic("{table}", "presence")
        wait_for(lambda: (False, will["qos"], will["retain"]) in presences)
        wait_for(lambda: presences[-1][0])  # it is back by itself
        table.close()
        hall.close()
    listener.disconnect()
    listener.loop_stop()
