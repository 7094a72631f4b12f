"""The API's types: what it takes and what it gives; its document is made from them."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, RootModel, model_validator
from pydantic_core import PydanticCustomError

from webui.contracts.archive import StillShown
from webui.contracts.state import Board, CubeState, Names, SideName, State
from webui.i18n.locale import LANGUAGES
from webui.streaming.delay import LONGEST

Pips = Annotated[int, Field(ge=1, le=6)]
Counts = Annotated[list[Annotated[int, Field(ge=0, le=15)]], Field(min_length=26, max_length=26)]
"""A side vector: borne off, the own points 1..24, the bar."""
Dice = Annotated[list[Pips], Field(min_length=2, max_length=2)]
RoleName = Literal["viewer", "referee"]
WordName = Literal[
    "undo", "accept", "reject", "end_turn", "double", "beaver", "raccoon", "take", "drop",
    "board_moved", "pause", "go_on", "begin_game", "end_match", "cup_roll", "cup_aside", "cup_back",
    "cup_stands", "dice_stand", "cup_identify", "cup_reveal", "clock", "clock_stop",
]  # fmt: skip
"""The values of `webui.contracts.desk.DeskCommand`."""
Result = Literal["single", "gammon", "backgammon", "oin", "mars", "koks"]
NO_OBJECT: Final = "send a JSON object"
JPEG: Final = {"image/jpeg": {"schema": {"type": "string", "format": "binary"}}}
"""What a picture is, for the document."""
TIMES: Final = {"single": 1, "oin": 1, "gammon": 2, "mars": 2, "backgammon": 3, "koks": 3}


class RequestBody(BaseModel):
    """Base of what is taken: of these types, and nothing else."""

    model_config = ConfigDict(strict=True, extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _is_an_object(cls, given: Any) -> Any:
        if not isinstance(given, dict):
            raise PydanticCustomError("no_object", NO_OBJECT)
        return given


def _of_a_language(code: str) -> str:
    if code not in LANGUAGES:
        raise ValueError(f"there is no such language; choose one of {', '.join(LANGUAGES)}")
    return code


LanguageCode = Annotated[
    str, Field(json_schema_extra={"enum": list(LANGUAGES)}), AfterValidator(_of_a_language)
]


class CommandBody(RequestBody):
    """One word, see `webui.contracts.desk.DeskCommand`."""

    word: WordName


class PlayBody(RequestBody):
    """What was played in a turn, in notation."""

    play: Annotated[str, Field(min_length=1, max_length=80, examples=["8/5 6/5"])]


class RollBody(RequestBody):
    """What was rolled in a turn; light's die first where lots are drawn."""

    dice: Dice


SaidAloud = Annotated[str, Field(max_length=80)]


class CupWordsBody(RequestBody):
    """A word of each player, said once the cup's commitment is shown; empty: none."""

    light: SaidAloud
    dark: SaidAloud


class PositionBody(RequestBody):
    """The position that stands, and who rolls next; null: whoever begins."""

    light: Counts
    dark: Counts
    to_move: SideName | None = None


class ResignationBody(RequestBody):
    """Who gives up which game, and how high.

    `points`, with the cube, stands in place of `result`: for a game whose cube is not known any
    more. Without `game` it is the one that was broken off first, else the one in play.
    """

    player: SideName
    result: Result = "single"
    points: Annotated[int, Field(ge=1, le=9999)] | None = None
    game: Annotated[int, Field(ge=1, le=9999)] | None = None


class RoleQuery(RequestBody):
    """As whom the state is looked at; without it, as whoever asks."""

    role: RoleName | None = Field(None, alias="as")
    delay: Annotated[float, Field(ge=0, le=LONGEST, strict=False)] = 0.0
    """Seconds late; then as viewers may see it."""
    lang: LanguageCode | None = None
    """Of the words under `shown`; without it, what the browser asks for."""


class RollQuery(RequestBody):
    """Another roll than the recorded one."""

    dice: Annotated[str | None, Field(pattern="^[1-6],[1-6]$", examples=["3,1"])] = None

    @property
    def pips(self) -> tuple[int, int] | None:
        """The two dice."""
        if self.dice is None:
            return None
        first, _, second = self.dice.partition(",")
        return int(first), int(second)


class StateAnswer(State):
    """The state, and the words and shapes that the page makes of it."""

    shown: dict[str, Any]


class StateTold(RootModel[StateAnswer]):
    """Everything that the page shows; `webui/contracts/state.py` tells what each field is."""


class Given(BaseModel):
    """Base of what is given; more may come with it."""

    model_config = ConfigDict(extra="allow")


class Problem(Given):
    """What went wrong, in one line that says what to do."""

    message: str


class ManualEntryState(Given):
    """What can be told of the turn in progress; the reasons are empty where it can."""

    lots: bool
    """Whether the roll is one die of each player, light's first."""
    dice: list[Pips] | None
    """The roll that waits to be played."""
    roll: str
    """Why no roll can be told."""
    play: str
    """Why no play can."""


class DeskNow(Given):
    """What can be said now."""

    paused: bool
    phase: str
    message: str
    game: int
    """The game in play, 0 before the first."""
    asked: list[int]
    """Games that were broken off and whose result nobody has told."""
    turns: int
    to_move: SideName | None
    cube: CubeState | None
    """Null where none is played with, and before the first game."""
    players: Names
    variant: str
    length: int
    rule_set: str
    by_hand: bool
    """Whether no camera watches: all is told here, or by a cup."""
    telling: ManualEntryState
    rules_name: str
    """The rule set as people call it."""
    can: list[WordName]
    """The words that would be taken now."""
    cannot: dict[str, str]
    """Why each of the others would not."""
    begin: str
    """Why no other match can begin at this board now; empty if one can."""


class TurnTold(Given):
    """One turn as it stands in the record."""

    number: int
    game: int
    player: SideName
    dice: list[Pips | None] | None
    play: str
    legal: bool
    rule: str
    """Which rule an illegal play breaks; empty for a legal one."""
    confidence: float
    review: bool
    doubts: list[str]
    rejected: bool
    by: str
    """`sight`, `hand`, or `rules` of a turn in which nothing could be moved."""
    time: float
    frame: int


class Turns(Given):
    """Every turn of the match."""

    turns: list[TurnTold]


class Pile(Given):
    """Checkers on one cell of the drawn board, see `webui/views/geometry.py`."""

    cell: str
    side: SideName
    count: int


class PlayMarks(Given):
    """Where the checkers of a play stood, and where they stand: how many by cell."""

    side: SideName | None
    legal: bool
    left: dict[str, int]
    reached: dict[str, int]


class OptionTold(Given):
    """Another play that the pictures leave open; null where it cannot be made."""

    play: str
    confidence: float
    position: Board | None
    piles: list[Pile] | None
    marks: PlayMarks


class RollAnswer(Given):
    """A roll, and whether the play is a legal one with it."""

    dice: Dice
    explains: bool


class TurnAnswer(TurnTold):
    """One turn with all that is known of it."""

    before: Board
    after: Board
    piles: list[Pile]
    """Before the play."""
    piles_after: list[Pile]
    marks: PlayMarks
    alternatives: list[OptionTold]
    rolls: list[RollAnswer]


class LegalPlayAnswer(Given):
    """A legal play and where it leads."""

    play: str
    position: Board
    piles: list[Pile]
    marks: PlayMarks
    played: bool
    """Whether the board showed this."""


class Plays(Given):
    """The legal plays of a turn."""

    plays: list[LegalPlayAnswer]


class StillsTold(Given):
    """What the camera saw of a turn."""

    stills: list[StillShown]


class ToPlay(Given):
    """The turn in progress: its roll, and how it can be played."""

    player: SideName
    dice: Dice
    before: Board
    plays: list[LegalPlayAnswer]


class SessionTold(Given):
    """Who is asking."""

    role: RoleName
    login: bool
    """Whether this table asks for passwords, so that there is a log-out."""


class Health(Given):
    """That the server answers, and what the table is doing."""

    ok: bool
    phase: str
    version: int
