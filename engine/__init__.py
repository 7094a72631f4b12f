"""The game: positions, dice, plays, rules, judgement, record. Imports nothing of ours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.announce import as_known, pending_as_known
from engine.chronicle import Chronicle
from engine.cube import CENTRED, Cube, CubeRules, Game, Offer, Turned, is_crawford
from engine.dice import ALL_ROLLS, Roll
from engine.errors import (
    EngineError,
    IllegalCube,
    IllegalPlay,
    InvalidNotation,
    InvalidPosition,
    InvalidRoll,
    InvalidRuleSet,
    NotNow,
    TooManyPlays,
    UnknownVariant,
)
from engine.events import (
    Alternative,
    Beavered,
    Dice,
    DiceRolled,
    DiceVoid,
    Doubled,
    Dropped,
    Event,
    GameDrawn,
    GameEnd,
    GameStart,
    IllegalMade,
    MatchEnd,
    OpeningRolled,
    PlayAccepted,
    PlayMade,
    PlayRejected,
    Premature,
    Raccooned,
    Resigned,
    Taken,
    TakenBack,
    TurnEnded,
)
from engine.events_json import (
    EVENTS,
    InvalidEvent,
    as_json,
    from_json,
    position_from_json,
    position_json,
)
from engine.evidence import (
    CELLS,
    COUNTS,
    CUBE_VALUES,
    CubePlace,
    CubeSeen,
    DieSeen,
    Observation,
    Surface,
    cell_counts,
)
from engine.inference import Illegal, NothingYet, Played, Unsure, Verdict, judge
from engine.legal import (
    LegalPlay,
    LegalPlays,
    apply_play,
    is_legal,
    left_plays,
    legal_plays,
    legal_results,
)
from engine.looks import Busy
from engine.match import MatchState, Turn, fold
from engine.phase import Phase
from engine.play import NO_PLAY, Move, Play
from engine.position import (
    BAR,
    CHECKERS,
    OFF,
    PLACES,
    Course,
    Position,
    Setup,
    Side,
    SideVector,
    place_name,
)
from engine.reasons import Reason
from engine.record_events import (
    BoardMoved,
    Confirmed,
    Corrected,
    MatchClosed,
    Named,
    Resumed,
    SetUpError,
    Unfinished,
)
from engine.referee import Referee
from engine.rules import (
    PRESETS,
    VARIANTS,
    Doubles,
    Found,
    House,
    Moment,
    NextStarter,
    Outcome,
    Rules,
    find_rules,
)
from engine.ruleset import RULE_SETS, USUAL, Announce, RuleSet, find_rule_set
from engine.ruleset_file import load_rule_set
from engine.why import Judgement, judge_result, why_illegal

if TYPE_CHECKING:
    from engine.mat import write_mat


def __getattr__(name: str) -> object:
    """`write_mat`, loaded at first use: the formats take as long to load as all the rest."""
    if name != "write_mat":
        raise AttributeError(f"module 'engine' has no attribute {name!r}")
    from engine.mat import write_mat

    return write_mat


__all__ = [
    "ALL_ROLLS",
    "BAR",
    "CELLS",
    "CENTRED",
    "CHECKERS",
    "COUNTS",
    "CUBE_VALUES",
    "EVENTS",
    "NO_PLAY",
    "OFF",
    "PLACES",
    "PRESETS",
    "RULE_SETS",
    "USUAL",
    "VARIANTS",
    "Alternative",
    "Announce",
    "Beavered",
    "BoardMoved",
    "Busy",
    "Chronicle",
    "Confirmed",
    "Corrected",
    "Course",
    "Cube",
    "CubePlace",
    "CubeRules",
    "CubeSeen",
    "Dice",
    "DiceRolled",
    "DiceVoid",
    "DieSeen",
    "Doubled",
    "Doubles",
    "Dropped",
    "EngineError",
    "Event",
    "Found",
    "Game",
    "GameDrawn",
    "GameEnd",
    "GameStart",
    "House",
    "Illegal",
    "IllegalCube",
    "IllegalMade",
    "IllegalPlay",
    "InvalidEvent",
    "InvalidNotation",
    "InvalidPosition",
    "InvalidRoll",
    "InvalidRuleSet",
    "Judgement",
    "LegalPlay",
    "LegalPlays",
    "MatchClosed",
    "MatchEnd",
    "MatchState",
    "Moment",
    "Move",
    "Named",
    "NextStarter",
    "NotNow",
    "NothingYet",
    "Observation",
    "Offer",
    "OpeningRolled",
    "Outcome",
    "Phase",
    "Play",
    "PlayAccepted",
    "PlayMade",
    "PlayRejected",
    "Played",
    "Position",
    "Premature",
    "Raccooned",
    "Reason",
    "Referee",
    "Resigned",
    "Resumed",
    "Roll",
    "RuleSet",
    "Rules",
    "SetUpError",
    "Setup",
    "Side",
    "SideVector",
    "Surface",
    "Taken",
    "TakenBack",
    "TooManyPlays",
    "Turn",
    "TurnEnded",
    "Turned",
    "Unfinished",
    "UnknownVariant",
    "Unsure",
    "Verdict",
    "apply_play",
    "as_json",
    "as_known",
    "cell_counts",
    "find_rule_set",
    "find_rules",
    "fold",
    "from_json",
    "is_crawford",
    "is_legal",
    "judge",
    "judge_result",
    "left_plays",
    "legal_plays",
    "legal_results",
    "load_rule_set",
    "pending_as_known",
    "place_name",
    "position_from_json",
    "position_json",
    "why_illegal",
    "write_mat",
]
