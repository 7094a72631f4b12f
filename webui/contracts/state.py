"""What the page needs: the `LiveBoard` that it reads, and the state that a table publishes.

The state is a whole each time, never a difference: a page that missed a hundred changes needs
only the newest.
"""

from __future__ import annotations

from enum import Enum
from typing import Annotated, Any, Literal, NotRequired, Protocol, TypeAlias, cast

from typing_extensions import TypedDict

from engine.events.codec import position_json
from engine.message import Sentence
from engine.position import Position

SideName = Literal["light", "dark"]
Phase = Literal["waiting", "playing", "ended", "fault"]
DiceFaces = list[int | None]
"""Two faces as read, null for one that could not be; the larger first when order means nothing."""


LeftOut = Literal["nothing", "early_looks", "large_pictures", "overlay"]


class _IsString:
    """What pydantic takes a sentence for: JSON has its text, in the reader's language."""

    def __get_pydantic_core_schema__(self, _source: Any, handler: Any) -> Any:
        return handler.generate_schema(str)


Text: TypeAlias = Annotated[Sentence, _IsString()]
"""A sentence for the reader; it is translated where it becomes JSON or HTML."""


class Role(Enum):
    """The role of a reader: each has its own state, with versions of its own."""

    VIEWER = "viewer"
    """Sees what the rule set lets players see while they play."""
    REFEREE = "referee"
    """Sees everything and may enter commands."""


class LiveBoard(Protocol):
    """A board that is watched, or a recording that is played; every method is thread-safe."""

    def state(self, role: Role = Role.VIEWER) -> State:
        """The newest `State` as `role` may see it."""

    def next_state(self, after: int, timeout: float, role: Role = Role.VIEWER) -> State | None:
        """The newest `State` once its version is above `after`; None after `timeout` seconds."""

    def picture(self) -> bytes | None:
        """The newest camera picture with what was seen drawn over it, as JPEG; None before any."""

    def next_picture(self, after: int, timeout: float) -> tuple[int, bytes] | None:
        """The newest picture numbered above `after`, with its number; None after `timeout`."""


class Names(TypedDict):
    """The people, by side."""

    light: str
    dark: str


class Numbers(TypedDict):
    """One number for each side: points of the match, or pips."""

    light: int
    dark: int


class Board(TypedDict):
    """Two side vectors, each seen by its own player (`engine.position_json`)."""

    light: list[int]
    dark: list[int]
    course: NotRequired[Literal["circling"]]
    """Only of narde."""


def board_of(position: Position) -> Board:
    """The position in its JSON form."""
    return cast(Board, position_json(position))


class Die(TypedDict):
    """One die that lies there now, whether its throw counts or not."""

    value: int | None
    player: SideName | None
    flat: bool
    confidence: float
    colour: str | None
    """`#rrggbb` of its body; None where that was not seen."""


class CubeState(TypedDict):
    """The doubling cube of the game in play."""

    value: int
    owner: SideName | None
    """None: in the middle."""
    offered: int | None
    """What the game is worth if the offer is taken; None without one."""
    by: SideName | None
    """Who offers."""
    crawford: bool
    """Whether this is the Crawford game, in which nobody may double."""


class VoidThrow(TypedDict):
    """A throw that does not count: it is shown until the next one."""

    player: SideName
    dice: DiceFaces
    reason: str
    """`cocked`, `on_checker`, `off_board`, `split`, `wrong_half` or `premature`."""
    note: Text
    """The reason in words."""


class RollShown(TypedDict):
    """The throw that counts and is not played yet."""

    player: SideName
    dice: DiceFaces
    confidence: float


class LastPlay(TypedDict):
    """The newest turn that stands; a rejected one is no longer here."""

    id: str
    player: SideName
    play: str
    dice: DiceFaces | None
    confidence: float | None
    """None where the players may not see it."""
    review: bool
    legal: bool
    rule: Text
    """Which rule an illegal play breaks, in words; empty for a legal one."""
    accepted: NotRequired[bool]
    """Whether the opponent let an illegal play stand: it is alerted until then."""


class Pending(TypedDict):
    """The play that lies there while its turn goes on; only ever a legal one.

    None while nothing is moved, while the play is not finished, and where a rule is broken: none
    of them may be distinguished from the others before the turn is over.
    """

    player: SideName
    play: str
    dice: DiceFaces | None


class TurnCell(TypedDict):
    """One cell of the score sheet; `id` is that of its item under review, if it has one."""

    id: str
    dice: DiceFaces | None
    play: str
    review: bool
    illegal: bool


class ScoreRow(TypedDict):
    """One line of the score sheet, light's turn and dark's."""

    number: int
    light: TurnCell | None
    dark: TurnCell | None


class PlayOption(TypedDict):
    """A play that the evidence leaves open."""

    play: str
    confidence: float


class ReviewEntry(TypedDict):
    """Something that a person should look at."""

    id: str
    time: float
    """Seconds of the source."""
    player: SideName
    dice: DiceFaces | None
    play: str
    alternatives: list[PlayOption]
    kind: Literal["doubt", "illegal", "reroll"]
    note: Text
    """Why, in words: the rule broken, or what is wrong with the throw."""


class Colours(TypedDict):
    """True colours of the set as `#rrggbb`; null where they are not known yet."""

    light: str | None
    dark: str | None
    field: str | None
    points: list[str] | None
    """Of the odd points (light's ace point is one), then of the even ones."""
    frame: str | None


class CupDisagreement(TypedDict):
    """Two rolls of one turn, for the referee to choose from."""

    cup: list[int]
    """What the cup rolled, which counts until the referee decides otherwise."""
    seen: list[int | None]
    """What the dice on the board show."""


class CupShown(TypedDict):
    """The dice cup of the match."""

    state: str
    """`searching`, `opening`, `handshaking`, `ready`, `rolling`, `fault`, `lost`; `aside`; `words`:
    it waits for the players'; `revealed`: the match is over and its seed public."""
    why: Text
    """What is wrong, or what comes of its throw; empty if all is well."""
    stage: Literal["none", "committed", "sealed", "revealed"]
    """How far its match is: bound to a seed, the players' words bound in, the seed public."""
    commitment: str
    """The fingerprint of the seed, in hex; empty before the cup is bound to one."""
    words: list[str] | None
    """The words of light and dark, from then on until the first roll; null at other times."""
    disagrees: CupDisagreement | None
    """None where no dice lie that are not the cup's."""


class Numbering(TypedDict):
    """A way in which the board of a game that is joined may run."""

    turned: bool
    mirrored: bool
    """How it differs from the numbering that was assumed: with `turned` what names it."""
    position: Board
    light_home: Literal["right", "left"]
    light_sits: Literal["bottom", "top"]
    """At which edge of the board as the camera has it."""


class ClockShown(TypedDict):
    """The clock of the match, in whole seconds; sight does not watch it, somebody presses it."""

    light: int
    """Light's reserve; 0: his time is out."""
    dark: int
    delay: int
    """What of the turn in progress is still free."""
    runs: SideName | None
    """Whose time passes; None: it stands."""


class Source(TypedDict):
    """Where the pictures come from."""

    name: Text
    fps: float
    seconds: float


class MachineLoad(TypedDict):
    """How far the machine is behind the camera."""

    skipped: float
    """Share of the pictures that nobody looks at."""
    looks_per_second: float
    late: float
    """Age of the pictures when they are judged, seconds."""
    left_out: LeftOut
    """What it is spared for now, with all that stand before it."""
    note: Text
    """What is the matter, and what to do."""


class RecordLocation(TypedDict):
    """Where files were written; null before any were."""

    path: str | None


class State(TypedDict):
    """Everything that the page shows."""

    version: int
    """Rises with every change and never repeats: start from the clock (milliseconds), not 0."""
    phase: Phase
    paused: bool
    """Whether the referee has paused: the camera is shown, nothing is judged."""
    message: Text
    """What the program waits for, or what is wrong; parts are separated by `; `."""
    players: Names
    variant: str
    length: int
    """Points of the match; 0 = money."""
    score: Numbers
    position: Board | None
    to_move: SideName | None
    dice: list[Die]
    roll: RollShown | None
    void: VoidThrow | None
    cube: CubeState | None
    """None where none is played with, and before the first game."""
    last_play: LastPlay | None
    pending: Pending | None
    pips: Numbers | None
    moves: list[ScoreRow]
    review: list[ReviewEntry]
    colours: Colours
    light_home: Literal["right", "left"]
    """Where light's ace point lies as light's player sees it."""
    source: Source | None
    by_hand: bool
    """Whether no camera is used: rolls and plays are entered at the desk, or come from a cup."""
    record: RecordLocation
    cup: CupShown | None
    """None where none is used."""
    clock: ClockShown | None
    """None where none is used."""
    load: MachineLoad | None
    """None while the machine keeps up."""
    troubles: list[Text]
    """What keeps the board from being judged as it should be; `message` has them too."""
    numberings: list[Numbering]
    """Which way the board may run, while the plays of a game that is joined leave that open."""


class StatePart(TypedDict, total=False):
    """What has changed of a `State`."""

    phase: Phase
    paused: bool
    message: Text
    players: Names
    variant: str
    length: int
    score: Numbers
    position: Board | None
    to_move: SideName | None
    dice: list[Die]
    roll: RollShown | None
    void: VoidThrow | None
    cube: CubeState | None
    last_play: LastPlay | None
    pending: Pending | None
    pips: Numbers | None
    moves: list[ScoreRow]
    review: list[ReviewEntry]
    colours: Colours
    light_home: Literal["right", "left"]
    source: Source | None
    by_hand: bool
    record: RecordLocation
    cup: CupShown | None
    clock: ClockShown | None
    load: MachineLoad | None
    troubles: list[Text]
    numberings: list[Numbering]


def blank_state(version: int = 0, message: Sentence = "") -> State:
    """A state that waits and knows nothing yet: a table fills in what it learns."""
    return State(
        version=version, phase="waiting", paused=False, message=message,
        players=Names(light="Light", dark="Dark"), variant="short", length=0,
        score=Numbers(light=0, dark=0), position=None, to_move=None, dice=[], roll=None,
        void=None, cube=None, last_play=None, pending=None, pips=None, moves=[], review=[],
        colours=Colours(light=None, dark=None, field=None, points=None, frame=None),
        light_home="right", source=None, by_hand=False, record=RecordLocation(path=None), cup=None,
        clock=None, load=None, troubles=[], numberings=[],
    )  # fmt: skip
