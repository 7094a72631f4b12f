"""`tableside cameras`: what `--camera` can be given here."""

import json
from types import SimpleNamespace

import cv2_enumerate_cameras
import pytest

from tableside import cli


@pytest.fixture
def plugged_in(monkeypatch):
    """`plugged_in(*names)`: the cameras that the system knows."""

    def plug_in(*names):
        found = [SimpleNamespace(index=number, name=name) for number, name in enumerate(names)]
        monkeypatch.setattr("sys.platform", "linux")
        monkeypatch.setattr(cv2_enumerate_cameras, "enumerate_cameras", lambda _backend: found)

    return plug_in


def test_a_camera_is_a_line_with_its_number(plugged_in, capsys):
    plugged_in("C920", "")
    assert cli.main(["cameras"]) == 0
    assert capsys.readouterr().out == "0  C920\n1  camera 1\n"
    assert cli.main(["cameras", "--json"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert lines == [{"camera": 0, "name": "C920"}, {"camera": 1, "name": "camera 1"}]


def test_without_a_camera_the_advice_is_one_line_and_the_exit_code_1(plugged_in, capsys):
    plugged_in()
    assert cli.main(["cameras", "--json"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    (line,) = err.splitlines()
    assert "plug one in" in line
