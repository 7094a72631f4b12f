"""Match files for tests: those that gnubg wrote, and random whole matches that have everything."""

from __future__ import annotations

import gzip
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from engine import Event, Play, Position, Roll, Side, find_rules, legal_plays
from engine.formats.from_events import match_from_events
from engine.formats.mat.write import mat_text
from engine.formats.model.match_file import (
    Action,
    BoardSet,
    CubeAction,
    CubeMove,
    GameFile,
    GameResult,
    MatchFile,
    RollAction,
)
from engine.formats.validate.game_replay import ReplayedAction, apply_moves
from engine.formats.validate.replay import replay
from engine.match.leftover import outcome_of_play
from engine.rules import Rules
from engine.rules.kush_turn import begin_leftover
from engine.rules.legal import list_few_plays
from tests.paths import DATA
from tests.positions import random_roll

GNUBG_MATCHES = sorted(path.name.split(".")[0] for path in DATA.glob("self_*.mat.gz"))


def write_mat(events: Iterable[Event]) -> str:
    """A record as `.mat` text, as the program writes it."""
    return mat_text(match_from_events(events))


def stored(name: str) -> bytes:
    return gzip.decompress((DATA / name).read_bytes())


def match_contents(match: MatchFile) -> list[object]:
    """Everything a match says except its wording: without lines, hops, stars and headers."""
    return [
        (
            game.start,
            game.game.score,
            game.how,
            game.game.result and (game.game.result.winner, game.game.result.points),
            [
                (type(s.action), side_of(s.action), kind(s.action), s.after, s.cube, bool(s.rule))
                for s in _written(game.steps)
            ],
        )
        for game in replay(match).games
    ]


def _written(steps: Sequence[ReplayedAction]) -> Sequence[ReplayedAction]:
    """The steps that a text can hold: no cell says that a beaver was accepted; the next roll does.

    Where the game ends there, nothing does."""
    last = [s.action for s in steps[-2:]]
    unsaid = [kind(action) for action in last] == [CubeAction.BEAVER, CubeAction.TAKE]
    return steps[:-1] if unsaid else steps


def side_of(action: Action) -> Side | None:
    return None if isinstance(action, BoardSet) else action.side


def kind(action: Action) -> object:
    if isinstance(action, BoardSet):
        return "board"
    return action.cube_action if isinstance(action, CubeMove) else action.roll


@dataclass
class RandomMatch:
    """A match of random plays with cubes, resignations and, if wanted, illegal plays."""

    seed: int
    variant: str = "short"
    has_illegal: bool = False
    most_games: int = 3
    score: tuple[int, int] = (0, 0)
    games: list[GameFile] = field(default_factory=list)

    def made(self) -> MatchFile:
        self.chance = random.Random(self.seed)
        self.length = self.chance.choice([0, 1, 3, 5, 9])
        is_money = self.length == 0
        while len(self.games) < self.most_games:
            self.games.append(self._game(len(self.games) + 1, is_money))
            result = self.games[-1].result
            if result is None:
                break
            light, dark = self.score
            won = result.points
            self.score = (light + won, dark) if result.winner is Side.LIGHT else (light, dark + won)
            if 0 < self.length <= max(self.score):
                break
        return MatchFile(("Ann", "Bob"), self.length, tuple(self.games), self.variant)

    def _game(self, number: int, is_money: bool) -> GameFile:
        so_far = MatchFile(("Ann", "Bob"), self.length, (*self.games, GameFile(number, self.score)))
        may_double = so_far.crawford_game() != number
        rules = find_rules(self.variant)
        play = RandomGame(self.chance, rules, may_double and rules.has_cube, is_money)
        play.has_illegal = self.has_illegal
        result = play.play()
        return GameFile(number, self.score, tuple(play.actions), result)


@dataclass
class RandomGame:
    chance: random.Random
    rules: Rules
    may_double: bool
    is_money: bool
    has_illegal: bool = False
    cube: int = 1
    owner: Side | None = None
    actions: list[Action] = field(default_factory=list)

    def play(self) -> GameResult | None:
        position, side = self.rules.opening(), self.chance.choice(list(Side))
        for ply in range(300):
            if ply and self.chance.random() < 0.06 and self._double(side):
                return GameResult(self.actions[-1].side.other, self.cube)
            if ply > 6 and self.chance.random() < 0.01:
                return GameResult(
                    self.chance.choice(list(Side)), self.cube * self.chance.randint(1, 3)
                )
            position = self._turn(position, side)
            if outcome := self.rules.outcome(position):
                return GameResult(outcome.winner, outcome.points * self.cube)
            side = side.other
        return None

    def _turn(self, position: Position, side: Side) -> Position:
        roll = random_roll(self.chance)
        while not any(isinstance(action, RollAction) for action in self.actions) and roll.is_double:
            roll = random_roll(self.chance)
        if self.has_illegal and self.chance.random() < 0.1:
            after = self._illegal(position, side, roll)
            if after is not None:
                return after
        legal = legal_plays(position, side, roll, self.rules)
        tried = [legal[self.chance.randrange(len(legal))] for _ in range(6)]
        play, after = min(tried, key=lambda one: one.position.of(side).count(1))
        self.actions.append(RollAction(side, roll, play.moves))
        return after

    def _illegal(self, position: Position, side: Side, roll: Roll) -> Position | None:
        """Another roll's play, or a board that no moves of the mover lead to."""
        other = random_roll(self.chance)
        legal = legal_plays(position, side, other, self.rules)
        after = legal[self.chance.randrange(len(legal))]
        if after.position == position or self.rules.outcome(after.position):
            return None
        if self.chance.random() < 0.5:
            self.actions.append(RollAction(side, roll, after.play.moves))
        else:
            self.actions.append(RollAction(side, roll, None, board=after.position))
        return after.position

    def _double(self, side: Side) -> bool:
        """Whether it ends the game."""
        if not self.may_double or self.owner is side.other or self.cube >= 16:
            return False
        self.actions.append(CubeMove(side, CubeAction.DOUBLE))
        asked, keeper = side.other, side.other
        if self.is_money and self.chance.random() < 0.4:
            self.cube *= 2
            self.actions.append(CubeMove(asked, CubeAction.BEAVER))
            asked = side
            if self.chance.random() < 0.4:
                self.cube *= 2
                self.actions.append(CubeMove(asked, CubeAction.RACCOON))
                asked = side.other
        if self.chance.random() < 0.25:
            self.actions.append(CubeMove(asked, CubeAction.DROP))
            return True
        self.actions.append(CubeMove(asked, CubeAction.TAKE))
        self.cube, self.owner = self.cube * 2, keeper
        return False


def passing_match(seed: int, variant: str) -> MatchFile:
    """One game of a variant in which moves pass on or doubles give another roll, often doubles."""
    chance, rules = random.Random(seed), find_rules(variant)
    position, side, actions = rules.opening(), Side.LIGHT, list[Action]()
    while True:
        roll = random_roll(chance)
        roll = Roll(roll.high, roll.high) if chance.random() < 0.2 else roll
        plays = list_few_plays(position, side, roll, rules)
        if plays is None:
            continue
        play, after = plays[chance.randrange(len(plays))]
        actions.append(RollAction(side, roll, play.moves))
        done = outcome_of_play(position, side, (roll.high, roll.low), after, rules)
        position, side = after, side if done.rolls_again else side.other
        if done.leftover and not rules.outcome(position):
            turn = begin_leftover(position, side, done.leftover, rules)
            while not turn.is_over:  # kush by kush: there may be too many plays to list
                turn = turn.after(chance.randrange(len(turn.plays)))
            position = turn.position
            actions.append(RollAction(side, None, turn.moves))
        if outcome := rules.outcome(position):
            result = GameResult(outcome.winner, outcome.points)
            game = GameFile(1, actions=tuple(actions), result=result)
            return MatchFile(("Ann", "Bob"), 0, (game,), variant)


def mat_of(*rows: str, length: int = 7, head: str = "") -> bytes:
    """A match of one game with these rows."""
    lines = [head, "", f" {length} point match", "", " Game 1", " Ann : 0      Bob : 0", *rows]
    return "\n".join(lines).encode()


def after(text: str, position: Position, side: Side, rules: Rules) -> Position:
    """The position when `text` was played."""
    return apply_moves(position, side, Play.parse(text).moves, rules)[0]
