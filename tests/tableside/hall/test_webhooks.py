"""Notices reach a real HTTP server: signed, repeated until accepted, the same each time."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import socket
import threading
import time
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from engine import RefereeCalled
from tableside.errors import StoreError, WrongUsage
from tableside.hall.store import HallStore
from tableside.hall.webhooks import Deliverer, check_address, read_secret
from tests.tableside.hall.servers import wait_for
from tests.tableside.hall.test_store import AT, EVENTS, messages

SECRET = b"a secret of some length"


class Receiver(ThreadingHTTPServer):
    """Keeps what it is sent; answers with `answers`, then with 204."""

    def __init__(self, answers=()):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answers, self.got, self.paths = list(answers), [], []
        threading.Thread(target=self.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server_port}/hook"


class _Handler(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.paths.append(self.path)
        self.server.got.append((dict(self.headers.items()), body))
        self.send_response(self.server.answers.pop(0) if self.server.answers else 204)
        self.send_header("Location", "/elsewhere")
        self.end_headers()

    def log_message(self, *_):
        pass


@pytest.fixture
def deliver(tmp_path):
    opened = []

    def start(receiver):
        store = HallStore.open(str(tmp_path / "hall.sqlite"), [receiver.url])
        store.add(messages([*EVENTS[:2], RefereeCalled(**AT)]))
        opened.extend([Deliverer(store, SECRET), store, receiver])
        return store

    yield start
    for one in opened[:2]:
        one.close()
    opened[2].shutdown()
    opened[2].server_close()


def test_a_notice_is_signed_and_delivered_once(deliver):
    receiver = Receiver()
    store = deliver(receiver)
    ((headers, body),) = wait_for(lambda: receiver.got)
    signed = f"{headers['Webhook-Id']}.{headers['Webhook-Timestamp']}.".encode() + body
    expected = base64.b64encode(hmac.digest(SECRET, signed, hashlib.sha256)).decode()
    assert headers["Webhook-Signature"] == f"v1,{expected}"
    assert abs(int(headers["Webhook-Timestamp"]) - time.time()) < 60
    notice = json.loads(body)
    assert (notice["type"], notice["id"]) == ("referee.called", headers["Webhook-Id"])
    assert notice["data"]["table"] == "7"
    wait_for(lambda: not store.due(receiver.url, 1))
    time.sleep(1.5)
    assert len(receiver.got) == 1


@pytest.mark.parametrize("refusal", [500, 302])
def test_a_refused_notice_is_sent_again_with_the_same_id(deliver, refusal):
    receiver = Receiver([refusal])
    deliver(receiver)
    first, second = wait_for(lambda: len(receiver.got) == 2 and receiver.got)
    assert first[0]["Webhook-Id"] == second[0]["Webhook-Id"]
    assert first[1] == second[1]


def test_a_store_that_cannot_be_written_sends_no_notice_twice(deliver, monkeypatch, caplog):
    tries, receiver = [], Receiver()
    with monkeypatch.context() as full:

        def refused(*_, **__):
            tries.append(1)
            raise StoreError("disk full")

        full.setattr(HallStore, "delivered", refused)
        store = deliver(receiver)
        wait_for(lambda: len(tries) >= 3)
    wait_for(lambda: not store.due(receiver.url, 1))
    assert (len(receiver.got), caplog.text.count("webhooks wait: disk full")) == (1, 1)


def test_an_address_that_accepts_nothing_is_named_on_the_page_until_it_does(tmp_path):
    receiver, said = Receiver([401]), []
    with closing(HallStore.open(str(tmp_path / "hall.sqlite"), [receiver.url])) as store:
        store.add(messages([*EVENTS[:2], RefereeCalled(**AT)]))
        with closing(Deliverer(store, SECRET, set_trouble=lambda _, why: said.append(str(why)))):
            wait_for(lambda: len(said) == 2)
    assert said == ["the webhook at 127.0.0.1 was not accepted: 401; it is tried for a day", ""]
    receiver.shutdown()
    receiver.server_close()


def test_secrets_and_addresses_that_cannot_be_are_refused():
    assert read_secret("whsec_" + base64.b64encode(SECRET).decode()) == SECRET
    assert read_secret("plain words of some length") == b"plain words of some length"
    for text in ("short", "whsec_%%%", "whsec_AAAA", "whsec_é"):
        with pytest.raises(WrongUsage):
            read_secret(text)
    for url in (
        *("ftp://x/y", "example.org", "file:///etc/passwd", "http://[bad/", "http://x:no/"),
        *("https://host/результаты", f"http://{'x' * 70}.org/", "http://x/a b", "http://x..y/"),
    ):
        with pytest.raises(WrongUsage, match="is not an address"):
            check_address(url)
    check_address("https://hooks.example.org:8443/results?of=hall")


def test_the_log_names_only_the_host_of_an_address(deliver, caplog):
    receiver = Receiver([500])
    deliver(receiver)
    wait_for(lambda: len(receiver.got) == 2)
    assert "the webhook at 127.0.0.1 was not accepted: 500" in caplog.text
    assert "/hook" not in caplog.text


@pytest.mark.parametrize("url", ["http://host/secret-результаты", f"http://{'x' * 70}/secret"])
def test_an_address_that_cannot_be_is_tried_again_and_not_logged(tmp_path, caplog, url):
    with closing(HallStore.open(str(tmp_path / "hall.sqlite"), [url])) as store:
        store.add(messages([*EVENTS[:2], RefereeCalled(**AT)]))
        with closing(Deliverer(store, SECRET)):
            wait_for(lambda: "was not accepted" in caplog.text)
    assert "secret" not in caplog.text


def test_a_receiver_that_hangs_delays_no_other(tmp_path):
    receiver = Receiver()
    with socket.create_server(("127.0.0.1", 0)) as silent:
        hangs = f"http://127.0.0.1:{silent.getsockname()[1]}/"
        store = HallStore.open(str(tmp_path / "hall.sqlite"), [hangs, receiver.url])
        for number in range(1, 6):
            store.add(messages([*EVENTS[:2], RefereeCalled(**AT)], number=number))
        deliverer = Deliverer(store, SECRET)
        wait_for(lambda: len(receiver.got) == 5)
        assert len(store.due(hangs, 9)) == 5
    # Its connections are refused now.
    deliverer.close()
    store.close()
    receiver.shutdown()
    receiver.server_close()


def test_nothing_is_sent_to_an_address_that_is_no_longer_named(tmp_path):
    receiver, where = Receiver(), str(tmp_path / "hall.sqlite")
    old, new = f"{receiver.url}/old", f"{receiver.url}/new"
    for number, hook in enumerate((old, new), start=1):
        with closing(HallStore.open(where, [hook])) as store:
            store.add(messages([*EVENTS[:2], RefereeCalled(**AT)], number=number))
    with closing(HallStore.open(where, [new])) as store, closing(Deliverer(store, SECRET)):
        wait_for(lambda: not store.due(new, 1))
        assert len(store.due(old, 9)) == 1
    assert receiver.paths == ["/hook/new"]
    receiver.shutdown()
    receiver.server_close()


def test_an_address_that_is_given_twice_gets_each_notice_once(tmp_path):
    hook = "http://127.0.0.1:9/hook"
    store = HallStore.open(str(tmp_path / "hall.sqlite"), [hook, hook])
    store.add(messages([*EVENTS[:2], RefereeCalled(**AT)]))
    assert len(store.due(hook, 10)) == 1
    store.close()
