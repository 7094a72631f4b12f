"""A network camera: whoever opens its address gets each picture that it is shown, as MJPEG."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self

import cv2

from engine.arrays import Image

BOUNDARY = "next"


def coded(image: Image) -> bytes:
    """The picture as JPEG."""
    return cv2.imencode(".jpg", image)[1].tobytes()


class StreamedCamera:
    """A camera at `url`; while it `is_gone`, nobody gets a picture; use it in a `with`."""

    def __init__(self, port: int = 0) -> None:
        self._changed = threading.Condition()
        self._picture, self._number = b"", 0
        self._is_gone = False
        camera = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                if camera.is_gone:
                    self.send_error(503)
                    return
                self.send_response(200)
                kind = f"multipart/x-mixed-replace; boundary={BOUNDARY}"
                self.send_header("Content-Type", kind)
                self.end_headers()
                with contextlib.suppress(OSError):
                    for jpeg in camera.pictures():
                        head = f"Content-Type: image/jpeg\r\nContent-Length: {len(jpeg)}\r\n\r\n"
                        self.wfile.write(f"--{BOUNDARY}\r\n{head}".encode() + jpeg + b"\r\n")

            def log_message(self, *_: object) -> None:
                """Print nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/video"

    def show(self, jpeg: bytes) -> None:
        """Show the next picture."""
        with self._changed:
            self._picture, self._number = jpeg, self._number + 1
            self._changed.notify_all()

    def show_steadily(self, picture: Callable[[], bytes], seconds: float) -> None:
        """Show the next picture every so many seconds, until the camera is gone."""

        def run() -> None:
            while not self._is_gone:
                self.show(picture())
                time.sleep(seconds)

        threading.Thread(target=run, daemon=True).start()

    def pictures(self) -> Iterator[bytes]:
        """The newest picture each time, until the camera is gone."""
        seen = self._number
        while not self._is_gone:
            with self._changed:
                if self._number == seen:
                    self._changed.wait()
                    continue
                picture, seen = self._picture, self._number
            yield picture

    @property
    def is_gone(self) -> bool:
        """Whether its streams have ended and none begins."""
        return self._is_gone

    @is_gone.setter
    def is_gone(self, is_gone: bool) -> None:
        with self._changed:
            self._is_gone = is_gone
            self._changed.notify_all()

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.is_gone = True
        self._server.shutdown()
        self._server.server_close()
