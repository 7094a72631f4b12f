"""What the program is installed from: exact versions, each with its hashes."""

from __future__ import annotations

import re
import tomllib

from tests.paths import ROOT

PINNED = re.compile(r"([a-z0-9-]+)==(\S+)(?: ; (.+?))?(?: \\)?")


def pinned(name):
    """Each pinned package with its version and marker, and the lines that follow it."""
    found = {}
    for line in (ROOT / "packaging" / name).read_text("utf-8").splitlines():
        if match := PINNED.fullmatch(line):
            found[match.groups()] = hashes = []
        elif not line.startswith("#"):
            hashes.append(line.strip(" \\"))
    return found


def test_every_requirement_has_a_hash_and_the_version_that_is_tested():
    required, tested = pinned("requirements.txt"), pinned("constraints.txt")
    versions = {(name, version) for name, version, _ in tested}
    assert required
    for (name, version, _), hashes in required.items():
        assert (name, version) in versions
        assert hashes
        assert all(re.fullmatch(r"--hash=sha256:[0-9a-f]{64}", one) for one in hashes)


def test_everything_that_the_program_names_is_required():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    named = {re.match(r"[\w-]+", one)[0] for one in project["dependencies"]}
    assert named <= {name for name, _, _ in pinned("requirements.txt")}


def test_the_oldest_versions_are_those_that_the_project_allows():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    oldest = {(name, version) for name, version, _ in pinned("oldest.txt")}
    for one in project["dependencies"] + project["optional-dependencies"]["dev"]:
        if (bound := re.match(r"([\w-]+)>=([\d.]+)", one)) is None:
            continue  # our own extra
        name, least = bound.groups()
        found = [version for other, version in oldest if other == name]
        assert any(re.match(rf"{re.escape(least)}(\.|$)", version) for version in found), one
