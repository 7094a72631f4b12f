"""Events about the record: what was broken off, found out, corrected or closed."""

from __future__ import annotations

import re
from dataclasses import field
from typing import Annotated, Literal

from engine.events.match import (
    AsideEvent,
    Count,
    Event,
    Probability,
    clean_names,
    event_type,
)
from engine.events.names import LONGEST_NOTE, clean_name, visible_line
from engine.message import Message, Sentence
from engine.position import Position, Side
from engine.typed_json import Pattern, Range

Country = Annotated[str, Pattern(re.compile("([A-Z]{2})?"), "a country's two letters")]
PictureName = Annotated[str, Pattern(re.compile("([0-9a-f]{32})?"), "the name of a picture")]
UnseenReason = Literal["covered", "moving", "lost", "blank", "skipped", "joined", "unread"]
"""`covered`: a hand or an object was over the board. `moving`: the picture never settled. `lost`:
the board was not found, or was being searched for after a shove. `blank`: the picture showed
nothing, as with a covered lens. `skipped`: frames are missing, because the source gave none or the
computer was too slow. `joined`: the game was under way when the source began. `unread`: the whole
source showed no starting position, or the dice were not read in turns that no single play
explains."""


@event_type("unfinished")
class Unfinished(Event):
    """The board was cleared or set up again in mid-game; winner and points are not known."""

    game: Count


@event_type("resumed")
class Resumed(Event):
    """An unfinished game continued from its last position; `player` rolls."""

    game: Count
    player: Side


@event_type("confirmed")
class Confirmed(Event):
    """The play of turn `turn` became certain from what followed, or was confirmed by a person.

    By sight: which play it was, or, if that was clear, the position before it.
    """

    turn: Count
    """1 for the first turn of the match; rejected turns are counted too."""
    confidence: Probability = 1.0
    by: Literal["sight", "hand"] = "sight"


@event_type("corrected")
class Corrected(Event):
    """A correction: of the events in effect before it, only the first `keep` stay in effect.

    Events that an earlier correction revoked are not counted.
    """

    keep: Count
    by: Literal["sight", "hand"] = "sight"
    what: str = ""
    """What was corrected by hand, as an English sentence."""
    what_message: Message | None = field(default=None, metadata={"omit_empty": True})
    """`what` in a form that can be translated; None in older records."""

    @property
    def correction(self) -> Sentence:
        """What was corrected by hand, translatable where the record has it so."""
        return self.what_message or self.what


@event_type("position_set")
class PositionSet(Event):
    """The position was set by hand; `to_move` rolls next (None if the opening roll decides)."""

    position: Position
    to_move: Side | None = None


@event_type("position_found")
class PositionFound(Event):
    """The board had differed from the record for some turns; the record took over `position`.

    Turns were missed, or a play was misread. The player to move and the roll stay the same.
    """

    position: Position


@event_type("set_up_error")
class SetUpError(Event):
    """The board showed `position` for a while, instead of the starting position or the game's."""

    position: Position
    faults: tuple[str, ...]
    """What is wrong: an English sentence for each place, with the side's own point numbers."""
    fault_messages: tuple[Message, ...] = field(default=(), metadata={"omit_empty": True})
    """`faults` in a form that can be translated; empty in older records."""

    @property
    def sentences(self) -> tuple[Sentence, ...]:
        """What is wrong, translatable where the record has it so."""
        return self.fault_messages or self.faults


@event_type("board_moved")
class BoardMoved(Event):
    """The camera or the board was moved; what was seen meanwhile does not count."""


@event_type("unseen")
class Unseen(Event):
    """The board could not be judged for a stretch of time, in which a turn may have passed."""

    start: Annotated[float, Range(0)] = field(metadata={"json": "from"})
    """Seconds of the source."""
    end: Annotated[float, Range(0)] = field(metadata={"json": "to"})
    """Seconds of the source."""
    reason: UnseenReason


@event_type("named")
class PlayersNamed(AsideEvent):
    """The players' names were entered by hand."""

    light: str
    dark: str

    def __post_init__(self) -> None:
        clean_names(self)


@event_type("placed")
class MatchPlaced(AsideEvent):
    """It was said where in a tournament the match is played; what is not known is empty."""

    event: str = ""
    """The tournament."""
    round: str = ""
    table: str = ""
    """The table's number or name."""
    light_country: Country = field(default="", metadata={"omit_empty": True})
    """The two letters of ISO 3166 for the country that light's player represents."""
    dark_country: Country = field(default="", metadata={"omit_empty": True})
    logo: PictureName = field(default="", metadata={"omit_empty": True})
    """The tournament's logo: the name of a file in the folder of logos."""

    def __post_init__(self) -> None:
        for name in ("event", "round", "table"):
            object.__setattr__(self, name, clean_name(getattr(self, name)))


@event_type("noted")
class MatchNoted(AsideEvent):
    """A note on the match was written, in place of an earlier one; empty: it was removed."""

    text: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", visible_line(self.text)[:LONGEST_NOTE].strip())


@event_type("deletion")
class MatchDeletion(AsideEvent):
    """The match was deleted, or restored: the last of these events holds."""

    is_deleted: bool = field(metadata={"json": "deleted"})
    at: float
    """Seconds since 1970, UTC."""


@event_type("referee_called")
class RefereeCalled(AsideEvent):
    """The referee was called; after the end of a match, this contests its result."""

    player: Side | None = None
    """Who called; None if it was not a player's own device."""


@event_type("referee_came")
class RefereeCame(AsideEvent):
    """The referee, who had been called, came to the table."""


@event_type("paused")
class MatchPaused(AsideEvent):
    """The referee paused the match: nothing is judged until it continues or ends."""

    clock: Side | None = None
    """Whose clock the pause stopped; None if none ran."""


@event_type("continued")
class MatchContinued(AsideEvent):
    """The referee let the paused match continue."""


@event_type("match_closed")
class MatchClosed(Event):
    """The match was ended by hand at `score`, before either player had won it."""

    score: tuple[Count, Count]
