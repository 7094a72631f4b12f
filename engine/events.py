"""What happened, as past-tense facts: the only thing the record keeps.

Each class is one `type` of `events.jsonl`; `as_json` and `from_json` are exact inverses. The
fields of a class are the fields of its JSON object, `type` apart.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Final

from engine.errors import EngineError
from engine.evidence import DieMake
from engine.position import Course, Position, Setup, Side
from engine.ruleset import RuleSet
from engine.ruleset_file import rule_set_from_json, rule_set_json

Dice = tuple[int | None, int | None]
"""The two dice as seen, None for one that could not be read."""


class InvalidEvent(EngineError):
    """Raised when a stored object is no event of ours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """A fact; `time` in seconds and `frame` in pictures of its source."""

    type: ClassVar[str] = ""
    time: float
    frame: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DieLay:
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
    make: DieMake | None = None
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
    lay: tuple[DieLay, ...] = field(default=(), compare=False)
    by: str = "sight"
    """As of `DiceRolled`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiceRolled(Event):
    """A throw that counts."""

    type: ClassVar[str] = "roll"
    player: Side
    dice: Dice
    confidence: float = 1.0
    lay: tuple[DieLay, ...] = field(default=(), compare=False)
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
    lay: tuple[DieLay, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Premature(Event):
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
    `illegal` (a board that nothing explains)."""
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
class Taken(Event):
    """`player` took the cube that was offered."""

    type: ClassVar[str] = "take"
    player: Side


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped(Event):
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
class Unfinished(Event):
    """The checkers were swept or set up anew in mid-game: who won, and how high, is asked."""

    type: ClassVar[str] = "unfinished"
    game: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Confirmed(Event):
    """What followed leaves no doubt about the play of turn `turn`, or somebody looked at it."""

    type: ClassVar[str] = "confirmed"
    turn: int
    """1 for the first turn of the match, rejected ones counted."""
    confidence: float = 1.0
    by: str = "sight"


@dataclass(frozen=True, slots=True, kw_only=True)
class Corrected(Event):
    """Another history holds: of the events before this one only the first `keep` stand.

    What stands is counted, so what an earlier correction took back does not count.
    """

    type: ClassVar[str] = "corrected"
    keep: int
    by: str = "sight"
    what: str = ""
    """What was told by hand, in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PositionSet(Event):
    """The position was set by hand; `to_move` rolls next, None: whoever begins."""

    type: ClassVar[str] = "position_set"
    position: Position
    to_move: Side | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PositionFound(Event):
    """The board has not stood as the record has it for some turns: `position` stood there.

    Turns were lost, or a play was told wrong; whose turn it is and what he rolled is not touched.
    """

    type: ClassVar[str] = "position_found"
    position: Position


@dataclass(frozen=True, slots=True, kw_only=True)
class Resumed(Event):
    """The game that was broken off goes on: its position stands again, and `player` rolls."""

    type: ClassVar[str] = "resumed"
    game: int
    player: Side


@dataclass(frozen=True, slots=True, kw_only=True)
class SetUpError(Event):
    """`position` stood for a while where a start position, or the one of the game, should."""

    type: ClassVar[str] = "set_up_error"
    position: Position
    faults: tuple[str, ...]
    """What is wrong, place by place in words, each side by its own numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardMoved(Event):
    """The camera or the board was moved; what was seen in between is void."""

    type: ClassVar[str] = "board_moved"


@dataclass(frozen=True, slots=True, kw_only=True)
class CupEvent(Event):
    """Something of a dice cup; all but `CupDecided` change nothing in the match."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CupCommitted(CupEvent):
    """A dice cup bound itself to a seed before it saw any nonce; bytes as hex."""

    type: ClassVar[str] = "cup_commitment"
    cup: str
    """The cup's own name."""
    match: int
    """The cup's count of its matches."""
    number: int
    """The cup's count of its rolls before the first of this match."""
    commitment: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CupSealed(CupEvent):
    """The nonces that the cup's rolls are made with: the program's as hex, the players' as said."""

    type: ClassVar[str] = "cup_sealed"
    cup: str
    match: int
    host: str
    light_words: str = ""
    dark_words: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CupRolled(CupEvent):
    """The cup rolled; `chain` binds all its rolls of the match up to this one."""

    type: ClassVar[str] = "cup_roll"
    cup: str
    number: int
    kind: str
    """`one`, `two` or `opening`: one die each, light's first."""
    roller: Side | None
    dice: tuple[int, ...]
    salt: str
    chain: str
    asked: bool = True
    """False: nobody here had asked, or the program that had was ended before it heard."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CupRevealed(CupEvent):
    """The cup told its seed: every roll of its match can be made again."""

    type: ClassVar[str] = "cup_revealed"
    cup: str
    match: int
    seed: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CupDisagrees(CupEvent):
    """The dice on the board are not the cup's; the referee decides which counts."""

    type: ClassVar[str] = "cup_disagrees"
    player: Side
    dice: tuple[int, ...]
    """The cup's."""
    seen: Dice


@dataclass(frozen=True, slots=True, kw_only=True)
class CupDecided(CupEvent):
    """The referee said which dice count for the roll that `player` is to play: `dice`."""

    type: ClassVar[str] = "cup_decided"
    player: Side
    dice: tuple[int, int]
    stands: str
    """`cup` or `board`: whose dice they are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CupSetAside(CupEvent):
    """No cup is used until it is taken up again."""

    type: ClassVar[str] = "cup_aside"
    by: str = "hand"
    """`hand`, or `dice`: real ones lay on the board."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CupTakenUp(CupEvent):
    """The cup that was set aside is used again."""

    type: ClassVar[str] = "cup_back"


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Named(Event):
    """The players' names were told by hand."""

    type: ClassVar[str] = "named"
    light: str
    dark: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchClosed(Event):
    """The match was ended by hand before anybody had won it, at `score`."""

    type: ClassVar[str] = "match_closed"
    score: tuple[int, int]


EVENTS: Final[dict[str, type[Event]]] = {
    kind.type: kind
    for kind in (
        GameStart, OpeningRolled, DiceRolled, DiceVoid, Premature, PlayMade, IllegalMade,
        TurnEnded, PlayRejected, PlayAccepted, TakenBack, Doubled, Beavered, Raccooned, Taken,
        Dropped, Resigned, BoardMoved, Confirmed, Corrected, Unfinished, Resumed, PositionSet,
        PositionFound, SetUpError, GameEnd, GameDrawn, MatchEnd, Named, MatchClosed,
        CupCommitted, CupSealed, CupRolled, CupRevealed, CupDisagrees,
        CupDecided, CupSetAside, CupTakenUp,
    )
}  # fmt: skip


def position_json(position: Position) -> dict[str, Any]:
    """`{"light": [26], "dark": [26]}`; narde adds its course."""
    sides: dict[str, Any] = {"light": list(position.light), "dark": list(position.dark)}
    return sides if position.course is Course.OPPOSED else {**sides, "course": "circling"}


def position_from_json(value: Any) -> Position:
    """The inverse of `position_json`; `EngineError` names what is wrong."""
    if not isinstance(value, dict) or not {"light", "dark"} <= value.keys():
        raise InvalidEvent('a position is {"light": [26 counts], "dark": [26 counts]}')
    light, dark = value["light"], value["dark"]
    if not isinstance(light, list) or not isinstance(dark, list):
        raise InvalidEvent("light and dark are lists of 26 counts")
    return Setup(light, dark, Course(value.get("course", "opposed"))).checked()


def as_json(event: Event) -> dict[str, Any]:
    """The event as a JSON object, `time`, `frame` and `type` first."""
    head = {"time": round(event.time, 3), "frame": event.frame, "type": event.type}
    rest = {f.name: _plain(getattr(event, f.name)) for f in fields(event)}
    return {**head, **{name: value for name, value in rest.items() if name not in head}}


def _plain(value: Any) -> Any:
    match value:
        case Position():
            return position_json(value)
        case RuleSet():
            return rule_set_json(value)
        case Alternative() | DieLay() | DieMake():
            return {f.name: _plain(getattr(value, f.name)) for f in fields(value)}
        case tuple():
            return [_plain(item) for item in value]
        case float():
            return round(value, 4)
        case _:
            return value.value if isinstance(value, Side) else value


def from_json(value: dict[str, Any]) -> Event:
    """The event that `as_json` wrote; `InvalidEvent` if it is none."""
    kind = EVENTS.get(value.get("type", ""))
    if kind is None:
        raise InvalidEvent(f"there is no event of type {value.get('type')!r}")
    known = {f.name for f in fields(kind)}
    arguments = {n: _typed(n, v) for n, v in value.items() if n in known}
    try:
        return kind(**arguments)
    except TypeError as error:
        raise InvalidEvent(f"a {kind.type} event lacks a field: {error}") from error


def _typed(name: str, value: Any) -> Any:
    reader = _READERS.get(name)
    is_open = value is None and name not in _ALWAYS_TOLD
    return value if reader is None or is_open else reader(value)


def _alternatives(value: list[dict[str, Any]]) -> tuple[Alternative, ...]:
    return tuple(Alternative(**one) for one in value)


def _lay(value: list[dict[str, Any]]) -> tuple[DieLay, ...]:
    return tuple(_die_lay(**one) for one in value)


def _die_lay(
    chances: list[float],
    place: list[float],
    flat: float,
    surface: str,
    side: str | None,
    make: dict[str, Any] | None = None,
) -> DieLay:
    x, y = place
    return DieLay(
        chances=tuple(chances),
        place=(x, y),
        flat=flat,
        surface=surface,
        side=None if side is None else Side(side),
        make=None if make is None else die_make(**make),
    )


def die_make(body: list[float], pips: list[float], side: float) -> DieMake:
    """What a die looks like out of JSON; `ValueError` where a colour has not three parts."""
    (b_light, b_a, b_b), (p_light, p_a, p_b) = body, pips
    return DieMake((b_light, b_a, b_b), (p_light, p_a, p_b), side)


_READERS: Final[dict[str, Callable[[Any], Any]]] = {
    "position": position_from_json,
    "player": Side,
    "winner": Side,
    "starter": Side,
    "roller": Side,
    "seen": tuple,
    "to_move": Side,
    "rule_set": rule_set_from_json,
    "dice": tuple,
    "faults": tuple,
    "score": tuple,
    "alternatives": _alternatives,
    "doubts": tuple,
    "lay": _lay,
}
"""How the fields that JSON has no type for are read."""
_ALWAYS_TOLD: Final = {"position", "player", "winner"}
"""Those of them that are never null."""
