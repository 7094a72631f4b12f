"""The set-up's request and response types, from which the document is generated."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal, Self, cast

from pydantic import (
    AfterValidator,
    ConfigDict,
    Field,
    RootModel,
    ValidationError,
    WrapValidator,
    model_validator,
)
from pydantic.functional_validators import ModelWrapValidatorHandler
from pydantic_core import PydanticCustomError

from engine.cube import MOST_AUTOMATIC_DOUBLES
from engine.events.names import LONGEST_NAME, clean_name
from engine.message import Message, msg
from engine.rules import VARIANTS
from engine.ruleset import LONGEST_MATCH
from webui.api.schemas.common import RequestBody
from webui.contracts.setup import (
    LONGEST_ADDRESS,
    BoardRotation,
    ChosenOptions,
    SetupState,
)
from webui.contracts.state import PlaceShown
from webui.http.converters import MOST
from webui.i18n.locale import country_codes, gettext
from webui.i18n.messages import translate

FARTHEST: Final = 1e5
"""Pixels; no camera's picture is anywhere near this large."""


def refused_as(why: Message) -> WrapValidator:
    """Report a value that does not fit the type with the message `why`."""

    def check(value: Any, handler: ModelWrapValidatorHandler[Any]) -> Any:
        try:
            return handler(value)
        except ValidationError:
            raise PydanticCustomError("not_taken", "{why}", {"why": translate(why)}) from None

    return WrapValidator(check)


def _trimmed(text: str) -> str:
    trimmed = text.strip()
    if not trimmed:
        raise ValueError("it is blank")
    return trimmed


def _of_a_game(name: str) -> str:
    if name not in VARIANTS:
        raise ValueError("there is no such game")
    return name


Address = Annotated[
    str,
    Field(min_length=1, max_length=LONGEST_ADDRESS, examples=["sample"]),
    AfterValidator(_trimmed),
    refused_as(msg("enter an address, a file name or a camera number")),
]
Pixels = Annotated[float, Field(gt=-FARTHEST, lt=FARTHEST, allow_inf_nan=False)]
Corner = Annotated[list[Pixels], Field(min_length=2, max_length=2)]
Corners = Annotated[list[Corner], Field(min_length=4, max_length=4)]
PlayerName = Annotated[
    str,
    Field(max_length=LONGEST_NAME),
    AfterValidator(clean_name),
    refused_as(msg("a name has at most {longest} characters", longest=LONGEST_NAME)),
]
Length = Annotated[
    int,
    Field(ge=0, le=LONGEST_MATCH),
    refused_as(msg("a match has 1 to {longest} points; 0 means money play", longest=LONGEST_MATCH)),
]
VariantName = Annotated[
    str,
    Field(json_schema_extra={"enum": list(VARIANTS)}),
    AfterValidator(_of_a_game),
    refused_as(
        msg("there is no such game; choose one of {variants}", variants=", ".join(VARIANTS))
    ),
]


class SourceBody(RequestBody):
    """The source of pictures: a camera's number, an address, a file's name, or `sample`."""

    address: Address


class CornersBody(RequestBody):
    """The field's corners in order around it, each `[x, y]` in pixels; null to find them."""

    corners: Annotated[
        Corners | None, refused_as(msg("give four corners, each [x, y] in pixels, or null"))
    ]


class TurnBody(RequestBody):
    """How to change the board's orientation; `auto` follows the checkers."""

    how: BoardRotation


class OptionsBody(RequestBody):
    """The options of the game and its cube; those left out or null are as the rule set says."""

    preset: str | None = None
    """The house rules of the variant."""
    scoring: str | None = None
    last_roll_draw: bool | None = None
    next_starter: Literal["opening", "winner", "previous_second"] | None = None
    swap_colors: bool | None = None
    """Whether the players swap colors after each game."""
    jacoby: bool | None = None
    """In money play, as the next three: gammons count only if the cube was turned."""
    beavers: bool | None = None
    raccoons: bool | None = None
    automatic_doubles: Annotated[int, Field(ge=0, le=MOST_AUTOMATIC_DOUBLES)] | None = None
    """How many ties in the opening roll double the stake."""
    crawford: bool | None = None
    """In matches, as the next one."""
    holland: bool | None = None

    @property
    def chosen(self) -> ChosenOptions:
        """Those that are chosen."""
        return cast(ChosenOptions, self.model_dump(exclude_none=True))


def _country(code: str) -> str:
    if code and code.upper() not in country_codes():
        raise ValueError("there is no such country")
    return code.upper()


PlaceText = Annotated[
    str,
    Field(max_length=LONGEST_NAME),
    AfterValidator(clean_name),
    refused_as(msg("a name has at most {longest} characters", longest=LONGEST_NAME)),
]
CountryCode = Annotated[
    str,
    Field(max_length=2, examples=["DE"]),
    AfterValidator(_country),
    refused_as(msg("give the two letters of a country, such as DE, or leave it empty")),
]
LogoName = Annotated[str, Field(pattern="^([0-9a-f]{32})?$")]


class PlaceBody(RequestBody):
    """Where in a tournament a match is played, and what is shown of it; all of it may be empty."""

    model_config = ConfigDict(json_schema_extra={"minProperties": 1})

    event: PlaceText = ""
    round: PlaceText = ""
    table: PlaceText = ""
    light_country: CountryCode = ""
    dark_country: CountryCode = ""
    logo: LogoName = ""
    """The name that `POST /api/logos` gave the picture."""

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not self.model_fields_set:
            why = gettext("say something about where the match is played")
            raise PydanticCustomError("nothing", "{why}", {"why": why})
        return self

    @property
    def place(self) -> PlaceShown:
        """The place as a value."""
        return cast(PlaceShown, self.model_dump())


class GameBody(RequestBody):
    """The game and the players; fields that are left out or null stay as they are."""

    model_config = ConfigDict(json_schema_extra={"minProperties": 1})

    light: PlayerName | None = None
    """Blank for the side's own name."""
    dark: PlayerName | None = None
    length: Length | None = None
    variant: VariantName | None = None
    rules: str | None = None
    """The name of a rule set, the file that the program was started with, or empty for the
    default."""
    options: OptionsBody | None = None
    """Left out, they stay as they are, unless the variant changes."""
    goes_on: bool | None = None
    place: PlaceBody | None = None

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not self.model_fields_set:
            raise PydanticCustomError(
                "nothing", "{why}", {"why": gettext("name something to change about the game")}
            )
        return self


class UnfinishedBody(RequestBody):
    """The unfinished match that goes on; null for none."""

    match: Annotated[int, Field(ge=1, le=MOST)] | None


class PictureQuery(RequestBody):
    """Which picture."""

    plain: Literal["0", "1"] = "0"
    """1 for the picture without the board drawn on it."""
    n: Annotated[int, Field(ge=0, strict=False)] | None = None
    """Any number; a new address makes the browser fetch a new picture."""


class SetupAnswer(RootModel[SetupState]):
    """Everything that the set-up page shows; see `webui/contracts/setup.py`."""
