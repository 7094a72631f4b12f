"""The Compose file names what exists and starts what the command line knows."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

from tableside.cli import build_parser
from tests.paths import ROOT
from tests.tableside.hall.servers import answers, free_port, wait_for

yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")

PACKAGING = ROOT / "packaging"
TEXT = (PACKAGING / "compose.yaml").read_text("utf-8")
README = (PACKAGING / "README.md").read_text("utf-8")
COMPOSE = yaml.safe_load(TEXT)
SERVICES = COMPOSE["services"]
MADE_BY_HAND = {"hall.crt", "hall.key", "passwords"}


def mounts():
    for service in SERVICES.values():
        yield from (one.split(":")[0] for one in service["volumes"])


def test_it_starts_what_the_command_line_knows():
    table = build_parser().parse_args(SERVICES["table"]["command"])
    assert (table.command, table.host, table.port) == ("live", "0.0.0.0", 8000)
    hall = build_parser().parse_args(SERVICES["hall"]["command"])
    assert (hall.command, hall.host, hall.port) == ("hall", "0.0.0.0", 8000)
    assert hall.broker == "mqtt://hall@broker"
    assert hall.store == "postgresql://tableside@store/tableside"


def test_every_file_and_volume_that_it_names_is_there():
    for name in mounts():
        if not name.startswith("./"):
            assert name in COMPOSE["volumes"]
        elif name.rpartition("/")[2] in MADE_BY_HAND:
            assert name.rpartition("/")[2] in README
        else:
            assert (PACKAGING / name).is_file()
    build = COMPOSE["x-program"]["build"]
    assert (PACKAGING / build["context"] / build["dockerfile"]).is_file()


def test_every_variable_that_it_reads_is_explained():
    read = set(re.findall(r"\$\{(\w+)", TEXT))
    assert sorted(name for name in read if name not in README) == []
    assert ":?" not in TEXT  # it would stop a table for want of what only a hall needs


def test_a_service_waits_only_for_services_of_its_own_profile():
    for service in SERVICES.values():
        for name in service.get("depends_on", {}):
            assert SERVICES[name]["profiles"] == service["profiles"]
    assert "healthcheck" in SERVICES["store"]


def test_mosquitto_takes_the_settings_of_the_hall(tmp_path):
    paths = "/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin"
    program = shutil.which("mosquitto", path=paths)
    if program is None or not (shutil.which("openssl") and shutil.which("mosquitto_passwd")):
        pytest.skip("needs mosquitto, mosquitto_passwd and openssl")
    plain, encrypted = free_port(), free_port()
    config = (PACKAGING / "hall" / "mosquitto.conf").read_text("utf-8")
    for name, found in (
        ("/mosquitto/config/", f"{tmp_path}/"),
        ("/mosquitto/data/", f"{tmp_path}/"),
        ("listener 1883", f"user root\nlistener {plain} 127.0.0.1"),
        ("listener 8883", f"listener {encrypted} 127.0.0.1"),
    ):
        assert name in config
        config = config.replace(name, found)
    (tmp_path / "mosquitto.conf").write_text(config)
    shutil.copy(PACKAGING / "hall" / "acl", tmp_path)
    run(
        *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"),
        *("-keyout", tmp_path / "hall.key", "-out", tmp_path / "hall.crt", "-subj", "/CN=hall"),
    )
    run("mosquitto_passwd", "-b", "-c", tmp_path / "passwords", "hall", "word")
    broker = subprocess.Popen(
        [program, "-c", tmp_path / "mosquitto.conf"], stderr=subprocess.DEVNULL
    )
    try:
        wait_for(lambda: answers(plain) and answers(encrypted))
    finally:
        broker.kill()
        broker.wait()


def run(*command):
    subprocess.run(command, check=True, capture_output=True)
