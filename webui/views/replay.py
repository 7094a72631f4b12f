"""A recorded match as the review page draws it: each step on the board, and the list of steps.

The live board's code draws it too: each step is converted to the values that
`webui.views.board.as_shown` makes of a live state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Final

from typing_extensions import TypedDict

from engine.address import is_address
from webui.contracts.archive import (
    DeletedMatch,
    DownloadLink,
    Home,
    MatchList,
    MatchStep,
    MatchSummary,
    RecordedMatch,
    ReviewItemShown,
    UnfinishedMatch,
)
from webui.contracts.state import Colours, CubeState, Names, PlaceShown
from webui.i18n.locale import N_, format_date, format_datetime, gettext, ngettext
from webui.i18n.messages import translate
from webui.views import announcements, board, phrases
from webui.views.piles import Pile, borne_off, cells, course_of, piles
from webui.views.place import PlaceView, place_line, place_view
from webui.views.sheet import action_text, game_note
from webui.views.sheet import points as points_text

RESULTS: Final = {
    "gammon": N_("gammon"),
    "backgammon": N_("backgammon"),
    "drop": N_("drop"),
    "resign": N_("resign"),
    "mars": N_("mars"),
    "koks": N_("koks"),
}
"""How a game may end, as shown beside its points."""
CRAWFORD: Final = N_("Start of the Crawford game")
START_CAPTION: Final = N_("Starting position")
CUP_DECISIONS: Final = {
    "cup": N_("The cup's dice count"),
    "board": N_("The dice on the board count"),
}
STEP_TEXTS: Final = {
    "opening": N_("Opening roll"),
    "roll": N_("To play"),
    "take": N_("Takes"),
    "drop": N_("Drops"),
    "set": N_("The position was set by hand"),
    "broken_off": N_("The game was cut short"),
    "resumed": N_("The game continues"),
    "match_end": N_("Wins the match"),
}
"""The text of a step, if its kind determines it."""
SURE_FROM, DOUBTFUL_FROM = 0.99, 0.8
"""Probabilities above which a mark on a still is shown as certain, or as doubtful."""


class EntryView(TypedDict):
    """A match in the list, in words."""

    title: str
    variant: str
    begun: str
    """In ISO 8601, in local time."""
    when: str
    plays: str
    games: str
    state: str
    """`open`, `closed`, or empty if the match is won."""
    place: str
    """Where in a tournament it was played; empty if nobody said."""
    source: str


class ShownDeleted(TypedDict):
    """A deleted match, in words."""

    id: int
    title: str
    begun: str
    """In ISO 8601, in local time."""
    when: str
    gone: str


class ShownUnfinished(UnfinishedMatch):
    """A match that can go on, in words."""

    title: str
    """Its players."""
    facts: str
    """The score, the game, its length and the number of plays."""


class ShownEntry(MatchSummary):
    """A match in the list, with its wording."""

    shown: EntryView


class ShownList(TypedDict):
    """A page of the list, newest first."""

    matches: list[ShownEntry]
    older: int | None
    """The value of `before` for the next page; null if this is the last."""


class SpokenPosition(TypedDict):
    """What a screen reader reads aloud for a step."""

    position: list[str]


class StepView(TypedDict):
    """What the page shows of a step."""

    piles: list[Pile]
    off: dict[str, int]
    marks: board.PlayMarks
    dice: list[board.DieDrawing]
    numbers: list[int]
    cube: board.CubeDrawing | None
    spoken: SpokenPosition
    faces: list[int | None]
    text: str
    percent: str
    verdict: str
    """`sure`, `review`, `illegal`, or empty."""


class ShownStep(MatchStep):
    """A step with its view."""

    shown: StepView


class RecordedOption(announcements.OptionLine):
    """The recorded play, or another that the pictures leave possible."""

    confidence: float | None
    is_recorded: bool
    """Whether this is the recorded one."""


class ReviewItemView(TypedDict):
    """A review item in words."""

    title: str
    name: str
    when: str
    index: int
    """The index of its step in the list."""
    why: list[str]
    options: list[RecordedOption]


class ShownReviewItem(ReviewItemShown):
    """A review item with its wording."""

    shown: ReviewItemView


class MatchView(EntryView):
    """The match in words, with the colors to draw it in."""

    colours: dict[str, str]
    cells: dict[str, list[str]]
    tournament: PlaceView


class ShownMatch(TypedDict):
    """One match with everything of it that may be shown."""

    entry: ShownEntry
    steps: list[ShownStep]
    doubtful: list[ShownReviewItem]
    files: list[DownloadLink]
    colours: Colours
    light_home: Home
    place: PlaceShown | None
    is_withheld: bool
    """Whether something is withheld until the match is over."""
    shown: MatchView


class StepRow(TypedDict):
    """One row of the list of steps."""

    index: int
    step: ShownStep
    doubts: list[ShownReviewItem]
    is_open: bool
    """Whether the step has an open review item."""


class GameRows(TypedDict):
    """The steps of one game."""

    number: int
    note: str
    """The score before it, as on the score sheet."""
    rows: list[StepRow]


def matches_shown(listed: MatchList) -> ShownList:
    """A page of the list, with each match in words under `shown`."""
    return {**listed, "matches": [entry_shown(entry) for entry in listed["matches"]]}


def entry_shown(entry: MatchSummary) -> ShownEntry:
    """A match in the list, with its words under `shown`."""
    begun = datetime.fromtimestamp(entry["begun"], UTC).astimezone()
    players, source = phrases.players(entry["players"]), _source_name(entry["source"])
    shown = EntryView(
        title=gettext("%(light)s and %(dark)s", light=players["light"], dark=players["dark"]),
        variant=phrases.variant_and_length(entry["variant"], entry["length"]),
        begun=begun.isoformat(timespec="seconds"),
        when=format_datetime(begun),
        plays=ngettext("%(num)s play", "%(num)s plays", entry["plays"]),
        games=ngettext("%(num)s game", "%(num)s games", entry["games"]),
        state="" if entry["winner"] else "open" if entry["is_open"] else "closed",
        place=place_line(entry["event"], entry["round"], entry["table"]),
        source=source,
    )
    return {**entry, "players": players, "source": source, "shown": shown}


def _source_name(source: str) -> str:
    """The name of a source, without the folder or the network address that it has here."""
    if is_address(source):
        return gettext("network camera")
    return source.replace("\\", "/").rsplit("/", 1)[-1]


def deleted_shown(match: DeletedMatch) -> ShownDeleted:
    """A deleted match in words."""
    begun, gone = (
        datetime.fromtimestamp(at, UTC).astimezone() for at in (match["begun"], match["gone"])
    )
    players = phrases.players(match["players"])
    return ShownDeleted(
        id=match["id"],
        title=gettext("%(light)s and %(dark)s", light=players["light"], dark=players["dark"]),
        begun=begun.isoformat(timespec="seconds"),
        when=format_datetime(begun),
        gone=format_date(gone),
    )


def unfinished_shown(match: UnfinishedMatch) -> ShownUnfinished:
    """A match that can go on, in words."""
    players, score = phrases.players(match["players"]), match["score"]
    return ShownUnfinished(
        **match,
        title=gettext("%(light)s and %(dark)s", light=players["light"], dark=players["dark"]),
        facts="\u00a0· ".join(
            (
                f"{score['light']}-{score['dark']}",
                phrases.unbroken(phrases.variant_name(match["variant"])),
                phrases.unbroken(phrases.match_length(match["length"])),
                phrases.unbroken(ngettext("%(num)s play", "%(num)s plays", match["plays"])),
            )
        ),
    )


def match_shown(match: RecordedMatch) -> ShownMatch:
    """The match and its steps, each with what the page shows of it under `shown`."""
    players = phrases.players(match["entry"]["players"])
    index = {step["id"]: number for number, step in enumerate(match["steps"])}
    entry = entry_shown(match["entry"])
    course = course_of(match["steps"][0]["position"] if match["steps"] else None)
    return {
        **match,
        "entry": entry,
        "steps": [{**step, "shown": step_shown(step, players)} for step in match["steps"]],
        "doubtful": [_item_shown(item, players, index) for item in match["doubtful"]],
        "shown": {
            **entry["shown"],
            "colours": board.colours(match["colours"]),
            "cells": {side: cells(side, course) for side in phrases.SIDES},
            "tournament": place_view(match["place"]),
        },
    }


def _item_shown(item: ReviewItemShown, players: Names, index: Mapping[str, int]) -> ShownReviewItem:
    shown = review_item_view(item, players, index)
    return {**item, "shown": shown}


def step_shown(step: MatchStep, players: Names) -> StepView:
    """What the board shows after a step, and the step in words."""
    position = step["position"]
    course = course_of(position)
    side = step["player"] or "light"
    cube = _cube_state(step)
    table = announcements.TableState(
        players=players,
        position=position,
        pips=step["pips"],
        dice=step["dice"],
        to_move=side,
        roll=None,
        cube=cube,
    )
    is_play = step["kind"] in ("play", "illegal")
    return StepView(
        piles=piles(position),
        off=borne_off(position),
        marks=board.play_marks(side, step["play"], course, legal=step["kind"] == "play")
        if is_play
        else board.NO_MARKS,
        dice=board.dice(table),
        numbers=board.point_numbers(side, course),
        cube=board.cube(cube),
        spoken=SpokenPosition(position=announcements.position(table)),
        faces=[die["value"] for die in step["dice"]],
        text=step_text(step, players),
        percent=phrases.percent(step["confidence"]),
        verdict=_verdict(step),
    )


def _cube_state(step: MatchStep) -> CubeState | None:
    """The cube as the live board has it; who offers it is who has just turned it."""
    cube = step["cube"]
    if cube is None:
        return None
    by = None if cube["offered"] is None else step["player"]
    return CubeState(**cube, by=by, crawford=step["is_crawford"])


def _verdict(step: MatchStep) -> str:
    if step["kind"] == "illegal":
        return "illegal"
    if step["kind"] != "play" or step["confidence"] is None:
        return "review" if step["review"] else ""
    return "review" if step["review"] else "sure"


def step_text(step: MatchStep, players: Names) -> str:
    """What happened, in a few words; for a play, its notation."""
    kind, note, points = step["kind"], step["note"], step["points"]
    if kind in ("play", "illegal"):
        return phrases.play(step["play"])
    name = players[step["player"]] if step["player"] else ""
    if kind in STEP_TEXTS:
        return gettext(STEP_TEXTS[kind])
    start = CRAWFORD if step["is_crawford"] else START_CAPTION
    texts: dict[str, Callable[[], str]] = {
        "start": lambda: gettext(start),
        "void": lambda: gettext("The roll is void: %(why)s", why=translate(note).partition(":")[0]),
        "rejected": lambda: gettext("%(name)s asks for a legal play", name=name),
        "cup_decided": lambda: gettext(CUP_DECISIONS[str(note)]),
        "taken_back": lambda: gettext("%(name)s takes the play back", name=name),
        "double": lambda: action_text("double", points),
        "beaver": lambda: action_text("beaver", points),
        "raccoon": lambda: action_text("raccoon", points),
        "resign": lambda: action_text("resign", points),
        "end": lambda: _end_text(str(note), points) if name else gettext("The game is a draw"),
    }
    return texts[kind]()


def _end_text(result: str, points: int) -> str:
    wins = gettext("Wins %(points)s", points=points_text(points))
    return wins + f" ({gettext(RESULTS[result])})" if result in RESULTS else wins


def review_item_view(
    item: ReviewItemShown, players: Names, index: Mapping[str, int]
) -> ReviewItemView:
    """A review item in words; `index`: the positions of the steps in the list, by id."""
    others = item["alternatives"]
    recorded = (item["play"], item["confidence"], True)
    plays = [recorded, *((one["play"], one["confidence"], False) for one in others)]
    return ReviewItemView(
        title=phrases.review_title(item["kind"]),
        name=players[item["player"]] if item["player"] else "",
        when=phrases.clock(item["time"]),
        index=index.get(item["step"], 0),
        why=[phrases.capitalised(reason) for reason in _reasons(item)],
        options=[
            RecordedOption(
                play=phrases.play(play),
                percent=phrases.percent(confidence),
                share=confidence,
                confidence=confidence,
                is_recorded=is_recorded,
            )
            for play, confidence, is_recorded in (plays if others else ())
        ],
    )


def _reasons(item: ReviewItemShown) -> Iterator[str]:
    if item["rule"]:
        yield gettext("it breaks a rule: %(rule)s", rule=translate(item["rule"]))
    yield from (translate(why) for why in item["why"] if why)


def sureness(share: float) -> str:
    """How certain a mark on a still is, for its color."""
    return "sure" if share >= SURE_FROM else "doubtful" if share >= DOUBTFUL_FROM else "unsure"


def games(match: ShownMatch) -> list[GameRows]:
    """The games of a match, each with a row for every step."""
    items: dict[str, list[ShownReviewItem]] = {}
    for item in match["doubtful"]:
        items.setdefault(item["step"], []).append(item)
    listed: list[GameRows] = []
    for index, step in enumerate(match["steps"]):
        if not listed or listed[-1]["number"] != step["game"]:
            length, crawford = match["entry"]["length"], step["is_crawford"]
            note = game_note(step["score"], length, is_crawford=crawford)
            listed.append(GameRows(number=step["game"], note=note, rows=[]))
        found = items.get(step["id"], [])
        is_open = any(item["review"] for item in found)
        row = StepRow(index=index, step=step, doubts=found, is_open=is_open)
        listed[-1]["rows"].append(row)
    return listed
