"""The set-up wizard: one thread opens a source, drains it and inspects the board now and then.

Commands only note what is wanted and the thread does it, so that no camera and no network can
block the page.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Final, Literal

import numpy as np

import samples
from calibration.profile import Profile
from engine.arrays import Image
from engine.message import join, msg
from engine.rules import find_rules
from tableside.recording.frame_queue import FrameQueue
from tableside.setup.inspect import Inspection, InspectionRequest, examine
from tableside.setup.last_setup import LastSetup, LastSetupStore
from tableside.setup.setup_state import before_part, found_part, game_of, read_part
from tableside.setup.thumbnails import Opener, Thumbnails, jpeg
from vision.errors import VisionError
from vision.reading.acquire import StillDetector
from vision.reading.overlay import draw_board
from vision.sources.camera import LiveSource
from vision.sources.frame import Frame
from vision.sources.list_cameras import CameraInfo, list_cameras
from vision.sources.liveness import SourceTimeouts
from vision.sources.open import open_source
from webui.contracts.setup import (
    BoardLocation,
    BoardReading,
    BoardRotation,
    GameChoice,
    OpenSource,
    Pixel,
    SetupRefused,
    SetupStage,
    SetupState,
)

TAKE_SECONDS: Final = 0.2
LOOK_SECONDS: Final = 1.0
"""Longest time between two inspections while no board is found."""
WATCHED_SECONDS: Final = 5.0
"""So long after a page's last request cameras are still opened for thumbnails."""
THUMBNAIL_SECONDS: Final = 2.0
"""Between two rounds of thumbnails."""
TIMEOUTS: Final = SourceTimeouts(first=6.0)
SAMPLE: Final = "sample"
OVER: Final = msg(
    "the film has ended, and the opening position was not read in it: begin the film where the "
    "board is set up"
)
NOT_READY: Final = msg("the board is not learnt yet: do what the page says, then start")
NO_BOARD: Final = msg("no board is seen yet: first the picture, then which way it lies")
GONE: Final = msg("the last board is no longer there: choose a camera")
BUSY: Final = msg("a match is being recorded: end it first")


@dataclass(frozen=True, slots=True)
class SetupChoice:
    """The choices made on the page, in terms of the command line."""

    camera: str | None
    """What `--camera` takes; None: no camera."""
    profile: Path | None
    """The board; None without a camera."""
    game: GameChoice
    is_new: bool
    """Whether a new match begins even if one of these players is open."""


class SetupWizard:
    """The `Wizard` of the set-up page; a context manager that runs its thread."""

    def __init__(
        self,
        shelf: LastSetupStore,
        game: GameChoice,
        *,
        known: Profile | None = None,
        is_unfinished: Callable[[GameChoice], bool] = lambda _: False,
        cameras: Callable[[], Sequence[CameraInfo]] = list_cameras,
        opener: Opener = open_source,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """`game` is what stands on the page at first; `known` the board that is expected."""
        self._known = known
        self._shelf, self._opener, self._clock = shelf, opener, clock
        self._is_unfinished = is_unfinished
        self._thumbnails = Thumbnails(cameras, opener, TIMEOUTS)
        self._news = threading.Condition()
        self._closed = threading.Event()
        self._stage: SetupStage = "choosing"
        self._error: str | None = None
        self._game = game
        self._before = shelf.last()
        self._address = ""
        self._is_told = False
        """Whether no camera is to watch."""
        self._wanted: str | None = None
        self._feed: FrameQueue | None = None
        self._asked = self._asked_for(game)
        self._forget_pictures()
        self._page_asked = -WATCHED_SECONDS
        self._thread = threading.Thread(target=self._run, name="workshop", daemon=True)

    def _forget_pictures(self) -> None:
        """Nothing is known of the source that comes next."""
        self._newest: tuple[int, Image] | None = None
        self._coded: tuple[tuple[int, int, bool], bytes] | None = None
        self._still = StillDetector(LOOK_SECONDS)
        self._is_asked, self._is_looking, self._is_held = True, False, False
        self._looks = 0
        self._learnt: Profile | None = None
        self._keep(Inspection())

    def _keep(self, seen: Inspection) -> None:
        self._examined = seen
        by_hand = self._asked.corners is not None
        self._found: BoardLocation | None = found_part(seen, by_hand=by_hand)
        self._read: BoardReading | None = read_part(seen, self._asked.position.course)
        self._looks += 1

    def __enter__(self) -> SetupWizard:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
        # A camera that hangs on opening does so for `TIMEOUTS` at most.
        self._thread.join(2 * TIMEOUTS.first)

    def close(self) -> None:
        """End the thread; from a signal or another thread."""
        self._closed.set()

    # --- for the page ---

    def state(self) -> SetupState:
        """The state that the page shows."""
        is_unfinished = self._is_unfinished(self._game)
        with self._news:
            self._page_asked = time.monotonic()
            seen, newest = self._examined, self._newest
            is_known = self._asked.known is not None
            return SetupState(
                stage=self._stage,
                error=self._error,
                cameras=self._thumbnails.seen(),
                is_listed=self._thumbnails.is_listed,
                source=self._opened(),
                picture=0 if newest is None else newest[0],
                size=None if newest is None else (newest[1].shape[1], newest[1].shape[0]),
                is_looking=self._is_looking,
                board=self._found,
                faults=[str(one) for one in seen.faults],
                warnings=[str(one) for one in seen.warnings],
                read=self._read,
                by_hand=self._is_told,
                ready=self._ready(is_known=is_known),
                is_known=is_known,
                game=self._game,
                is_unfinished=is_unfinished,
                before=before_part(self._before),
                turned=self._asked.home is not None,
            )

    def _ready(self, *, is_known: bool) -> Literal["learnt", "known", "told"] | None:
        if self._is_told:
            return "told"
        return None if self._learnt is None else "known" if is_known else "learnt"

    def _opened(self) -> OpenSource | None:
        if self._feed is None:
            return None
        source = self._feed.source
        fault = source.status.fault if isinstance(source, LiveSource) else None
        shown = None if fault is None else str(fault)
        return OpenSource(name=source.name, is_film=not source.is_live, fault=shown)

    def picture(self, *, plain: bool) -> bytes | None:
        """The newest picture, encoded once for all readers."""
        with self._news:
            newest, seen, coded = self._newest, self._examined, self._coded
            if newest is None:
                return None
            key = newest[0], self._looks, plain
        if coded is not None and coded[0] == key:
            return coded[1]
        grid = None if plain else seen.grid
        image = newest[1] if grid is None else draw_board(newest[1], grid, seen.counted)
        coded = key, jpeg(image)
        with self._news:
            self._coded = coded
        return coded[1]

    def thumbnail(self, camera: str) -> bytes | None:
        """A small picture of a camera in the list."""
        return self._thumbnails.picture(camera)

    def open_source(self, address: str) -> None:
        """Open the source; what is known of another one is forgotten."""
        self._open(str(samples.CLIP) if address == SAMPLE else address, self._known)

    def reopen_last(self) -> None:
        """Open the camera, the board and the game of the previous set-up."""
        last, profile = self._before, self._shelf.profile()
        if last is None or profile is None:
            raise SetupRefused(GONE)
        self.set_game(game_of(last))
        self._open(last.address, profile)

    def _open(self, address: str, known: Profile | None) -> None:
        with self._changing():
            self._asked = replace(self._asked_for(self._game), known=known)
            self._wanted, self._stage, self._is_told = address, "opening", False

    def use_no_camera(self) -> None:
        """Use no camera: everything is entered at the desk."""
        with self._changing():
            self._wanted, self._stage, self._is_told = "", "told", True

    def close_source(self) -> None:
        """Back to the choice of a camera."""
        with self._changing():
            self._wanted, self._stage, self._is_told = "", "choosing", False

    def set_corners(self, corners: Sequence[Pixel] | None) -> None:
        """Look for the board between these corners; None: anywhere."""
        with self._changing():
            points = None if corners is None else np.array(corners, float)
            self._ask(replace(self._asked, corners=points, known=None))
            self._keep(Inspection())

    def rotate_board(self, how: BoardRotation) -> None:
        """Move light's ace point to another corner, or to where the checkers indicate."""
        with self._changing():
            home = None if how == "auto" else self._other_home(how)
            self._ask(replace(self._asked, home=home, known=None))

    def _other_home(self, how: BoardRotation) -> tuple[float, float]:
        profile = self._examined.profile
        if profile is None:
            raise SetupRefused(NO_BOARD)
        x, y = profile.pose.corners()[2 if how == "swap" else 0]
        return float(x), float(y)

    def relearn_board(self) -> None:
        """Learn the present board instead of recognising the previous one."""
        with self._changing():
            self._ask(replace(self._asked, known=None))
            self._keep(Inspection())

    def set_game(self, game: GameChoice) -> None:
        """Store the choice; another variant has another opening position."""
        with self._changing():
            is_other = game["variant"] != self._game["variant"]
            self._game = game
            if is_other:
                asked = self._asked_for(game)
                self._ask(replace(self._asked, position=asked.position, variant=asked.variant))

    def start(self) -> None:
        """Store the set-up and let `wait` return it."""
        with self._changing():
            if not self._is_told:
                self._before = self._kept()
            self._stage = "starting"

    def _kept(self) -> LastSetup:
        """The set-up, stored for the next time."""
        if self._learnt is None or self._feed is None:
            raise SetupRefused(NOT_READY)
        last = self._now(self._feed.source.name)
        try:
            self._shelf.keep(last, self._learnt)
        except OSError as error:
            reason = error.strerror or str(error)
            kept = msg("the board cannot be kept: {reason}", reason=reason)
            raise SetupRefused(join([kept, msg("make room there")])) from error
        return last

    def _now(self, name: str) -> LastSetup:
        game = self._game
        return LastSetup(
            self._address, name, self._clock(), game["light"], game["dark"], game["length"],
            game["variant"], game["rules"],
        )  # fmt: skip

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """Accept a command, unless a match is being recorded."""
        with self._news:
            if self._stage in ("starting", "recording"):
                raise SetupRefused(BUSY)
            self._error = None
            yield
            self._news.notify_all()

    def _ask(self, asked: InspectionRequest) -> None:
        """Inspect the picture again by another request; what was learnt before is dropped."""
        self._asked, self._is_asked, self._learnt = asked, True, None

    @staticmethod
    def _asked_for(game: GameChoice) -> InspectionRequest:
        rules = find_rules(game["variant"])
        return InspectionRequest(rules.opening(), rules.name)

    # --- for the program ---

    def wait(self) -> SetupChoice | None:
        """Wait for the choice and release the source; None when closed."""
        with self._news:
            while self._stage != "starting":
                if self._closed.is_set():
                    return None
                self._news.wait(TAKE_SECONDS)
            can_go_on = self._is_told or self._asked.known is not None
            is_new = not (can_go_on and self._game["goes_on"])
            camera = None if self._is_told else self._address
            board = None if self._is_told else self._shelf.board
            choice = SetupChoice(camera, board, self._game, is_new)
        self._let_go()
        return choice

    def begun(self) -> None:
        """The match is being recorded."""
        with self._news:
            self._stage = "recording"

    def ended(self, error: str | None = None) -> None:
        """The match is over, or could not begin: another can be set up."""
        with self._news:
            self._stage, self._error, self._is_told = "choosing", error, False
            self._forget_pictures()

    # --- in the thread ---

    def _run(self) -> None:
        while not self._closed.is_set():
            with self._news:
                wanted, self._wanted = self._wanted, None
                stage, feed = self._stage, self._feed
            if wanted is not None:
                self._change_source(wanted)
            elif stage == "looking" and feed is not None:
                self._watch(feed)
            elif stage == "choosing" and self._is_watched:
                self._thumbnails.renew(self._has_word)
                self._pause(THUMBNAIL_SECONDS)
            else:
                self._pause(TAKE_SECONDS)
        self._let_go()

    @property
    def _is_watched(self) -> bool:
        return time.monotonic() - self._page_asked < WATCHED_SECONDS

    def _has_word(self) -> bool:
        return self._wanted is not None or self._closed.is_set()

    def _pause(self, seconds: float) -> None:
        with self._news:
            self._news.wait_for(self._has_word, seconds)

    def _let_go(self) -> None:
        with self._news:
            feed, self._feed = self._feed, None
        if feed is not None:
            feed.close()

    def _change_source(self, address: str) -> None:
        with self._news:
            feed, self._feed = self._feed, None
            self._address = address
            self._forget_pictures()
        if feed is not None:
            feed.close()
        if not address:
            return
        try:
            source = self._opener(address, realtime=True, timeouts=TIMEOUTS)
        except (VisionError, OSError) as error:
            self._fail(str(error))
            return
        with self._news:
            if not self._has_word():
                self._feed, self._stage = FrameQueue(source, self._show), "looking"
                return
        source.close()

    def _fail(self, why: str) -> None:
        with self._news:
            if not self._has_word():
                self._stage, self._error = "choosing", " ".join(why.split())

    def _show(self, frame: Frame) -> None:
        with self._news:
            if self._feed is None:  # let go while this picture was on its way
                return
            number = 1 if self._newest is None else self._newest[0] + 1
            self._newest = number, frame.image

    def _watch(self, feed: FrameQueue) -> None:
        """Take the next picture and inspect it if the board is still."""
        if self._is_held or (feed.is_over and not feed.source.is_live):
            self._stay(feed)
            return
        frame = feed.take(TAKE_SECONDS)
        if frame is not None and (self._still.is_worth_reading(frame) or self._is_asked):
            self._look(frame.image)
            # The rest of a video is the game: its opening has been seen.
            self._is_held = self._learnt is not None and not feed.source.is_live

    def _stay(self, feed: FrameQueue) -> None:
        """Keep the last picture of a video and inspect it again on request."""
        with self._news:
            newest, is_asked = self._newest, self._is_asked
            if feed.is_over and self._learnt is None and not is_asked:
                self._error = self._error or (str(OVER) if feed.error is None else str(feed.error))
        if is_asked and newest is not None:
            self._look(newest[1])
        else:
            self._pause(TAKE_SECONDS)

    def _look(self, image: Image) -> None:
        with self._news:
            asked, before = self._asked, self._examined
            self._is_asked, self._is_looking = False, True
        seen = examine(image, asked, before.located)
        self._still.report(is_found=seen.profile is not None)
        with self._news:
            self._is_looking = False
            if asked is not self._asked or self._has_word():
                return
            self._keep(seen)
            if seen.is_ready:
                self._learnt = seen.profile
