"""Rule sets as TOML files and as JSON in the record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields, replace
from enum import Enum
from functools import cache
from pathlib import Path
from types import NoneType
from typing import Any, Final, get_args, get_type_hints

from engine.cube import MOST_AUTOMATIC_DOUBLES, CubeRules
from engine.errors import InvalidRuleSet
from engine.ruleset import (
    NAMED_RULE_SETS,
    NO_OPTIONS,
    SEEDS,
    USUAL,
    GameOptions,
    RuleSet,
    find_rule_set,
)

_CUBE_FIELDS: Final = tuple(one.name for one in fields(CubeRules))
_KINDS: Final = {bool: "true or false", int: "a number of at least 0", str: "text"}


def load_rule_set(path: Path | str) -> RuleSet:
    """The rule set in a TOML file; raises `InvalidRuleSet`, which names the unusable field.

    `base = "us2009"` names the preset that the other fields modify; without it, the collected rule
    texts' procedure.
    """
    path = Path(path)
    import tomllib  # on first use: no other part of the engine reads such files

    try:
        given = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise InvalidRuleSet(f"{path}: cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise InvalidRuleSet(f"{path}: is not TOML: {str(error) or 'nested too deep'}") from error
    try:
        rules = make_rule_set({"name": path.stem, **given})
        if rules.cube.automatic_doubles > MOST_AUTOMATIC_DOUBLES:
            raise InvalidRuleSet(
                f"cube.automatic_doubles must be a number up to {MOST_AUTOMATIC_DOUBLES}, not "
                f"{rules.cube.automatic_doubles}"
            )
        return rules
    except InvalidRuleSet as error:
        raise InvalidRuleSet(f"{path}: {error}") from error


def make_rule_set(given: dict[str, Any]) -> RuleSet:
    """The rule set with these fields; the others from `base` or the collected rule texts."""
    changes = dict(given)
    name = changes.pop("base", SEEDS.name)
    if not isinstance(name, str):
        raise InvalidRuleSet(f"base must be the name of a rule set, not {name!r}")
    base = find_rule_set(name)
    values = {field: _value(field, value, base) for field, value in changes.items()}
    return replace(base, **values, unconfirmed=base.unconfirmed - values.keys())


def with_options(rules: RuleSet, chosen: Mapping[str, Any]) -> RuleSet:
    """The rule set with these fields of its `[game]` and `[cube]` tables; no name is in both.

    Raises `InvalidRuleSet`, which names the unusable field.
    """
    cube = {name: value for name, value in chosen.items() if name in _CUBE_FIELDS}
    game = {name: value for name, value in chosen.items() if name not in _CUBE_FIELDS}
    return replace(rules, game=game_options(game, rules.game), cube=_cube_rules(cube, rules.cube))


def chosen_options(rules: RuleSet) -> dict[str, Any]:
    """What `with_options` needs to make this rule set's tables from those of the preset it names.

    A rule set that was read from a file is compared with the default.
    """
    base, cube = NAMED_RULE_SETS.get(rules.name, USUAL).cube, asdict(rules.cube)
    changed = {name: value for name, value in cube.items() if value != getattr(base, name)}
    return {**game_options_json(rules.game), **changed}


def rule_set_json(rules: RuleSet) -> dict[str, Any]:
    """Every field by name, as in a file; `unconfirmed` is a list, and `game` has what is chosen."""
    plain = {name: _plain(value) for name, value in asdict(rules).items() if name != "game"}
    game = game_options_json(rules.game)
    return {**plain, "unconfirmed": sorted(rules.unconfirmed), **({"game": game} if game else {})}


def game_options_json(options: GameOptions) -> dict[str, Any]:
    """The options that were chosen, as in the `[game]` table of a file."""
    return {name: _plain(one) for name, one in asdict(options).items() if one is not None}


def _plain(value: Any) -> Any:
    return value.value if isinstance(value, Enum) else value


def rule_set_from_json(value: dict[str, Any]) -> RuleSet:
    """The inverse of `rule_set_json`; missing fields come from the collected rule texts."""
    if not isinstance(value, dict):
        raise InvalidRuleSet(f"a rule set is an object, not {value!r:.40}")
    changes = dict(value)
    unconfirmed = changes.pop("unconfirmed", [])
    if not isinstance(unconfirmed, list) or not all(isinstance(one, str) for one in unconfirmed):
        raise InvalidRuleSet(f"unconfirmed must be names of fields, not {unconfirmed!r:.40}")
    return replace(make_rule_set(changes), unconfirmed=frozenset(unconfirmed))


def _value(field: str, value: Any, base: RuleSet) -> Any:
    known = [one.name for one in fields(RuleSet) if one.name != "unconfirmed"]
    if field not in known:
        raise InvalidRuleSet(f"there is no field {field!r}; known: base, {', '.join(known)}")
    default = getattr(base, field)
    if isinstance(default, Enum):
        return _choice(field, value, type(default))
    if isinstance(default, CubeRules):
        return _cube_rules(value, default)
    if isinstance(default, GameOptions):
        return game_options(value, default)
    if type(value) is not type(default):
        raise InvalidRuleSet(f"{field} must be {_kind(default)}, not {value!r}")
    return value


def _choice(field: str, value: Any, kind: type[Enum]) -> Enum:
    try:
        return kind(value)
    except ValueError:
        known = ", ".join(one.value for one in kind)
        raise InvalidRuleSet(f"{field} must be one of {known}, not {value!r}") from None


def _cube_rules(value: Any, base: CubeRules) -> CubeRules:
    """The [cube] table."""
    if not isinstance(value, dict):
        raise InvalidRuleSet(f"cube must be a table, not {value!r}")
    for field, one in value.items():
        if field not in _CUBE_FIELDS:
            known = ", ".join(_CUBE_FIELDS)
            raise InvalidRuleSet(f"there is no field cube.{field}; known: {known}")
        default = getattr(base, field)
        if type(one) is not type(default) or (isinstance(one, int) and one < 0):
            raise InvalidRuleSet(f"cube.{field} must be {_kind(default)}, not {one!r}")
    return replace(base, **value)


def game_options(value: Any, base: GameOptions = NO_OPTIONS) -> GameOptions:
    """The options in a `[game]` table; `find_rules` tells whether the variant has them."""
    if not isinstance(value, dict):
        raise InvalidRuleSet(f"game must be a table, not {value!r}")
    kinds = _option_kinds()
    read: dict[str, Any] = {}
    for field, one in value.items():
        if field not in kinds:
            raise InvalidRuleSet(f"there is no field game.{field}; known: {', '.join(kinds)}")
        kind = kinds[field]
        if issubclass(kind, Enum):
            read[field] = _choice(f"game.{field}", one, kind)
        elif type(one) is not kind or (kind is int and one < 0):
            raise InvalidRuleSet(f"game.{field} must be {_KINDS[kind]}, not {one!r}")
        else:
            read[field] = one
    return replace(base, **read)


@cache
def _option_kinds() -> dict[str, Any]:
    """The type of each field, which may also be left open."""
    return {
        field: next(kind for kind in get_args(hint) if kind is not NoneType)
        for field, hint in get_type_hints(GameOptions).items()
    }


def _kind(default: object) -> str:
    return _KINDS[type(default)]
