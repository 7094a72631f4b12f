"""The HTTPS server of a phone's camera page, started when the referee first asks for it."""

from __future__ import annotations

import datetime
import logging
import threading
from pathlib import Path
from typing import Final

from tableside.site.certificate import Certificate, find_certificate
from tableside.site.network import LOCAL, own_names, reachable_address
from tableside.site.phone import PhoneRelay
from webui.app import create_phone_app
from webui.contracts.setup import PhoneInvitation, PhoneSetup
from webui.http.security import LOCAL_HOSTS
from webui.server import CannotListen, Server, listen
from webui.tls import TlsFront, tls_context

ALL_NETWORKS: Final = "0.0.0.0"  # noqa: S104 (the phone is another machine)
PORT: Final = 8443
"""The port if it is free; any other works too, but a phone that has accepted the certificate at
this one need not do it again."""
THREADS: Final = 8
"""A browser sends six requests at once at most."""
_LOGGER: Final = logging.getLogger(__name__)


class PhoneSite:
    """The phone as the set-up sees it; thread-safe."""

    def __init__(self, relay: PhoneRelay, certificate: Path, port: int = PORT) -> None:
        """certificate: the file in which it is kept."""
        self.relay: Final = relay
        self._certificate_path, self._port = certificate, port
        self._lock = threading.Lock()
        self._server: Server | None = None
        self._front: TlsFront | None = None
        self._certificate: Certificate | None = None
        self._url = self._code = ""

    def invite(self) -> None:
        """Make a new invitation, and serve the page from now on; raises `CannotListen`."""
        import segno

        with self._lock:
            front = self._front or self._start()
            address = reachable_address(ALL_NETWORKS)
            self._url = f"https://{address}:{front.port}/camera#{self.relay.new_token()}"
            self._code = segno.make(self._url, error="m").svg_data_uri(scale=4, border=2)

    def _start(self) -> TlsFront:
        names = own_names(reachable_address(ALL_NETWORKS))
        hosts = tuple(dict.fromkeys((*LOCAL_HOSTS, *names)))
        now = datetime.datetime.now(datetime.UTC)
        self._certificate = find_certificate(self._certificate_path, hosts, now)
        context = tls_context(self._certificate.path)
        try:
            listener = listen(ALL_NETWORKS, self._port)
        except CannotListen:
            listener = listen(ALL_NETWORKS, 0)
        self._server = Server(create_phone_app(self.relay, hosts), listen(LOCAL, 0), THREADS)
        self._front = TlsFront(listener, context, self._server.port)
        _LOGGER.info("serving the camera page on port %s", self._front.port)
        return self._front

    def part(self) -> PhoneSetup:
        """The phone's part of the set-up's state."""
        with self._lock:
            invitation = None
            if self._certificate is not None:
                invitation = PhoneInvitation(
                    url=self._url,
                    code=self._code,
                    fingerprint=self._certificate.fingerprint,
                    is_used=self.relay.is_used,
                    is_valid=self.relay.is_invited,
                )
        return PhoneSetup(
            invitation=invitation,
            has_phone=self.relay.has_phone,
            status=self.relay.status(),
            videos=self.relay.inbox.videos(),
        )

    def close(self) -> None:
        """Stop serving."""
        with self._lock:
            if self._front is not None:
                self._front.close()
            if self._server is not None:
                self._server.close()
