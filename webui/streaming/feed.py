"""The events of a match as server-sent events."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

from webui.contracts.archive import ArchiveError
from webui.contracts.events import EventList
from webui.contracts.state import LiveBoard
from webui.i18n.locale import use_language
from webui.i18n.messages import MessageJSON
from webui.streaming.sse import HEARTBEAT, RETRY_MS, SLICE, Gone


def feed_parts(
    read: Callable[[int], EventList], after: int, table: LiveBoard, gone: Gone, language: str
) -> Iterator[bytes]:
    """Yield each event after number `after` that `read` finds, worded in `language`.

    table: whose states tell that something happened; delayed events are looked for anyway. The
    stream ends when the record cannot be read; whoever asks again is told why.
    """
    yield f"retry: {RETRY_MS}\n\n".encode()
    version, quiet = table.state()["version"], 0.0
    while not gone():
        try:
            found = read(after)["events"]
        except ArchiveError:
            return
        with use_language(language):
            coded = [
                json.dumps(one, ensure_ascii=False, default=MessageJSON.default) for one in found
            ]
        for event, body in zip(found, coded, strict=True):
            after = event["seq"]
            yield f"id: {after}\nevent: {event['event']}\ndata: {body}\n\n".encode()
        if found:
            quiet = 0.0
            continue
        changed = table.next_state(version, SLICE)
        version = version if changed is None else changed["version"]
        quiet += SLICE
        if quiet >= HEARTBEAT:
            quiet = 0.0
            yield b": heartbeat\nevent: beat\ndata: 1\n\n"
