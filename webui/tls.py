"""TLS in front of a server that has none: one thread ends it and passes the bytes on.

Waitress has no TLS, and its sockets cannot be wrapped: what OpenSSL has decrypted but nobody has
read is invisible to `poll`.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import ssl
import threading
from collections import Counter
from pathlib import Path
from typing import Final, cast

HANDSHAKE_SECONDS: Final = 10.0
WARNING_SECONDS: Final = 60.0
MOST_CONNECTIONS: Final = 64
MOST_PER_ADDRESS: Final = 16
"""A browser keeps six."""
CHUNK_BYTES: Final = 256 * 1024
_LOGGER: Final = logging.getLogger(__name__)


def tls_context(certificate: Path) -> ssl.SSLContext:
    """What serves with the certificate and key in a file; raises `ssl.SSLError` or `OSError`."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.load_cert_chain(certificate)
    return context


class TlsFront:
    """Passes on what arrives over TLS at `listener` to `port` of this machine, until `close`."""

    def __init__(self, listener: socket.socket, context: ssl.SSLContext, port: int) -> None:
        self.port: Final[int] = listener.getsockname()[1]
        self._listener, self._context, self._target = listener, context, port
        self._open: Counter[str] = Counter()
        self._relays: dict[asyncio.Task[None], tuple[str, asyncio.StreamWriter]] = {}
        self._warns_again = 0.0
        self._loop = asyncio.new_event_loop()
        self._closing = asyncio.Event()
        self._thread = threading.Thread(target=self._run, name="tls", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Close all connections; afterwards no thread is left."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._closing.set)
            self._thread.join()

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._serve())

    async def _serve(self) -> None:
        server = await asyncio.start_server(self._relay, sock=self._listener, limit=CHUNK_BYTES)
        await self._closing.wait()
        server.close()
        relays = dict(self._relays)
        for _, writer in relays.values():
            writer.transport.abort()
        await asyncio.gather(*relays)

    async def _relay(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        address = str(writer.get_extra_info("peername")[0])
        task = cast("asyncio.Task[None]", asyncio.current_task())
        if self._open[address] >= MOST_PER_ADDRESS:
            self._warn("too many connections from %s", address)
            writer.close()
            return
        if len(self._relays) >= MOST_CONNECTIONS:
            self._make_room()
        self._open[address] += 1
        self._relays[task] = address, writer
        plain = writer.transport
        try:
            # Counted before, so that connections that never shake hands are limited too.
            await writer.start_tls(self._context, ssl_handshake_timeout=HANDSHAKE_SECONDS)
            await self._pass_on(reader, writer)
        except OSError:
            pass  # the phone or the server has left, which ends the other connection too
        except AttributeError:
            # Python's `start_tls` is left without a transport by a connection that ends meanwhile.
            if not plain.is_closing():
                raise
        except asyncio.CancelledError:
            if task in self._relays:  # else it was closed to make room, which is no fault
                raise
        finally:
            self._forget(task)
            (writer.transport or plain).close()  # what is still to be sent is sent first

    def _make_room(self) -> None:
        """Close the oldest connection of the address that holds most: a few cannot fill all."""
        most = max(self._relays, key=lambda task: self._open[self._relays[task][0]])
        address, writer = self._relays[most]
        self._warn("too many connections, most of them from %s", address)
        self._forget(most)
        writer.transport.abort()
        most.cancel()

    def _warn(self, message: str, address: str) -> None:
        """Log a warning, at most one in `WARNING_SECONDS`."""
        now = self._loop.time()
        if now >= self._warns_again:
            self._warns_again = now + WARNING_SECONDS
            _LOGGER.warning(message, address)

    def _forget(self, task: asyncio.Task[None]) -> None:
        if (known := self._relays.pop(task, None)) is not None:
            self._open[known[0]] -= 1

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        inner_reader, inner_writer = await asyncio.open_connection(
            "127.0.0.1", self._target, limit=CHUNK_BYTES
        )
        pumps = [
            asyncio.create_task(_pump(reader, inner_writer)),
            asyncio.create_task(_pump(inner_reader, writer)),
        ]
        try:
            done, _ = await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
            for one in done:
                one.result()
        finally:
            for pump in pumps:
                pump.cancel()
            await asyncio.gather(*pumps, return_exceptions=True)
            inner_writer.transport.abort()


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while part := await reader.read(CHUNK_BYTES):
        writer.write(part)
        await writer.drain()
