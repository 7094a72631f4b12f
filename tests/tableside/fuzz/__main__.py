"""`make fuzz`: a million broken inputs to every parser, command and reader of match files.

Each finished part is a line in a file, so an interrupted run goes on where it was. It ends at the
first input that is neither read nor refused, or that takes too long, and prints it.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.paths import ROOT
from tests.tableside.fuzz.target import Survived, Target, feed
from tests.tableside.fuzz.targets import targets

PART = 10_000
LOG = ROOT / "build/fuzz.jsonl"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is missing, a part of each target in turn; return 1 if an input fails."""
    parser = argparse.ArgumentParser(description=__doc__, prog="python -m tests.tableside.fuzz")
    parser.add_argument("--inputs", type=int, default=1_000_000, help="for each target")
    parser.add_argument("--only", nargs="+", metavar="TARGET", help="feed only these")
    parser.add_argument("--log", type=Path, default=LOG, help="the file of finished parts")
    args = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        known = targets(Path(folder))
        if unknown := set(args.only or ()) - set(known):
            parser.error(f"unknown: {', '.join(unknown)}; known: {', '.join(known)}")
        names = args.only or list(known)
        done = finished(args.log)
        for part in range(-(-args.inputs // PART)):
            for name in names:
                if (name, part) not in done and not run(known[name], name, part, args.log):
                    return 1
    for name in names:
        print(told(name, [each for (of, _), each in finished(args.log).items() if of == name]))
    return 0


def finished(log: Path) -> dict[tuple[str, int], Survived]:
    """The parts in the file; a line that was cut off is run again."""
    lines = log.read_text("utf-8").splitlines(keepends=True) if log.exists() else []
    rows = [json.loads(line) for line in lines if line.endswith("\n")]
    return {(row["name"], row["part"]): Survived(row["read"], row["slowest"]) for row in rows}


def run(target: Target, name: str, part: int, log: Path) -> bool:
    """Feed one part and write it to the file; whether no input failed."""
    try:
        with _silent_libraries():
            found = feed(target, PART, seed=1_000 + part)
    except AssertionError as error:
        print(f"{name}, part {part}: {error}: {error.__cause__!r}", file=sys.stderr)
        return False
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("a", encoding="utf-8") as file:
        file.write(json.dumps({"name": name, "part": part, **found._asdict()}) + "\n")
    return True


@contextmanager
def _silent_libraries() -> Iterator[None]:
    """Without what libjpeg writes about each broken picture, past Python, to standard error."""
    kept, nothing = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nothing)


def told(name: str, parts: Sequence[Survived]) -> str:
    """What came of a target's parts, in one line."""
    read, slowest = sum(part.read for part in parts), max(part.slowest for part in parts)
    inputs = PART * len(parts)
    return f"{name}: {inputs:,} inputs, {read:,} read, the slowest in {1000 * slowest:.0f} ms"


if __name__ == "__main__":
    sys.exit(main())
