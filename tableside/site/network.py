"""To whom the page is served: this machine alone, or a network whose visitors log in.

Passwords come from the environment, else from a file that keeps their hashes; where there is none
they are made up, told once, and kept as hashes.
"""

from __future__ import annotations

import ipaddress
import json
import os
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tableside.errors import WrongUsage
from tableside.paths import data_folder
from webui.contracts.state import Role
from webui.http.passwords import Passwords, hashed, is_hash, new_password
from webui.http.security import LOCAL_HOSTS

LOCAL: Final = "127.0.0.1"
VARIABLES: Final = {
    Role.REFEREE: "TABLESIDE_REFEREE_PASSWORD",
    Role.VIEWER: "TABLESIDE_VIEWER_PASSWORD",
}
SHORTEST: Final = 8
"""Characters of a password that somebody chose: below, it is guessed at five tries a minute."""


@dataclass(frozen=True, slots=True)
class Network:
    """Where the page is served, under which names, and to whom."""

    host: str = LOCAL
    names: tuple[str, ...] = LOCAL_HOSTS
    passwords: Passwords | None = None
    told: tuple[str, ...] = ()
    """Lines to say when the page is served; a new password stands in them, and nowhere else."""

    delay: float = 0.0
    """Seconds that viewers are behind at least."""

    @property
    def is_open(self) -> bool:
        """Whether others than this machine reach it."""
        return self.passwords is not None


def find_network(
    host: str | None,
    passwords: Path | None = None,
    delay: float = 0.0,
    environment: Mapping[str, str] = os.environ,
) -> Network:
    """Where to serve the page for `--host`, `--passwords` and `--delay`.

    `WrongUsage` if they do not go together.
    """
    if host is None or is_loopback(host):
        if delay:
            raise WrongUsage("--delay goes with --host ADDRESS: here everybody is the referee")
        if passwords is not None:
            raise WrongUsage("--passwords goes with --host ADDRESS: here nobody has to log in")
        return Network() if host is None else Network(host)
    hashes, told = find_passwords(passwords or default_passwords(), environment)
    return Network(host, (*LOCAL_HOSTS, *own_names(host)), Passwords(hashes), told, delay)


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches that address."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def own_names(host: str) -> tuple[str, ...]:
    """The names under which others know this machine; its addresses are known by being such."""
    name = socket.gethostname().lower()
    return tuple(dict.fromkeys((name, f"{name.partition('.')[0]}.local", host.lower())))


def reachable_address(host: str) -> str:
    """An address that others can type: of `0.0.0.0`, the one of the network that leads out."""
    if host == "::":
        return socket.gethostname()
    if host != "0.0.0.0":  # noqa: S104 (that it is open to all is what is asked here)
        return host
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # only asks which way it would go; nothing is sent
        except OSError:
            return LOCAL
        return str(probe.getsockname()[0])


def default_passwords() -> Path:
    """The file that is used when none is named."""
    return data_folder() / "passwords.json"


def find_passwords(
    file: Path, environment: Mapping[str, str]
) -> tuple[dict[Role, str], tuple[str, ...]]:
    """The hash of each role's password, and what there is to say of them."""
    given = {role: environment[name] for role, name in VARIABLES.items() if environment.get(name)}
    for role, password in given.items():
        if len(password) < SHORTEST:
            raise WrongUsage(f"{VARIABLES[role]} needs {SHORTEST} characters or more")
    kept = _read(file)
    hashes = {**kept, **{role: hashed(password) for role, password in given.items()}}
    missing = [role for role in Role if role not in hashes]
    made = {role: new_password() for role in missing}
    if made:
        hashes.update({role: hashed(password) for role, password in made.items()})
        _write(file, {**kept, **{role: hashes[role] for role in made}})
    lines = [f"{role.value}'s password: {made[role]}" for role in made]
    if made:
        lines.append(f"they are told this once; delete {file} to get new ones")
    else:
        lines.append("the passwords are those of the environment or of the last time")
    return hashes, tuple(lines)


def _read(file: Path) -> dict[Role, str]:
    """The hashes of the file, none if there is no file; `WrongUsage` if it is none of ours."""
    try:
        text = file.read_text("utf-8")
    except FileNotFoundError:
        return {}
    try:
        kept = {Role(name): str(value) for name, value in json.loads(text).items()}
    except (ValueError, AttributeError) as error:
        raise WrongUsage(f"{file} keeps no passwords: name another file, or delete it") from error
    if not all(map(is_hash, kept.values())):
        raise WrongUsage(f"{file} keeps a password as it is: delete it, and new ones are made")
    return kept


def _write(file: Path, hashes: Mapping[Role, str]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.touch(0o600)
    file.chmod(0o600)
    text = json.dumps({role.value: kept for role, kept in hashes.items()}, indent=1)
    file.write_text(text, "utf-8")
