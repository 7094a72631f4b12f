"""Gzip text responses for clients that accept it.

No response holds a secret next to text that a stranger chose, so lengths reveal nothing (BREACH).
"""

from __future__ import annotations

import gzip
from typing import Final

from flask import Flask, Response, request

from webui.http.js_bundle import FILES

LEAST: Final = 1000
"""Bytes; a shorter response fits into one packet uncompressed."""
LEVEL: Final = 6
TEXTS: Final = (
    "text/html", "text/css", "text/javascript", "application/json", "image/svg+xml",
    "application/javascript",
)  # fmt: skip


def install_gzip(app: Flask) -> None:
    """Compress text responses of `app`; static files are compressed once and kept."""
    files: dict[tuple[str, str], bytes] = {}

    @app.after_request
    def compress(response: Response) -> Response:
        is_file = request.endpoint in FILES
        if not _is_wanted(response, is_file=is_file):
            return response
        response.direct_passthrough = False
        etag = response.get_etag()[0] if is_file else None
        known = None if etag is None else files.get((request.path, etag))
        coded = known or gzip.compress(response.get_data(), LEVEL, mtime=0)
        if etag is not None:
            files[request.path, etag] = coded
        response.set_data(coded)
        response.headers["Content-Encoding"] = "gzip"
        response.vary.add("Accept-Encoding")
        return response


def _is_wanted(response: Response, *, is_file: bool) -> bool:
    takes = request.method == "GET" and request.accept_encodings["gzip"] > 0
    is_whole = is_file or not response.is_streamed
    is_text = response.mimetype in TEXTS and response.status_code == 200
    is_large = (response.content_length or 0) >= LEAST
    return takes and is_whole and is_text and is_large
