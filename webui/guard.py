"""What stands between the page and the network: the Host check and the headers."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final
from urllib.parse import urlsplit

from flask import Flask, Response, request

LOCAL_HOSTS: Final = ("localhost", "127.0.0.1", "[::1]")

HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'; "
        "base-uri 'none'; form-action 'self'; object-src 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}


def host_name(header: str) -> str | None:
    """The name in a Host header, lower case and without its port; None if there is none."""
    try:
        return urlsplit(f"//{header}").hostname
    except ValueError:
        return None


def install_guard(app: Flask, hosts: Collection[str]) -> None:
    """Every answer of `app` carries the headers, and only `hosts` are answered.

    A page on the internet can point its own name at 127.0.0.1 and read what is served there
    (DNS rebinding); its requests still carry that foreign name, so they get 421.
    """
    allowed = {host_name(host) for host in hosts} - {None}

    @app.before_request
    def refuse_foreign_hosts() -> Response | None:
        if host_name(request.headers.get("Host", "")) in allowed:
            return None
        return Response("This name is not served here.\n", 421, mimetype="text/plain")

    @app.after_request
    def add_headers(response: Response) -> Response:
        response.headers.update(HEADERS)
        if request.endpoint != "static":
            response.headers["Cache-Control"] = "no-store"
        return response
