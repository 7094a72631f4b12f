"""The production server: waitress in a thread, with one clear line if it cannot listen."""

from __future__ import annotations

import ctypes
import errno
import platform
import select
import socket
import threading
from collections import Counter
from importlib.util import find_spec
from typing import Any, Final

from flask import Flask
from waitress import wasyncore
from waitress.adjustments import Adjustments
from waitress.channel import HTTPChannel
from waitress.server import TcpWSGIServer

from webui.context import serving_of
from webui.http.attempts import MOST_WAITING
from webui.streaming.sse import OpenStreams

WORKERS: Final = 8
"""Threads for short responses, in addition to one for each stream and each log-in that waits."""
AHEAD: Final = 16
"""Threads that are started at a time when streams are opened."""
HAS_POLL: Final = hasattr(select, "poll")
"""Whether more sockets can be watched than `select` takes: 1024 at most, 512 on Windows."""
CONNECTIONS: Final = 1200 if HAS_POLL else 240
"""Open connections; a browser keeps two or three per page."""
OTHER_FILES: Final = 200
"""Files that the process has open besides."""
ARENAS: Final = 2
"""Memory arenas that all threads share. glibc gives each thread its own, up to eight for each core,
and what has been freed in one is of no use to the others."""
M_ARENA_MAX: Final = -8
"""The parameter's number in `malloc.h`."""
REQUEST_S: Final = 10.0
"""Seconds that a client may take to send a request, and a connection may be open without one."""
HEADER_BYTES: Final = 16 * 1024
RECEIVED_BYTES: Final = 64 * 1024
"""Most bytes that are taken from a connection at once: a phone's picture is 150 KB."""

MOST_UNREAD: Final = 1 << 20
"""Bytes that may wait for a client that does not read; beyond that, only its own thread waits."""


class WebError(Exception):
    """Base of all errors that the page raises."""


class CannotListen(WebError):
    """Raised when the address cannot be listened on; the message names the remedy."""


class _Channel(HTTPChannel):
    """A connection that knows since when a request has been arriving."""

    arriving_since: float | None = None

    def received(self, data: bytes) -> bool:
        """Take in a part of a request."""
        if self.arriving_since is None:
            self.arriving_since = self.last_activity
        taken: bool = super().received(data)
        if self.request is None:
            self.arriving_since = None
        return taken

    def send_continue(self) -> None:
        """Ask for the body, unless the head has shown that it is refused."""
        if self.request is not None and self.request.error is None:
            super().send_continue()

    @property
    def is_idle(self) -> bool:
        """Whether no request of it is being answered and no response is left to send."""
        return not self.requests and not self.total_outbufs_len


class _WsgiServer(TcpWSGIServer):
    """Accepts every connection, and closes idle ones where there are too many.

    Waitress stops accepting at its limit, so that clients which send half a request and wait could
    keep everybody else out.
    """

    channel_class = _Channel

    def handle_accept(self) -> None:
        """Accept a connection in place of the one that has been idle longest, if need be."""
        super().handle_accept()
        channels = self._channels()
        if len(channels) > CONNECTIONS:
            held = Counter(channel.addr[0] for channel in channels)
            idle = (channel for channel in channels if channel.is_idle)
            # Of the address that holds most, the oldest: the newest has had no time to ask.
            first = min(idle, key=lambda one: (-held[one.addr[0]], one.creation_time), default=None)
            if first is not None:
                first.handle_close()

    def _channels(self) -> list[_Channel]:
        found: Any = self.active_channels  # its stub has another type
        return list(found.values())

    def maintenance(self, now: float) -> None:
        """Close connections that take too long over a request."""
        super().maintenance(now)  # type: ignore[arg-type]
        for channel in self._channels():
            since = channel.arriving_since
            if since is not None and channel.is_idle and now - since > REQUEST_S:
                channel.will_close = True


class Server:
    """A page that is being served until `close`."""

    def __init__(
        self,
        app: Flask,
        listener: socket.socket,
        threads: int,
        streams: OpenStreams | None = None,
    ) -> None:
        """`streams` are those of `app` that end when the server closes."""
        self.host, self.port = listener.getsockname()[:2]
        self._streams, self._threads = streams, threads
        most_bytes = app.config["MAX_CONTENT_LENGTH"]
        self._sockets: dict[int, Any] = {}
        adjustments = Adjustments(
            sockets=[listener],
            threads=threads,
            connection_limit=2 * CONNECTIONS + 2,
            channel_timeout=REQUEST_S,
            cleanup_interval=2,
            asyncore_use_poll=HAS_POLL,
            # Refused while the head of the request arrives, or as soon as so much was read.
            max_request_body_size=most_bytes + 1,
            max_request_header_size=HEADER_BYTES,
            inbuf_overflow=2 * most_bytes,  # never on the disk
            recv_bytes=RECEIVED_BYTES,
            # The lookahead is how waitress notices that a stream's reader has left.
            channel_request_lookahead=1,
            outbuf_high_watermark=MOST_UNREAD,
            clear_untrusted_proxy_headers=True,
            ident="",
        )
        where = listener.family, listener.type, listener.proto, listener.getsockname()
        self._server: Any = _WsgiServer(
            app,
            map=self._sockets,
            _sock=listener,
            adj=adjustments,
            sockinfo=where,
            bind_socket=False,
        )
        if streams is not None:
            streams.on_growth = self._have_threads
        self._thread = threading.Thread(target=self._server.run, name="page", daemon=True)
        self._thread.start()

    def _have_threads(self, streams: int) -> None:
        """Have a thread for each open stream, besides those for everything else."""
        dispatcher = self._server.task_dispatcher
        if self._threads + streams > len(dispatcher.threads):
            dispatcher.set_thread_count(self._threads + streams + AHEAD)

    @property
    def url(self) -> str:
        """The address to open in a browser."""
        return self.url_at(self.host)

    def url_at(self, host: str) -> str:
        """The same under another address or name of this machine."""
        bare = host.strip("[]")
        return f"http://{f'[{bare}]' if ':' in bare else bare}:{self.port}/"

    def close(self) -> None:
        """Stop serving; afterwards no thread is left."""
        if not self._thread.is_alive():
            return
        if self._streams is not None:
            self._streams.close()
        # The sockets belong to the server's own thread, so it is asked to close them.
        self._server.trigger.pull_trigger(self._close_sockets)
        self._thread.join()
        self._server.task_dispatcher.shutdown()
        self._server.trigger.close()

    def _close_sockets(self) -> None:
        """Close all sockets, including that of a thread that waits for a client that does not read.

        The trigger is only removed from the map, where waitress's own `close` would close it too:
        others, `close` among them, still pull it and must not write to a file descriptor that by
        then may belong to another file.
        """
        for one in list(self._sockets.values()):
            if isinstance(one, HTTPChannel):
                one.handle_close()
        wasyncore.dispatcher.close(self._server)
        self._sockets.clear()


def serve(app: Flask, host: str = "127.0.0.1", port: int = 8000) -> Server:
    """Serve `app` on `host` and `port` (0 for any free one); raises `CannotListen` on failure."""
    allow_open_files(2 * CONNECTIONS + OTHER_FILES)
    share_memory()
    threads = MOST_WAITING + WORKERS
    return Server(app, listen(host, port), threads, serving_of(app).streams)


def allow_open_files(wanted: int) -> None:
    """Let this process open so many files, as far as the system allows it."""
    if find_spec("resource") is None:  # Windows has no such limit
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    allowed = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < allowed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))


def share_memory() -> bool:
    """Let all threads share few arenas; whether this system's C library has them: mallopt(3)."""
    if platform.libc_ver()[0] != "glibc":
        return False
    return bool(ctypes.CDLL(None).mallopt(M_ARENA_MAX, ARENAS))


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens; raises `CannotListen`, which says what to do."""
    if not 0 <= port <= 65535:
        raise CannotListen(f"there is no port {port}: choose one up to 65535 with --port")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host.strip("[]"), port), family=family, backlog=128)
    except OSError as error:
        raise CannotListen(_advice(error, host, port)) from error


def _advice(error: OSError, host: str, port: int) -> str:
    match error.errno:
        case errno.EADDRINUSE:
            return f"port {port} is in use: choose another with --port"
        case errno.EACCES:
            return f"port {port} is not open to this user: choose one above 1023 with --port"
        case errno.EADDRNOTAVAIL | socket.EAI_NONAME:
            return f"this computer has no address {host}: choose one, such as 0.0.0.0, with --host"
        case _:
            return f"cannot listen on {host} port {port}: {error.strerror}"
