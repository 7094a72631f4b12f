"""The inspection of a board and the previous set-up as the page shows them."""

from __future__ import annotations

import numpy as np

from calibration.profile import Profile
from engine import Course
from engine.address import shown_address
from engine.arrays import Floats
from tableside.match.set_colours import set_colours
from tableside.setup.inspect import MIN_MATCHING, SET_UP, Inspection, vectors
from tableside.setup.last_setup import LastSetup
from vision.board.faults import farthest_die, narrowest_point
from vision.sources.camera import LiveSource
from vision.sources.frame import FrameSource
from vision.sources.list_cameras import camera_name
from webui.contracts.phone import PhoneGuide
from webui.contracts.setup import (
    BoardLocation,
    BoardReading,
    OpenSource,
    PreviousSetup,
    SetupStage,
)


def source_part(source: FrameSource) -> OpenSource:
    """The open source."""
    fault = source.status.fault if isinstance(source, LiveSource) else None
    return OpenSource(name=source.name, is_film=not source.is_live, fault=fault)


def found_part(inspection: Inspection, *, by_hand: bool) -> BoardLocation | None:
    """Where the board is, and how suitable the view is."""
    grid = inspection.grid
    if grid is None:
        return None
    return BoardLocation(
        corners=[(round(float(x), 1), round(float(y), 1)) for x, y in grid.pose.corners()],
        by_hand=by_hand,
        tilt=round(grid.pose.tilt, 1),
        die=round(farthest_die(grid), 1),
        point=round(narrowest_point(grid), 1),
        edges=0.0 if inspection.located is None else round(inspection.located.score, 2),
    )


def guide_part(
    stage: SetupStage, inspection: Inspection, size: tuple[int, int] | None
) -> PhoneGuide:
    """What a phone shows of its own pictures, of which the newest has this size."""
    grid = inspection.grid
    corners = None if grid is None else grid.pose.corners()
    return PhoneGuide(
        stage=stage,
        corners=[] if corners is None else [(float(x), float(y)) for x, y in corners.round(1)],
        size=size,
        tilt=None if grid is None else round(grid.pose.tilt, 1),
        level=None if corners is None else _level(corners),
        faults=list(inspection.faults),
        warnings=list(inspection.warnings),
        is_ready=inspection.is_ready,
    )


def _level(corners: Floats) -> float:
    """The angle in degrees by which the board is turned from the picture's sides, -45..45."""
    across, down = corners[1] - corners[0]
    angle = float(np.degrees(np.arctan2(down, across)))
    return round((angle + 45) % 90 - 45, 1)


def read_part(inspection: Inspection, course: Course) -> BoardReading | None:
    """What is on the board, and how it differs from the expected position."""
    if inspection.counted is None or inspection.profile is None:
        return None
    light, dark = vectors(inspection.counted, course)
    matching = 24 - len(inspection.differing)
    return BoardReading(
        position={"light": light, "dark": dark, "course": course.value},
        matching=matching,
        differences=list(inspection.differences),
        advice=SET_UP if inspection.differences else "",
        differing=list(inspection.differing),
        light_home="left" if inspection.profile.pose.mirrored else "right",
        # Learned at empty places, they would be the colors of the felt.
        colours=set_colours(inspection.profile) if matching >= MIN_MATCHING else None,
        upside_down=_is_upside_down(inspection.profile),
    )


def _is_upside_down(profile: Profile) -> bool:
    """Whether light's rail is at the top; never for a board that lies sideways."""
    corners = profile.pose.corners()
    light, dark = corners[:2].mean(axis=0), corners[2:].mean(axis=0)
    across, down = (float(part) for part in light - dark)
    return down < 0 and abs(down) > abs(across)


def before_part(last: LastSetup | None) -> PreviousSetup | None:
    """The previous set-up without the camera's address, which may hold a password."""
    if last is None:
        return None
    unnamed = camera_name(int(last.address)) if last.address.isdecimal() else None
    name = (
        unnamed if unnamed is not None and str(unnamed) == last.name else shown_address(last.name)
    )
    return PreviousSetup(name=name, when=last.when, game=last.game)
