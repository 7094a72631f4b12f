"""What Prometheus learns of a hall."""

from __future__ import annotations

from contextlib import closing

import pytest

from engine import RefereeCalled
from engine.message import msg
from tableside.hall.boards import Boards
from tableside.hall.messages import Presence
from tableside.hall.store import HallStore
from tableside.site.state_hub import StateHub
from tests.tableside.hall.test_store import AT, EVENTS, HOOK, messages
from tests.webui.http.test_auth import HASHES, enter
from webui.app import create_app
from webui.contracts.roles import Role
from webui.http.passwords import Passwords
from webui.pages.hall import install_hall


@pytest.fixture
def store(tmp_path):
    with closing(HallStore.open(str(tmp_path / "hall.sqlite"), [HOOK])) as store:
        yield store


@pytest.fixture
def boards(store):
    return Boards(store)


@pytest.fixture
def client(boards):
    app = create_app(StateHub(), passwords=Passwords(HASHES))
    install_hall(app, boards)
    return enter(app, Role.REFEREE)


def figures(client):
    lines = client.get("/metrics").text.splitlines()
    return dict(line.rsplit(" ", 1) for line in lines if not line.startswith("#"))


def test_a_hall_tells_its_tables_its_store_and_what_waits_and_nothing_of_a_table(
    client, boards, store
):
    for table, online in (("1", True), ("2", True), ("3", False)):
        presence = Presence(online=online, instance=table, page="", sent=boards._clock())
        boards.meet(table, presence, is_kept=False)
    store.add(messages([*EVENTS[:2], RefereeCalled(**AT)]))
    boards.count("stored", 3)
    boards.set_trouble("broker", msg("the broker is gone"))
    found = figures(client)
    assert found['tableside_hall_tables{state="online"}'] == "2.0"
    assert found['tableside_hall_tables{state="offline"}'] == "1.0"
    assert found["tableside_hall_waiting_notices"] == "1.0"
    assert found["tableside_hall_events_total"] == "3.0"
    assert found["tableside_hall_broker_up"] == "0.0"
    assert found["tableside_hall_store_up"] == "1.0"
    assert [name for name in found if "camera" in name or "illegal" in name] == []
    (call,) = store.due(HOOK, 9)
    store.delivered(call, "204", is_done=True)
    assert figures(client)["tableside_hall_waiting_notices"] == "0.0"


def test_only_the_referee_may_ask(boards):
    app = create_app(StateHub(), passwords=Passwords(HASHES))
    install_hall(app, boards)
    refused = {role: enter(app, role).get("/metrics").status_code for role in Role}
    assert {role for role, code in refused.items() if code == 200} == {Role.REFEREE}
