"""What happens next, in words for the players."""

from __future__ import annotations

from typing import Final, Protocol

from engine.cube import Cube
from engine.events.match import Dice, Event
from engine.events.record import SetUpError
from engine.match.phase import Phase
from engine.message import Message, Sentence, join, msg
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
    def name(self, side: Side) -> Sentence: ...  # noqa: D102


def prompt_of(state: PromptSubject) -> Message:
    """One line; a question that is still open stands behind it."""
    sentences = [_next(state)]
    if state.phase is not Phase.UNFINISHED:
        for game in state.unresolved_games:
            asked = msg("game {game} was broken off: {asked}", game=game, asked=_who_won(state))
            sentences.append(asked)
    if isinstance(state.last_event, SetUpError):
        sentences.append(_set_up(state.last_event))
    return join(sentences)


def _set_up(error: SetUpError) -> Message:
    more = len(error.faults) - MOST_FAULTS
    rest = (msg("and {more} more places", more=more),) if more > 0 else ()
    return join((msg("the checkers stand wrong"), *error.sentences[:MOST_FAULTS], *rest))


def _next(state: PromptSubject) -> Message:
    match state.phase:
        case Phase.WAITING:
            return msg("waiting for the start position")
        case Phase.UNFINISHED:
            return _who_won(state)
        case Phase.OVER if state.winner is not None:
            light, dark = state.score
            winner = state.name(state.winner)
            return msg(
                "{winner} has won the match: {light}-{dark}", winner=winner, light=light, dark=dark
            )
        case Phase.OVER:
            next_game = msg("the next begins when the start position stands")
            return join((msg("the game is over"), next_game))
        case _:
            return _in_play(state)


def _in_play(state: PromptSubject) -> Message:
    name = state.name(state.to_move) if state.to_move else msg("either player")
    match state.phase:
        case Phase.TO_PLAY:
            dice = "-".join("?" if die is None else str(die) for die in state.roll or ())
            return msg("{name} to play {dice}", name=name, dice=dice)
        case Phase.DOUBLED:
            value = state.cube.offer.value if state.cube.offer else state.cube.value
            return msg("{name} takes the cube at {value} or drops it", name=name, value=value)
        case Phase.DISPUTED if not state.rule_set.announces_to_players:
            return msg("{name} to roll", name=name)
        case Phase.DISPUTED if state.rule_set.illegal_play is IllegalPlayRule.MUST_CORRECT:
            return msg("that was no legal play: it has to be played again")
        case Phase.DISPUTED:
            return msg("that was no legal play: {name} rolls, or asks for another", name=name)
        case _:
            return msg("{name} to roll", name=name)


def _who_won(state: PromptSubject) -> Message:
    """The results are those of the variant's family: what a player can lose by resigning."""
    narde = state.position is not None and state.position.course is Course.CIRCLING
    results = msg("oin or mars") if narde else msg("single, gammon or backgammon")
    return msg("who won, and was it {results}?", results=results)
