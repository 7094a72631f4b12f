"""Rule sets: presets and files."""

from __future__ import annotations

import pytest

from engine import RULE_SETS, InvalidRuleSet, RuleSet, load_rule_set
from engine.cube import CubeRules
from engine.ruleset import (
    Audience,
    GameOptions,
    IllegalPlayRule,
    TurnEndRule,
    ZoneRule,
    find_rule_set,
)
from engine.ruleset_file import chosen_options, with_options


def test_the_presets():
    names = ["casual", "seeds", "us2009", "usbgf", "wbgf", "ukbgf", "narde"]
    assert list(RULE_SETS) == names
    assert find_rule_set("wbgf").illegal_play is IllegalPlayRule.MUST_CORRECT
    assert find_rule_set("narde").turn_end is TurnEndRule.DICE_HANDED_OVER


@pytest.mark.parametrize("name", RULE_SETS)
def test_an_unconfirmed_field_has_the_seeds_value(name):
    rules, seeds = find_rule_set(name), find_rule_set("seeds")
    for field in rules.unconfirmed:
        assert getattr(rules, field) == getattr(seeds, field)


def test_seeds_and_house_rules_are_confirmed():
    assert not find_rule_set("seeds").unconfirmed
    assert "acceptance_event" in find_rule_set("us2009").unconfirmed


def test_a_file_changes_a_preset(tmp_path):
    path = tmp_path / "club.toml"
    path.write_text(
        'base = "us2009"\nroll_zone = "baffle"\nacceptance_event = "valid_roll"\n'
        'announce = "referee"\n[cube]\nholland = true\n'
    )
    rules = load_rule_set(path)
    assert rules.name == "club"
    assert rules.roll_zone is ZoneRule.BAFFLE
    assert rules.announce is Audience.REFEREE
    assert rules.cube.holland
    assert "acceptance_event" not in rules.unconfirmed
    assert "spectators_may_speak" in rules.unconfirmed


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("zone = 1", "there is no field 'zone'"),
        ('roll_zone = "left"', "roll_zone must be one of own_right_half"),
        ('spectators_may_speak = "no"', "spectators_may_speak must be true or false"),
        ("cube = 3", "cube must be a table"),
        ("[cube]\nautomatic_doubles = true", "cube.automatic_doubles must be a number"),
        ("[cube]\nautomatic_doubles = -1", "cube.automatic_doubles must be a number"),
        ("[cube]\nbeaver = true", "no field cube.beaver"),
        ("game = 3", "game must be a table"),
        ("[game]\nkoks = 3", "no field game.koks; known: variant, length, preset, scoring"),
        ("[game]\nlength = -1", "game.length must be a number"),
        ("[game]\nlast_roll_draw = 1", "game.last_roll_draw must be true or false"),
        ('[game]\nnext_starter = "loser"', "game.next_starter must be one of opening, winner"),
        ("name = 7", "name must be text"),
        ('base = "fide"', "there is no rule set 'fide'"),
        ("base = []", "base must be the name"),
        ("unconfirmed = []", "no field 'unconfirmed'"),
        ("=", "is not TOML"),
        ("x = " + "[" * 5000, "is not TOML"),
        ("x = " + "9" * 5000, "is not TOML"),
    ],
)
def test_the_error_for_a_bad_file_is_one_line_that_names_the_field(tmp_path, text, problem):
    path = tmp_path / "bad.toml"
    path.write_text(text)
    with pytest.raises(InvalidRuleSet) as caught:
        load_rule_set(path)
    assert problem in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_missing_or_no_text_is_refused(tmp_path):
    with pytest.raises(InvalidRuleSet, match="cannot be read"):
        load_rule_set(str(tmp_path / "none.toml"))
    (tmp_path / "raw.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(InvalidRuleSet, match="is not TOML"):
        load_rule_set(tmp_path / "raw.toml")


def test_options_of_both_tables_are_chosen_by_name_and_told_again():
    chosen = {"scoring": "koks3", "jacoby": True, "crawford": False}
    rules = with_options(find_rule_set("wbgf"), chosen)
    assert rules.cube == CubeRules(jacoby=True, crawford=False)
    assert rules.game == GameOptions(scoring="koks3")
    assert chosen_options(rules) == chosen
    assert chosen_options(find_rule_set("narde")) == {}, "its cube is its own"
    with pytest.raises(InvalidRuleSet, match=r"cube\.jacoby must be true or false"):
        with_options(rules, {"jacoby": 1})
    with pytest.raises(InvalidRuleSet, match=r"no field game\.colors"):
        with_options(rules, {"colors": True})


def test_the_defaults_are_the_seeds():
    assert RuleSet() == find_rule_set("seeds")
