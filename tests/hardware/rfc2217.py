"""A port of another machine: a cup behind a server that speaks RFC 2217."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import serial
from serial.rfc2217 import PortManager


class _Line:
    """A connection as `PortManager` writes to it."""

    def __init__(self, line: socket.socket) -> None:
        self.write = line.sendall


@contextmanager
def shared_port(url: str) -> Iterator[tuple[str, Callable[[], None]]]:
    """The address at which the port `url` is shared, and a function that cuts the line to it.

    One program at a time may use it; one that was cut off may reconnect.
    """
    over, cut = threading.Event(), threading.Event()
    listener = socket.create_server(("127.0.0.1", 0))
    listener.settimeout(0.05)

    def accept() -> None:
        while not over.is_set():
            with suppress(OSError):
                line, _ = listener.accept()
                with line, serial.serial_for_url(url, timeout=0.01) as port:
                    cut.clear()
                    _redirect(line, port, lambda: over.is_set() or cut.is_set())

    thread = threading.Thread(target=accept)
    thread.start()
    try:
        yield f"rfc2217://127.0.0.1:{listener.getsockname()[1]}", cut.set
    finally:
        over.set()
        thread.join()
        listener.close()


def _redirect(line: socket.socket, port: serial.SerialBase, is_over: Callable[[], bool]) -> None:
    manager = PortManager(port, _Line(line))
    line.settimeout(0.01)
    while not is_over():
        with suppress(TimeoutError):
            received = line.recv(1024)
            if not received:
                return
            port.write(b"".join(manager.filter(received)))
        heard = port.read(256)
        if heard:
            line.sendall(b"".join(manager.escape(heard)))
