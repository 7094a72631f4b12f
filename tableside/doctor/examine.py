"""Runs every check; puts what was found, and the log, into an archive for support."""

from __future__ import annotations

import io
import json
import os
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator
from importlib import metadata
from ipaddress import ip_address
from pathlib import Path
from typing import Final

from calibration.files import write_whole
from tableside.doctor import devices, files, machine
from tableside.doctor.finding import Check, Finding, Places
from tableside.logs import log_files

CHECKS: Final[tuple[Check, ...]] = (
    machine.check_program,
    machine.check_clock,
    machine.check_language,
    machine.check_power,
    files.check_models,
    files.check_folder,
    files.check_record,
    files.check_passwords,
    files.check_log,
    machine.check_port,
    machine.check_other_programs,
    devices.check_cameras,
    devices.check_view,
    devices.check_serial,
    machine.check_speed,
)
"""In the order in which their findings help."""
_URL: Final = re.compile(r"\b\w[\w+.-]*://[^\s\"']+")
_BLUETOOTH: Final = re.compile(r"\b[0-9a-fA-F]{2}([:-][0-9a-fA-F]{2}){5}\b")
_MAYBE_ADDRESS: Final = re.compile(r"[0-9a-fA-F:.]*[:.][0-9a-fA-F:.]+(%[\w.-]+)?")
_HOST: Final = re.compile(
    r"\b[\w-]+(\.[\w-]+)*\.(local|lan|home|internal|localdomain|box)\b(:\d+)?"
    r"|(?<![\w.-])(?![\w.-]+\.(?:py|c|h|cpp|hpp):)(?=[\w.-]*[a-z])"
    r"[\w-]+(\.[\w-]+)*:\d{2,5}\b(?![:.\d])",
    re.IGNORECASE,
)
"""A machine by its name in a local network, or by any name with a port; not a line of code."""
DEFAULT_STEM: Final = "record"


def examine(places: Places, checks: Iterable[Check] = CHECKS) -> Iterator[Finding]:
    """What every check finds, as soon as it is found."""
    for check in checks:
        yield from check(places)


def write_bundle(target: Path, found: Iterable[Finding], places: Places) -> None:
    """Write an archive with the findings, the log and the versions of all packages.

    It holds no names of players or of files of the user, no passwords, no pictures, no addresses of
    networks and devices and not the name of the user; only the user may open it. Raises `OSError`.
    """
    scrubbed = _scrubber(places)
    packages = sorted(f"{one.metadata['Name']} {one.version}" for one in metadata.distributions())
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as bundle:
        bundle.writestr("findings.txt", scrubbed("\n".join(one.line for one in found)))
        bundle.writestr("packages.txt", "\n".join(packages))
        for log in log_files(places.log):
            bundle.writestr(log.name, scrubbed(log.read_text("utf-8", errors="replace")))
    write_whole(target, content.getvalue(), mode=0o600)


def _scrubber(places: Places) -> Callable[[str], str]:
    """A function that returns a text without what tells who and where the user is.

    The names of files and folders may be people's.
    """
    home = Path(os.path.expanduser("~"))  # noqa: PTH111 (`Path.home` fails where there is none)
    named = {str(places.record): "[record]"}
    folders = {places.record.parent: "[folder]", places.log.parent: "[data folder]", home: "~"}
    for folder, shown in folders.items():
        if folder.name:  # not `/` and not `.`, which are everywhere
            named |= dict.fromkeys((str(folder), str(folder.absolute())), shown)
    if places.camera is not None and not places.camera.isdecimal():
        named |= dict.fromkeys((places.camera, Path(places.camera).name), "[camera]")
    if places.record.stem != DEFAULT_STEM:  # what lies beside the record is named after it
        named[places.record.stem] = "[record]"
    if home.is_absolute() and home.name:
        named[home.name] = "[user]"
    hidden = {json.dumps(text)[1:-1]: shown for text, shown in named.items()} | named
    longest_first = sorted(hidden, key=len, reverse=True)
    words = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)")

    def scrubbed(text: str) -> str:
        text = words.sub(lambda found: hidden[found[0]], text)
        text = _BLUETOOTH.sub("[address]", _URL.sub("[address]", text))
        return _HOST.sub("[address]", _MAYBE_ADDRESS.sub(_hidden, text))

    return scrubbed


def _hidden(found: re.Match[str]) -> str:
    """`[address]` for an IP address; other text as it is."""
    for end in (None, -1):  # one may end a sentence
        try:
            ip_address(found[0][:end])
        except ValueError:
            continue
        return "[address]"
    return found[0]
