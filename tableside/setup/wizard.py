"""The set-up wizard: choose a source, learn its board, start and record the match."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final, Literal

import numpy as np

import samples
from calibration.errors import BadProfile
from calibration.profile import Profile
from engine import NAMED_RULE_SETS, EngineError, NotNow
from engine.address import is_address, shown_address
from engine.message import Sentence, join, message_of, msg
from engine.rules import SHORT, find_rules
from tableside.errors import StoreError
from tableside.record.open_matches import OpenMatch
from tableside.review.unfinished import unfinished_match
from tableside.setup.inspect import Inspection, InspectionRequest
from tableside.setup.last_setup import LastSetup, LastSetupStore
from tableside.setup.setup_state import before_part, guide_part, source_part
from tableside.setup.source_inspector import POLL_SECONDS, SourceInspector
from tableside.setup.thumbnails import Opener
from tableside.site.phone_site import PhoneSite
from vision.sources.list_cameras import CameraInfo, list_cameras
from vision.sources.open import open_source
from vision.sources.phone_feed import PHONE
from webui.contracts.phone import PhoneGuide
from webui.contracts.setup import BoardRotation, GameChoice, Pixel, SetupRefused, SetupState
from webui.contracts.state import NO_PLACE, place_of
from webui.server import CannotListen

_LOGGER: Final = logging.getLogger(__name__)
SAMPLE: Final = "sample"
BOARD_NOT_READY: Final = msg(
    "the board is not learned yet: follow the steps on the page, then start"
)
NO_BOARD: Final = msg(
    "no board is in view yet: get a picture first, then choose how the board lies"
)
BOARD_GONE: Final = msg("the last board is no longer there: choose a camera")
NO_PHONE: Final = msg("a phone cannot be the camera here")
BOARD_IN_USE: Final = msg("a match is being recorded: end it first")
UNSAID: Final = GameChoice(
    light="Light",
    dark="Dark",
    length=0,
    variant=SHORT.name,
    rules="",
    options={},
    goes_on=True,
    place=NO_PLACE,
)
"""The game if nobody has said anything about it."""


@dataclass(frozen=True, slots=True)
class SetupChoice:
    """The choices made on the page, in terms of the command line."""

    camera: str | None
    """The value for `--camera`; None for no camera."""
    profile: Path | None
    """The board; None without a camera."""
    game: GameChoice
    is_new: bool
    """Whether to begin a new match even if these players have an open one."""
    resumed: int | None = None
    """The unfinished match that was chosen to go on."""


def _none_unfinished(match: int) -> OpenMatch:
    raise NotNow(msg("there is no match {number} in the record", number=match))


class SetupWizard:
    """The `Wizard` of the set-up page; a context manager while its source may be open.

    Its stage is that of `SourceInspector`: a command moves it from `choosing` to `opening`, and it
    is `looking` once the source delivers, or `manual` without a camera. Then it is `starting`, and
    `recording` until the match has ended.
    """

    def __init__(
        self,
        store: LastSetupStore,
        game: GameChoice,
        *,
        known: Profile | None = None,
        is_unfinished: Callable[[GameChoice], bool] = lambda _: False,
        unfinished: Callable[[int], OpenMatch] = _none_unfinished,
        cameras: Callable[[], Sequence[CameraInfo]] = list_cameras,
        opener: Opener = open_source,
        phone: PhoneSite | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """`game` is what the page shows first; `known` is the board that is expected.

        unfinished: the unfinished match of a number; raises `EngineError` if it cannot go on.
        phone: what lets a phone be the camera.
        """
        self._store, self._game, self._known = store, game, known
        self._is_unfinished, self._unfinished, self._clock = is_unfinished, unfinished, clock
        self._resumed: OpenMatch | None = None
        """The unfinished match that was chosen to go on."""
        self._last = store.last()
        self._is_manual = False
        """Whether no camera is used."""
        self._phone = phone
        if phone is not None:
            opener = partial(opener, phone=phone.relay.feed)
        self._source = SourceInspector(_request_for(game), cameras, opener)

    def __enter__(self) -> SetupWizard:
        self._source.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
        self._source.join()

    def close(self) -> None:
        """End the set-up; may be called from a signal handler or another thread."""
        self._source.close()

    # --- for the page ---

    def state(self) -> SetupState:
        """The state that the page shows."""
        is_unfinished = self._is_unfinished(self._game)
        phone = None if self._phone is None else self._phone.part()
        source = self._source
        with source.changed:
            source.page_polled_at = time.monotonic()
            newest, inspection = source.newest, source.inspection
            return SetupState(
                stage=source.stage,
                error=source.error,
                cameras=source.thumbnails.entries(),
                is_listed=source.thumbnails.is_listed,
                source=None if source.frames is None else source_part(source.frames.source),
                picture=0 if newest is None else newest[0],
                size=None if newest is None else (newest[1].shape[1], newest[1].shape[0]),
                is_looking=source.is_inspecting,
                board=source.board,
                faults=list(inspection.faults),
                warnings=list(inspection.warnings),
                read=source.reading,
                by_hand=self._is_manual,
                ready=self._ready,
                is_known=source.request.known_profile is not None,
                game=self._game,
                is_unfinished=is_unfinished,
                resumed=None if self._resumed is None else unfinished_match(self._resumed),
                before=before_part(self._last),
                phone=phone,
                turned=source.request.home is not None,
            )

    def guide(self) -> PhoneGuide:
        """What the phone shows of its own pictures."""
        source = self._source
        with source.changed:
            size = None if source.newest is None else source.newest[1].shape[1::-1]
            is_open = source.stage == "looking"
            return guide_part(source.stage, source.inspection if is_open else Inspection(), size)

    @property
    def _ready(self) -> Literal["learnt", "known", "manual"] | None:
        if self._is_manual:
            return "manual"
        if self._source.learnt is None:
            return None
        return "learnt" if self._source.request.known_profile is None else "known"

    def picture(self, *, plain: bool) -> bytes | None:
        """The newest picture as JPEG, with the board drawn on it unless `plain`."""
        return self._source.picture(plain=plain)

    def thumbnail(self, camera: str) -> bytes | None:
        """A small picture of a camera in the list."""
        return self._source.thumbnails.picture(camera)

    def open_source(self, address: str) -> None:
        """Open the source; what is known of any other is forgotten."""
        path = str(samples.CLIP) if address == SAMPLE else address
        self._open(path, self._own_board() or self._known)

    def _own_board(self) -> Profile | None:
        """The board of the match that goes on; None if it has none, or cannot be read."""
        if self._resumed is None:
            return None
        try:
            return Profile.load(self._store.board_of(self._resumed.entry.id))
        except BadProfile:
            return None

    def reopen_last(self) -> None:
        """Open the camera, the board and the game of the previous set-up."""
        last, profile = self._last, self._store.profile()
        if last is None or profile is None:
            raise SetupRefused(BOARD_GONE)
        self.set_game(last.game)
        self._open(last.address, profile)

    def resume(self, match: int | None) -> None:
        """Go on with an unfinished match; None for another match.

        Without a camera it can start; otherwise its camera is opened, if its address is known.
        """
        if match is None:
            with self._changing():
                self._resumed = None
            return
        try:
            found = self._unfinished(match)
        except (EngineError, StoreError) as error:
            raise SetupRefused(message_of(error)) from error
        self.set_game(_game_of(found, self._game))
        with self._changing():
            self._resumed = found
        if found.is_by_hand:
            self.use_no_camera()
        elif (address := self._address_of(found)) is not None:
            self.open_source(address)

    def _address_of(self, match: OpenMatch) -> str | None:
        """The address of its camera; None if it was stored without what opens it."""
        last, source = self._last, match.entry.source
        if last is not None and shown_address(last.address) == source:
            return last.address
        return None if is_address(source) and source != PHONE else source

    def _open(self, address: str, known: Profile | None) -> None:
        with self._changing() as source:
            source.inspect(replace(_request_for(self._game), known_profile=known))
            source.open(address)
            self._is_manual = False

    def invite_phone(self) -> None:
        """Make a new invitation for a phone; that of before is void."""
        if self._phone is None:
            raise SetupRefused(NO_PHONE)
        try:
            self._phone.invite()
        except (CannotListen, OSError) as error:
            why = msg("the camera page cannot be served: {reason}", reason=str(error))
            raise SetupRefused(why) from error

    def send_phone_away(self) -> None:
        """End the session of the phone, which may send nothing from then on."""
        if self._phone is not None:
            self._phone.relay.send_away()

    def use_no_camera(self) -> None:
        """Use no camera: everything is entered at the desk; unless it was said, play as last."""
        last = self._store.game_by_hand()
        with self._changing() as source:
            source.close_source("manual")
            self._is_manual = True
            is_said = self._resumed is not None
            if not is_said and last is not None and {**self._game, "goes_on": True} == UNSAID:
                self._game = {**last, "goes_on": self._game["goes_on"]}

    def close_source(self) -> None:
        """Return to the choice of a camera."""
        with self._changing() as source:
            source.close_source("choosing")
            self._is_manual = False

    def set_corners(self, corners: Sequence[Pixel] | None) -> None:
        """Look for the board between these corners; None for anywhere."""
        with self._changing() as source:
            points = None if corners is None else np.array(corners, float)
            request = replace(source.request, corners=points, known_profile=None)
            source.inspect(request, is_other_board=True)

    def rotate_board(self, how: BoardRotation) -> None:
        """Move light's ace point to another corner, or to where the checkers indicate."""
        with self._changing() as source:
            home: Pixel | None = None
            if how != "auto":
                if source.inspection.profile is None:
                    raise SetupRefused(NO_BOARD)
                x, y = source.inspection.profile.pose.corners()[2 if how == "swap" else 0]
                home = float(x), float(y)
            source.inspect(replace(source.request, home=home, known_profile=None))

    def relearn_board(self) -> None:
        """Learn the current board instead of recognizing the previous one."""
        with self._changing() as source:
            source.inspect(replace(source.request, known_profile=None), is_other_board=True)

    def set_game(self, game: GameChoice) -> None:
        """Store the choice; another variant has another starting position."""
        with self._changing() as source:
            is_other = game["variant"] != self._game["variant"]
            self._game, self._resumed = game, None
            if is_other:
                new = _request_for(game)
                source.inspect(replace(source.request, position=new.position, variant=new.variant))

    def start(self) -> None:
        """Store the set-up and let `wait` return it."""
        with self._changing() as source:
            if self._is_manual:
                self._store_game()
            else:
                self._last = self._store_setup(source)
            source.stage = "starting"

    def _store_game(self) -> None:
        try:
            self._store.keep_by_hand(self._game, self._clock())
        except OSError as error:  # it only saves typing
            _LOGGER.warning("the set-up was not stored for next time: %s", error)

    def _store_setup(self, source: SourceInspector) -> LastSetup:
        """The set-up, stored for next time."""
        if source.learnt is None or source.frames is None:
            raise SetupRefused(BOARD_NOT_READY)
        game: GameChoice = {**self._game, "goes_on": True}
        last = LastSetup(source.address, str(source.frames.source.name), self._clock(), game)
        try:
            self._store.keep(last, source.learnt)
        except OSError as error:
            reason = error.strerror or str(error)
            kept = msg("the board cannot be saved: {reason}", reason=reason)
            raise SetupRefused(join([kept, msg("free some space there")])) from error
        return last

    @contextmanager
    def _changing(self) -> Iterator[SourceInspector]:
        """Accept a command, unless a match is being recorded."""
        source = self._source
        with source.changed:
            if source.stage in ("starting", "recording"):
                raise SetupRefused(BOARD_IN_USE)
            source.error = None
            yield source
            source.changed.notify_all()

    # --- for the program ---

    def wait(self) -> SetupChoice | None:
        """Wait for the choice and release the source; None when closed."""
        source = self._source
        with source.changed:
            while source.stage != "starting":
                if source.is_closed:
                    return None
                source.changed.wait(POLL_SECONDS)
            resumed = self._resumed
            may_resume = self._is_manual or source.request.known_profile is not None
            choice = SetupChoice(
                None if self._is_manual else source.address,
                None if self._is_manual else self._store.board,
                self._game,
                is_new=not (may_resume and self._game["goes_on"]),
                resumed=None if resumed is None else resumed.entry.id,
            )
        source.release()
        return choice

    def begun(self) -> None:
        """Note that the match is being recorded."""
        with self._source.changed:
            self._source.stage = "recording"

    def ended(self, error: Sentence | None = None) -> None:
        """Note that the match is over or could not begin: another can be set up."""
        source = self._source
        with source.changed:
            source.stage, source.error, self._is_manual = "choosing", error, False
            self._resumed = None
            source.forget()


def _game_of(match: OpenMatch, chosen: GameChoice) -> GameChoice:
    """What is played in an unfinished match, and by whom.

    Its rules are in the record once a game has begun; before that, those chosen here remain.
    """
    state = match.state
    is_chosen_here = not state.games and state.variant == chosen["variant"]
    name = state.rule_set.name
    return GameChoice(
        light=state.light,
        dark=state.dark,
        length=state.length,
        variant=state.variant,
        rules=chosen["rules"] if is_chosen_here else name if name in NAMED_RULE_SETS else "",
        options=chosen["options"] if is_chosen_here else {},
        goes_on=True,
        place=place_of(state.place) or NO_PLACE,
    )


def _request_for(game: GameChoice) -> InspectionRequest:
    rules = find_rules(game["variant"])
    return InspectionRequest(rules.opening(), rules.name)
