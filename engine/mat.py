"""The record as Jellyfish match text (`.mat`), which gnubg, XG and the rest read."""

from __future__ import annotations

from collections.abc import Iterable

from engine.events import Event


def write_mat(events: Iterable[Event]) -> str:
    """The match as `.mat` text; rejected plays are left out, the last game may be unfinished."""
    # Imported here: most who import the engine read and write no files.
    from engine.formats.from_events import match_from_events
    from engine.formats.mat_write import mat_text

    return mat_text(match_from_events(events))
