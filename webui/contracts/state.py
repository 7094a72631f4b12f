"""What the page needs: the `LiveBoard` that it reads, and the state that a table publishes.

A state is always complete, never a difference: a page that missed a hundred changes needs only the
newest.
"""

from __future__ import annotations

from typing import Final, Literal, NotRequired, Protocol, TypeAlias, cast

from typing_extensions import TypedDict

from engine.events.codec import position_json
from engine.events.record import MatchPlaced
from engine.message import Sentence
from engine.position import Position
from webui.contracts import words
from webui.contracts.analysis import LiveAnalysis
from webui.contracts.roles import Visibility

SideName: TypeAlias = words.SideName
Phase = Literal["waiting", "playing", "ended", "fault"]
DiceFaces = list[int | None]
"""Two faces as read, null for an unreadable one; larger first if the order has no meaning."""


LeftOut = Literal["nothing", "early_looks", "large_pictures", "overlay"]


Text: TypeAlias = words.Text


class LiveBoard(Protocol):
    """A board being watched or a recording being played; every method is thread-safe."""

    def state(self, visibility: Visibility = Visibility.PLAYERS) -> State:
        """The newest `State` with this visibility."""

    def next_state(
        self, after: int, timeout: float, visibility: Visibility = Visibility.PLAYERS
    ) -> State | None:
        """The newest `State` once its version is above `after`; None after `timeout` seconds."""

    def picture(self) -> bytes | None:
        """The newest camera picture as JPEG, with what was seen drawn on it; None before any."""

    def next_picture(self, after: int, timeout: float) -> tuple[int, bytes] | None:
        """The newest picture numbered above `after`, and its number; None after `timeout` s.

        Numbers begin at 1.
        """


class Names(TypedDict):
    """The players' names, by side."""

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
    """Present only for narde."""


def board_of(position: Position) -> Board:
    """The position in its JSON form."""
    return cast(Board, position_json(position))


class Die(TypedDict):
    """One die lying on the board now, whether or not its throw counts."""

    value: int | None
    player: SideName | None
    flat: bool
    confidence: float
    colour: str | None
    """`#rrggbb` of its body; None if not seen."""


class CubeState(TypedDict):
    """The doubling cube of the game in play."""

    value: int
    owner: SideName | None
    """None if it is in the middle."""
    offered: int | None
    """The game's value if the offer is taken; None without an offer."""
    by: SideName | None
    """Who offers."""
    crawford: bool
    """Whether this is the Crawford game, in which doubling is not allowed."""


class VoidThrow(TypedDict):
    """A throw that does not count, shown until the next one."""

    player: SideName
    dice: DiceFaces
    reason: str
    """`cocked`, `on_checker`, `off_board`, `split`, `wrong_half`, `premature`, `apart` or
    `paused`."""
    note: Text
    """The reason in words."""


class RollShown(TypedDict):
    """The roll that has not been played yet."""

    player: SideName
    dice: DiceFaces
    confidence: float


class LastPlay(TypedDict):
    """The newest turn of the game that stands; a rejected one is not shown here."""

    id: str
    player: SideName
    play: str
    dice: DiceFaces | None
    confidence: float | None
    """None if players may not see it."""
    review: bool
    legal: bool
    rule: Text
    """The rule that an illegal play breaks, in words; empty for a legal one."""
    accepted: NotRequired[bool]
    """Whether the opponent let an illegal play stand; until then it raises an alert."""


class Pending(TypedDict):
    """The play on the board while its turn is in progress; only ever a legal one.

    None while nothing has moved, while the play is incomplete, and when a rule is broken: before
    the turn is over, players must not be able to tell these cases apart.
    """

    player: SideName
    play: str
    dice: DiceFaces | None


class ResultShown(TypedDict):
    """How the newest game ended."""

    winner: SideName | None
    """None if it was drawn."""
    points: int
    """What the winner got; each player, if it was drawn."""
    result: str
    """`single`, `gammon`, `backgammon`, `oin`, `mars`, `koks`, `drop`, `resign`, `resign_gammon`,
    `resign_backgammon`, or `draw`."""
    wins_match: bool
    """Whether the match is won with it."""


CellKind = Literal["play", "double", "beaver", "raccoon", "take", "drop", "resign"]


class SheetCell(TypedDict):
    """One cell of the score sheet: a play, or what a player did with the cube."""

    id: str
    """The turn's number, which is that of its review item too; empty if nothing was played."""
    kind: CellKind
    value: int
    """The cube's new value, or the points resigned; 0 otherwise."""
    dice: DiceFaces | None
    play: str
    """In notation; empty if nothing was played."""
    text: NotRequired[str]
    """The play, or what was done, in the reader's language; only in a state that is sent."""
    review: bool
    illegal: bool


class ScoreRow(TypedDict):
    """One line of the score sheet: light's turn and dark's."""

    number: int
    light: SheetCell | None
    dark: SheetCell | None


class GameSheet(TypedDict):
    """One game of the match."""

    number: int
    score: Numbers
    """The score before the game."""
    crawford: bool
    """Whether it is the Crawford game."""
    result: ResultShown | None
    """None while it is played, and if nobody knows yet who won."""
    rows: list[ScoreRow]
    """Empty for the newest game, whose rows are the state's `moves`. Those of earlier games are at
    `/api/games/<number>`, and empty in a state that is sent."""


class PlayOption(TypedDict):
    """A play that the evidence leaves possible."""

    play: str
    confidence: float


class ReviewEntry(TypedDict):
    """Something for a person to look at."""

    id: str
    time: float
    """Seconds of the source."""
    player: SideName
    dice: DiceFaces | None
    play: str
    alternatives: list[PlayOption]
    kind: Literal["doubt", "illegal", "reroll"]
    note: Text
    """The reason in words: the rule broken, or what is wrong with the throw."""


class Colours(TypedDict):
    """True colors of the set as `#rrggbb`; null if not known yet."""

    light: str | None
    dark: str | None
    field: str | None
    points: list[str] | None
    """The color of odd points (light's ace point is one), then of even points."""
    frame: str | None


class CupDisagreement(TypedDict):
    """Two conflicting rolls in one turn, for the referee to choose from."""

    cup: list[int]
    """The cup's roll, which counts unless the referee decides otherwise."""
    seen: list[int | None]
    """What the dice on the board show."""


class DieCharge(TypedDict):
    """The battery of a die with Bluetooth."""

    name: str
    percent: int | None
    """Null before the die has said it."""
    is_low: bool


class CupShown(TypedDict):
    """The dice cup of the match, or its dice with Bluetooth."""

    state: str
    """`searching`, `opening`, `handshaking`, `ready`, `rolling`, `fault`, `lost`; `aside`; `words`:
    it awaits the players' words; `busy`: it is being sealed with them, or reveals its seed;
    `revealed`: the match is over and its seed is public."""
    why: Text
    """What is wrong, or what its throw decides; empty if all is well."""
    stage: Literal["none", "committed", "sealed", "revealed"]
    """The stage of its match: committed to a seed, sealed with the players' words, seed
    revealed."""
    commitment: str
    """The fingerprint of the cup's seed and the program's secret, in hex; empty before both are
    committed to."""
    words: list[str] | None
    """The words of light and dark, from sealing until the first roll; null at other times."""
    disagrees: CupDisagreement | None
    """None if the dice on the board agree with the cup, or there are none."""
    kind: Literal["cup", "dice", "virtual_dice"]
    """`dice`: two dice with Bluetooth roll instead of a cup."""
    charges: list[DieCharge]
    """The batteries of these dice."""


class Numbering(TypedDict):
    """One possible orientation of the board in a game joined midway."""

    turned: bool
    mirrored: bool
    """How it differs from the assumed numbering; together with `turned` it identifies this one."""
    position: Board
    light_home: Literal["right", "left"]
    light_sits: Literal["bottom", "top"]
    """The edge of the board, as the camera sees it."""


class CallShown(TypedDict):
    """A call for the referee that nobody has answered yet."""

    player: SideName | None
    """Who called; null if it was not a player's own device."""
    contests: bool
    """Whether the match was over when it came, so that it contests the result."""


class PlaceShown(TypedDict):
    """Where in a tournament the match is played; what is not known is empty."""

    event: str
    round: str
    table: str
    light_country: str
    """The two letters of ISO 3166."""
    dark_country: str
    logo: str
    """The name of the tournament's logo: `/api/logos/<name>.png`."""


NO_PLACE: Final = PlaceShown(
    event="", round="", table="", light_country="", dark_country="", logo=""
)


def place_of(placed: MatchPlaced | None) -> PlaceShown | None:
    """The place in its JSON form; None if nobody said where the match is played."""
    if placed is None:
        return None
    return PlaceShown(
        event=placed.event,
        round=placed.round,
        table=placed.table,
        light_country=placed.light_country,
        dark_country=placed.dark_country,
        logo=placed.logo,
    )


class ClockShown(TypedDict):
    """The match clock, in whole seconds; a person presses it, the camera does not watch it."""

    light: int
    """Light's reserve; 0 if light's time has run out."""
    dark: int
    delay: int
    """How much of the current turn's delay is left."""
    runs: SideName | None
    """Whose time is running; None if the clock is stopped."""


class Source(TypedDict):
    """Where the pictures come from."""

    name: Text
    fps: float
    seconds: float


class PhoneStatus(TypedDict):
    """The phone that sends pictures, or last did."""

    is_sending: bool
    fps: float
    """Pictures per second that arrived lately."""
    battery: int | None
    """Percent; null if the phone does not say."""
    is_charging: bool


class MachineLoad(TypedDict):
    """How far the machine is behind the camera."""

    skipped: float
    """The fraction of pictures that are not processed."""
    looks_per_second: float
    late: float
    """The age of pictures when they are judged, in seconds."""
    left_out: LeftOut
    """What is left out for now, together with everything listed before it."""
    note: Text
    """What is wrong, and what to do."""


class RecordLocation(TypedDict):
    """Where the match is recorded; null before it is."""

    path: str | None
    match: NotRequired[int | None]
    """The match's number in the record, as in `/matches/<number>`."""


class PositionIds(TypedDict):
    """How other programs call a position, with the player to act, the cube and the score."""

    xgid: str
    gnubg: str
    """GNU Backgammon's Position ID and Match ID, with a colon between them."""


class State(TypedDict):
    """Everything that the page shows."""

    version: int
    """Increases with every change and never repeats: starts from the clock (milliseconds), not
    0."""
    phase: Phase
    paused: bool
    """Whether the referee has paused the match: the camera is shown, nothing is judged."""
    message: Text
    """What the program is waiting for, or what is wrong; parts are separated by `; `."""
    result: ResultShown | None
    """How the game ended; None while one is played, and if nobody knows yet who won."""
    players: Names
    variant: str
    length: int
    """Match length in points; 0 for a money game."""
    score: Numbers
    position: Board | None
    ids: PositionIds | None
    """Of the position; None before the first game, and in games that have none."""
    to_move: SideName | None
    dice: list[Die]
    leftover: list[int]
    """The numbers of the opponent's double that the player on turn moves before rolling."""
    roll: RollShown | None
    void: VoidThrow | None
    cube: CubeState | None
    """None if the game has no cube, and before the first game."""
    last_play: LastPlay | None
    pending: Pending | None
    pips: Numbers | None
    moves: list[ScoreRow]
    """The score sheet of the newest game."""
    games: list[GameSheet]
    """Every game begun, in order."""
    review: list[ReviewEntry]
    colours: Colours
    light_home: Literal["right", "left"]
    """Where light's ace point lies as light's player sees it."""
    source: Source | None
    by_hand: bool
    """Whether there is no camera, or its video has ended: rolls and plays are entered at the desk,
    or come from a cup."""
    record: RecordLocation
    cup: CupShown | None
    """None if no cup is used."""
    clock: ClockShown | None
    """None if no clock is used."""
    load: MachineLoad | None
    """None while the machine keeps up."""
    troubles: list[Text]
    """What prevents the board from being judged properly, which is also part of `message`; and why
    the hall is not told what is recorded."""
    phone: PhoneStatus | None
    """The phone that is the camera, for the referee; None if there is none."""
    call: CallShown | None
    place: PlaceShown | None
    numberings: list[Numbering]
    """The board's possible orientations, while the plays of a game joined midway leave more than
    one."""
    analysis: LiveAnalysis | None
    """What has been judged so far; None for players, and where nothing is."""


class StatePart(TypedDict, total=False):
    """The fields of a `State` that have changed."""

    phase: Phase
    paused: bool
    message: Text
    result: ResultShown | None
    players: Names
    variant: str
    length: int
    score: Numbers
    position: Board | None
    ids: PositionIds | None
    to_move: SideName | None
    dice: list[Die]
    leftover: list[int]
    roll: RollShown | None
    void: VoidThrow | None
    cube: CubeState | None
    last_play: LastPlay | None
    pending: Pending | None
    pips: Numbers | None
    moves: list[ScoreRow]
    games: list[GameSheet]
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
    phone: PhoneStatus | None
    call: CallShown | None
    place: PlaceShown | None
    numberings: list[Numbering]
    analysis: LiveAnalysis | None


def blank_state(version: int = 0, message: Sentence = "") -> State:
    """The state of a table that is waiting and knows nothing yet."""
    return State(
        version=version, phase="waiting", paused=False, message=message, result=None,
        players=Names(light="Light", dark="Dark"), variant="short", length=0,
        score=Numbers(light=0, dark=0), position=None, ids=None, to_move=None, dice=[],
        leftover=[], roll=None, void=None, cube=None, last_play=None, pending=None, pips=None,
        moves=[], games=[], review=[],
        colours=Colours(light=None, dark=None, field=None, points=None, frame=None),
        light_home="right", source=None, by_hand=False, record=RecordLocation(path=None), cup=None,
        clock=None, load=None, troubles=[], phone=None, call=None, place=None, numberings=[],
        analysis=None,
    )  # fmt: skip
