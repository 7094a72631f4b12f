"""What the page draws of a state, computed once for the server's drawing and the browser's.

`as_shown` adds `shown` to the state. Everything that needs the geometry of the rules (which cell is
dark's 8 point, where a play began and ended) happens here, so that the browser only draws.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from typing_extensions import TypedDict

from engine.errors import InvalidNotation
from engine.play import Move, Play
from engine.position import Course
from webui.contracts.state import (
    ClockShown,
    Colours,
    CubeState,
    Die,
    LastPlay,
    SideName,
    State,
)
from webui.views import announcements, numberings, phrases
from webui.views.cup_status import CupLine, cup_line
from webui.views.piles import SIDES, Pile, borne_off, cell, cells, course_of, piles
from webui.views.place import PlaceView, place_view
from webui.views.sheet import GameLine, GameView, game_line, rows_shown, whole_game
from webui.views.study import study_lines

DEFAULT_COLOURS: Final = {
    "light": "#f1e6d0",
    "dark": "#33302e",
    "field": "#d6c3a1",
    "odd": "#a4553f",
    "even": "#4d6b66",
    "frame": "#4a3428",
}
INKS: Final = ("#ffffff", "#000000")
"""One of them has a contrast of at least 4.5 on any color."""
_COLOUR: Final = re.compile(r"#[0-9a-fA-F]{6}")


class PlayMarks(TypedDict):
    """Where the checkers of a play came from and where they are now: counts by cell."""

    side: SideName | None
    legal: bool
    """False only where a broken rule is named: a play that merely looks illegal is not drawn so."""
    left: dict[str, int]
    reached: dict[str, int]


class CubeDrawing(TypedDict):
    """The face that the cube shows, and where it is (`webui.views.geometry.cubes`)."""

    face: int
    place: str


class ClockDrawing(TypedDict):
    """One player's clock."""

    text: str
    delay: str
    runs: bool
    out: bool


class DieDrawing(TypedDict):
    """One die; a question mark without a value."""

    side: SideName
    value: int | None
    flat: bool
    sure: bool


class Spoken(TypedDict):
    """What a screen reader reads aloud."""

    position: list[str]
    event: str


class StateView(TypedDict):
    """Everything that the page shows of a state."""

    headline: str
    title: str
    variant: str
    length: str
    lines: list[str]
    troubles: list[str]
    alert: announcements.Alert | None
    flag: announcements.Alert | None
    end: announcements.EndCard | None
    spoken: Spoken
    piles: list[Pile]
    off: dict[str, int]
    marks: PlayMarks
    dice: list[DieDrawing]
    cube: CubeDrawing | None
    clock: dict[str, ClockDrawing] | None
    cup: CupLine | None
    cells: dict[str, list[str]]
    numbers: list[int]
    colours: dict[str, str]
    games: list[GameLine]
    last: announcements.PlayLine | None
    doubts: list[announcements.ReviewCard]
    source: str
    numberings: list[numberings.NumberingDrawing]
    study: list[str]
    place: PlaceView


class ShownState(State):
    """The state with its view, without the rows of earlier games."""

    shown: StateView


def as_shown(state: State) -> ShownState:
    """The state and, under `shown`, everything that the page shows of it."""
    state = {**state, "players": phrases.players(state["players"])}
    position = state["position"]
    course = course_of(position)
    shown = StateView(
        headline=announcements.headline(state),
        title=announcements.title(state),
        variant=phrases.variant_and_length(state["variant"], state["length"], state["cube"]),
        length=phrases.match_length(state["length"], state["cube"]),
        lines=phrases.message_lines(state["message"]),
        troubles=[phrases.sentence(trouble) for trouble in state["troubles"]],
        alert=announcements.alert(state),
        flag=announcements.flag(state),
        end=announcements.end_card(state),
        spoken=Spoken(position=announcements.position(state), event=announcements.event(state)),
        piles=piles(position),
        off=borne_off(position),
        marks=marks(state["last_play"], course),
        dice=dice(state),
        cube=cube(state["cube"]),
        clock=clocks(state["clock"]),
        cup=cup_line(state["cup"]),
        cells={side: cells(side, course) for side in SIDES},
        numbers=point_numbers(mover(state), course),
        colours=colours(state["colours"]),
        games=[game_line(one, state["players"], state["length"]) for one in state["games"]],
        last=announcements.last_play(state),
        doubts=[announcements.review_card(state, entry) for entry in state["review"]],
        source=announcements.source(
            state["source"], by_hand=state["by_hand"], phone=state["phone"]
        ),
        numberings=[numberings.drawing(one, state["players"]) for one in state["numberings"]],
        study=study_lines(state),
        place=place_view(state["place"]),
    )
    return {
        **state,
        "moves": rows_shown(state["moves"]),
        "games": [{**one, "rows": []} for one in state["games"]],
        "shown": shown,
    }


def game_shown(state: State, number: int) -> GameView:
    """Game `number` of a state with its score sheet."""
    game, players = state["games"][number - 1], phrases.players(state["players"])
    line = game_line(game, players, state["length"])
    return {**line, "rows": rows_shown(whole_game(state, game)["rows"])}


NO_MARKS: Final = PlayMarks(side=None, legal=True, left={}, reached={})


def marks(last: LastPlay | None, course: Course) -> PlayMarks:
    """Where the last play began and ended; a point only touched on the way counts as neither."""
    if last is None:
        return NO_MARKS
    return play_marks(last["player"], last["play"], course, legal=not last["rule"])


def play_marks(side: SideName, play: str, course: Course, *, legal: bool) -> PlayMarks:
    """The same for a play in notation."""
    moves = _moves(play)
    left, reached = Counter(m.source for m in moves), Counter(m.target for m in moves)
    named = [
        {cell(side, place, course): count for place, count in ends.items()}
        for ends in (left - reached, reached - left)
    ]
    return PlayMarks(side=side, legal=legal, left=named[0], reached=named[1])


def _moves(notation: str) -> Sequence[Move]:
    try:
        return Play.parse(notation).moves
    except InvalidNotation:
        # Notation cannot express every illegal play; then nothing is marked.
        return ()


def cube(lies: CubeState | None) -> CubeDrawing | None:
    """The cube to draw: its face and whose side it is on; None if there is none.

    An offered cube is in front of the player who must respond. A cube that was never turned shows
    64, because it has no face with a one.
    """
    if lies is None or lies["crawford"]:
        return None
    if lies["offered"] is not None:
        answers = "dark" if lies["by"] == "light" else "light"
        return CubeDrawing(face=lies["offered"], place=f"offered-{answers}")
    face = 64 if lies["value"] == 1 else lies["value"]
    return CubeDrawing(face=face, place=lies["owner"] or "middle")


def clocks(clock: ClockShown | None) -> dict[str, ClockDrawing] | None:
    """Each player's clock as it is shown; None without one."""
    if clock is None:
        return None
    return {
        side: ClockDrawing(
            text=phrases.clock(clock[side]),
            delay=f"+{clock['delay']}" if clock["runs"] == side and clock["delay"] else "",
            runs=clock["runs"] == side,
            out=clock[side] == 0,
        )
        for side in SIDES
    }


def dice(table: announcements.TableState) -> list[DieDrawing]:
    """The dice to draw: those on the board, else the roll that is still to be played."""
    if table["dice"]:
        return [_die(die, table["to_move"]) for die in table["dice"]]
    roll = table["roll"]
    if roll is None:
        return []
    return [
        DieDrawing(
            side=roll["player"],
            value=face,
            flat=True,
            sure=face is not None and roll["confidence"] >= announcements.CERTAIN_FROM,
        )
        for face in roll["dice"]
    ]


def _die(die: Die, to_move: SideName | None) -> DieDrawing:
    return DieDrawing(
        side=die["player"] or to_move or "light",
        value=die["value"],
        flat=die["flat"],
        sure=die["value"] is not None and die["confidence"] >= announcements.CERTAIN_FROM,
    )


def mover(state: State) -> SideName:
    """Who plays, or played last: until the next roll the board shows the last play."""
    shown = state["roll"] or state["pending"] or state["last_play"]
    return shown["player"] if shown is not None else state["to_move"] or "light"


def point_numbers(side: SideName, course: Course) -> list[int]:
    """The numbers on the rim of light's points 1..24, counted by `side`."""
    return [p if side == "light" else course.across(p) for p in range(1, 25)]


def colours(true: Colours) -> dict[str, str]:
    """The set's colors, with defaults for unknown ones, and an ink legible on the frame."""
    odd, even = true["points"] or (None, None)
    given = {
        "light": true["light"],
        "dark": true["dark"],
        "field": true["field"],
        "odd": odd,
        "even": even,
        "frame": true["frame"],
    }
    kept = {name: _colour(given[name], spare) for name, spare in DEFAULT_COLOURS.items()}
    return {**kept, "ink": max(INKS, key=lambda ink: contrast(ink, kept["frame"]))}


def _colour(value: str | None, spare: str) -> str:
    return value if value is not None and _COLOUR.fullmatch(value) else spare


def luminance(colour: str) -> float:
    """Relative luminance 0..1 of `#rrggbb`, as WCAG defines it."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: str, other: str) -> float:
    """The contrast ratio 1..21 of two `#rrggbb`, as WCAG defines it."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)
