"""`PhoneRelay`: takes what a phone sends and hands it on to whoever watches the board."""

from __future__ import annotations

import hashlib
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Final

from tableside.site.phone_clock import PhoneClock
from tableside.site.video_inbox import VideoInbox
from vision.sources.phone_feed import PhoneFeed, PhonePicture
from webui.contracts.phone import SESSION_SECONDS, PhoneFrame, PhoneGuide, VideoFile
from webui.contracts.state import PhoneStatus

INVITED_SECONDS: Final = 600.0
"""How long a token can be used."""
SILENT_SECONDS: Final = 2.0
"""A phone is sending if its last picture is not older."""
OVERTAKEN_SECONDS: Final = 5.0
"""Two requests run at once, so a picture may arrive after a newer one, but not after one that is so
much newer, because the page waits four seconds at most: then it was opened again, and its clock
began anew."""
RATE_SECONDS: Final = 3.0
"""The time over which pictures per second are counted."""

Forward = Callable[[PhonePicture], Future[None]]
"""Hands a picture to another process; its result says that it has arrived."""


def no_guide() -> PhoneGuide:
    """What is said before anything is seen."""
    return PhoneGuide(
        stage="choosing", corners=[], size=None, tilt=None, level=None, faults=[], warnings=[],
        is_ready=False,
    )  # fmt: skip


class PhoneRelay:
    """A `webui.contracts.phone.PhoneCamera` for one phone at a time; thread-safe."""

    def __init__(self, folder: Path, clock: Callable[[], float] = time.monotonic) -> None:
        """folder: where videos are kept."""
        self.feed = PhoneFeed(clock)
        """The pictures, for this process."""
        self.inbox: Final = VideoInbox(folder)
        self.guide: Callable[[], PhoneGuide] = no_guide
        """Says what was seen in the pictures."""
        self._clock = clock
        self._lock = threading.Lock()
        self._token, self._token_until = "", 0.0
        self._session, self._session_until = "", 0.0
        self.is_used = False
        """Whether a phone has used the newest token."""
        self._times = PhoneClock()
        self._arrivals: deque[float] = deque(maxlen=200)
        self._newest: PhoneFrame | None = None
        self._forward: Forward | None = None
        self._waiting: tuple[bytes, float] | None = None
        self._is_sending_on = False

    def new_token(self) -> str:
        """A new token for `pair`, which replaces that of before."""
        with self._lock:
            self.is_used = False
            self._token = secrets.token_urlsafe(24)
            self._token_until = self._clock() + INVITED_SECONDS
            return self._token

    @property
    def is_invited(self) -> bool:
        """Whether a phone can still use the newest token."""
        with self._lock:
            return bool(self._token) and self._clock() < self._token_until

    @property
    def has_phone(self) -> bool:
        """Whether there is a phone that may send."""
        with self._lock:
            return bool(self._session) and self._clock() < self._session_until

    def send_away(self) -> None:
        """End the session of the phone, and void the token of another."""
        with self._lock:
            self._token = self._session = ""
            self.is_used = False
            self._newest = None
            self._arrivals.clear()

    def status(self) -> PhoneStatus | None:
        """How the phone is doing; None before any picture."""
        now = self._clock()
        with self._lock:
            if self._newest is None:
                return None
            lately = sum(now - arrived < RATE_SECONDS for arrived in self._arrivals)
            return PhoneStatus(
                is_sending=now - self._arrivals[-1] < SILENT_SECONDS,
                fps=round(lately / RATE_SECONDS, 1),
                battery=self._newest.battery,
                is_charging=self._newest.is_charging,
            )

    def forward_to(self, forward: Forward | None) -> None:
        """Hand pictures to `forward` from now on; to the feed of this process if None."""
        with self._lock:
            self._forward, self._waiting, self._is_sending_on = forward, None, False

    # --- for the page ---

    def pair(self, token: str) -> str | None:
        """See `webui.contracts.phone.PhoneCamera`; the phone of before loses its session."""
        with self._lock:
            is_right = secrets.compare_digest(token.encode(), self._token.encode())
            if not self._token or not is_right or self._clock() >= self._token_until:
                return None
            self._token, self.is_used, session = "", True, secrets.token_urlsafe(24)
            self._session = _hashed(session)
            self._session_until = self._clock() + SESSION_SECONDS
            self._times = PhoneClock()
            return session

    def is_paired(self, session: str) -> bool:
        """See `webui.contracts.phone.PhoneCamera`."""
        with self._lock:
            known = self._session if self._clock() < self._session_until else ""
        return bool(known) and secrets.compare_digest(known, _hashed(session))

    def receive(self, frame: PhoneFrame) -> PhoneGuide:
        """See `webui.contracts.phone.PhoneCamera`."""
        now = self._clock()
        with self._lock:
            before, self._newest = self._newest, frame
            self._arrivals.append(now)
            is_overtaken = before is not None and 0 < before.taken - frame.taken < OVERTAKEN_SECONDS
            forward = self._forward
            age = 0.0 if is_overtaken else self._times.age(frame.taken, now)
        if is_overtaken:
            return self.guide()
        if forward is None:
            self.feed.put(PhonePicture(frame.jpeg, age))
        else:
            self._hand_on(forward, frame.jpeg, now - age)
        return self.guide()

    def received(self, video: VideoFile) -> int:
        """See `webui.contracts.phone.PhoneCamera`."""
        return self.inbox.received(video)

    def append(self, video: VideoFile, start: int, part: bytes) -> int:
        """See `webui.contracts.phone.PhoneCamera`."""
        return self.inbox.append(video, start, part)

    def _hand_on(self, forward: Forward, jpeg: bytes, taken_at: float) -> None:
        """Send the picture, or let it wait in place of an older one while another is on its way."""
        with self._lock:
            self._waiting = jpeg, taken_at
            if self._is_sending_on:
                return
            self._is_sending_on = True
        self._send_waiting(forward)

    def _send_waiting(self, forward: Forward) -> None:
        with self._lock:
            if forward is not self._forward:
                return
            waiting, self._waiting = self._waiting, None
            if waiting is None:
                self._is_sending_on = False
                return
        jpeg, taken_at = waiting
        sent = forward(PhonePicture(jpeg, self._clock() - taken_at))
        sent.add_done_callback(lambda _: self._send_waiting(forward))


def _hashed(session: str) -> str:
    return hashlib.sha256(session.encode()).hexdigest()
