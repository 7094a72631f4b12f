"""The production server: addresses, threads, and the one-line error when it cannot listen."""

from __future__ import annotations

import contextlib
import select
import socket
import subprocess
import sys
import threading
import time
import urllib.request

import pytest

from webui.app import create_app
from webui.http.metrics import Metrics
from webui.server import ARENAS, CONNECTIONS, CannotListen, serve
from webui.streaming.sse import KEPT, PER_ADDRESS, OpenStreams


def fetch(url, **headers):
    return urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=30)


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


def test_hundreds_of_readers_get_a_thread_each_and_leave_room_for_others(table):
    server = serve(create_app(table), port=0)
    readers = [socket.create_connection((server.host, server.port)) for _ in range(250)]
    try:
        for reader in readers:
            reader.sendall(b"GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        for reader in readers:
            reader.settimeout(20)
            assert reader.recv(15) == b"HTTP/1.1 200 OK"
        assert fetch(f"{server.url}health").status == 200
    finally:
        server.close()
        for reader in readers:
            reader.close()
    assert not page_threads()


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


@pytest.fixture
def send_half(server):
    """Opens connections and sends the beginning of a request through each."""
    with contextlib.ExitStack() as opened:

        def send(count):
            for _ in range(count):
                one = socket.create_connection((server.host, server.port), timeout=10)
                opened.enter_context(one)
                one.sendall(b"GET /health HTTP/1.1\r\nHost: loc")

        yield send


def test_half_requests_keep_nobody_out(server, send_half):
    send_half(CONNECTIONS + 200)
    assert fetch(f"{server.url}health").status == 200
    with fetch(f"{server.url}api/events") as stream:
        assert stream.readline() == b"retry: 1000\n"
        send_half(CONNECTIONS)
        assert fetch(f"{server.url}health").status == 200
        assert stream.readline() == b"\n", "a response under way is not cut off"


def test_a_request_that_does_not_arrive_is_given_up(table, monkeypatch):
    monkeypatch.setattr("webui.server.REQUEST_S", 0.3)
    server = serve(create_app(table), port=0)
    with socket.create_connection((server.host, server.port), timeout=30) as slow:
        slow.sendall(b"POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 20\r\n\r\npass")
        assert slow.recv(100) == b""
    server.close()


@pytest.mark.parametrize("size", [b"Content-Length: 1000000000", b"Transfer-Encoding: chunked"])
def test_a_large_body_is_refused_before_it_is_read(server, size, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    client = socket.create_connection((server.host, server.port), timeout=30)
    client.sendall(b"POST /login HTTP/1.1\r\nHost: evil.example\r\n" + size + b"\r\n\r\n")
    sent = 0
    with contextlib.suppress(OSError):
        while sent < 100 << 20 and not select.select([client], [], [], 0)[0]:
            sent += client.send(b"10000\r\n" + bytes(0x10000) + b"\r\n")
    assert sent < 32 << 20, "the sockets' buffers at most"
    with contextlib.suppress(ConnectionResetError):
        assert client.recv(100).startswith(b"HTTP/1.1 413")
    assert not list(tmp_path.iterdir())
    client.close()


def test_nobody_is_asked_for_a_body_that_is_too_large(server):
    with socket.create_connection((server.host, server.port)) as client:
        client.sendall(
            b"POST /login HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n"
            b"Content-Length: 1000000000\r\n\r\n"
        )
        assert client.recv(100).startswith(b"HTTP/1.1 413")


def test_a_long_head_is_refused(server):
    client = socket.create_connection((server.host, server.port), timeout=30)
    client.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 20_000)
    assert b" 431 " in client.recv(100)
    client.close()


def test_one_address_cannot_take_all_streams_and_the_referee_finds_one():
    streams = OpenStreams(64, Metrics())
    taken = [streams.enter("192.168.1.5", speaks=False) for _ in range(40)]
    assert taken.count(True) == PER_ADDRESS
    others = [streams.enter(f"192.168.1.{n}", speaks=False) for n in range(6, 60)]
    assert others.count(True) == 64 - KEPT - PER_ADDRESS
    assert streams.enter("192.168.1.5", speaks=True)
    streams.leave("192.168.1.7")
    streams.leave("192.168.1.8")
    assert streams.enter("127.0.0.1", speaks=False)
    assert not streams.enter("192.168.1.5", speaks=False)


MANY_THREADS = """
import ctypes, sys, threading
from webui.server import share_memory
if not share_memory():
    sys.exit("77")
threads = [threading.Thread(target=lambda: [bytes(2000) for _ in range(10**4)]) for _ in range(30)]
for one in threads: one.start()
for one in threads: one.join()
c = ctypes.CDLL(None)
c.fopen.restype = ctypes.c_void_p
out = c.fopen(b"/dev/stdout", b"w")
c.malloc_info(0, ctypes.c_void_p(out))
c.fclose(ctypes.c_void_p(out))
"""


def test_many_threads_share_the_memory_that_one_of_them_returned():
    told = subprocess.run(
        [sys.executable, "-c", MANY_THREADS], capture_output=True, text=True, check=False
    )
    if told.stderr.strip() == "77":
        pytest.skip("this system's C library has no arenas")
    assert 1 <= told.stdout.count("<heap ") <= ARENAS
