"""Seeded faults: each is found, named, and given its mend."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import socket
import sqlite3
import sys
import time
import zipfile
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

import samples
from engine.events.record import BoardMoved
from tableside.cli import main
from tableside.doctor import devices, files, machine
from tableside.doctor.examine import CHECKS, examine, write_bundle
from tableside.doctor.finding import Level, Places, problem
from tableside.record.journal import Journal
from tableside.record.store import Store
from vision.sources.files import VideoFile

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="as Linux names its devices")


@pytest.fixture
def places(tmp_path):
    folder = tmp_path / "home"
    folder.mkdir(mode=0o700)
    return Places(folder / "record.sqlite", folder / "tableside.log", folder / "passwords.json", 0)


@pytest.fixture
def record(places):
    with Store.open(places.record) as store:
        match = store.new_match(light="Ann", dark="Bob")
        store.append(match, [BoardMoved(time=1.0, frame=n) for n in range(200)])
    return places.record


@pytest.fixture(scope="session")
def picture():
    """A picture of the sample."""
    with closing(VideoFile(samples.CLIP)) as video:
        return next(iter(video)).image


def only(check, places, level):
    """The line of the one finding of a check that is not ok, which is of this level."""
    (finding,) = (one for one in check(places) if one.level is not Level.OK)
    assert finding.level is level
    return finding.line


def test_a_sound_installation_has_no_problem(places, record):
    checks = [check for check in CHECKS if check.__module__.endswith((".files", ".machine"))]
    assert [one.line for one in examine(places, checks) if one.level is Level.PROBLEM] == []


def test_a_damaged_network_is_named(places, tmp_path, monkeypatch):
    models = shutil.copytree(files.MODELS, tmp_path / "models")
    monkeypatch.setattr(files, "MODELS", models)
    (models / "bar.onnx").write_bytes(b"x")
    (models / "die.onnx").unlink()
    line = only(files.check_models, places, Level.PROBLEM)
    assert "damaged or missing: bar.onnx, die.onnx" in line
    assert "install again" in line


def test_the_published_checksums_are_those_of_the_networks():
    published = dict(
        line.split("  ")[::-1] for line in (files.MODELS / files.SUMS).read_text().split("\n")[:-1]
    )
    shipped = [*files.MODELS.glob("*.onnx"), files.MODELS / "temperatures.json"]
    assert published == {
        file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in shipped
    }


def test_a_file_in_place_of_the_folder_is_named(places):
    in_the_way = places.record.parent / "file"
    in_the_way.write_text("")
    inside = Places(in_the_way / "record.sqlite", places.log, places.passwords)
    assert "is a file where a folder should be; rename it" in only(
        files.check_folder, inside, Level.PROBLEM
    )


def test_a_folder_that_cannot_be_written_is_named(places, monkeypatch):
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert "nothing can be written to" in only(files.check_folder, places, Level.PROBLEM)


@pytest.mark.parametrize(("free", "level"), [(10 << 20, Level.PROBLEM), (500 << 20, Level.WARNING)])
def test_a_disk_without_room_is_named(places, monkeypatch, free, level):
    usage = shutil.disk_usage(places.record.parent)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=free))
    assert "free some space" in only(files.check_folder, places, level)


def test_a_slow_disk_is_named(places, monkeypatch):
    monkeypatch.setattr(files, "SLOW_DISK_S", 0.0)
    assert "use another disk" in only(files.check_folder, places, Level.WARNING)


@linux_only
def test_files_that_others_can_read_are_named(places, record):
    record.parent.chmod(0o755)
    record.chmod(0o644)
    assert "chmod 700" in only(files.check_folder, places, Level.WARNING)
    assert "chmod 600" in only(files.check_record, places, Level.WARNING)


def test_a_damaged_record_is_named(places, record):
    image = bytearray(record.read_bytes())
    image[image.index(b'"frame":18') + 9] ^= 1
    record.write_bytes(image)
    assert "is damaged: 1 damaged rows in the table events; run `tableside record repair" in only(
        files.check_record, places, Level.PROBLEM
    )
    record.write_bytes(b"nonsense" * 2000)
    assert "record repair" in only(files.check_record, places, Level.PROBLEM)


def test_a_record_that_still_holds_the_password_of_a_stream_is_named(places, record):
    assert [one for one in files.check_record(places) if one.level is not Level.OK] == []
    with Store.open(record) as store:
        store.new_match(source="rtsp://viewer:secret@camera.local/stream")
    line = only(files.check_record, places, Level.WARNING)
    assert "with its password: 2; change the camera's password" in line
    assert "secret" not in line


def test_another_file_in_place_of_the_record_is_named(places):
    places.record.write_text("notes")
    line = only(files.check_record, places, Level.PROBLEM)
    assert "is not a Tableside record; give another file with --record" in line


def test_a_record_of_a_later_version_is_named(places, record):
    with closing(sqlite3.connect(record)) as later:
        later.execute("PRAGMA user_version = 99")
    assert "update the program" in only(files.check_record, places, Level.PROBLEM)


def test_a_clock_that_is_behind_is_named(places, monkeypatch):
    with Store.open(places.record) as store:
        store.new_match(clock=lambda: time.time() + 86_400)
    assert "set the clock" in only(files.check_record, places, Level.PROBLEM)
    monkeypatch.setattr(time, "time", lambda: 0.0)
    assert "set it" in only(machine.check_clock, places, Level.PROBLEM)


def test_passwords_that_cannot_be_used_are_named(places):
    places.passwords.write_text('{"viewer": "plain"}')
    assert "delete it for new passwords" in only(files.check_passwords, places, Level.PROBLEM)


def test_errors_in_the_log_are_counted_and_the_last_is_shown(places):
    lines = [{"level": "INFO", "message": "a"}, {"level": "ERROR", "message": "it broke\nthere"}]
    places.log.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    line = only(files.check_log, places, Level.WARNING)
    assert "1 errors in" in line
    assert line.endswith(f"the last: it broke; see {places.log}")


def test_a_crash_in_an_older_file_of_the_log_is_found(places):
    older = places.log.with_name("tableside.log.1")
    older.write_text(json.dumps({"level": "CRITICAL", "message": "ended by an error"}) + "\n")
    places.log.write_text(json.dumps({"level": "INFO", "message": "started"}) + "\n")
    line = only(files.check_log, places, Level.WARNING)
    assert line.endswith(f"the last: ended by an error; see {older}")


def test_a_port_in_use_is_named(places):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        busy = Places(places.record, places.log, places.passwords, taken.getsockname()[1])
        assert "is in use; choose another with --port" in only(
            machine.check_port, busy, Level.WARNING
        )
    none = Places(places.record, places.log, places.passwords, 70_000)
    assert "there is no port 70000" in only(machine.check_port, none, Level.PROBLEM)


def test_a_machine_that_is_too_slow_or_small_is_named(places, monkeypatch):
    monkeypatch.setattr(machine, "LOOKS", ((0.0, ""),))
    assert "too slow to follow every play" in only(machine.check_speed, places, Level.WARNING)
    monkeypatch.setattr(machine, "LEAST_MEMORY", 1 << 60)
    assert "MB of memory; 2 GB are needed" in only(machine.check_power, places, Level.WARNING)


def test_missing_programs_and_a_terminal_without_utf8_are_named(places, monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(machine, "engine_name", lambda: None)
    lines = [one.line for one in machine.check_other_programs(places)]
    assert any("no backgammon engine is installed" in line for line in lines)
    monkeypatch.setattr("locale.getpreferredencoding", lambda **_: "ISO-8859-1")
    assert "LANG=C.UTF-8" in only(machine.check_language, places, Level.WARNING)


@linux_only
def test_a_camera_and_a_cup_without_permission_are_named(places, monkeypatch):
    class Device:
        number, name, url, is_likely = 0, "a camera", "/dev/ttyUSB0", True

    monkeypatch.setattr(devices, "list_cameras", lambda: [Device])
    monkeypatch.setattr(devices, "list_ports", lambda: [Device])
    monkeypatch.setattr(os, "access", lambda *_: False)
    monkeypatch.setattr(Path, "exists", lambda _: True)
    assert "usermod -aG video" in only(devices.check_cameras, places, Level.PROBLEM)
    assert "usermod -aG dialout" in only(devices.check_serial, places, Level.PROBLEM)


def test_no_camera_and_one_that_cannot_be_opened_are_named(places, monkeypatch):
    monkeypatch.setattr(devices, "list_cameras", list)
    assert "no camera was found" in only(devices.check_cameras, places, Level.WARNING)
    gone = Places(places.record, places.log, places.passwords, camera="gone.mp4")
    assert "there is no file" in only(devices.check_view, gone, Level.PROBLEM)


def blurred(image):
    return cv2.GaussianBlur(image, (0, 0), 12)


def small(image):
    canvas = np.full_like(image, 60)
    part = cv2.resize(image, None, fx=0.35, fy=0.35, interpolation=cv2.INTER_AREA)
    canvas[200 : 200 + part.shape[0], 300 : 300 + part.shape[1]] = part
    return canvas


@pytest.mark.parametrize(
    ("make", "wanted"),
    [
        (lambda image: image // 12, "too dark; add light, or take off the lens cap"),
        (lambda image: np.clip(image.astype(int) * 4, 0, 255).astype(np.uint8), "overexposed"),
        (lambda image: np.full_like(image, 120), "no board found; show"),
        (blurred, "blurred; clean the lens"),
        (small, "pixels wide; bring the camera nearer"),
    ],
)
def test_a_view_that_cannot_be_used_is_named(picture, make, wanted):
    lines = [
        one.line for one in devices.view_findings([make(picture)]) if one.level is not Level.OK
    ]
    assert any(wanted in line for line in lines), lines


def test_a_frozen_picture_is_named_and_a_good_view_is_praised(picture):
    lines = [one.line for one in devices.view_findings([picture] * 3)]
    assert "frozen" in lines[0]
    assert [one.line for one in devices.view_findings([picture])] == [
        "ok       the board is in view"
    ]


def test_the_bundle_holds_no_names_addresses_or_home(places, record, tmp_path):
    home = str(Path.home())
    addresses = "192.168.1.7, 2001:db8:0:1::7, fe80::1, rtsp://ann:secret@cam.fritz.box/live"
    places.log.write_text(f'{{"message": "12:30:15 from {addresses} in {home}/x"}}\n')
    bundle = tmp_path / "support.zip"
    named = replace(places, record=tmp_path / "Jane Roe" / "Ann vs Bob.sqlite", camera="Zoe.mp4")
    devices = "AA:BB:CC:DD:EE:FF, kitchen-cam.local:554, nas:8554, [fe80::1%eth0]:80"
    with places.log.open("a") as log:
        log.write(json.dumps({"message": f"{named.record}, Ann vs Bob.board.json, {devices}"}))
        log.write(" lkpyramid.cpp:1385 2026-11-27T23:09:05.123+00:00")
    found = [f"nothing can be written to {home}/x", f"damaged: {named.record}", "Zoe.mp4 is dark"]
    write_bundle(bundle, [problem(one, "look") for one in found], named)
    assert sys.platform == "win32" or bundle.stat().st_mode & 0o077 == 0
    with zipfile.ZipFile(bundle) as opened:
        names = opened.namelist()
        text = "".join(opened.read(name).decode() for name in names)
    assert names == ["findings.txt", "packages.txt", "tableside.log"]
    assert "onnxruntime" in text
    assert "12:30:15" in text
    assert "lkpyramid.cpp:1385 2026-11-27T23:09:05.123+00:00" in text
    people = ("Ann", "Bob", "Jane", "Roe", "Zoe")
    machines = ("AA:BB", "kitchen", "nas", "eth0", "th0", "192.168", "2001:", "fe80", "fritz")
    for secret in ("secret", home, *people, *machines):
        assert secret not in text


def test_the_command_prints_every_finding_and_its_code_tells_of_problems(
    places, record, tmp_path, capsys, monkeypatch
):
    monkeypatch.setenv("TABLESIDE_HOME", str(places.record.parent))
    bundle = tmp_path / "support.zip"
    assert main(["doctor", "--camera", str(samples.CLIP), "--bundle", str(bundle)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "ok       the board is in view" in lines
    assert any(
        line.startswith("ok       reading a board takes") or "too slow" in line for line in lines
    )
    shutil.rmtree(Journal(record).folder)
    record.write_bytes(b"x" * 5000)
    assert main(["doctor", "--json"]) == 1
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert any(
        one["level"] == "problem" and "not a Tableside record" in one["what"] for one in found
    )
    assert main(["doctor", "--bundle", str(bundle)]) == 1
    assert "exists already" in capsys.readouterr().err
