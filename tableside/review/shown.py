"""A match as its page shows it; what its rules hide from players is left out until it is over."""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import blake2b
from typing import Final

from engine import MatchState, as_known
from engine.errors import EngineError
from engine.events.record import MatchPlaced
from engine.formats.from_events import match_from_events
from engine.message import Sentence, join, message_of, msg
from tableside.record.export import WRITERS, chronological
from tableside.record.files import events_text
from tableside.review.match_cache import CachedMatch, ReviewList
from tableside.review.output_files import rolls_text
from tableside.review.review_items import ReviewItem
from tableside.review.steps import item_shown, match_steps, visible_items
from webui.contracts import archive as pages
from webui.contracts.state import Colours, Names, Numbers, SideName, place_of

MARK_BYTES: Final = 6
"""A number that every browser can hold."""
WITHHELD: Final = join(
    [msg("the match is still in progress"), msg("this will be shown when it is over")]
)
NO_GAME: Final = msg("no game has started in this match")
PAGE: Final = "replay.html"
FILES: Final[dict[str, tuple[str, str, Sentence]]] = {
    "match.mat": ("mat", "text/plain", msg("GNU Backgammon, XG and most others")),
    "match.sgf": ("sgf", "application/x-sgf", "GNU Backgammon"),
    "match.txt": ("xg", "text/plain", msg("eXtreme Gammon's match text")),
    "events.jsonl": ("", "application/jsonl", msg("Every event, one per line")),
    PAGE: ("", "text/html", msg("The replay as a page that needs no network")),
    "rolls.csv": ("", "text/csv", msg("Every die, for statistics")),
    "match.json": ("json", "application/json", msg("Everything, for programs")),
}
"""The format of `tableside export`, the MIME type and the purpose of each file, by name."""
Look = tuple[Colours, pages.Home]
"""The set's colors, and which side light's home is on."""
UNKNOWN_LOOK: Final[Look] = (
    Colours(light=None, dark=None, field=None, points=None, frame=None),
    "right",
)


def visible_state(read: CachedMatch, *, shows_all: bool) -> tuple[MatchState, bool]:
    """The match as it may be shown, and whether something of it is withheld.

    shows_all: whether even a match in play is shown in full, because nobody is playing.
    """
    rules = read.state.rule_set
    if read.is_over or shows_all or (rules.announces_to_players and rules.aids):
        return read.state, False
    return as_known(read.state), True


def shown_items(read: CachedMatch, review: ReviewList, *, shows_all: bool) -> list[ReviewItem]:
    """The review items that may be shown."""
    visible, is_withheld = visible_state(read, shows_all=shows_all)
    if is_withheld and not read.state.rule_set.announces_to_players:
        return visible_items(review.items, visible)
    return list(review.items)


def match_contents(
    read: CachedMatch, review: ReviewList, look: Look, *, shows_all: bool, is_whole: bool = True
) -> pages.MatchContents:
    """What is shown of a match, besides its entry in the list.

    is_whole: whether its files may be shown.
    """
    visible, is_withheld = visible_state(read, shows_all=shows_all)
    aids = not is_withheld or read.state.rule_set.aids
    tells = not is_withheld or read.state.rule_set.announces_to_players
    steps = match_steps(read.effective, read.states, visible.turns, aids=aids, tells=tells)
    items = [
        item_shown(item, steps, review.stills, aids=aids, tells=tells)
        for item in shown_items(read, review, shows_all=shows_all)
    ]
    files = FILES if is_whole else {}
    colours, home = look
    return pages.MatchContents(
        steps=steps.steps,
        doubtful=items,
        files=[pages.DownloadLink(name=name, title=title) for name, (_, _, title) in files.items()],
        colours=colours,
        light_home=home,
        place=place_of(read.state.place),
        is_withheld=is_withheld,
    )


def contents_mark(contents: pages.MatchContents) -> int:
    """A number that changes with what is shown, and tells nothing else."""
    shown = json.dumps(contents, default=str).encode()
    return int.from_bytes(blake2b(shown, digest_size=MARK_BYTES).digest())


def match_summary(read: CachedMatch, to_review: int, version: int) -> pages.MatchSummary:
    """The match in the list."""
    entry, state = read.entry, read.state
    place = state.place or MatchPlaced(time=0.0, frame=0)
    winner: SideName | None = None
    if read.is_won:
        winner = "light" if state.score[0] > state.score[1] else "dark"
    return pages.MatchSummary(
        id=entry.id,
        begun=entry.begun,
        players=Names(light=state.light, dark=state.dark),
        variant=state.variant,
        length=state.length,
        score=Numbers(light=state.score[0], dark=state.score[1]),
        winner=winner,
        is_open=not read.is_over,
        games=state.games,
        plays=len(state.effective_turns),
        to_review=to_review,
        event=place.event,
        round=place.round,
        table=place.table,
        note=state.note,
        source=entry.source,
        version=version,
    )


def match_file(
    read: CachedMatch, name: str, page: Callable[[], str], *, shows_all: bool
) -> pages.DownloadFile:
    """The match in a format; `page` makes its replay as a file.

    Raises `NotInRecord` for an unknown name, `Unavailable` if the format cannot express what was
    played, or if that is withheld.
    """
    if name not in FILES:
        missing = msg("there is no {name}", name=name)
        known = msg("available: {files}", files=", ".join(FILES))
        raise pages.NotInRecord(join([missing, known]))
    if visible_state(read, shows_all=shows_all)[1]:
        raise pages.Unavailable(WITHHELD)
    if not read.state.games:
        raise pages.Unavailable(NO_GAME)
    form, mimetype, _ = FILES[name]
    try:
        text = page() if name == PAGE else _text(name, form, read)
    except EngineError as error:
        raise pages.Unavailable(message_of(error)) from error
    return pages.DownloadFile(name, mimetype, text.encode())


def _text(name: str, form: str, read: CachedMatch) -> str:
    events = chronological(read.events)
    if form:
        return WRITERS[form](match_from_events(events))
    return events_text(events) if name == "events.jsonl" else rolls_text(events)
