"""The API's request and response types, from which its document is generated."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, RootModel, model_validator
from pydantic_core import PydanticCustomError

from webui.contracts.desk import CommandName, SeatStatus, SeatWord
from webui.contracts.state import SideName
from webui.i18n.locale import LANGUAGES, N_, gettext
from webui.streaming.delay import LONGEST
from webui.views.board import ShownState
from webui.views.desk import (
    PlayList,
    ShownStatus,
    ShownTurn,
    ShownTurnToPlay,
    StillList,
    TurnList,
)
from webui.views.sheet import GameView

Pips = Annotated[int, Field(ge=1, le=6)]
Counts = Annotated[list[Annotated[int, Field(ge=0, le=15)]], Field(min_length=26, max_length=26)]
"""A side vector: checkers borne off, on the own points 1..24, and on the bar."""
Dice = Annotated[list[Pips], Field(min_length=2, max_length=2)]
VisibilityName = Literal["viewer", "audience", "referee"]
RoleName = Literal["audience", "viewer", "light_player", "dark_player", "referee"]
Result = Literal["single", "gammon", "backgammon", "oin", "mars", "koks"]
NO_OBJECT: Final = N_("send a JSON object")
JPEG: Final = {"image/jpeg": {"schema": {"type": "string", "format": "binary"}}}
"""A JPEG picture, for the document."""
MP4: Final = {"video/mp4": {"schema": {"type": "string", "format": "binary"}}}
"""A clip, for the document."""
TIMES: Final = {"single": 1, "oin": 1, "gammon": 2, "mars": 2, "backgammon": 3, "koks": 3}


class RequestBody(BaseModel):
    """Base of all request bodies and queries: typed fields, and no others."""

    model_config = ConfigDict(strict=True, extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _is_an_object(cls, given: Any) -> Any:
        if not isinstance(given, dict):
            raise PydanticCustomError("no_object", "{why}", {"why": gettext(NO_OBJECT)})
        return given


def _of_a_language(code: str) -> str:
    if code not in LANGUAGES:
        raise ValueError(f"there is no such language; choose one of {', '.join(LANGUAGES)}")
    return code


LanguageCode = Annotated[
    str, Field(json_schema_extra={"enum": list(LANGUAGES)}), AfterValidator(_of_a_language)
]


class CommandBody(RequestBody):
    """The name of a command; `webui.contracts.desk.DeskCommand` says what each does."""

    word: CommandName


class SeatBody(RequestBody):
    """The name of a command that a player may enter."""

    word: SeatWord


class PlayBody(RequestBody):
    """The play of a turn, in backgammon notation such as `8/5 6/5`."""

    play: Annotated[str, Field(min_length=1, max_length=80, examples=["8/5 6/5"])]


class RollBody(RequestBody):
    """The roll of a turn; in an opening roll, light's die comes first."""

    dice: Dice


class NumberingBody(RequestBody):
    """The numbering of the points: one of the state's `numberings`."""

    turned: bool
    mirrored: bool


SaidAloud = Annotated[str, Field(max_length=80)]


class CupWordsBody(RequestBody):
    """A word from each player, entered after the cup's commitment is shown; empty for none."""

    light: SaidAloud
    dark: SaidAloud


class PositionBody(RequestBody):
    """The position on the board, and who rolls next (null if the opening roll decides)."""

    light: Counts
    dark: Counts
    to_move: SideName | None = None


class ResignationBody(RequestBody):
    """Who resigns which game, and for how many points.

    Give `points`, the cube included, instead of `result` if the value of the cube is no longer
    known. Without `game` it is the first unfinished game, or else the one in progress.
    """

    player: SideName
    result: Result = "single"
    points: Annotated[int, Field(ge=1, le=9999)] | None = None
    game: Annotated[int, Field(ge=1, le=9999)] | None = None


class RoleQuery(RequestBody):
    """The role whose state is wanted; without it, the client's own."""

    role: VisibilityName | None = Field(None, alias="as")
    delay: Annotated[float, Field(ge=0, le=LONGEST, strict=False)] = 0.0
    """Seconds of delay; if above 0, the state is what viewers may see, or as `audience` what the
    audience of a stream may see. Unless the server delays it (`--delay`), the audience sees what
    viewers see, whatever delay it asks for."""
    lang: LanguageCode | None = None
    """The language of the words under `shown`; if absent, the browser's preference."""


class StreamQuery(RoleQuery):
    """The role whose states are wanted, or a token of the overlay instead of a log-in."""

    token: str | None = None


class RollQuery(RequestBody):
    """A roll other than the recorded one."""

    dice: Annotated[str | None, Field(pattern="^[1-6],[1-6]$", examples=["3,1"])] = None

    @property
    def pips(self) -> tuple[int, int] | None:
        """The two dice; None if not given."""
        if self.dice is None:
            return None
        first, _, second = self.dice.partition(",")
        return int(first), int(second)


class StateAnswer(RootModel[ShownState]):
    """Everything that the page shows."""


class GameAnswer(RootModel[GameView]):
    """One game of the match with its score sheet."""


class DeskAnswer(RootModel[ShownStatus]):
    """What can be entered now."""


class SeatAnswer(RootModel[SeatStatus]):
    """What a player can say now."""


class TurnsAnswer(RootModel[TurnList]):
    """Every turn of the match."""


class TurnAnswer(RootModel[ShownTurn]):
    """One turn with all that is known of it."""


class PlaysAnswer(RootModel[PlayList]):
    """The legal plays of a turn."""


class StillsAnswer(RootModel[StillList]):
    """What the camera saw of a turn."""


class TurnToPlayAnswer(RootModel[ShownTurnToPlay]):
    """The turn in progress: its roll, and how it can be played."""


class SessionAnswer(BaseModel):
    """Who is making the request."""

    role: RoleName
    login: bool
    """Whether this table requires passwords, so that there is a log-out."""


class Health(BaseModel):
    """That the server responds."""

    ok: bool
