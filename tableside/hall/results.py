"""What follows from an event for those who wait for it: the result so far, and notices."""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, Final

from typing_extensions import TypedDict

from engine.events.codec import from_json
from engine.events.match import Event
from engine.formats.csv_text import spreadsheet_safe
from engine.match.fold import apply_event
from engine.match.phase import Phase
from engine.match.state import MatchState
from tableside.hall.messages import LATEST_S, MOST, Notice
from webui.contracts.hall import ResultRow, ResultStatus

OVER: Final[tuple[ResultStatus, ...]] = ("final", "stopped", "contested", "unfinished")
"""The status of a match that is not played any more."""
COLUMNS: Final = tuple(ResultRow.__annotations__)


class MatchFacts(TypedDict):
    """What a result needs besides the state of its match."""

    table: str
    key: str
    begun: float


def status_of(state: MatchState) -> ResultStatus:
    """Whether a result is final."""
    if not state.is_over:
        return "playing" if state.games else "waiting"
    if state.call_contests:
        return "contested"
    return "stopped" if state.was_closed and state.winner is None else "final"


def result_row(facts: MatchFacts, state: MatchState, ended: float | None) -> ResultRow:
    """The row of a match."""
    place = state.place
    light_score, dark_score = state.score
    winner = ""
    if 0 < state.length <= max(state.score):
        winner = state.light if light_score > dark_score else state.dark
    return ResultRow(
        match=facts["key"],
        event=place.event if place else "",
        round=place.round if place else "",
        table=(place.table if place else "") or facts["table"],
        light=state.light,
        dark=state.dark,
        light_score=light_score,
        dark_score=dark_score,
        length=state.length,
        variant=state.variant,
        winner=winner,
        status=status_of(state),
        begun=iso(facts["begun"]),
        ended="" if ended is None else iso(ended),
    )


def notice_types(before: MatchState, after: MatchState) -> list[str]:
    """What the step from one state to the next must be told for."""
    was_called, is_called = before.call is not None, after.call is not None
    was_disputed, is_disputed = (one.phase is Phase.DISPUTED for one in (before, after))
    found = {
        "match.finished": after.is_over and not before.is_over,
        "dispute.opened": is_disputed and not was_disputed,
        "referee.called": is_called and not was_called and not after.call_contests,
        "result.contested": after.call_contests and not before.call_contests,
        "referee.came": was_called and not is_called,
    }
    return [kind for kind, is_so in found.items() if is_so]


def notice(kind: str, row: ResultRow, facts: MatchFacts, number: int, now: float) -> Notice:
    """The notice about event `number`, with the same id whenever it is made.

    `facts` has the edition in its key: another event may have had that number before.
    """
    about = f"{facts['table']}/{facts['key']}/{number}/{kind}"
    return Notice(
        id=f"msg_{hashlib.sha256(about.encode()).hexdigest()[:32]}",
        type=kind,
        timestamp=iso(now),
        data={**row, "number": number},
    )


def understood(
    facts: MatchFacts, state: MatchState, payload: dict[str, Any]
) -> tuple[Event, MatchState, float | None]:
    """The next event of a match, the state after it, and when the match ended.

    Raises `ValueError` if this version of the program does not understand it.
    """
    event = from_json(payload)
    after = apply_event(state, event)
    ended = ended_at(facts, event, after)
    if max(map(abs, (after.length, *after.score))) > MOST:
        raise ValueError("the length or the score is too large")
    return event, after, ended


def passed_over(state: MatchState) -> Event:
    """What stands for an event that is not understood: a correction says how many events stand."""
    last = state.last_event
    time, frame = (0.0, 0) if last is None else (last.time, last.frame)
    return Event(time=time, frame=frame)


def ended_at(facts: MatchFacts, event: Event, state: MatchState) -> float | None:
    """When a match ended, by the table's clock; None while it is played.

    Raises `ValueError` for a time that no calendar has.
    """
    if not state.is_over:
        return None
    ended = facts["begun"] + event.time
    if not 0 <= ended <= LATEST_S:
        raise ValueError(f"the match would end {event.time} s after it began")
    return ended


def results_csv(rows: Iterable[ResultRow]) -> str:
    """The results as a table with its header."""
    text = io.StringIO()
    table = csv.DictWriter(text, COLUMNS, extrasaction="ignore", lineterminator="\n")
    table.writeheader()
    for row in rows:
        cells = row.items()
        table.writerow(
            {name: spreadsheet_safe(one) if isinstance(one, str) else one for name, one in cells}
        )
    return text.getvalue()


def iso(seconds: float) -> str:
    """A time as ISO 8601, UTC."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
