"""The logos of tournaments, in a folder beside the record.

A picture is decoded and written anew, so that nothing of the uploaded file is ever served but what
can be seen on it.
"""

from __future__ import annotations

import re
import struct
from hashlib import blake2b
from pathlib import Path
from typing import Final

from calibration.files import write_whole
from calibration.png import is_damaged_png, png_size
from engine.message import join, msg
from tableside.paths import own_folder
from webui.contracts.logos import BadPicture

LARGEST: Final = 640, 240
"""Width and height, in pixels, to which a logo is reduced: twice what any page shows."""
MOST_PIXELS: Final = 16_000_000
"""A larger picture is not decoded: a small file can expand to gigabytes."""
MOST_LOGOS: Final = 200
PICTURE_NAME: Final = re.compile("[0-9a-f]{32}")
NO_PICTURE: Final = join(
    [msg("the file is not a picture that can be read"), msg("choose a PNG, JPEG or WebP file")]
)
TOO_LARGE: Final = msg("the picture has too many pixels: reduce it to 4000 by 4000 at most")
TOO_MANY: Final = msg("there are too many logos: delete some in {folder}")


def logo_folder(record: Path) -> LogoFolder:
    """The logos of a record, beside it."""
    return LogoFolder(record.with_name(f"{record.stem}.logos"))


class LogoFolder:
    """The `Logos` of a record; the name of each is a digest of its content."""

    def __init__(self, folder: Path) -> None:
        self._folder: Final = folder

    def keep(self, picture: bytes) -> str:
        """Keep a picture and return its name; raises `BadPicture`."""
        png = sanitized(picture)
        name = blake2b(png, digest_size=16).hexdigest()
        path = self._path(name)
        if not path.exists():
            own_folder(self._folder)
            if sum(1 for _ in self._folder.glob("*.png")) >= MOST_LOGOS:
                raise BadPicture(msg(TOO_MANY.text, folder=str(self._folder)))
            write_whole(path, png, mode=0o600)
        return name

    def read(self, name: str) -> bytes | None:
        """The logo with this name as PNG; None if there is none."""
        if PICTURE_NAME.fullmatch(name) is None:
            return None
        try:
            return self._path(name).read_bytes()
        except FileNotFoundError:
            return None

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}.png"


def sanitized(picture: bytes) -> bytes:
    """The picture as a PNG of at most `LARGEST`; raises `BadPicture`."""
    import cv2
    import numpy as np

    size = picture_size(picture)
    if size is None:
        raise BadPicture(NO_PICTURE)
    if size[0] * size[1] > MOST_PIXELS:
        raise BadPicture(TOO_LARGE)
    if is_damaged_png(picture):
        raise BadPicture(NO_PICTURE)
    try:
        drawn = cv2.imdecode(np.frombuffer(picture, np.uint8), cv2.IMREAD_UNCHANGED)
    except cv2.error as error:
        raise BadPicture(NO_PICTURE) from error
    if drawn is None:
        raise BadPicture(NO_PICTURE)
    if drawn.dtype == np.uint16:
        drawn = (drawn // 256).astype(np.uint8)
    height, width = drawn.shape[:2]
    scale = min(1.0, LARGEST[0] / width, LARGEST[1] / height)
    reduced = max(1, round(width * scale)), max(1, round(height * scale))
    _, png = cv2.imencode(".png", cv2.resize(drawn, reduced, interpolation=cv2.INTER_AREA))
    return png.tobytes()


def picture_size(picture: bytes) -> tuple[int, int] | None:
    """Width and height that the header of a PNG, JPEG or WebP gives; None for anything else."""
    from vision.sources.frame import size_of_jpeg

    try:
        return png_size(picture) or size_of_jpeg(picture) or _webp_size(picture)
    except struct.error:
        return None


def _webp_size(picture: bytes) -> tuple[int, int] | None:
    if not picture.startswith(b"RIFF") or picture[8:12] != b"WEBP":
        return None
    kind = picture[12:16]
    if kind == b"VP8X":
        across, up = picture[24:27], picture[27:30]
        return 1 + int.from_bytes(across, "little"), 1 + int.from_bytes(up, "little")
    if kind == b"VP8L":
        packed = struct.unpack("<I", picture[21:25])[0]
        return 1 + (packed & 0x3FFF), 1 + (packed >> 14 & 0x3FFF)
    if kind == b"VP8 ":
        width, height = struct.unpack("<HH", picture[26:30])
        return width & 0x3FFF, height & 0x3FFF
    return None
