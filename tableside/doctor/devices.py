"""Checks of the devices: cameras and what they see, and serial ports."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from engine.address import shown_address
from engine.arrays import Image
from hardware.ports import list_ports
from tableside.doctor.finding import Finding, Places, ok, problem, warning
from vision.board.locate import locate_board
from vision.errors import BoardNotFound, VisionError
from vision.sources.list_cameras import list_cameras
from vision.sources.open import open_source

LOOK_S: Final = 2.0
"""How long to look through a camera."""
SLOW_FPS: Final = 10.0
DARK: Final = 40
"""Mean gray level below which a picture is too dark."""
BRIGHT: Final = 250
MOST_BRIGHT: Final = 0.2
"""Share of pixels above `BRIGHT`, where nothing can be told apart."""
SHARP: Final = 6.0
"""Least standard deviation of the Laplacian over a board, in gray levels."""
SMALL: Final = 400
"""Least width of a board in pixels."""


def check_cameras(places: Places) -> Iterator[Finding]:
    """The cameras that are connected, and whether this user may open them."""
    cameras = list_cameras()
    if not cameras and places.camera is None:
        yield warning("no camera was found", "plug one in, or use a video or a stream")
    for camera in cameras:
        device = Path(f"/dev/video{camera.number}")
        if sys.platform == "linux" and device.exists() and not os.access(device, os.R_OK | os.W_OK):
            yield problem(
                f"no permission for camera {camera.number}",
                "run `sudo usermod -aG video $USER` and log in again",
            )
        else:
            yield ok(f"camera {camera.number}: {camera.name}")


def check_view(places: Places) -> Iterator[Finding]:
    """What the chosen camera sees: how often, how bright, how sharp, and whether it is a board."""
    if places.camera is None:
        return
    name = shown_address(places.camera)
    try:
        images, seconds = _look(places.camera)
    except VisionError as error:
        what, _, mend = str(error).partition("; ")
        yield problem(what, mend or "choose another with --camera")
        return
    if not images:
        yield problem(f"{name} delivers no picture", "close other programs that use it")
        return
    height, width = images[-1].shape[:2]
    fps = len(images) / max(seconds, 1e-6)
    rate = f"{name} delivers {width}x{height} at {fps:.0f} pictures a second"
    yield warning(rate, "add light, or choose a lower resolution") if fps < SLOW_FPS else ok(rate)
    yield from view_findings(images)


def _look(camera: str) -> tuple[list[Image], float]:
    """Pictures of some seconds, and how many seconds."""
    source, started = open_source(camera, realtime=True), time.monotonic()
    try:
        until = takewhile(lambda _: time.monotonic() - started < LOOK_S, source)
        images = [frame.image for frame in until]
    finally:
        source.close()
    return images, time.monotonic() - started


def view_findings(images: list[Image]) -> Iterator[Finding]:
    """What is wrong with the last of these pictures, BGR, and with all of them together."""
    image = images[-1]
    gray = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.uint8)
    if gray.mean() < DARK:
        yield problem("the picture is too dark", "add light, or take off the lens cap")
        return
    if (gray > BRIGHT).mean() > MOST_BRIGHT:
        yield problem("the picture is overexposed", "move the lamp, or lower the exposure")
        return
    if len(images) > 2 and all(np.array_equal(image, other) for other in images[:-1]):
        yield warning("the picture is frozen, or not a camera's", "plug the camera in again")
    try:
        board = locate_board(image)
    except BoardNotFound as error:
        what, _, mend = str(error).partition(": ")
        yield problem(what, mend)
        return
    corners = board.pose.corners()
    size = float(np.linalg.norm(corners[1] - corners[0]))
    if size < SMALL:
        yield warning(f"the board is {size:.0f} pixels wide", "bring the camera nearer")
    blur = float(cv2.Laplacian(_within(gray, corners), cv2.CV_32F).std())
    if blur < SHARP:
        yield warning("the picture is blurred", "clean the lens, or focus on the board")
    yield ok("the board is in view")


def _within(gray: Image, corners: np.ndarray) -> Image:
    """The part of the picture around the board."""
    left, top = np.maximum(corners.min(axis=0), 0).astype(int)
    right, bottom = corners.max(axis=0).astype(int)
    return gray[top:bottom, left:right]


def check_serial(_places: Places) -> Iterator[Finding]:
    """Serial ports that a dice cup may be on, and whether this user may open them."""
    for port in list_ports():
        if not port.is_likely:
            continue
        if sys.platform != "win32" and not os.access(port.url, os.R_OK | os.W_OK):
            yield problem(
                f"no permission for {port.url} ({port.name})",
                "run `sudo usermod -aG dialout $USER` and log in again",
            )
        else:
            yield ok(f"a dice cup may be on {port.url} ({port.name})")
