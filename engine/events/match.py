"""What happens in a match, as past-tense facts.

Each class is one `type` of `events.jsonl`, and its type hints are the schema that the codec checks.
Events about the record are in `record.py`, those of a dice cup in `cup.py`, of the clock in
`clock.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Annotated, ClassVar, Final, Literal, TypeVar, dataclass_transform

from engine.events.names import visible_line
from engine.evidence.observation import DieAppearance
from engine.message import Message, Sentence
from engine.position import Position, Side
from engine.ruleset import RuleSet
from engine.typed_json import Length, Range

Die = Annotated[int, Range(1, 6)]
Count = Annotated[int, Range(0)]
Probability = Annotated[float, Range(0, 1)]
Dice = tuple[Die | None, Die | None]
"""The two dice; None for one that could not be read."""
RollSource = Literal["sight", "cup", "bluetooth", "hand", "file"]
"""`sight`: the camera saw it; `cup`: a dice cup rolled it; `bluetooth`: the dice reported it;
`hand`: somebody entered it; `file`: a match file of another program has it."""
DEVICE_ROLLS: Final = ("cup", "bluetooth")
"""Sources of rolls that cannot be undone: a device made them."""
PlaySource = Literal["sight", "hand", "rules", "file"]
"""`sight`: the camera saw it; `hand`: it was entered or corrected by hand; `rules`: no other play
was possible; `file`: a match file of another program has it."""
VoidReason = Literal[
    "cocked", "on_checker", "off_board", "split", "wrong_half", "premature", "apart", "paused"
]
"""`cocked`: a die did not lie flat; `on_checker`: one lay on a checker; `off_board`: one left the
board; `split`: they lay in different halves of the board; `wrong_half`: they lay in the wrong half;
`premature`: they were thrown before the opponent's turn had ended; `apart`: they were not thrown
together; `paused`: play was paused."""
AcceptedBy = Literal["roll", "play", "double", "clock", "hand", "cup"]
"""What the opponent did to accept the illegal play; `hand`: the acceptance was entered."""
Uncertainty = Literal["play", "dice", "record", "position", "illegal", "unseen", "inferred"]
"""What is uncertain about a recorded play. `play`: which play it was; `dice`: the roll; `record`:
the record before it, since a turn may be missing (in older records, also `position`); `position`:
places that an earlier turn left in doubt, and that were not seen clearly since; `illegal`: whether
any play explains the board; `unseen`: what happened while the board could not be judged.
`inferred` alone needs no review: not all dice were read, but only the recorded roll allows the
play."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """A past fact, with the time in seconds and the frame number of its source."""

    type: ClassVar[str] = ""
    time: float
    frame: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerEvent(Event):
    """Something that `player` did, or that happened to `player`."""

    player: Side


@dataclass(frozen=True, slots=True, kw_only=True)
class AsideEvent(Event):
    """Something beside the game, which it neither changes nor interrupts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CubeEvent(PlayerEvent):
    """`player` offered the cube or answered an offer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CubeTurned(CubeEvent):
    """`player` turned the cube to `value`."""

    value: Count


EVENTS: Final[dict[str, type[Event]]] = {}
"""Every event class by its type, once the modules of this folder are imported."""
_Event = TypeVar("_Event", bound=Event)


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
def event_type(name: str) -> Callable[[type[_Event]], type[_Event]]:
    """Make an event class a frozen dataclass, and register it in `EVENTS`."""

    def register(kind: type[_Event]) -> type[_Event]:
        kind.type = name
        EVENTS[name] = made = dataclass(frozen=True, slots=True, kw_only=True)(kind)
        return made

    return register


@dataclass(frozen=True, slots=True, kw_only=True)
class DieAtRest:
    """How one die of a throw came to rest, as the camera saw it: the source of dice statistics."""

    chances: Annotated[tuple[Probability, ...], Length(6)]
    """The probability of each face 1..6."""
    place: tuple[float, float]
    """Board coordinates, 0..1 over the playing field."""
    flat: Probability = 1.0
    """The probability that it lay flat."""
    surface: Literal["board", "checker", "bar", "frame", "table"] = "board"
    side: Side | None = None
    """Whose die it looked like, if the players' dice differ in color."""
    appearance: DieAppearance | None = field(default=None, metadata={"json": "make"})
    """None if its colors were not seen, as in older records."""


def clean_names(event: Event) -> None:
    """Keep of the players' names what can be seen: older records have them as they were typed."""
    for side in Side:
        object.__setattr__(event, side.value, visible_line(getattr(event, side.value)))


@event_type("game_start")
class GameStart(Event):
    """A game began from `position`."""

    position: Position
    variant: str = "short"
    light: str = "Light"
    dark: str = "Dark"
    length: Count = 0
    """Match length in points; 0 for a money game."""
    score: tuple[Count, Count] = (0, 0)
    """Light's and dark's points before the game."""
    swapped: bool = False
    """Whether the players changed seats, and so colors, after the previous game."""
    starter: Side | None = None
    """Who begins, if the previous game decides that; None if the opening roll decides."""
    rule_set: RuleSet | None = None
    """The procedure and the cube rules, so that the state can be rebuilt from the record alone;
    None in records older than rule sets."""
    is_joined: bool = field(default=False, metadata={"json": "joined"})
    """Whether the game was already under way when the camera was switched on."""

    def __post_init__(self) -> None:
        clean_names(self)


@event_type("opening")
class OpeningRolled(Event):
    """Each player rolled one die to decide who begins; the reroll of a tie is another event."""

    light: Die | None
    dark: Die | None
    dice_at_rest: tuple[DieAtRest, ...] = field(default=(), compare=False, metadata={"json": "lay"})
    by: RollSource = "sight"
    cup_roll: Count = field(default=0, metadata={"omit_empty": True})
    """The number that the dice cup gave the roll; 0 if no cup made it, and in older records."""


@event_type("roll")
class DiceRolled(PlayerEvent):
    """A throw that counts."""

    dice: Dice
    confidence: Probability = 1.0
    dice_at_rest: tuple[DieAtRest, ...] = field(default=(), compare=False, metadata={"json": "lay"})
    """The dice that the camera saw, in no particular order; empty if the roll was entered."""
    by: RollSource = "sight"
    cup_roll: Count = field(default=0, metadata={"omit_empty": True})
    """The number that the dice cup gave the roll; 0 if no cup made it, and in older records."""


@event_type("reroll")
class DiceVoid(PlayerEvent):
    """A throw that does not count; both dice are rolled again."""

    reason: VoidReason
    dice: Dice
    dice_at_rest: tuple[DieAtRest, ...] = field(default=(), compare=False, metadata={"json": "lay"})


THROW_EVENTS: Final = (OpeningRolled, DiceRolled, DiceVoid)
"""Two dice that came to rest, whether they count or not."""


@event_type("premature")
class PrematureRoll(PlayerEvent):
    """`player` threw before the opponent's turn had ended."""

    dice: Dice
    stands: bool = True
    """Whether the throw counts once it is that player's turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Alternative:
    """Another play that the evidence leaves possible."""

    play: str
    confidence: Probability


@event_type("play")
class PlayMade(PlayerEvent):
    """A turn was played; `position` is the board after it."""

    dice: Dice | None
    """None if no roll was made: a player who is closed out often does not roll."""
    play: str
    position: Position
    legal: bool = True
    confidence: Probability = 1.0
    review: bool = False
    """Whether the play should be reviewed."""
    alternatives: tuple[Alternative, ...] = ()
    uncertainties: tuple[Uncertainty, ...] = field(default=(), metadata={"json": "doubts"})
    by: PlaySource = "sight"


@event_type("illegal")
class IllegalMade(PlayMade):
    """A play that breaks a rule; it stands unless it is rejected."""

    legal: bool = False
    rule: str = ""
    """The broken rule, as an English sentence."""
    legal_plays: Count = 0
    """How many legal plays there were; 0 if a double had too many to count."""
    rule_message: Message | None = field(default=None, metadata={"omit_empty": True})
    """`rule` in a form that can be translated; None in older records."""

    @classmethod
    def of(cls, made: PlayMade, rule: Sentence, legal_plays: int) -> IllegalMade:
        """The same play, and the rule that it breaks."""
        shared = {field.name: getattr(made, field.name) for field in fields(PlayMade)}
        message = rule if isinstance(rule, Message) else None
        broken = {"rule": str(rule), "rule_message": message, "legal_plays": legal_plays}
        return cls(**{**shared, **broken, "legal": False})

    @property
    def broken_rule(self) -> Sentence:
        """The broken rule, translatable where the record has it so."""
        return self.rule_message or self.rule


@event_type("turn_end")
class TurnEnded(PlayerEvent):
    """`player` ended the turn; what was played is now ruled on."""

    by: Literal["clock", "hand", "cup"] = "clock"
    """`hand`: the dice were handed over, or a button was pressed."""


@event_type("rejected")
class PlayRejected(PlayerEvent):
    """The opponent, `player`, required a legal play."""


@event_type("accepted")
class PlayAccepted(PlayerEvent):
    """The opponent, `player`, accepted an illegal play."""

    by: AcceptedBy = "roll"


@event_type("take_back")
class TakenBack(PlayerEvent):
    """`player` took back the last play before the opponent threw, and plays the roll again."""


@event_type("double")
class Doubled(CubeTurned):
    """`player` offered the cube at `value`."""


@event_type("beaver")
class Beavered(CubeTurned):
    """`player` was doubled, redoubled at once to `value`, and keeps the cube."""


@event_type("raccoon")
class Raccooned(CubeTurned):
    """`player` answered a beaver by redoubling at once, to `value`."""


@event_type("take")
class DoubleTaken(CubeEvent):
    """`player` took the cube that was offered."""


@event_type("drop")
class DoubleDropped(CubeEvent):
    """`player` dropped the cube that was offered and lost the game."""


@event_type("resign")
class Resigned(PlayerEvent):
    """`player` resigned the game and lost `points`, the cube included."""

    points: Count
    game: Count | None = None
    """Which game of the match; None for the first unfinished game, or else the one in play."""


@event_type("game_end")
class GameEnd(Event):
    """A game ended."""

    winner: Side
    points: Count
    result: str
    game: Count | None = None
    """Which game of the match, if its end was recorded after the next one began."""


@event_type("draw")
class GameDrawn(Event):
    """The game was drawn, and each player got `points`."""

    points: Count = 1


@event_type("match_end")
class MatchEnd(Event):
    """The match ended with `score`, light's and dark's points."""

    winner: Side
    score: tuple[Count, Count]
