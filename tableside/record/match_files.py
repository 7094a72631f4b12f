"""Match files from the disk, as much of one as can be a match."""

from __future__ import annotations

from pathlib import Path

from engine.errors import EngineError
from engine.formats import MOST_BYTES, InvalidMatchFile, MatchFile, read_match


def load_match(path: Path) -> MatchFile:
    """The match in `path`; `InvalidMatchFile` names the file and the line, `OSError` the file."""
    with path.open("rb") as file:
        content = file.read(MOST_BYTES + 1)
    try:
        return read_match(content)
    except EngineError as error:
        raise InvalidMatchFile(f"{path}: {error}") from error
