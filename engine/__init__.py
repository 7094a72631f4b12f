"""The game: positions, dice, plays, rules, events, the referee. Imports no package of ours."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from engine.dice import ALL_ROLLS, Roll
from engine.errors import EngineError, InvalidRuleSet, NotNow
from engine.events.codec import as_json, from_json, position_from_json, position_json
from engine.events.match import (
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
    MatchClosed,
    MatchPlaced,
    PlayersNamed,
    RefereeCalled,
    RefereeCame,
    Resumed,
    SetUpError,
    Unfinished,
    Unseen,
)
from engine.evidence.observation import (
    CELLS,
    COUNTS,
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
from engine.play import Play
from engine.position import BAR, CHECKERS, OFF, PLACES, Course, Position, Setup, Side
from engine.referee import Referee
from engine.referee.game import Game
from engine.rules import find_rules
from engine.rules.legal import apply_play, is_legal, leftover_plays, legal_plays
from engine.ruleset import NAMED_RULE_SETS, RULE_SETS, USUAL, RuleSet
from engine.ruleset_file import load_rule_set

if TYPE_CHECKING:
    from engine.formats.detect import read_match
    from engine.formats.ids.xgid import xgid

__all__ = [
    "ALL_ROLLS", "BAR", "CELLS", "CHECKERS", "COUNTS", "NAMED_RULE_SETS", "OFF", "PLACES",
    "RULE_SETS", "USUAL",
    "Beavered", "BoardMoved", "Course", "CubePlace", "CubeSeen", "DiceRolled", "DiceVoid",
    "DieSeen", "DoubleDropped", "DoubleTaken", "Doubled", "EngineError", "Event", "Game",
    "GameDrawn", "GameEnd", "GameStart", "IllegalMade", "InvalidRuleSet", "MatchClosed",
    "MatchPlaced", "MatchState", "Motion", "NotNow", "Observation", "OpeningRolled", "Phase",
    "Play", "PlayAccepted", "PlayMade", "PlayRejected", "PlayersNamed", "Position", "PrematureRoll",
    "Raccooned", "Referee", "RefereeCalled", "RefereeCame", "Resigned", "Resumed", "Roll",
    "RuleSet", "SetUpError", "Setup", "Side",
    "Surface", "TakenBack", "Turn", "TurnEnded", "Unfinished", "Unseen", "apply_play", "as_json",
    "as_known", "cell_counts", "find_rules", "fold", "from_json", "is_legal", "leftover_plays",
    "legal_plays", "load_rule_set", "pending_as_known", "position_from_json", "position_json",
    "read_match", "xgid",
]  # fmt: skip

_AT_FIRST_USE: Final = {"read_match": "engine.formats.detect", "xgid": "engine.formats.ids.xgid"}
"""The formats load when they are needed."""


if not TYPE_CHECKING:  # else any name would pass for one of the package

    def __getattr__(name: str) -> Any:
        if name not in _AT_FIRST_USE:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(_AT_FIRST_USE[name]), name)
