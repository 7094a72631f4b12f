"""What happens next, as a sentence for the players."""

from __future__ import annotations

from typing import Final

from engine.events.record import SetUpError
from engine.match.phase import Phase
from engine.match.state import MatchState
from engine.message import Message, Sentence, join, msg, ngettext
from engine.position import Course
from engine.ruleset import IllegalPlayRule

MAX_SHOWN_FAULTS: Final = 4
"""Number of places with misplaced checkers that are named."""


def prompt_of(state: MatchState) -> Message:
    """What happens next, in one line, with any open questions."""
    sentences = [_next(state)]
    if state.phase is not Phase.UNFINISHED:
        for game in state.unresolved_games:
            asked = msg("game {game} was cut short: {asked}", game=game, asked=_who_won(state))
            sentences.append(asked)
    if isinstance(last := state.last_game_event, SetUpError):
        sentences.append(_set_up(last))
    return join(sentences)


def _set_up(error: SetUpError) -> Message:
    more = len(error.faults) - MAX_SHOWN_FAULTS
    sentences = [msg("the checkers are set up wrong"), *error.sentences[:MAX_SHOWN_FAULTS]]
    if more > 0:
        sentences.append(ngettext("and {number} more place", "and {number} more places", more))
    return join(sentences)


def _next(state: MatchState) -> Message:
    match state.phase:
        case Phase.WAITING:
            return msg("waiting for the starting position")
        case Phase.UNFINISHED:
            return _who_won(state)
        case Phase.OVER if state.winner is not None:
            light, dark = state.score
            winner = state.name(state.winner)
            return msg(
                "{winner} has won the match: {light}-{dark}", winner=winner, light=light, dark=dark
            )
        case Phase.OVER:
            next_game = msg("the next game starts once the checkers are set up")
            return join((msg("the game is over"), next_game))
        case _:
            return _in_play(state)


def _in_play(state: MatchState) -> Message:
    name = state.name(state.to_move) if state.to_move else msg("either player")
    match state.phase:
        case Phase.TO_PLAY:
            dice = "-".join("?" if die is None else str(die) for die in state.roll or ())
            return msg("{name} to play {dice}", name=name, dice=dice)
        case Phase.DOUBLED:
            value = state.cube.offer.value if state.cube.offer else state.cube.value
            return msg("{name} to take or drop the cube at {value}", name=name, value=value)
        case Phase.DISPUTED if not state.rule_set.announces_to_players:
            return msg("{name} to roll", name=name)
        case Phase.DISPUTED if state.rule_set.illegal_play is IllegalPlayRule.MUST_CORRECT:
            return msg("illegal play: it must be replayed")
        case Phase.DISPUTED:
            return msg(
                "illegal play: {name} may roll to accept it, or ask for it to be replayed",
                name=name,
            )
        case _:
            return _before_roll(state, name)


def _before_roll(state: MatchState, name: Sentence) -> Message:
    if not state.leftover:
        return msg("{name} to roll", name=name)
    numbers = ", ".join(map(str, state.leftover))
    return msg("{name} to play what is left over: {numbers}", name=name, numbers=numbers)


def _who_won(state: MatchState) -> Message:
    """Results use the terms of the variant's family: what a player can lose by resigning."""
    narde = state.position is not None and state.position.course is Course.CIRCLING
    results = msg("oin or mars") if narde else msg("single, gammon or backgammon")
    return msg("who won, and how: {results}?", results=results)
