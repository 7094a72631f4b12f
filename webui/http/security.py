"""The Host check and the security headers."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from flask import Flask, Response, request

from webui.http.errors import one_line
from webui.http.js_bundle import FILES
from webui.i18n.locale import gettext

LOCAL_HOSTS: Final = ("localhost", "127.0.0.1", "[::1]")

HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'; "
        "base-uri 'none'; form-action 'self'; object-src 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    # With `no-referrer` browsers would hide the Origin of the log-in form, see webui/http/auth.py.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}
FRAMED: Final = ("overlay.show",)
"""Pages that our own pages show in a frame."""
OWN_FRAMES: Final = ("frame-ancestors 'none'", "frame-ancestors 'self'")


def host_name(header: str) -> str | None:
    """The name in a Host header, in lower case without its port; None if there is none."""
    try:
        return urlsplit(f"//{header}").hostname
    except ValueError:
        return None


def is_address(name: str | None) -> bool:
    """Whether `name` is an IP address rather than a host name."""
    try:
        ip_address(name or "")
    except ValueError:
        return False
    return True


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach, or have, the address."""
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def install_guard(
    app: Flask,
    hosts: Collection[str],
    *,
    any_address: bool = False,
    headers: Mapping[str, str] = HEADERS,
) -> None:
    """Add the headers to every response of `app`, and respond only to requests to `hosts`.

    A page on the internet can point its own name at 127.0.0.1 and read what is served there (DNS
    rebinding); its requests still carry that foreign name, so they get 421.

    any_address: whether every IP address is accepted as a host name too, for a network that assigns
    addresses as it likes. That is safe: an attacker needs a name that can be pointed elsewhere.
    """
    allowed = {host_name(host) for host in hosts} - {None}

    @app.before_request
    def refuse_foreign_hosts() -> Response | None:
        name = host_name(request.headers.get("Host", ""))
        if name in allowed or (any_address and is_address(name)):
            return None
        return one_line(421, gettext("this host name is not served here"), request.path)

    @app.after_request
    def add_headers(response: Response) -> Response:
        response.headers.update(headers)
        if request.endpoint in FRAMED:
            policy = response.headers["Content-Security-Policy"]
            response.headers["Content-Security-Policy"] = policy.replace(*OWN_FRAMES)
        if request.endpoint not in FILES:
            response.headers["Cache-Control"] = "no-store"
        return response
