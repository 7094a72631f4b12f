"""A phone's browser for the benchmarks: sends the pictures of a folder as the camera page does.

The names of the files are the times of the pictures, in milliseconds. Without `--fps`, the first
two, which differ as a frozen camera's do not, are sent again and again until a line comes on
standard input; then the time is printed, and all follow at their times. Imports nothing of the
program, so that it starts at once.
"""

from __future__ import annotations

import argparse
import http.client
import ssl
import sys
import threading
import time
from itertools import cycle
from pathlib import Path

REPEAT_S = 1 / 12


def main() -> None:
    """Pair, send, and end."""
    parser = argparse.ArgumentParser()
    for name in ("port", "token", "certificate", "folder"):
        parser.add_argument(name)
    parser.add_argument("--fps", type=float)
    parser.add_argument("--seconds", type=float)
    args = parser.parse_args()
    context = ssl.create_default_context(cafile=args.certificate)
    line = http.client.HTTPSConnection("127.0.0.1", int(args.port), context=context)
    cookie = _ask(line, "/camera/pair", args.token.encode()).getheader("Set-Cookie") or ""
    paired = {"Cookie": cookie.partition(";")[0]}
    pictures = [
        (int(path.stem) / 1000, path.read_bytes()) for path in sorted(Path(args.folder).iterdir())
    ]
    if args.fps:
        count = round(args.fps * args.seconds)
        pictures = [(n / args.fps, pictures[n % len(pictures)][1]) for n in range(count)]
        began = time.monotonic()
    else:
        began = _repeat_until_told(line, [jpeg for _, jpeg in pictures[:2]], paired)
        print(began, flush=True)
    for seconds, jpeg in pictures:
        time.sleep(max(0.0, began + seconds - time.monotonic()))
        _send(line, jpeg, paired)


def _repeat_until_told(
    line: http.client.HTTPSConnection, alike: list[bytes], paired: dict[str, str]
) -> float:
    told = threading.Event()

    def listen() -> None:
        sys.stdin.readline()
        told.set()

    threading.Thread(target=listen, daemon=True).start()
    for jpeg in cycle(alike):
        if told.wait(REPEAT_S):
            break
        _send(line, jpeg, paired)
    return time.monotonic()


def _send(line: http.client.HTTPSConnection, jpeg: bytes, paired: dict[str, str]) -> None:
    taken = 1000 * time.monotonic()
    _ask(line, f"/camera/frame?taken={taken}&battery=80&charging=0", jpeg, paired)


def _ask(
    line: http.client.HTTPSConnection, path: str, body: bytes, headers: dict[str, str] | None = None
) -> http.client.HTTPResponse:
    line.request("POST", path, body, {"X-Tableside": "1", **(headers or {})})
    answer = line.getresponse()
    answer.read()
    if answer.status != http.client.OK:
        raise SystemExit(f"{path}: {answer.status}")
    return answer


if __name__ == "__main__":
    main()
