"""What tables and the hall say to each other: topics, payloads, and their checked JSON.

`tableside.hall.asyncapi` describes them for other programs.
"""

from __future__ import annotations

import json
from typing import Annotated, Any, Final, NotRequired, TypeVar, cast

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError, with_config
from typing_extensions import TypedDict

from engine.errors import EngineError
from engine.events.codec import message_from_json, message_json, position_from_json
from engine.message import Message
from tableside.errors import TablesideError
from webui.contracts.hall import TableShown
from webui.contracts.roles import Visibility
from webui.contracts.state import State, blank_state
from webui.views.hall import tile

ROOT: Final = "tableside"
STATES: Final = {"state": Visibility.PLAYERS, "referee": Visibility.EVERYTHING}
"""Which state each kind of topic has."""
QOS: Final = 1
"""At least once; what comes twice has the same number."""
MOST_BYTES: Final = 256 * 1024
"""The size limit of a message: a state takes 2 KB, the longest event some dozens."""
SHOWN: Final = (
    *("phase", "paused", "message", "result", "players", "variant", "length", "score", "position"),
    *("to_move", "roll", "void", "cube", "last_play", "pips", "light_home", "clock", "troubles"),
    *("call", "place", "by_hand"),
)
"""The fields of the page's `State` that a table publishes."""
MOST: Final = 2**31 - 1
"""The largest whole number that every database stores."""
MOST_KNOWN: Final = 500
"""Matches of a table that it is told the numbers of, the newest."""
LATEST_S: Final = 32_503_680_000
"""The year 3000, in seconds since 1970."""
Count = Annotated[int, Field(ge=0, le=MOST)]
Time = Annotated[float, Field(ge=0, le=LATEST_S)]
Edition = Annotated[int, Field(ge=0, le=LATEST_S * 1000)]
Line = Annotated[str, Field(max_length=4096, pattern=r"^[^\x00]*$")]
"""No database stores a NUL."""
Page = Annotated[str, Field(max_length=4096, pattern=r"^(https?://[^\x00-\x20]*)?$")]
"""A link that a reader may be given: not one that runs a script."""

UNREADABLE: Final = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""What events raise that are of the right form, but say what no match can be."""
_DESCRIBED: Final = ConfigDict(use_attribute_docstrings=True)


class InvalidMessage(TablesideError):
    """Raised for a message that is not what its topic says; names the first wrong field."""


@with_config(_DESCRIBED)
class MatchNamed(TypedDict):
    """The match that an event belongs to."""

    number: Count
    """In the table's record."""
    begun: Time
    """When it began, in seconds since 1970, by the table's clock."""
    variant: Line
    length: Count
    light: Line
    dark: Line
    source: Line
    edition: NotRequired[Edition]
    """When the table saw that its record had been replaced, in milliseconds since 1970: absent if
    it never was. A match of a later edition takes the place of what was stored before."""


@with_config(_DESCRIBED)
class EventMessage(TypedDict):
    """One event of a record."""

    match: MatchNamed
    number: Count
    """Of the event in its match, counted from 1 without gaps."""
    event: dict[str, Any]
    """The event's own JSON, as in `events.jsonl`."""
    last: NotRequired[Count]
    """The number of the newest event of the match; absent unless there is an edition."""


@with_config(_DESCRIBED)
class Presence(TypedDict):
    """Whether a table is connected; its last will says that it is not."""

    online: bool
    instance: str
    """Which of several tables with this name it is; another after each start. A table that has
    the name repeats its presence when another one says anything here."""
    page: Page
    """The address of the table's own page."""
    sent: Time
    """Seconds since 1970, by the table's clock."""


@with_config(_DESCRIBED)
class TableState(TypedDict):
    """What a table shows now; sent after each change, and every few seconds."""

    sent: Time
    """Seconds since 1970, by the table's clock."""
    instance: str
    state: dict[str, Any]
    """Fields of the state that `/api/state` has; a sentence is text or `{"id", "values"}`."""
    published: NotRequired[dict[Line, Count]]
    """The number of the last event published, by match, as in `Stored`: a broker that drops the
    last events of a table leaves no gap by which the hall would notice."""


@with_config(_DESCRIBED)
class Stored(TypedDict):
    """How far the hall has a table's matches; the table goes on from there."""

    matches: dict[str, int]
    """The number of the last event stored, by match: `3-1764225023123`, or with the edition
    `3-1764225023123-1764311423000`. At most the newest 500 matches; if there are as many, it says
    nothing of those that began earlier."""


@with_config(_DESCRIBED)
class Notice(TypedDict):
    """What the hall tells other programs, as webhooks have it too."""

    id: str
    """The same for every repetition."""
    type: str
    """`match.finished`, `result.contested`, `dispute.opened`, `referee.called`, `referee.came`."""
    timestamp: str
    """When the hall learned of it: ISO 8601, UTC."""
    data: dict[str, Any]
    """A row of the results, and the event that it is about."""


KINDS: Final[dict[str, Any]] = {
    "presence": Presence,
    "state": TableState,
    "referee": TableState,
    "events": EventMessage,
    "stored": Stored,
}
"""The last level of each topic of a table, and its payload."""
NOTICES: Final = f"{ROOT}/hall/notices"
_ADAPTERS: Final = {kind: TypeAdapter(kind) for kind in (*KINDS.values(), State)}
"""Made here, because two threads must not make one at the same time."""
_Payload = TypeVar("_Payload")


def topic(table: str, kind: str) -> str:
    """The topic of a table, or with `+` of all tables, for messages of this kind."""
    return f"{ROOT}/tables/{table}/{kind}"


def table_and_kind(name: str) -> tuple[str, str]:
    """The inverse of `topic`; raises `InvalidMessage`."""
    parts = name.split("/")
    if len(parts) != 4 or parts[:2] != [ROOT, "tables"] or parts[3] not in KINDS:
        raise InvalidMessage(f"unknown topic {name!r:.80}")
    return parts[2], parts[3]


def match_key(number: int, begun: float, edition: int = 0) -> str:
    """The name of a match in `Stored`, which no other match at the table has."""
    return with_edition(f"{number}-{round(begun * 1000)}", edition)


def with_edition(key: str, edition: int) -> str:
    """The name of a match in `Stored`, from its name without the edition."""
    return f"{key}-{edition}" if edition else key


def edition_of(key: str) -> tuple[str, int]:
    """The name of a match in `Stored` without its edition, and the edition."""
    number, begun, edition = (*key.split("-", 2), "0", "0")[:3]
    return f"{number}-{begun}", int(edition) if edition.isdecimal() else 0


def encode(payload: object) -> bytes:
    """A payload as it is sent."""
    text = json.dumps(payload, ensure_ascii=False, separators=(",", ":"), default=_plain)
    return text.encode()


def _plain(value: object) -> object:
    if isinstance(value, Message):
        return message_json(value)
    raise TypeError(f"{type(value).__name__} is not JSON")


def decode(kind: type[_Payload], raw: bytes | bytearray) -> _Payload:
    """The payload of a message; raises `InvalidMessage`."""
    if len(raw) > MOST_BYTES:
        raise InvalidMessage(f"a message of {len(raw)} bytes is too long")
    try:
        payload = _ADAPTERS[kind].validate_json(raw)
        json.dumps(payload, allow_nan=False)  # what no schema describes has NaN and infinity too
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise InvalidMessage(f"{where or 'the message'}: {first['msg']}") from error
    except ValueError as error:
        raise InvalidMessage(str(error)) from error
    return cast(_Payload, payload)


def state_payload(state: State) -> dict[str, Any]:
    """What a table publishes of the page's state."""
    return {name: value for name, value in state.items() if name in SHOWN}


def shown_state(payload: dict[str, Any]) -> State:
    """The inverse; raises `InvalidMessage` if they are not fields of a state that can be drawn."""
    known = {name: _sentences(value) for name, value in payload.items() if name in SHOWN}
    state = {**blank_state(), **known}
    try:
        _ADAPTERS[State].validate_python(_texts(state))
    except ValidationError as error:
        where = ".".join(map(str, error.errors()[0]["loc"]))
        raise InvalidMessage(f"the state has an invalid {where}") from error
    shown = cast(State, state)
    try:
        if shown["position"] is not None:
            position_from_json(shown["position"])
        tile(_table(shown))
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise InvalidMessage(f"the state cannot be drawn: {error}") from error
    return shown


def _table(state: State) -> TableShown:
    return TableShown(name="", version=0, online=True, page="", troubles=[], age=0.0, state=state)


def _sentences(value: Any) -> Any:
    """The value with its messages as such."""
    if isinstance(value, list):
        return [_sentences(one) for one in value]
    if not isinstance(value, dict):
        return value
    if value.keys() >= {"id", "values"} and isinstance(value["values"], dict):
        try:
            return message_from_json(value)
        except EngineError as error:
            raise InvalidMessage(str(error)) from error
    return {name: _sentences(one) for name, one in value.items()}


def _texts(value: Any) -> Any:
    """The value with the text of its messages, which is what its schema describes."""
    match value:
        case Message():
            return str(value)
        case list():
            return [_texts(one) for one in value]
        case dict():
            return {name: _texts(one) for name, one in value.items()}
        case _:
            return value
