"""The file in which the tokens of overlays are kept, as hashes."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from calibration.files import write_whole
from tableside.errors import WrongUsage
from tableside.record.files import private_folder
from webui.http.stream_links import StreamLink, StreamLinks


def kept_links(file: Path) -> StreamLinks:
    """The tokens in the file, which is written at every change; raises `WrongUsage` if broken."""
    return StreamLinks(_read(file), lambda links: _write(file, links))


def _read(file: Path) -> list[StreamLink]:
    try:
        return [StreamLink(**one) for one in json.loads(file.read_text("utf-8"))]
    except FileNotFoundError:
        return []
    except (ValueError, TypeError) as error:
        raise WrongUsage(f"{file} is not a file of overlay links: delete it") from error


def _write(file: Path, links: list[StreamLink]) -> None:
    private_folder(file.parent)
    text = json.dumps([asdict(link) for link in links], indent=1)
    write_whole(file, text.encode(), mode=0o600)
