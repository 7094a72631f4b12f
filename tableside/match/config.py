"""What is to be played and how it is recorded; fixed before the first frame."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from calibration.profile import Profile
from engine import NAMED_RULE_SETS, USUAL, MatchState, Position, Referee, RuleSet, load_rule_set
from engine.address import shown_address
from engine.events.names import clean_name
from engine.match.phase import BETWEEN_GAMES
from engine.rules import SHORT, Rules, find_rules
from engine.ruleset_file import with_options
from tableside.errors import WrongUsage
from tableside.record.store import Store
from webui.contracts.setup import ChosenOptions


class MatchPlace(NamedTuple):
    """The place of a match in a tournament; what is not known is empty."""

    event: str = ""
    round: str = ""
    table: str = ""
    light_country: str = ""
    dark_country: str = ""
    logo: str = ""


@dataclass(frozen=True, slots=True)
class MatchConfig:
    """What is known of a match before its first frame."""

    rules: Rules
    light: str = "Light"
    dark: str = "Dark"
    length: int = 0
    start: Position | None = None
    profile: Profile | None = None
    resumed: MatchState | None = None
    rule_set: RuleSet = USUAL
    """How it is refereed; a resumed match keeps its own rule set."""
    place: MatchPlace | None = None
    """Where in a tournament it is played; None if that was not said."""
    is_manual: bool = False
    """Whether there is no camera: every roll and play is entered by hand, or made by a cup."""

    def __post_init__(self) -> None:
        for side in ("light", "dark"):
            name = clean_name(getattr(self, side)) or side.title()
            object.__setattr__(self, side, name)

    @property
    def expected_position(self) -> Position:
        """The position that the first frames should show."""
        state = self.resumed
        if state is None or state.games == 0:
            return self.start or self.rules.opening()
        if state.position is None or state.phase in BETWEEN_GAMES:
            return self.rules.opening()
        return state.position

    def resuming(self, recorded: MatchState) -> MatchConfig:
        """The same, to go on with this match: its players, its game and its rules stay.

        If no game has begun, its rules are not in the record, and so are still those chosen here.
        """
        if not recorded.games:
            recorded = replace(recorded, rule_set=self.rule_set, cube_rules=self.rule_set.cube)
        return replace(
            self,
            light=recorded.light,
            dark=recorded.dark,
            length=recorded.length,
            rules=recorded.rules,
            rule_set=recorded.rule_set,
            resumed=recorded if recorded.event_count else None,
        )

    def referee(self, state: MatchState | None = None, *, throws_mirrored: bool = False) -> Referee:
        """A referee that continues from `state`, else from the resumed match, else from the start.

        throws_mirrored: whether the homes are on the other side than in the profile.
        """
        board: dict[str, Any] = {"is_manual": self.is_manual}
        if self.profile is not None:
            board["light_throws_right"] = self.profile.pose.mirrored == throws_mirrored
            if self.profile.throw_zone is not None:
                zone = tuple((float(x), float(y)) for x, y in self.profile.throw_zone)
                board["throw_zone"] = zone
        known = self.resumed if state is None else state
        if known is not None:
            start = None if known.games else self.start
            return Referee.resume(self.rules, known, start=start, **board)
        return Referee(
            self.rules,
            light=self.light,
            dark=self.dark,
            length=self.length,
            start=self.start,
            rule_set=self.rule_set,
            **board,
        )


def agreed(
    match: MatchConfig,
    rule_set: RuleSet,
    variant: str | None = None,
    length: int | None = None,
    chosen: ChosenOptions | None = None,
) -> MatchConfig:
    """The match under this rule set; what is given replaces what its tables say.

    Raises `UnknownVariant` if the variant lacks an option of the `[game]` table;
    `check_new_match` tells whether a new match may be played so.
    """
    game, rule_set = rule_set.game, with_options(rule_set, chosen or {})
    options = replace(rule_set.game, variant=None, length=None)
    named = SHORT.name if game.variant is None else game.variant
    return replace(
        match,
        rules=find_rules(variant or named, options),
        length=(game.length or 0) if length is None else length,
        rule_set=replace(rule_set, game=options),
    )


@dataclass(frozen=True, slots=True)
class CupConfig:
    """Which dice cup makes the rolls."""

    port: str | None = None
    """None to search for it."""
    is_virtual: bool = False
    words: tuple[str, str] | None = None
    """Light's and dark's contribution to every roll; None to ask the players for them."""


@dataclass(frozen=True, slots=True)
class BluetoothConfig:
    """Which dice with Bluetooth make the rolls."""

    dice: tuple[str, ...] = ()
    """Names or addresses of both, light's first; empty for the nearest two, by name."""
    is_virtual: bool = False


@dataclass(frozen=True, slots=True)
class RecordingConfig:
    """What is recorded: the first match, its source, and what later matches share with it."""

    match: MatchConfig
    camera: str | None = None
    """A number, an address or a file; None for no camera."""
    cup: CupConfig | BluetoothConfig | None = None
    rules_source: str = ""
    """The preset or file from which `match.rule_set` was read; empty for the default rules."""
    is_new: bool = False
    """Whether a match begins even if these players have an unfinished one that could continue."""
    resumed: int | None = None
    """The unfinished match that goes on, whoever plays it and by whatever rules; None for the
    newest of these players and this game."""


def find_rule_set(source: str) -> RuleSet:
    """The preset with this name, or the rules in this file; the default for an empty name."""
    if not source:
        return USUAL
    if source in NAMED_RULE_SETS:
        return NAMED_RULE_SETS[source]
    if not Path(source).exists():
        raise WrongUsage(
            f"there is no rule set and no file {source!r}; --rules takes a TOML file or one of "
            f"{', '.join(NAMED_RULE_SETS)}"
        )
    return load_rule_set(Path(source))


def begin_match(store: Store, config: MatchConfig, source: str) -> int:
    """Begin a match in the record and return its id; `source`: where its frames come from.

    Of an address, only what may be shown is stored.
    """
    return store.new_match(
        variant=config.rules.name,
        length=config.length,
        light=config.light,
        dark=config.dark,
        source=shown_address(source),
    )
