"""What happens in a match, as past-tense facts: what the record keeps.

Each class is one `type` of `events.jsonl`, its fields are those of the JSON object
(`events_json.py`). Facts about the record itself are in `record_events.py`, a cup's in
`cup_events.py`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import ClassVar, Final

from engine.evidence.observation import DieAppearance
from engine.position import Position, Side
from engine.ruleset import RuleSet

Dice = tuple[int | None, int | None]
"""The two dice as seen, None for one that could not be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """A fact; `time` in seconds and `frame` in pictures of its source."""

    type: ClassVar[str] = ""
    time: float
    frame: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DieAtRest:
    """How one die of a throw lay, by sight alone: what the statistics of dice are made of."""

    chances: tuple[float, ...]
    """Of the faces 1..6."""
    place: tuple[float, float]
    """Field coordinates."""
    flat: float = 1.0
    """The probability that it lay flat."""
    surface: str = "board"
    side: Side | None = None
    """Whose die it looked like, where its colour told."""
    make: DieAppearance | None = None
    """What it looked like; None where that was not seen, as in older records."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GameStart(Event):
    """A game began from `position`."""

    type: ClassVar[str] = "game_start"
    position: Position
    variant: str = "short"
    light: str = "Light"
    dark: str = "Dark"
    length: int = 0
    """Points of the match; 0 = money."""
    score: tuple[int, int] = (0, 0)
    """Light's and dark's points before the game."""
    starter: Side | None = None
    """Who begins, where the last game tells; None: lots are drawn."""
    rule_set: RuleSet | None = None
    """The procedure and the cube rules, so that the record alone gives the same state again;
    None in records from before there were any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpeningRolled(Event):
    """One die each for the start; equal ones are rolled again, as another event."""

    type: ClassVar[str] = "opening"
    light: int | None
    dark: int | None
    lay: tuple[DieAtRest, ...] = field(default=(), compare=False)
    by: str = "sight"
    """As of `DiceRolled`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiceRolled(Event):
    """A throw that counts."""

    type: ClassVar[str] = "roll"
    player: Side
    dice: Dice
    confidence: float = 1.0
    lay: tuple[DieAtRest, ...] = field(default=(), compare=False)
    """Those of the dice that were seen, in no order; empty where somebody told the roll."""
    by: str = "sight"
    """`cup` for what a cup rolled, `hand` for what somebody said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiceVoid(Event):
    """A throw that does not count; both dice are rolled again."""

    type: ClassVar[str] = "reroll"
    player: Side
    reason: str
    """`cocked`, `on_checker`, `off_board`, `split` or `wrong_half`."""
    dice: Dice
    lay: tuple[DieAtRest, ...] = field(default=(), compare=False)


THROW_EVENTS: Final = (OpeningRolled, DiceRolled, DiceVoid)
"""Two dice that came to rest, whether they count or not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PrematureRoll(Event):
    """`player` threw before his opponent's turn had ended."""

    type: ClassVar[str] = "premature"
    player: Side
    dice: Dice
    stands: bool = True
    """Whether the throw counts all the same, once it is his turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Alternative:
    """Another play that the evidence leaves open."""

    play: str
    confidence: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayMade(Event):
    """A turn was played; `position` is the board after it."""

    type: ClassVar[str] = "play"
    player: Side
    dice: Dice | None
    """None: no roll was made (a player shut out on the bar often does not roll)."""
    play: str
    position: Position
    legal: bool = True
    confidence: float = 1.0
    review: bool = False
    alternatives: tuple[Alternative, ...] = ()
    doubts: tuple[str, ...] = ()
    """Why it is to be reviewed: `play`, `dice`, `record` (a turn may be missing before it) or
    `illegal` (a board that nothing explains). `inferred` is none of these: the dice were not all
    read, but the play needs the roll that is told."""
    by: str = "sight"
    """`hand` for what somebody said or put right, `rules` where nothing else could be played."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IllegalMade(PlayMade):
    """A turn that breaks a rule; stands in place of the play until it is rejected."""

    type: ClassVar[str] = "illegal"
    legal: bool = False
    rule: str = ""
    legal_plays: int = 0

    @classmethod
    def of(cls, made: PlayMade, rule: str, legal_plays: int) -> IllegalMade:
        """The same play, and the rule that it breaks."""
        told = {field.name: getattr(made, field.name) for field in fields(made)}
        return cls(**{**told, "legal": False, "rule": rule, "legal_plays": legal_plays})


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnEnded(Event):
    """`player` said that his turn is over: what he has played is ruled on."""

    type: ClassVar[str] = "turn_end"
    player: Side
    by: str = "clock"
    """`clock`, `hand` (the dice were handed over, or a button) or `cup`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayRejected(Event):
    """The opponent, `player`, asked for a legal play."""

    type: ClassVar[str] = "rejected"
    player: Side


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayAccepted(Event):
    """The opponent, `player`, let an illegal play stand."""

    type: ClassVar[str] = "accepted"
    player: Side
    by: str = "roll"


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenBack(Event):
    """`player` put his last play back before the opponent threw; he plays the roll again."""

    type: ClassVar[str] = "take_back"
    player: Side


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubled(Event):
    """`player` offered the cube at `value`."""

    type: ClassVar[str] = "double"
    player: Side
    value: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Beavered(Event):
    """`player` was doubled and doubled back at once, to `value`; he keeps the cube."""

    type: ClassVar[str] = "beaver"
    player: Side
    value: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Raccooned(Event):
    """`player` doubled a beaver at once, to `value`."""

    type: ClassVar[str] = "raccoon"
    player: Side
    value: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DoubleTaken(Event):
    """`player` took the cube that was offered."""

    type: ClassVar[str] = "take"
    player: Side


@dataclass(frozen=True, slots=True, kw_only=True)
class DoubleDropped(Event):
    """`player` dropped the cube that was offered and lost the game."""

    type: ClassVar[str] = "drop"
    player: Side


@dataclass(frozen=True, slots=True, kw_only=True)
class Resigned(Event):
    """`player` gave the game up as lost by `points`, the cube counted."""

    type: ClassVar[str] = "resign"
    player: Side
    points: int
    game: int | None = None
    """Which game of the match; None: the one that was broken off first, else the one in play."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GameEnd(Event):
    """A game ended."""

    type: ClassVar[str] = "game_end"
    winner: Side
    points: int
    result: str
    game: int | None = None
    """Which game of the match, where its end is told after another one began."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GameDrawn(Event):
    """Both players finished: `points` for each (S0:L227-230)."""

    type: ClassVar[str] = "draw"
    points: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchEnd(Event):
    """The match ended with `score`, light's and dark's points."""

    type: ClassVar[str] = "match_end"
    winner: Side
    score: tuple[int, int]
