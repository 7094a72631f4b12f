"""Runs every check; puts what was found, and the log, into an archive for support."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Iterable, Iterator
from importlib import metadata
from ipaddress import ip_address
from pathlib import Path
from typing import Final

from tableside.doctor import devices, files, machine
from tableside.doctor.finding import Check, Finding, Places

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
_URL: Final = re.compile(r"\b\w[\w+.-]*://[^\s\"',;]+")
_MAYBE_ADDRESS: Final = re.compile(r"[0-9a-fA-F:.]*[:.][0-9a-fA-F:.%]+")


def examine(places: Places, checks: Iterable[Check] = CHECKS) -> Iterator[Finding]:
    """What every check finds, as soon as it is found."""
    for check in checks:
        yield from check(places)


def write_bundle(target: Path, found: Iterable[Finding], places: Places) -> None:
    """Write an archive with the findings, the log and the versions of all packages.

    It holds no names of players, no passwords, no pictures, no network addresses and not the name
    of the user. Raises `OSError`.
    """
    packages = sorted(f"{one.metadata['Name']} {one.version}" for one in metadata.distributions())
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as bundle:
        bundle.writestr("findings.txt", _scrubbed("\n".join(one.line for one in found)))
        bundle.writestr("packages.txt", "\n".join(packages))
        for log in sorted(places.log.parent.glob(f"{places.log.name}*")):
            bundle.writestr(log.name, _scrubbed(log.read_text("utf-8", errors="replace")))


def _scrubbed(text: str) -> str:
    """The text without the addresses of machines and streams, and without the user's name."""
    home = Path.home()
    for shown in (str(home), json.dumps(str(home))[1:-1]):
        text = text.replace(shown, "~")
    text = _MAYBE_ADDRESS.sub(_hidden, _URL.sub("[address]", text))
    return re.sub(rf"\b{re.escape(home.name)}\b", "[user]", text) if home.name else text


def _hidden(found: re.Match[str]) -> str:
    """`[address]` for an IP address; other text as it is."""
    for end in (None, -1):  # one may end a sentence
        try:
            ip_address(found[0][:end])
        except ValueError:
            continue
        return "[address]"
    return found[0]
