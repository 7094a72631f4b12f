"""The production server: addresses, threads, and the one-line error when it cannot listen."""

from __future__ import annotations

import socket
import threading
import time
import urllib.request

import pytest

from webui.app import create_app
from webui.server import CannotListen, serve


def fetch(url, **headers):
    return urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=5)


def page_threads():
    return [t for t in threading.enumerate() if t.name == "page" or t.name.startswith("waitress")]


def test_port_zero_finds_a_free_port(server):
    assert fetch(f"{server.url}health").status == 200
    assert server.url == f"http://127.0.0.1:{server.port}/"


def test_a_port_in_use_is_reported_in_one_line(server, table):
    with pytest.raises(CannotListen) as refused:
        serve(create_app(table), port=server.port)
    assert str(refused.value) == f"port {server.port} is in use: choose another with --port"


@pytest.mark.parametrize("host", ["192.0.2.1", "no.such.invalid"])
def test_an_address_that_is_not_ours_is_reported_in_one_line(table, host):
    with pytest.raises(CannotListen) as refused:
        serve(create_app(table), host, 0)
    wish = "choose one, such as 0.0.0.0, with --host"
    assert str(refused.value) == f"this computer has no address {host}: {wish}"


def test_a_number_that_is_no_port_is_reported_in_one_line(table):
    with pytest.raises(CannotListen, match="there is no port 70000: choose one up to 65535"):
        serve(create_app(table), port=70000)


def test_closing_ends_open_streams_and_leaves_no_thread(table):
    server = serve(create_app(table), port=0)
    stream = fetch(f"{server.url}api/events")
    assert stream.readline() == b"retry: 1000\n"
    began = time.monotonic()
    server.close()
    server.close()
    assert time.monotonic() - began < 5
    assert not page_threads()
    with pytest.raises(OSError):
        fetch(f"{server.url}health")
    stream.close()


def test_a_thread_that_wakes_the_server_while_it_closes_writes_to_no_closed_file(table):
    server = serve(create_app(table), port=0)
    trigger = server._server.trigger
    pull = trigger._physical_pull

    def overtaken():
        pull()
        server._thread.join(5)
        pull()

    trigger._physical_pull = overtaken
    server.close()
    assert not page_threads()


def test_a_reader_that_never_reads_holds_up_nobody_and_is_closed_with_the_rest(table):
    table.photo, table.photo_number = b"\xff" * (1 << 20), 1
    server = serve(create_app(table), port=0)
    stalled = socket.create_connection((server.host, server.port))
    stalled.sendall(b"GET /camera.mjpg HTTP/1.1\r\nHost: localhost\r\n\r\n")
    for _ in range(12):
        with table.changed:
            table.photo_number += 1
            table.changed.notify_all()
        assert fetch(f"{server.url}health").status == 200
    server.close()
    assert not page_threads()
    stalled.close()


def test_a_reader_that_leaves_gives_its_place_back(table):
    server = serve(create_app(table, streams=1), port=0)
    try:
        first = socket.create_connection((server.host, server.port))
        first.sendall(b"GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert b"200" in first.recv(400)
        with pytest.raises(urllib.error.HTTPError, match="503"):
            fetch(f"{server.url}api/events")
        first.close()
        assert _is_admitted_within(server, seconds=5)
    finally:
        server.close()


def _is_admitted_within(server, seconds):
    patience = threading.Event()
    for _ in range(int(seconds * 10)):
        try:
            fetch(f"{server.url}api/events").close()
        except urllib.error.HTTPError:
            patience.wait(0.1)
        else:
            return True
    return False
