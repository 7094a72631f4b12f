"""The address and passwords of the page: for this machine alone, or a network with a log-in.

Passwords come from the environment, else from a file of hashes; missing ones are generated, shown
once and stored as hashes.
"""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from calibration.files import write_whole
from tableside.errors import WrongUsage
from tableside.paths import data_folder, private_folder
from webui.contracts.roles import Role
from webui.http.passwords import Passwords, hashed, is_hash, new_password, salt_of
from webui.http.security import LOCAL_HOSTS, is_loopback

LOCAL: Final = "127.0.0.1"
VARIABLES: Final = {role: f"TABLESIDE_{role.name}_PASSWORD" for role in Role}
MIN_PASSWORD_LENGTH: Final = 8
"""Minimum length of a chosen password: five tries a minute would guess a shorter one."""


@dataclass(frozen=True, slots=True)
class Network:
    """The address of the page, its host names and its passwords."""

    host: str = LOCAL
    names: tuple[str, ...] = LOCAL_HOSTS
    passwords: Passwords | None = None
    announcement: tuple[str, ...] = ()
    """Lines to print once the page is served; the only place that shows a new password."""

    delay: float = 0.0
    """Minimum delay of viewers, in seconds."""

    @property
    def is_open(self) -> bool:
        """Whether other machines can reach the page."""
        return self.passwords is not None


def find_network(
    host: str | None,
    passwords: Path | None = None,
    delay: float = 0.0,
    environment: Mapping[str, str] = os.environ,
) -> Network:
    """Where to serve the page for `--host`, `--passwords` and `--delay`.

    Raises `WrongUsage` if they do not go together.
    """
    if host is None or is_loopback(host):
        if delay:
            raise WrongUsage("--delay needs --host ADDRESS: without it, everyone is the referee")
        if passwords is not None:
            raise WrongUsage("--passwords needs --host ADDRESS: without it, nobody has to log in")
        return Network() if host is None else Network(host)
    hashes, lines = find_passwords(passwords or data_folder() / "passwords.json", environment)
    return Network(host, (*LOCAL_HOSTS, *own_names(host)), Passwords(hashes), lines, delay)


def own_names(host: str) -> tuple[str, ...]:
    """The host names of this machine on its network; numeric addresses need no name."""
    name = socket.gethostname().lower()
    return tuple(dict.fromkeys((name, f"{name.partition('.')[0]}.local", host.lower())))


def reachable_address(host: str) -> str:
    """An address for other people to type; for `0.0.0.0`, that of the outgoing interface."""
    if host == "::":
        return socket.gethostname()
    if host != "0.0.0.0":  # noqa: S104 (that it is open to all is what is asked here)
        return host
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # selects the interface; nothing is sent
        except OSError:
            return LOCAL
        return str(probe.getsockname()[0])


def find_passwords(
    file: Path, environment: Mapping[str, str]
) -> tuple[dict[Role, str], tuple[str, ...]]:
    """The hash of each role's password, and the lines to print."""
    given = {role: environment[name] for role, name in VARIABLES.items() if environment.get(name)}
    for role, password in given.items():
        if len(password) < MIN_PASSWORD_LENGTH:
            raise WrongUsage(f"{VARIABLES[role]} needs at least {MIN_PASSWORD_LENGTH} characters")
    kept = read_passwords(file)
    salt = salt_of(kept.values())
    hashes = kept | {role: hashed(password, salt) for role, password in given.items()}
    made = {role: new_password() for role in Role if role not in hashes}
    if not made:
        return hashes, ("the passwords are unchanged, or set by the environment",)
    new = {role: hashed(password, salt) for role, password in made.items()}
    _write(file, kept | new)
    lines = (
        f"{role.value.replace('_', ' ')}'s password: {password}" for role, password in made.items()
    )
    return hashes | new, (*lines, f"they are shown only once; to get new ones, delete {file}")


def read_passwords(file: Path) -> dict[Role, str]:
    """The hashes in the file, empty if there is none; raises `WrongUsage` for invalid contents."""
    try:
        found = json.loads(file.read_text("utf-8"))
        kept = {Role(name): str(value) for name, value in found.items()}
    except FileNotFoundError:
        return {}
    except (ValueError, AttributeError, RecursionError) as error:
        raise WrongUsage(
            f"{file} is not a password file: give another one, or delete it"
        ) from error
    if not all(map(is_hash, kept.values())):
        raise WrongUsage(f"{file} has a password that is not hashed: delete the file for new ones")
    return kept


def _write(file: Path, hashes: Mapping[Role, str]) -> None:
    private_folder(file.parent)
    text = json.dumps({role.value: kept for role, kept in hashes.items()}, indent=1)
    write_whole(file, text.encode(), mode=0o600)
