"""From the command line to the configuration of a match."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine import RULE_SETS, USUAL
from engine.match.phase import Phase
from engine.match.state import MatchState
from engine.rules import NARDE_PRESETS, SCORINGS, SHORT
from engine.rules.nackgammon import NACKGAMMON
from engine.ruleset import NextStarter
from tableside import cli
from tableside.commands.live import recording_config
from tableside.commands.options import match_config
from tableside.errors import WrongUsage
from tableside.match.config import BluetoothConfig, MatchConfig, begin_match
from tableside.record.store import Store


def config(*options):
    return match_config(
        cli.build_parser().parse_args(["transcribe", "a.mp4", "--out", "b", *options])
    )


def test_without_rules_a_match_is_refereed_as_usual():
    assert config().rule_set == USUAL


@pytest.mark.parametrize("name", RULE_SETS)
def test_a_preset_is_taken_by_its_name(name, capsys):
    assert config("--rules", name).rule_set == RULE_SETS[name]
    with pytest.raises(SystemExit):
        cli.main(["live", "--help"])
    assert name in capsys.readouterr().out


def test_house_rules_are_read_from_a_file(tmp_path):
    path = tmp_path / "club.toml"
    path.write_text('base = "ukbgf"\nroll_zone = "anywhere"\n[cube]\njacoby = true\n')
    rules = config("--rules", str(path)).rule_set
    assert (rules.name, rules.roll_zone.value, rules.cube.jacoby) == ("club", "anywhere", True)


def test_the_game_table_of_the_rules_chooses_game_and_options(tmp_path):
    path = tmp_path / "club.toml"
    path.write_text(
        'base = "narde"\n[game]\nvariant = "narde"\nlength = 5\nscoring = "koks3"\n'
        'preset = "classic002"\nlast_roll_draw = true\nnext_starter = "previous_second"\n'
    )
    match = config("--rules", str(path))
    assert (match.rules.name, match.length) == ("narde", 5)
    assert match.rules.search == NARDE_PRESETS["classic002"].search
    assert match.rules.score is SCORINGS["koks3"]
    assert match.rules.last_roll_draw
    assert match.rules.next_starter is NextStarter.PREVIOUS_SECOND
    assert match.referee().state.rules is match.rules
    given = config("--rules", str(path), "--length", "0")
    assert (given.rules, given.length) == (match.rules, 0)


@pytest.mark.parametrize("name", NARDE_PRESETS)
def test_house_rules_of_narde_are_rules_with_a_name(name):
    match = config("--rules", name)
    assert (match.rules, match.rule_set.name) == (NARDE_PRESETS[name], name)


@pytest.mark.parametrize(
    ("options", "text", "problem"),
    [
        ((), 'scoring = "koks3"', "there is no scoring 'koks3': short has none"),
        (("--variant", "fevga"), 'preset = "classic002"', "no preset 'classic002': fevga has none"),
        (("--variant", "narde"), 'preset = "002"', "known: classic000, classic002, site_classic"),
        (("--variant", "narde"), 'scoring = "koks"', "known: oin_mars, koks3, points_by_checkers"),
        ((), 'variant = "chess"', "there is no variant 'chess'"),
        ((), 'variant = ""', "there is no variant ''; known: short"),
        ((), "last_roll_draw = true", "short has no draw by the last roll"),
    ],
)
def test_an_option_that_the_game_lacks_is_one_line(options, text, problem, tmp_path, capsys):
    path = tmp_path / "bad.toml"
    path.write_text(f"[game]\n{text}\n")
    given = ["transcribe", "a.mp4", "--out", str(tmp_path / "out"), "--rules", str(path)]
    assert cli.main([*given, *options]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert problem in line


@pytest.mark.parametrize("command", ["transcribe", "live"])
@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        (None, 2, "there is no rule set and no file"),
        ("zone = 1", 1, "there is no field 'zone'"),
        ("=", 1, "is not TOML"),
        ("[game]\nlength = 99999999999", 1, "a match has 1 to 99 points"),
        ("[cube]\nautomatic_doubles = 100", 1, "automatic_doubles must be a number up to 9"),
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


def test_players_are_named_by_visible_characters_or_else_by_their_side():
    named = MatchConfig(SHORT, light="Ann\u202e\x07 ", dark="\u200b")
    assert (named.light, named.dark) == ("Ann", "Dark")


@pytest.mark.parametrize(
    ("words", "chosen"),
    [
        ([], BluetoothConfig()),
        (["virtual"], BluetoothConfig(is_virtual=True)),
        (["A", "B"], BluetoothConfig(("A", "B"))),
    ],
)
def test_bluetooth_dice_are_named_virtual_or_the_nearest(words, chosen):
    args = cli.build_parser().parse_args(["live", "--no-camera", "--bluetooth-dice", *words])
    assert recording_config(args).cup == chosen


@pytest.mark.parametrize(
    "words",
    [["--bluetooth-dice"], ["--no-camera", "--cup", "--bluetooth-dice"],
     ["--no-camera", "--bluetooth-dice", "A"], ["--no-camera", "--bluetooth-dice", "A", "A"]],
)  # fmt: skip
def test_bluetooth_dice_that_do_not_fit_are_refused_in_one_line(words):
    with pytest.raises(WrongUsage, match="--bluetooth-dice"):
        recording_config(cli.build_parser().parse_args(["live", *words]))


def test_a_chosen_start_is_that_of_the_first_game_alone():
    start, opening = NACKGAMMON.opening(), SHORT.opening()
    match = MatchConfig(SHORT, start=start)
    states = MatchState(), MatchState(games=1, phase=Phase.OVER)
    assert match.expected_position == start
    assert [replace(match, resumed=one).expected_position for one in states] == [start, opening]


def test_a_match_is_recorded_without_the_password_of_its_camera_and_shown_without_an_older_one(
    tmp_path,
):
    address = "http://10.0.0.9/snap.cgi?user=admin&pwd=hunter2"
    with Store.open(tmp_path / "record.sqlite") as store:
        begin_match(store, MatchConfig(SHORT), address)
        assert b"hunter2" not in store.path.read_bytes()
        store.new_match(source=address)
        assert [one.source for one in store.matches()] == ["http://10.0.0.9/snap.cgi"] * 2
