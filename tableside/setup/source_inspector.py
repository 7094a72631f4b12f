"""The source of pictures during set-up, and the board that is seen in them.

One thread opens the source, drains it and inspects the board now and then. Commands only note what
is wanted, so that no camera or network can block the page.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import Final

from calibration.profile import Profile
from engine.arrays import Image
from engine.message import Sentence, message_of, msg
from tableside.recording.frame_queue import FrameQueue
from tableside.recording.preview import encode_jpeg
from tableside.setup.inspect import Inspection, InspectionRequest, inspect_picture
from tableside.setup.setup_state import found_part, read_part
from tableside.setup.thumbnails import Opener, Thumbnails
from vision.errors import VisionError
from vision.reading.acquire import StillDetector
from vision.reading.overlay import draw_board
from vision.sources.frame import Frame
from vision.sources.list_cameras import CameraInfo
from vision.sources.liveness import SourceTimeouts
from webui.contracts.setup import BoardLocation, BoardReading, SetupStage

POLL_SECONDS: Final = 0.2
"""Longest wait for a frame or a command."""
MAX_PAUSE_SECONDS: Final = 1.0
"""Longest time between two inspections while no board is found."""
WATCHED_SECONDS: Final = 5.0
"""Seconds after a page's last request during which cameras are still opened for thumbnails."""
THUMBNAIL_SECONDS: Final = 2.0
"""Pause between two rounds of thumbnails."""
TIMEOUTS: Final = SourceTimeouts(first=6.0)
OVER: Final = msg(
    "the video ended before the starting position was read: use one that begins with the board set "
    "up"
)


class SourceInspector:
    """Opens the requested source and inspects its board, once `start` has been called.

    `changed` is held wherever its attributes are read or changed.
    """

    def __init__(
        self,
        request: InspectionRequest,
        cameras: Callable[[], Sequence[CameraInfo]],
        opener: Opener,
    ) -> None:
        self.changed = threading.Condition()
        self.thumbnails = Thumbnails(cameras, opener, TIMEOUTS)
        self.stage: SetupStage = "choosing"
        """The step of the set-up: a source is inspected while `looking`, thumbnails are taken
        while `choosing`."""
        self.error: Sentence | None = None
        """Why the source could not be opened, or its board could not be learned."""
        self.address = ""
        """The address of the last source opened."""
        self.frames: FrameQueue | None = None
        """The frames of the open source."""
        self.request = request
        self.page_polled_at = -WATCHED_SECONDS
        """When the page last requested the state."""
        self._opener = opener
        self._wanted: str | None = None
        self._closed = threading.Event()
        self.forget()
        self._thread = threading.Thread(target=self._run, name="setup", daemon=True)

    def forget(self) -> None:
        """Forget the source's pictures and what was seen in them."""
        self.newest: tuple[int, Image] | None = None
        """The newest picture and its number."""
        self.learnt: Profile | None = None
        """The board, once a match can begin with it."""
        self.is_inspecting = False
        self._encoded: tuple[tuple[int, Inspection, bool], bytes] | None = None
        self._still = StillDetector()
        self._is_requested, self._is_held = True, False
        self._keep(Inspection())

    def _keep(self, inspection: Inspection) -> None:
        self.inspection = inspection
        by_hand = self.request.corners is not None
        self.board: BoardLocation | None = found_part(inspection, by_hand=by_hand)
        self.reading: BoardReading | None = read_part(inspection, self.request.position.course)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def close(self) -> None:
        """Make the thread end; may be called from a signal handler."""
        self._closed.set()

    @property
    def is_closed(self) -> bool:
        """Whether the thread has been told to end."""
        return self._closed.is_set()

    def join(self) -> None:
        """Wait for the end of the thread."""
        # A camera that hangs while it is opened does so for at most `TIMEOUTS`.
        self._thread.join(2 * TIMEOUTS.first)

    def open(self, address: str) -> None:
        """Request that another source be opened instead of this one."""
        self._wanted, self.stage = address, "opening"

    def close_source(self, stage: SetupStage) -> None:
        """Request that the source be closed, and go to `stage`."""
        self._wanted, self.stage = "", stage

    def inspect(self, request: InspectionRequest, *, is_other_board: bool = False) -> None:
        """Inspect the picture again; what was learned is dropped.

        is_other_board: whether to drop what was seen as well.
        """
        self.request, self._is_requested, self.learnt = request, True, None
        if is_other_board:
            self._keep(Inspection())

    def picture(self, *, plain: bool) -> bytes | None:
        """The newest picture as JPEG, encoded once for all readers; None before any."""
        with self.changed:
            newest, inspection, encoded = self.newest, self.inspection, self._encoded
        if newest is None:
            return None
        key = newest[0], inspection, plain
        if encoded is not None and encoded[0] == key:
            return encoded[1]
        grid = None if plain else inspection.grid
        image = newest[1] if grid is None else draw_board(newest[1], grid, inspection.counted)
        jpeg = encode_jpeg(image)
        with self.changed:
            self._encoded = key, jpeg
        return jpeg

    def release(self) -> None:
        """Close the source at once."""
        with self.changed:
            frames, self.frames = self.frames, None
        if frames is not None:
            frames.close()

    # --- in the thread ---

    def _run(self) -> None:
        while not self._closed.is_set():
            with self.changed:
                wanted, self._wanted = self._wanted, None
                stage, frames = self.stage, self.frames
            is_watched = time.monotonic() - self.page_polled_at < WATCHED_SECONDS
            if wanted is not None:
                self._change_source(wanted)
            elif stage == "looking" and frames is not None:
                self._watch(frames)
            elif stage == "choosing" and is_watched:
                self.thumbnails.renew(self._is_interrupted)
                self._pause(THUMBNAIL_SECONDS)
            else:
                self._pause(POLL_SECONDS)
        self.release()

    def _is_interrupted(self) -> bool:
        return self._wanted is not None or self._closed.is_set()

    def _pause(self, seconds: float) -> None:
        with self.changed:
            self.changed.wait_for(self._is_interrupted, seconds)

    def _change_source(self, address: str) -> None:
        with self.changed:
            frames, self.frames = self.frames, None
            self.address = address
            self.forget()
        if frames is not None:
            frames.close()
        if not address:
            return
        try:
            source = self._opener(address, realtime=True, timeouts=TIMEOUTS)
        except (VisionError, OSError) as error:
            with self.changed:
                if not self._is_interrupted():
                    self.stage, self.error = "choosing", message_of(error)
            return
        with self.changed:
            if not self._is_interrupted():
                self.frames, self.stage = FrameQueue(source, self._show), "looking"
                return
        source.close()

    def _show(self, frame: Frame) -> None:
        with self.changed:
            if self.frames is None:  # released while this picture was in transit
                return
            number = 1 if self.newest is None else self.newest[0] + 1
            self.newest = number, frame.image

    def _watch(self, frames: FrameQueue) -> None:
        """Take the next picture, and inspect it if the board is still."""
        if self._is_held or (frames.is_over and not frames.source.is_live):
            self._inspect_last(frames)
            return
        frame = frames.take(POLL_SECONDS)
        if frame is not None and (self._still.is_worth_reading(frame) or self._is_requested):
            self._inspect(frame.image)
            # The rest of a video is the game: its starting position has been seen.
            self._is_held = self.learnt is not None and not frames.source.is_live

    def _inspect_last(self, frames: FrameQueue) -> None:
        """Keep the last picture of a video and inspect it again on request."""
        with self.changed:
            newest, is_requested = self.newest, self._is_requested
            if frames.is_over and self.learnt is None and not is_requested:
                ended = OVER if frames.error is None else message_of(frames.error)
                self.error = self.error or ended
        if is_requested and newest is not None:
            self._inspect(newest[1])
        else:
            self._pause(POLL_SECONDS)

    def _inspect(self, image: Image) -> None:
        with self.changed:
            request, located = self.request, self.inspection.located
            self._is_requested, self.is_inspecting = False, True
        inspection = inspect_picture(image, request, located)
        if inspection.profile is None:
            self._still.look_rarely(MAX_PAUSE_SECONDS)
        else:
            self._still.look_often()
        with self.changed:
            self.is_inspecting = False
            if request is not self.request or self._is_interrupted():
                return
            self._keep(inspection)
            if inspection.is_ready:
                self.learnt = inspection.profile
