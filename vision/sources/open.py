"""Opens a source of frames: a camera, a network stream, a video, an image or a folder."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import cv2

from engine.address import shown_address
from engine.message import Message, join, msg
from vision.errors import SourceError
from vision.sources.camera import LiveSource
from vision.sources.camera_format import open_camera
from vision.sources.files import IMAGE_SUFFIXES, ImageFiles, PacedSource, VideoFile
from vision.sources.frame import Capture, FrameSource, read_image, silence_opencv
from vision.sources.list_cameras import camera_name
from vision.sources.liveness import STREAM, SourceTimeouts
from vision.sources.phone import phone_source
from vision.sources.phone_feed import PHONE, PhoneFeed
from vision.sources.sequence import VideoSequence

OpenCapture = Callable[[str | int], Capture]
"""Opens a camera index or URL; passed in so that tests need no device."""

CAMERA_ADVICE: Final = {
    "darwin": join(
        (
            msg(
                "allow the terminal that runs Tableside under System Settings, Privacy & "
                "Security, Camera, and start it again"
            ),
            msg("or close the program that uses the camera"),
        )
    ),
    "win32": msg(
        "under Settings, Privacy & security, Camera, let desktop apps use the camera, and close "
        "any program that is using it, such as Teams, Zoom or OBS"
    ),
}
"""What to do about a silent camera on systems that do not report why."""

_URL: Final = re.compile(r"(?P<scheme>[a-z][a-z0-9+.-]+)://.+", re.IGNORECASE)
_SCHEMES: Final = frozenset({"http", "https", "rtsp", "rtsps", "rtmp", "udp", "tcp"})
_URL_OPEN_MS: Final = 4000
_URL_READ_MS: Final = 1500


def open_capture(device: str | int) -> Capture:
    """OpenCV's capture for a camera index (with a requested format) or a URL (with deadlines)."""
    if isinstance(device, int):
        return open_camera(device)
    limits = [
        *(cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, _URL_OPEN_MS),
        *(cv2.CAP_PROP_READ_TIMEOUT_MSEC, _URL_READ_MS),
    ]
    return cv2.VideoCapture(device, cv2.CAP_FFMPEG, limits)


def open_source(
    text: str,
    *,
    realtime: bool = False,
    min_fps: float | None = None,
    capture: OpenCapture = open_capture,
    timeouts: SourceTimeouts | None = None,
    devices: Path = Path("/dev"),
    waits: bool = False,
    phone: PhoneFeed | None = None,
) -> FrameSource:
    """The frames that `text` names, ready to be read.

    A number is a camera, `scheme://...` a network stream, `phone:` what comes from `phone`,
    anything else a video, an image or a folder of images; `realtime` yields a file's frames at
    their original pace; in a video, pictures are left out while `min_fps` per second remain;
    `waits` accepts a stream that sends nothing yet, whose `status` then says so. Raises
    `SourceError` with one line that says what to do.
    """
    silence_opencv()
    url = _URL.fullmatch(text)
    if text.isdecimal():
        return _open_camera(int(text), capture, timeouts, devices)
    if text == PHONE:
        return phone_source(phone)
    if url:
        return _open_url(text, url["scheme"].lower(), capture, timeouts, waits)
    recorded = _open_recorded(Path(text).expanduser(), min_fps)
    return PacedSource(recorded) if realtime else recorded


def open_videos(paths: Sequence[str], *, min_fps: float | None = None) -> FrameSource:
    """The frames of one recording: what `open_source` opens, or several video files in order.

    Raises `SourceError` if one of several is not a readable video file.
    """
    if len(paths) == 1:
        return open_source(paths[0], min_fps=min_fps)
    return VideoSequence([_open_video(Path(path).expanduser(), min_fps) for path in paths])


def _open_video(path: Path, min_fps: float | None) -> VideoFile:
    source = _open_recorded(path, min_fps)
    if not isinstance(source, VideoFile):
        other = msg("{path} is not a video", path=str(path))
        raise SourceError(join((other, msg("only videos can be several parts of one match"))))
    return source


def _open_recorded(path: Path, min_fps: float | None) -> FrameSource:
    if path.is_dir():
        return ImageFiles.of_folder(path)
    if path.suffix.lower() in IMAGE_SUFFIXES:
        read_image(path)
        return ImageFiles(path.name, [path])
    return VideoFile(path, min_fps)


def _open_url(
    url: str, scheme: str, capture: OpenCapture, timeouts: SourceTimeouts | None, waits: bool
) -> FrameSource:
    if scheme not in _SCHEMES:
        unknown = msg("cannot read video over {scheme}", scheme=scheme)
        raise SourceError(join((unknown, msg("use an http or rtsp address"))))
    name = shown_address(url)
    source = LiveSource(name, lambda: capture(url), timeouts=timeouts, advice=STREAM)
    if not waits and source.wait_until_open() is not None:
        source.close()
        silent = msg("{name} sends no video", name=name)
        raise SourceError(join((silent, msg("check the address and the network"))))
    return source


def _open_camera(
    index: int, capture: OpenCapture, timeouts: SourceTimeouts | None, devices: Path
) -> FrameSource:
    source = LiveSource(camera_name(index), lambda: capture(index), timeouts=timeouts)
    if source.wait_until_open() is not None:
        source.close()
        raise SourceError(_why_no_camera(index, devices))
    return source


def _why_no_camera(index: int, devices: Path) -> Message:
    if (advice := CAMERA_ADVICE.get(sys.platform)) is not None:
        return join((msg("camera {index} delivers no picture", index=index), advice))
    device = devices / f"video{index}"
    if not device.exists():
        return msg("no camera {index}: {devices}", index=index, devices=_found(devices))
    if not os.access(device, os.R_OK | os.W_OK):
        return msg(
            "no permission for {device}: run `sudo usermod -aG video $USER` and log in again",
            device=str(device),
        )
    busy = msg("camera {index} is busy or delivers no picture", index=index)
    return join((busy, msg("close other programs that use it")))


def _found(devices: Path) -> Message:
    names = (re.fullmatch(r"video(\d+)", path.name) for path in devices.iterdir())
    found = [str(number) for number in sorted(int(name[1]) for name in names if name)]
    if not found:
        plug_in = msg("plug one in, or give a file or the address of a stream")
        return join((msg("no camera was found"), plug_in))
    return msg("found {found}", found=", ".join(found))
