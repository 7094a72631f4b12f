"""What happens next, in words for the players."""

from __future__ import annotations

from typing import Final, Protocol

from engine.cube import Cube
from engine.events.match import Dice, Event
from engine.events.record import SetUpError
from engine.match.phase import Phase
from engine.position import Course, Position, Side
from engine.ruleset import IllegalPlayRule, RuleSet

MOST_FAULTS: Final = 4
"""Places that are named where checkers stand wrong."""


class PromptSubject(Protocol):
    """What the words are about: `MatchState`."""

    @property
    def phase(self) -> Phase: ...  # noqa: D102
    @property
    def winner(self) -> Side | None: ...  # noqa: D102
    @property
    def score(self) -> tuple[int, int]: ...  # noqa: D102
    @property
    def to_move(self) -> Side | None: ...  # noqa: D102
    @property
    def roll(self) -> Dice | None: ...  # noqa: D102
    @property
    def cube(self) -> Cube: ...  # noqa: D102
    @property
    def rule_set(self) -> RuleSet: ...  # noqa: D102
    @property
    def position(self) -> Position | None: ...  # noqa: D102
    @property
    def unresolved_games(self) -> tuple[int, ...]: ...  # noqa: D102
    @property
    def last_event(self) -> Event | None: ...  # noqa: D102
    def name(self, side: Side) -> str: ...  # noqa: D102


def prompt_of(state: PromptSubject) -> str:
    """One line; a question that is still open stands behind it."""
    said = _next(state)
    open_games = [game for game in state.unresolved_games if state.phase is not Phase.UNFINISHED]
    for game in open_games:
        said += f"; game {game} was broken off: {_who_won(state)}"
    if isinstance(state.last_event, SetUpError):
        said += _set_up(state.last_event)
    return said


def _set_up(error: SetUpError) -> str:
    more = len(error.faults) - MOST_FAULTS
    rest = (f"and {more} more places",) if more > 0 else ()
    return "; ".join(("", "the checkers stand wrong", *error.faults[:MOST_FAULTS], *rest))


def _next(state: PromptSubject) -> str:
    match state.phase:
        case Phase.WAITING:
            return "waiting for the start position"
        case Phase.UNFINISHED:
            return _who_won(state)
        case Phase.OVER if state.winner is not None:
            light, dark = state.score
            return f"{state.name(state.winner)} has won the match: {light}-{dark}"
        case Phase.OVER:
            return "the game is over; the next begins when the start position stands"
        case _:
            return _in_play(state)


def _in_play(state: PromptSubject) -> str:
    name = state.name(state.to_move) if state.to_move else "either player"
    match state.phase:
        case Phase.TO_PLAY:
            dice = "-".join("?" if die is None else str(die) for die in state.roll or ())
            return f"{name} to play {dice}"
        case Phase.DOUBLED:
            value = state.cube.offer.value if state.cube.offer else state.cube.value
            return f"{name} takes the cube at {value} or drops it"
        case Phase.DISPUTED if not state.rule_set.announces_to_players:
            return f"{name} to roll"
        case Phase.DISPUTED if state.rule_set.illegal_play is IllegalPlayRule.MUST_CORRECT:
            return "that was no legal play: it has to be played again"
        case Phase.DISPUTED:
            return f"that was no legal play: {name} rolls, or asks for another"
        case _:
            return f"{name} to roll"


def _who_won(state: PromptSubject) -> str:
    """The results are those of the variant's family: what a player can lose by resigning."""
    narde = state.position is not None and state.position.course is Course.CIRCLING
    results = "oin or mars" if narde else "single, gammon or backgammon"
    return f"who won, and was it {results}?"
