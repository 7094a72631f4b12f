"""How well a match was played, as the page shows it.

Equities are normalized (EMG): 1 is what a plain win pays with the cube on the table.
"""

from __future__ import annotations

from typing import Final, Literal, NotRequired, get_args

from typing_extensions import TypedDict

from webui.contracts.words import SideName, Text

DecisionKind = Literal["play", "no_double", "double", "take", "drop"]
"""`no_double`: the player could have doubled and rolled; a beaver is judged as a take."""
DECISION_KINDS: Final[tuple[DecisionKind, ...]] = get_args(DecisionKind)
ErrorMark = Literal["", "doubtful", "bad", "very bad"]


class ShownChances(TypedDict):
    """The chances of light and dark, each 0..1; a gammon counts backgammons too."""

    light: float
    light_gammon: float
    light_backgammon: float
    dark_gammon: float
    dark_backgammon: float


class RatedChoice(TypedDict):
    """One thing that the player could do."""

    choice: str
    """A play in notation, or `no_double`, `double_take`, `double_drop`."""
    equity: float
    """For the player who decides; of a cube action, for the player who may double."""


class JudgedDecision(TypedDict):
    """One decision and what it cost."""

    kind: DecisionKind
    player: SideName
    loss: float
    """Equity lost; 0 for the best choice."""
    mark: ErrorMark
    """Empty if it does not count."""
    counts: bool
    """Whether it counts as a decision: the play was not forced, or the cube action was taken or
    close."""
    best: str
    """The best legal play in notation; of a cube action, as in `RatedChoice`."""
    choices: list[RatedChoice]
    """The best, and the one made, even an illegal one, best first; of a cube action all three."""


class JudgedEvent(TypedDict):
    """An event of the match with the decisions in it."""

    event: int
    """Its number among the events in effect, from 1."""
    game: int
    turn: int | None
    """The turn's number, if it is a play."""
    player: SideName
    luck: float | None
    """Equity that the roll gained over the mean roll; null without a roll."""
    chances: ShownChances | None
    """After the event; null if the game is over."""
    step: NotRequired[str]
    """The id of the step that shows it, for a recorded match."""
    decisions: list[JudgedDecision]


class ErrorFigures(TypedDict):
    """The decisions of one kind."""

    decisions: int
    error: float
    doubtful: int
    bad: int
    very_bad: int


class PlayerFigures(TypedDict):
    """How well a player played."""

    decisions: int
    error: float
    """Equity lost in total."""
    error_rate: float
    """Thousandths of equity lost per decision (mEMG)."""
    rating: float
    """The performance rating (PR): 500 times the equity lost per decision; the lower, the
    better."""
    level: Text
    """The rating in words."""
    luck: float
    """Equity gained by the dice in total."""
    play: ErrorFigures
    no_double: ErrorFigures
    double: ErrorFigures
    take: ErrorFigures
    drop: ErrorFigures


class AnalysisResult(TypedDict):
    """The analysis of a match, as far as it has come."""

    engine: str
    light: PlayerFigures
    dark: PlayerFigures
    events: list[JudgedEvent]


class LiveAnalysis(TypedDict):
    """What has been judged of the match in play: for the referee and a delayed audience alone."""

    engine: str
    light: PlayerFigures
    dark: PlayerFigures
    newest: JudgedEvent | None
    """The newest event judged, with the chances after it."""
    play: str
    """The play made in it, in notation; empty if it was a cube action."""
    errors: list[JudgedDecision]
    """The newest decisions that are marked as errors, newest first."""
    note: Text
    """What went wrong, in one line; otherwise empty. The rest is then what was known before."""
