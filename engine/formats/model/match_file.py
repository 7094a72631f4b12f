"""A match as stored in a file: the values that every reader makes and every writer takes.

Light is the left column of `.mat` and White in SGF, which is gnubg's player 0; dark is the other.
Nothing here is checked against the rules: `engine.formats.validate.replay` does that.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from engine.dice import Roll
from engine.message import Sentence, join, msg
from engine.play import Move, Play
from engine.position import Position, Side

Headers = tuple[tuple[str, str], ...]
"""Names and texts of the header lines, in order."""
AT_TABLE: Final = "Table "
"""What the header `Site` begins with if it names a table of the tournament."""
MAX_FAULTS: Final = 1000


@dataclass(frozen=True, slots=True)
class Fault:
    """Something in a file that is wrong or cannot be read."""

    line: int
    message: Sentence


class CubeAction(Enum):
    """What can be done with the cube."""

    DOUBLE = "double"
    TAKE = "take"
    DROP = "drop"
    BEAVER = "beaver"
    RACCOON = "raccoon"

    @property
    def is_offer(self) -> bool:
        """Whether the other side must answer it."""
        return self in {CubeAction.DOUBLE, CubeAction.BEAVER, CubeAction.RACCOON}


@dataclass(frozen=True, slots=True)
class RollAction:
    """A roll and what was done with it."""

    side: Side
    roll: Roll | None
    """None if it was not seen, or if a player who is shut out did not roll."""
    moves: tuple[Move, ...] | None
    """None if no play is recorded; empty if nothing was moved."""
    line: int = 0
    board: Position | None = None
    """The position that the file sets afterward, if moves cannot express the play."""
    text: str = ""
    """The play as written, if it cannot be read as moves."""
    note: str = ""
    """What became of an illegal play, if recorded."""
    seen: tuple[int | None, int | None] = (None, None)
    """The dice that were seen, if the roll as a whole was not."""

    @property
    def play(self) -> str:
        """The play in notation; empty if none is recorded."""
        return self.text if self.moves is None else str(Play(self.moves))


@dataclass(frozen=True, slots=True)
class CubeMove:
    """The cube is offered, taken or dropped."""

    side: Side
    cube_action: CubeAction
    value: int = 0
    """The cube's value afterward, according to the file; 0 if the file has none."""
    line: int = 0


@dataclass(frozen=True, slots=True)
class BoardSet:
    """The position was set by hand."""

    position: Position
    line: int = 0


Action = RollAction | CubeMove | BoardSet


@dataclass(frozen=True, slots=True)
class GameResult:
    """Who won how many points."""

    winner: Side | None
    """None if the game was drawn, and each side got the points."""
    points: int
    line: int = 0

    def score_after(self, score: tuple[int, int]) -> tuple[int, int]:
        """Light's and dark's points after a game that began at `score`."""
        light, dark = score
        return (
            light + self.points * (self.winner is not Side.DARK),
            dark + self.points * (self.winner is not Side.LIGHT),
        )


@dataclass(frozen=True, slots=True)
class GameFile:
    """One game."""

    number: int
    score: tuple[int, int] = (0, 0)
    """Light's and dark's points before it."""
    actions: tuple[Action, ...] = ()
    result: GameResult | None = None
    """None if it is unfinished."""
    start: Position | None = None
    """None for the variant's starting position."""
    line: int = 0
    cube: int = 1
    """The cube's value at the start, once automatic doubles are made."""
    is_crawford: bool | None = None
    """Whether the file calls it the Crawford game; None if the file does not say which one is."""

    @property
    def is_doubled(self) -> bool:
        """Whether a player doubled."""
        return any(isinstance(one, CubeMove) for one in self.actions)


@dataclass(frozen=True, slots=True)
class MatchFile:
    """A whole match."""

    players: tuple[str, str]
    """Light's and dark's names."""
    length: int = 0
    """Match length in points; 0 for a money game."""
    games: tuple[GameFile, ...] = ()
    variant: str = "short"
    headers: Headers = ()
    faults: tuple[Fault, ...] = ()
    """What the reader could not understand."""

    @property
    def has_crawford(self) -> bool:
        """Whether the Crawford rule is in force, as in every match that does not disable it."""
        return self.length > 0 and self.header("Crawford", "On").lower() != "off"

    def header(self, name: str, default: str = "") -> str:
        """The text of a header, or `default`."""
        return next((text for key, text in self.headers if key == name), default)

    def is_won_by(self, game: GameFile) -> bool:
        """Whether the winner of `game` reaches the length of the match with it."""
        result = game.result
        if result is None or result.winner is None:
            return False
        score = result.score_after(game.score)[0 if result.winner is Side.LIGHT else 1]
        return 0 < self.length <= score

    def crawford_game(self) -> int | None:
        """The number of the Crawford game, as the file says or else as the scores tell."""
        if not self.has_crawford:
            return None
        if any(game.is_crawford is not None for game in self.games):
            return next((game.number for game in self.games if game.is_crawford), None)
        return self.crawford_game_by_scores()

    def crawford_game_by_scores(self) -> int | None:
        """The number of the first game that begins with one side a point from the match.

        If the file begins there and a player doubled, the Crawford game was played before.
        """
        near = (g for g in self.games if self.length - 1 in g.score and g.score[0] != g.score[1])
        first = next(near, None)
        if first is None or (first is self.games[0] and first.is_doubled):
            return None
        return first.number


@dataclass(slots=True)
class FaultList:
    """Collects errors; after `MAX_FAULTS`, only one more, which says that there are more."""

    faults: list[Fault] = field(default_factory=list)

    def add(self, line: int, message: Sentence) -> None:
        """Add one."""
        if len(self.faults) < MAX_FAULTS:
            self.faults.append(Fault(line, message))
        elif len(self.faults) == MAX_FAULTS:
            more = msg("more than {most_faults} errors", most_faults=MAX_FAULTS)
            self.faults.append(Fault(line, join((more, msg("the rest are not listed")))))
