"""`tableside cup entropy` writes the noise of a cup, sample by sample."""

import json
import random

from hardware.served_cup import ServedCup
from tableside import cli
from tests.hardware.emulated import Emulated


def test_the_command_writes_the_noise_of_the_emulated_chip(tmp_path, capsys):
    out = tmp_path / "pin.bin"
    with Emulated(tmp_path, speed=0) as chip:
        options = ["--port", chip.url, "--source", "pin", "--out", str(out), "--json"]
        assert cli.main(["cup", "entropy", "--count", "1000", *options]) == 0
        assert json.loads(capsys.readouterr().out) == {"samples": 1000, "sets": 1, "left_out": 0}
        # The emulator's open pin is at 2.0 to 3.0 V of 5: steps 409 to 614, of which the low byte.
        assert len(set(out.read_bytes())) > 100
        chip.say("noise stuck")
        assert cli.main(["cup", "entropy", "--count", "64", *options]) == 1
        assert "exists already" in capsys.readouterr().err
        assert cli.main(["cup", "entropy", "--count", "64", *options, "--force"]) == 0
        assert out.read_bytes() == b"\xff" * 64  # 2.5 V is step 511
        options[options.index("pin")] = "clock"
        assert cli.main(["cup", "entropy", "--count", "64", *options, "--force"]) == 0
        assert len(set(out.read_bytes())) > 32


def test_a_cup_that_cannot_send_its_noise_says_so_and_nothing_is_written(tmp_path, capsys):
    out = tmp_path / "clock.bin"
    with ServedCup(random.Random(9).randbytes) as served:
        assert cli.main(["cup", "entropy", "--port", served.url, "--out", str(out)]) == 1
    assert "needs firmware 1.2 or newer" in capsys.readouterr().err
    assert not out.exists()
