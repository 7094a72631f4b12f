"""From the command line to the configuration of a match."""

from __future__ import annotations

import pytest

from engine import RULE_SETS, USUAL
from tableside import cli
from tableside.commands.live import recording_config
from tableside.commands.options import match_config
from tableside.errors import WrongUsage


def config(*options):
    return match_config(
        cli.build_parser().parse_args(["transcribe", "a.mp4", "--out", "b", *options])
    )


def test_without_rules_a_match_is_refereed_as_usual():
    assert config().rule_set is USUAL


@pytest.mark.parametrize("name", RULE_SETS)
def test_a_preset_is_taken_by_its_name(name, capsys):
    assert config("--rules", name).rule_set is RULE_SETS[name]
    with pytest.raises(SystemExit):
        cli.main(["live", "--help"])
    assert name in capsys.readouterr().out


def test_house_rules_are_read_from_a_file(tmp_path):
    path = tmp_path / "club.toml"
    path.write_text('base = "ukbgf"\nroll_zone = "anywhere"\n[cube]\njacoby = true\n')
    rules = config("--rules", str(path)).rule_set
    assert (rules.name, rules.roll_zone.value, rules.cube.jacoby) == ("club", "anywhere", True)


@pytest.mark.parametrize("command", ["transcribe", "live"])
@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        (None, 2, "there is no rule set and no file"),
        ("zone = 1", 1, "there is no field 'zone'"),
        ("=", 1, "is not TOML"),
    ],
)
def test_bad_rules_are_one_line(command, text, code, message, tmp_path, capsys):
    path = tmp_path / "bad.toml"
    if text is not None:
        path.write_text(text)
    given = {"transcribe": ["a.mp4", "--out", str(tmp_path / "out")], "live": ["--camera", "0"]}
    assert cli.main([command, *given[command], "--rules", str(path)]) == code
    captured = capsys.readouterr()
    (line,) = captured.err.splitlines()
    assert message in line
    assert captured.out == ""
    assert not (tmp_path / "out").exists()


def test_words_without_a_cup_are_refused():
    args = cli.build_parser().parse_args(["live", "--no-camera", "--words", "walnut", "cherry"])
    with pytest.raises(WrongUsage, match="--words needs --cup"):
        recording_config(args)
