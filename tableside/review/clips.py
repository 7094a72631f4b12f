"""Clips of doubtful moments: what the camera saw before and after each.

The newest seconds wait in memory as small JPEGs, which a thread with a low priority makes; a
process of its own makes a video of them when an event needs one. Whatever is late is left out:
sight waits for none of this.
"""

from __future__ import annotations

import importlib.util
import json
import logging
import os
import queue
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from math import inf
from pathlib import Path
from subprocess import PIPE
from typing import Final, Protocol

import cv2

from engine import Event, PlayMade, SetUpError, Unfinished, Unseen
from engine.events.cup import CupDisagrees
from engine.events.match import DiceVoid
from tableside.background import apart
from tableside.paths import own_folder, private_file
from tableside.record.disk import refuse_if_low
from vision.sources.frame import Frame

BEFORE_SECONDS: Final = 4.0
AFTER_SECONDS: Final = 2.0
RING_SECONDS: Final = 12.0
"""How long pictures wait: an event is recorded some readings after its moment."""
RING_BYTES: Final = 32 << 20
"""Limit for the waiting pictures; those of a camera take a third of it."""
FRAME_SECONDS: Final = 0.08
"""Minimum interval between two pictures of a clip."""
WIDTH: Final = 960
"""Pixels; a die's pips are still visible."""
JPEG_QUALITY: Final = 82
MAX_LATE: Final = 4
"""Pictures that may wait for their JPEG before one is left out."""
MAX_WAITING: Final = 4
"""Clips that may wait to be encoded before one is left out."""
MAX_CLIPS: Final = 100
"""Clips of a match: 100 MB at most; the oldest make room."""
ENCODING_SECONDS: Final = 60.0
CLOSING_SECONDS: Final = 3.0
"""How long the end of a match waits for its last clips; one takes a second."""
ENCODER: Final = (sys.executable, "-m", "tableside.review.clip_encoder")
_LOWER: Final = 10
"""By how much the thread's priority is lowered, where threads have their own."""
_LOGGER: Final = logging.getLogger(__name__)

Pictures = Sequence[tuple[float, bytes]]
"""JPEGs, each with its time in seconds."""


def can_encode() -> bool:
    """Whether PyAV is installed; loads nothing."""
    return importlib.util.find_spec("av") is not None


def is_doubtful(event: Event) -> bool:
    """Whether the moment of an event may be looked at again."""
    match event:
        case PlayMade():
            return not event.legal or event.review or bool(event.uncertainties)
        case DiceVoid() | CupDisagrees() | Unfinished() | SetUpError() | Unseen():
            return True
        case _:
            return False


def clip_path(folder: Path, frame: int) -> Path:
    """The clip of an event at this frame, in the folder of the match's stills."""
    return folder / f"{frame:06}.mp4"


def _frame(clip: Path) -> int:
    return int(clip.stem)


class Encoder(Protocol):
    """Writes clips, one at a time."""

    def write(self, pictures: Pictures, path: Path) -> None:
        """Write a clip; raises `OSError` or `SubprocessError`, also if it was stopped."""

    def stop(self) -> None:
        """Write no more clips, and break off the one that another thread is writing."""


class ProcessEncoder:
    """An `Encoder` that starts a process for each clip."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._is_stopped = False

    def write(self, pictures: Pictures, path: Path) -> None:
        """See `Encoder`."""
        head = json.dumps([[seconds, len(jpeg)] for seconds, jpeg in pictures]).encode()
        given = b"".join([head, b"\n", *(jpeg for _, jpeg in pictures)])
        command = (*ENCODER, str(path))
        with subprocess.Popen(command, stdin=PIPE, stdout=PIPE, stderr=PIPE, **apart()) as process:
            self._process = process
            try:
                if self._is_stopped:  # before it could be seen here
                    process.kill()
                _, said = process.communicate(given, ENCODING_SECONDS)
            finally:
                process.kill()
                self._process = None
        if process.returncode:
            raise subprocess.CalledProcessError(process.returncode, ENCODER, stderr=said)

    def stop(self) -> None:
        """See `Encoder`."""
        self._is_stopped = True
        process = self._process
        if process is not None:
            process.kill()


@dataclass(frozen=True, slots=True)
class _Moment:
    frame: int
    seconds: float


class ClipRecorder:
    """Receives every frame and event of a match in play, and leaves clips in `folder`."""

    def __init__(self, folder: Path, encoder: Encoder | None = None) -> None:
        self.folder = folder
        self._encoder = encoder or ProcessEncoder()
        self._due_at, self._unseen_until = -inf, -inf
        self._taken: set[int] = set()
        self._todo: queue.SimpleQueue[Frame | _Moment | None] = queue.SimpleQueue()
        self._ring: deque[tuple[float, bytes]] = deque()
        self._ring_bytes = 0
        self._moments: list[_Moment] = []
        self._encoders = ThreadPoolExecutor(1, "clips")
        self._is_closing = False
        self._encoding: deque[Future[None]] = deque()
        self._thread: threading.Thread | None = None

    def add(self, frame: Frame) -> None:
        """Note a picture; returns at once."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="clip pictures", daemon=True)
            self._thread.start()
        if frame.seconds >= self._due_at and self._todo.qsize() < MAX_LATE:
            self._due_at = frame.seconds + FRAME_SECONDS
            self._todo.put(frame)

    def keep(self, events: Sequence[Event]) -> None:
        """Have clips made of the doubtful moments; returns at once."""
        for event in events:
            goes_on = isinstance(event, Unseen) and event.start <= self._unseen_until
            if isinstance(event, Unseen):
                self._unseen_until = event.end
            if is_doubtful(event) and not goes_on and event.frame not in self._taken:
                self._taken.add(event.frame)
                self._todo.put(_Moment(event.frame, event.time))

    def close(self) -> None:
        """Make the clips that are still to be made, of the pictures there are, if time allows.

        Afterwards nothing is written any more.
        """
        if self._thread is not None:
            self._todo.put(None)
            self._thread.join()
        late = wait(self._encoding, CLOSING_SECONDS).not_done
        if late:
            _LOGGER.warning("%d clips are left out: the match has ended", len(late))
        self._is_closing = True
        self._encoders.shutdown(wait=False, cancel_futures=True)
        self._encoder.stop()
        self._encoders.shutdown()

    def _run(self) -> None:
        if sys.platform == "linux":  # there, threads have priorities of their own
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _LOWER)
        while (item := self._next()) is not None:
            if isinstance(item, Frame):
                self._make(item.seconds - AFTER_SECONDS)  # before it displaces old pictures
                self._hold(item)
            else:
                self._moments.append(item)
        self._make(inf)

    def _next(self) -> Frame | _Moment | None:
        """What to do next; meanwhile, if no pictures come, the clips of those there are."""
        if self._moments:
            try:
                return self._todo.get(timeout=AFTER_SECONDS)
            except queue.Empty:  # play is paused, or the camera is away
                self._make(inf)
        return self._todo.get()

    def _hold(self, frame: Frame) -> None:
        jpeg = _small_jpeg(frame)
        self._ring.append((frame.seconds, jpeg))
        self._ring_bytes += len(jpeg)
        oldest = frame.seconds - RING_SECONDS
        while self._ring[0][0] < oldest or self._ring_bytes > RING_BYTES:
            self._ring_bytes -= len(self._ring.popleft()[1])

    def _make(self, until: float) -> None:
        """Make the clips of the moments before a time."""
        ready = [moment for moment in self._moments if moment.seconds < until]
        self._moments = [moment for moment in self._moments if moment.seconds >= until]
        for moment in ready:
            first, last = moment.seconds - BEFORE_SECONDS, moment.seconds + AFTER_SECONDS
            shown = [one for one in self._ring if first <= one[0] <= last]
            if len(shown) > 1:
                self._submit(shown, clip_path(self.folder, moment.frame))

    def _submit(self, pictures: Pictures, path: Path) -> None:
        while self._encoding and self._encoding[0].done():
            self._encoding.popleft()
        if len(self._encoding) >= MAX_WAITING:
            _LOGGER.warning("%s is left out: too many clips at once", path.name)
            return
        self._encoding.append(self._encoders.submit(self._write, pictures, path))

    def _write(self, pictures: Pictures, path: Path) -> None:
        part = path.with_suffix(".part")
        try:
            refuse_if_low(self.folder)
            own_folder(self.folder)
            private_file(part)
            self._encoder.write(pictures, part)
            part.replace(path)
            for oldest in sorted(self.folder.glob("*.mp4"), key=_frame)[:-MAX_CLIPS]:
                oldest.unlink()
        except subprocess.CalledProcessError as error:
            if self._is_closing:  # it was stopped, and has been counted as left out
                return
            lines = error.stderr.decode(errors="replace").splitlines()
            _LOGGER.warning("a clip cannot be made: %s", lines[-1] if lines else error)
        except (OSError, subprocess.SubprocessError) as error:
            _LOGGER.warning("a clip cannot be saved in %s: %s", self.folder, error)
        finally:
            part.unlink(missing_ok=True)


def clip_recorder(folder: Path) -> ClipRecorder | None:
    """What makes the clips of a match; None if PyAV is missing, which `tableside doctor` says."""
    if not can_encode():
        _LOGGER.info("no clips are made: PyAV is not installed")
        return None
    return ClipRecorder(folder)


def _small_jpeg(frame: Frame) -> bytes:
    """The picture at the size of a clip, with an even width and height as H.264 needs them."""
    height, width = frame.image.shape[:2]
    scale = min(1.0, WIDTH / width)
    size = int(width * scale) // 2 * 2, int(height * scale) // 2 * 2
    # Exact averages would take three times as long, and are seen only in a much smaller picture.
    how = cv2.INTER_AREA if scale <= 0.5 else cv2.INTER_LINEAR
    small = cv2.resize(frame.image, size, interpolation=how)
    return bytes(cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])[1])
