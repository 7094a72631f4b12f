"""The game: positions, dice, plays, rules, events, the referee. Imports nothing of ours."""

from __future__ import annotations

from engine.cube import CENTRED, Cube, CubeRules, DoublingContext, is_crawford
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
from engine.events.codec import InvalidEvent, as_json, from_json, position_from_json, position_json
from engine.events.match import (
    EVENTS,
    Alternative,
    Beavered,
    DiceRolled,
    DiceVoid,
    Doubled,
    DoubleDropped,
    DoubleTaken,
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
    PrematureRoll,
    Raccooned,
    Resigned,
    TakenBack,
    TurnEnded,
)
from engine.events.record import (
    BoardMoved,
    Corrected,
    MatchClosed,
    PlayersNamed,
    Resumed,
    SetUpError,
    Unfinished,
    Unseen,
)
from engine.evidence.observation import (
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
from engine.evidence.still_period import Motion
from engine.match.fold import fold
from engine.match.phase import Phase
from engine.match.state import MatchState, Turn
from engine.match.visibility import as_known, pending_as_known
from engine.play import Move, Play
from engine.position import BAR, CHECKERS, OFF, PLACES, Course, Position, Setup, Side
from engine.referee import Referee
from engine.rules import VARIANTS, Doubles, GameOutcome, Rules, find_rules
from engine.rules.illegality import judge_result, why_illegal
from engine.rules.legal import apply_play, is_legal, leftover_plays, legal_plays
from engine.rules.reasons import Reason
from engine.ruleset import RULE_SETS, USUAL, Audience, RuleSet, find_rule_set
from engine.ruleset_file import load_rule_set

__all__ = [
    "ALL_ROLLS", "BAR", "CELLS", "CENTRED", "CHECKERS", "COUNTS", "CUBE_VALUES", "EVENTS", "OFF",
    "PLACES", "RULE_SETS", "USUAL", "VARIANTS", "Alternative", "Audience", "Beavered", "BoardMoved",
    "Corrected", "Course", "Cube", "CubePlace", "CubeRules", "CubeSeen", "DiceRolled", "DiceVoid",
    "DieSeen", "DoubleDropped", "DoubleTaken", "Doubled", "Doubles", "DoublingContext",
    "EngineError", "Event", "GameDrawn", "GameEnd", "GameOutcome", "GameStart", "IllegalCube",
    "IllegalMade", "IllegalPlay", "InvalidEvent", "InvalidNotation", "InvalidPosition",
    "InvalidRoll", "InvalidRuleSet", "MatchClosed", "MatchEnd", "MatchState", "Motion", "Move",
    "NotNow", "Observation", "OpeningRolled", "Phase", "Play", "PlayAccepted", "PlayMade",
    "PlayRejected", "PlayersNamed", "Position", "PrematureRoll", "Raccooned", "Reason", "Referee",
    "Resigned", "Resumed", "Roll", "RuleSet", "Rules", "SetUpError", "Setup", "Side", "Surface",
    "TakenBack", "TooManyPlays", "Turn", "TurnEnded", "Unfinished", "UnknownVariant", "Unseen",
    "apply_play", "as_json", "as_known", "cell_counts", "find_rule_set", "find_rules", "fold",
    "from_json", "is_crawford", "is_legal", "judge_result", "leftover_plays", "legal_plays",
    "load_rule_set", "pending_as_known", "position_from_json", "position_json", "why_illegal",
]  # fmt: skip
