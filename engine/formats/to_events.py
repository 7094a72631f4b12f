"""A match file as a record: the inverse of `engine.formats.from_events`.

A file knows no times: every event has time 0, and frames that count the events.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Final

from engine.cube import CubeRules
from engine.events.match import (
    Beavered,
    CubeEvent,
    CubeTurned,
    Dice,
    DiceRolled,
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
    Raccooned,
    Resigned,
)
from engine.events.record import MatchPlaced, PositionSet, Unfinished
from engine.formats.model.errors import InvalidMatchFile
from engine.formats.model.match_file import AT_TABLE, BoardSet, CubeAction, CubeMove, RollAction
from engine.formats.validate.cube import CubeCheck
from engine.formats.validate.game_replay import ReplayedAction, ReplayedGame
from engine.formats.validate.replay import Replay
from engine.message import join, msg
from engine.position import Side
from engine.ruleset import USUAL, NextStarter, RuleSet

_CUBE_EVENTS: Final[dict[CubeAction, type[CubeEvent]]] = {
    CubeAction.DOUBLE: Doubled,
    CubeAction.TAKE: DoubleTaken,
    CubeAction.DROP: DoubleDropped,
    CubeAction.BEAVER: Beavered,
    CubeAction.RACCOON: Raccooned,
}


def events_from_match(played: Replay) -> tuple[Event, ...]:
    """The events of a match file that was replayed.

    Raises `InvalidMatchFile` if it has no game, or one that cannot be followed on the board.
    """
    if not played.games:
        raise InvalidMatchFile(msg("the file has no game"))
    writer = _Writer(played)
    writer.write()
    return tuple(writer.events)


@dataclass(slots=True)
class _Writer:
    """Writes the events of a match one by one."""

    played: Replay
    events: list[Event] = field(default_factory=list)
    cube: CubeCheck = field(default_factory=CubeCheck)
    disputed: IllegalMade | None = None
    """The illegal play that the next action accepts."""

    def write(self) -> None:
        match = self.played.match
        event, place, site = (match.header(name) for name in ("Event", "Round", "Site"))
        table = site.removeprefix(AT_TABLE) if site.startswith(AT_TABLE) else ""
        if event or place or table:
            self._add(MatchPlaced, event=event, round=place, table=table)
        rule_set = _rule_set(self.played)
        for index, game in enumerate(self.played.games):
            self._start(game, rule_set)
            for step in game.steps:
                self._step(step)
            is_last = index == len(self.played.games) - 1
            self._end(game, index + 1, is_last=is_last)

    def _add(self, kind: type[Event], **fields: Any) -> None:
        self.events.append(kind(time=0.0, frame=len(self.events), **fields))

    def _start(self, game: ReplayedGame, rule_set: RuleSet) -> None:
        match, rules = self.played.match, self.played.rules
        if game.game.cube > 1:
            why = msg("game {game} began with automatic doubles", game=game.game.number)
            raise InvalidMatchFile(join([why, msg("the file does not have the rolls that did it")]))
        light, dark = match.players
        first = next((s.roll_action for s in game.steps if isinstance(s.action, RollAction)), None)
        opening = None if first is None else _opening_roll(first)
        is_decided_by_roll = (
            opening is not None
            and rules.next_starter is NextStarter.OPENING
            and not rules.starter_rolls_again
            and game.game.start is None
            and game.steps[0].action is first
        )
        starter = None if first is None or is_decided_by_roll else first.side
        self.cube, self.disputed = CubeCheck(), None
        self._add(
            GameStart,
            position=game.start,
            variant=match.variant,
            light=light,
            dark=dark,
            length=match.length,
            score=game.game.score,
            starter=starter,
            rule_set=rule_set,
        )
        if is_decided_by_roll and opening is not None:
            self._add(OpeningRolled, light=opening[0], dark=opening[1], by="file")

    def _step(self, step: ReplayedAction) -> None:
        if not step.is_known:
            raise _not_followed(step)
        match step.action:
            case CubeMove():
                self._accept(step.action.side)
                self._turn_cube(step.action)
            case BoardSet(position=position):
                self._add(PositionSet, position=position)
            case RollAction():
                self._accept(step.action.side)
                self._play(step.action, step)

    def _accept(self, by: Side) -> None:
        """Record that the last illegal play stands, since the opponent went on."""
        disputed, self.disputed = self.disputed, None
        if disputed is not None and by is disputed.player.other:
            self._add(PlayAccepted, player=by, by="hand")

    def _turn_cube(self, action: CubeMove) -> None:
        self.cube = self.cube.after(action)
        kind = _CUBE_EVENTS[action.cube_action]
        value = {"value": self.cube.value * 2} if issubclass(kind, CubeTurned) else {}
        self._add(kind, player=action.side, **value)

    def _play(self, action: RollAction, step: ReplayedAction) -> None:
        if self.cube.must_answer is not None:  # rolling accepts a beaver
            self._add(DoubleTaken, player=self.cube.must_answer)
            self.cube = self.cube.rolled()
        dice = _dice(action)
        is_passed_on = bool(step.passed_on)
        if dice is not None and None not in dice and not is_passed_on and not self._is_rolled():
            self._add(DiceRolled, player=action.side, dice=dice, by="file")
        if action.board is None and step.moves is None:
            if step.rule:
                raise _not_followed(step)
            return  # rolled, and not played
        made = PlayMade(
            time=0.0,
            frame=len(self.events),
            player=action.side,
            dice=None if is_passed_on else dice,
            play=action.text or step.play,
            position=step.after,
            by="file",
        )
        if step.rule:
            made = IllegalMade.of(made, step.rule, 0)
            self.disputed = made
        self.events.append(made)

    def _is_rolled(self) -> bool:
        """Whether the opening roll is the one to be played."""
        return isinstance(self.events[-1], OpeningRolled)

    def _end(self, game: ReplayedGame, number: int, *, is_last: bool) -> None:
        result = game.game.result
        if result is None:
            if not is_last:
                self._add(Unfinished, game=number)
            return
        if result.winner is None:
            self._add(GameDrawn, points=result.points)
            return
        if self.disputed is not None:
            self._accept(self.disputed.player.other)
        if game.how == "resign":
            self._add(Resigned, player=result.winner.other, points=result.points)
        self._add(GameEnd, winner=result.winner, points=result.points, result=game.how)
        if self.played.match.is_won_by(game.game):
            score = result.score_after(game.game.score)
            self._add(MatchEnd, winner=result.winner, score=score)


def _rule_set(played: Replay) -> RuleSet:
    match = played.match
    cube = CubeRules(
        jacoby=match.header("Jacoby").lower() == "on",
        crawford=match.has_crawford or match.length == 0,
        beavers=match.length == 0,
        raccoons=match.length == 0,
    )
    return replace(USUAL, name="file", cube=cube, game=played.options)


def _opening_roll(first: RollAction) -> tuple[int, int] | None:
    """Light's die and dark's: who began rolled the higher."""
    roll = first.roll
    if roll is None or roll.is_double:
        return None
    return (roll.high, roll.low) if first.side is Side.LIGHT else (roll.low, roll.high)


def _dice(action: RollAction) -> Dice | None:
    if action.roll is not None:
        return action.roll.high, action.roll.low
    return None if action.seen == (None, None) else action.seen


def _not_followed(step: ReplayedAction) -> InvalidMatchFile:
    where = msg(
        "line {line}: {play} cannot be followed on the board",
        line=step.action.line,
        play=step.play or "a play",
    )
    return InvalidMatchFile(join([where, msg("correct the file, then import it again")]))
