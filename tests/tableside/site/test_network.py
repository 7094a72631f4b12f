"""Who is served the page, and how passwords are stored."""

from __future__ import annotations

import json
import stat
import sys

import pytest

from tableside.errors import WrongUsage
from tableside.site.network import find_network
from webui.contracts.roles import Role


def network(tmp_path, host, environment=(), passwords="passwords.json"):
    file = None if passwords is None else tmp_path / passwords
    return find_network(host, file, environment=dict(environment))


def announced_passwords(found):
    return {
        role: line.partition(": ")[2]
        for role in Role
        for line in found.announcement
        if line.startswith(f"{role.value.replace('_', ' ')}'s password")
    }


@pytest.mark.parametrize("host", [None, "127.0.0.1", "localhost", "::1", "127.0.1.5"])
def test_this_machine_alone_has_no_passwords(tmp_path, host):
    found = network(tmp_path, host, passwords=None)
    assert not found.is_open
    assert found.announcement == ()
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(WrongUsage, match="--passwords needs --host"):
        network(tmp_path, host)


def test_a_network_gets_passwords_that_are_printed_once_and_stored_as_hashes(tmp_path):
    first = network(tmp_path, "0.0.0.0")
    assert first.is_open
    printed = announced_passwords(first)
    assert set(printed) == set(Role)
    file = tmp_path / "passwords.json"
    for role, word in printed.items():
        assert first.passwords.role_of(word) is role
        assert word not in file.read_text("utf-8")
    second = network(tmp_path, "0.0.0.0")
    assert announced_passwords(second) == {}
    assert second.passwords.role_of(printed[Role.VIEWER]) is Role.VIEWER


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other permissions")
def test_the_file_is_for_its_owner_alone(tmp_path):
    network(tmp_path, "0.0.0.0")
    assert stat.S_IMODE((tmp_path / "passwords.json").stat().st_mode) == 0o600


def test_passwords_of_the_environment_are_not_stored(tmp_path):
    chosen = {"TABLESIDE_REFEREE_PASSWORD": "a word of mine"}
    found = network(tmp_path, "192.168.1.20", chosen)
    assert found.passwords.role_of("a word of mine") is Role.REFEREE
    assert set(announced_passwords(found)) == {*Role} - {Role.REFEREE}
    stored = json.loads((tmp_path / "passwords.json").read_text("utf-8"))
    assert set(stored) == {role.value for role in Role} - {"referee"}
    assert "192.168.1.20" in found.names


def test_a_short_password_is_refused(tmp_path):
    with pytest.raises(WrongUsage, match="needs at least 8 characters"):
        network(tmp_path, "0.0.0.0", {"TABLESIDE_VIEWER_PASSWORD": "1234"})


@pytest.mark.parametrize(
    "text",
    [
        *("{", "[]", '{"viewer": "plain"}', '{"boss": "x"}', "", "\xff"),
        pytest.param("[" * 200_000, id="brackets"),
    ],
)
def test_a_file_that_keeps_no_hashes_is_refused_in_one_line(tmp_path, text):
    (tmp_path / "passwords.json").write_text(text, "latin-1")
    with pytest.raises(WrongUsage, match=r"passwords\.json") as refused:
        network(tmp_path, "0.0.0.0")
    assert "\n" not in str(refused.value)
