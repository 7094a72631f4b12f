"""`tableside check`: checks every play in match files against the rules."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engine.errors import EngineError
from engine.formats.model.match_file import RollAction
from engine.formats.validate.game_replay import ReplayedAction, ReplayedGame
from engine.formats.validate.replay import Replay, replay
from engine.formats.validate.rows import numbered_rows
from engine.message import ngettext
from engine.position import Side
from tableside.commands import COMMANDS
from tableside.commands.options import Subparsers, command
from tableside.console import number_of_plays
from tableside.printable import printable
from tableside.record.files import load_match

Report = dict[str, Any]


def add_parser(subparsers: Subparsers) -> None:
    """Add `tableside check` and its options."""
    parser = command(
        subparsers,
        "check",
        COMMANDS["check"],
        "tableside check final.mat\ntableside check --json *.mat *.sgf > reports.jsonl",
    )
    parser.add_argument(
        "files",
        nargs="+",
        type=Path,
        metavar="FILE",
        help=".mat, .sgf, .xg, .bgf, XG text or our JSON",
    )
    parser.add_argument("--json", action="store_true", help="print JSON Lines")


def run(args: Namespace) -> int:
    """Report on each file in order; return 1 if one cannot be read at all, else 0."""
    failed = False
    for path in args.files:
        report = check_file(path)
        failed = failed or "error" in report
        if args.json:
            print(json.dumps(report, ensure_ascii=False), flush=True)
        else:
            print("\n".join(map(printable, _lines(report))), flush=True)
        if "error" in report:
            print(f"tableside: {printable(report['error'])}", file=sys.stderr)
    return int(failed)


def check_file(path: Path) -> Report:
    """The contents of a file: what is illegal in it and what cannot be understood."""
    try:
        played = replay(load_match(path))
    except (EngineError, OSError) as error:
        what = str(error) if isinstance(error, EngineError) else f"{path}: {error.strerror}"
        empty: Report = {"file": str(path), "games": 0, "plays": 0, "illegal": [], "faults": []}
        return empty | {"error": what}
    return {
        "file": str(path),
        "games": len(played.games),
        "plays": played.plays,
        "illegal": [one for game in played.games for one in _illegal(played, game)],
        "faults": [{"line": fault.line, "what": str(fault.message)} for fault in played.faults],
    }


def _illegal(played: Replay, game: ReplayedGame) -> Iterator[Report]:
    for row, step in numbered_rows(game.steps):
        if step.rule and isinstance(step.action, RollAction):
            yield _one(played, game, row, step, step.action)


def _one(
    played: Replay, game: ReplayedGame, row: int, step: ReplayedAction, action: RollAction
) -> Report:
    roll, players = action.roll, played.match.players
    return {
        "game": game.game.number,
        "move": row,
        "player": action.side.value,
        "name": players[0 if action.side is Side.LIGHT else 1],
        "dice": [roll.high, roll.low] if roll else list(action.seen),
        "play": step.play or "(set by hand)",
        "rule": step.rule,
        "line": action.line,
    }


def _lines(report: Report) -> Iterator[str]:
    if "error" in report:
        yield f"{report['file']}: not read"
        return
    games = ngettext("{number} game", "{number} games", report["games"])
    faults = ngettext("{number} error", "{number} errors", len(report["faults"]))
    plays = f"{number_of_plays(report['plays'])}, {len(report['illegal'])} illegal"
    yield f"{report['file']}: {games}, {plays}, {faults}"
    for one in report["illegal"]:
        dice = "".join("?" if die is None else str(die) for die in one["dice"])
        where = f"game {one['game']}, move {one['move']} (line {one['line']}), {one['player']}"
        yield f"  {where}: {dice} {one['play']}: {one['rule']}"
    for fault in report["faults"]:
        yield f"  line {fault['line']}: {fault['what']}"
