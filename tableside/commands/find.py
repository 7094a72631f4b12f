"""`tableside find`: questions to all matches of a record."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from engine.message import message_of, ngettext
from tableside.commands import COMMANDS
from tableside.commands.options import (
    Subparsers,
    check_overwriting,
    command,
    count,
    force_option,
    record_option,
)
from tableside.console import say
from tableside.errors import StoreError, WrongUsage
from tableside.paths import default_record
from tableside.printable import printable

if TYPE_CHECKING:  # loads SQLite and numpy
    from tableside.analysis.catalog.search import RecordCatalog
    from webui.contracts.catalog import FoundMatch, FoundTurn, MatchQuestion, PlayerRow

SUBJECTS: Final = ("turns", "matches", "players")
ORDERS: Final = ("newest", "loss", "lucky", "unlucky")
FORMS: Final = ("csv", "parquet")
MOST: Final = 20
MANY: Final = 20
"""So many matches to read take long enough to be mentioned."""
_TEXTS: Final = (
    ("player", "NAME", "a player; of turns, who made them"),
    ("opponent", "NAME", "the player's opponent"),
    ("event", "TEXT", "a part of the tournament's name"),
    ("since", "DATE", "first day, such as 2026-11-30"),
    ("until", "DATE", "last day"),
    ("variant", "V", "game, such as short"),
)
_OF_TURNS: Final = (
    ("opening", "ROLL", "how the game began: a roll such as 3-1, or with its play: '3-1 8/5 6/5'"),
    ("dice", "ROLL", "roll of the turn, such as 6-4"),
    ("position", "PATTERN", "checkers before the play, by the numbers of each player: of the one "
     "on turn, a bar, the opponent's: '6:2+ 5:2+ bar:0 | bar:1+'; or a Position ID or an XGID"),
)  # fmt: skip


def add_parser(subparsers: Subparsers) -> None:
    """Add `tableside find` and its options."""
    parser = command(
        subparsers,
        "find",
        COMMANDS["find"],
        "tableside find turns --position '6:2+ 5:2+ | bar:1+' --order loss\n"
        "tableside find turns --player Ann --loss 0.1 --out errors.csv\n"
        "tableside find matches --event 'Club Cup' --since 2026-09-01\n"
        "tableside find players --out players.parquet",
        "Errors and luck are known of matches that `tableside review` has analyzed.",
    )
    parser.add_argument("what", choices=SUBJECTS, help="what to list: turns, matches or players")
    matches = parser.add_argument_group("matches")
    for name, value, purpose in _TEXTS:
        matches.add_argument(f"--{name}", metavar=value, default="", help=purpose)
    turns = parser.add_argument_group("turns")
    for name, value, purpose in _OF_TURNS:
        turns.add_argument(f"--{name}", metavar=value, default="", help=purpose)
    turns.add_argument("--loss", type=float, metavar="X", help="lost at least so much equity")
    turns.add_argument(
        "--luck",
        type=float,
        metavar="X",
        help="its roll gained at least so much equity; if X is negative, lost at least so much",
    )
    turns.add_argument(
        "--order", choices=ORDERS, default="newest", help="which come first; default: newest"
    )
    parser.add_argument(
        "--most", type=count, default=MOST, metavar="N", help=f"turns to print; default: {MOST}"
    )
    parser.add_argument("--json", action="store_true", help="print JSON Lines")
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help="write all of them to FILE.csv or FILE.parquet"
    )
    force_option(parser)
    record_option(parser)


def run(args: Namespace) -> int:
    """Print or write what was found; return 0, or 1 if that is nothing."""
    from tableside.analysis.catalog.search import RecordCatalog
    from webui.contracts.archive import ArchiveError
    from webui.contracts.catalog import BadQuestion

    if args.out is not None:
        check_overwriting(args, args.out)
        if args.out.suffix.lstrip(".") not in FORMS:
            raise WrongUsage(f"--out {args.out}: end its name with .csv or .parquet")
    with closing(RecordCatalog(args.record or default_record())) as catalog:
        catalog.refresh(_say_if_many)
        try:
            return _answer(args, catalog, _question(args))
        except BadQuestion as error:
            raise WrongUsage(str(message_of(error))) from error
        except ArchiveError as error:
            raise StoreError(message_of(error)) from error


def _question(args: Namespace) -> MatchQuestion:
    from webui.contracts.catalog import MatchQuestion

    texts = {name: getattr(args, name) for name, *_ in (*_TEXTS, *_OF_TURNS)}
    return MatchQuestion(**texts, loss=args.loss, luck=args.luck)


def _say_if_many(done: int, total: int) -> None:
    if done == 1 and total >= MANY:
        matches = ngettext("{number:,} match", "{number:,} matches", total)
        say(f"reading {matches} that are new to the catalog; the next time this is not needed")


def _answer(args: Namespace, catalog: RecordCatalog, asked: MatchQuestion) -> int:
    from tableside.record.files import replace_file

    if args.out is not None:
        table = catalog.table(args.what, args.out.suffix.lstrip("."), asked)
        replace_file(args.out, table.content)
        say(f"wrote {args.what} to {args.out}")
        return 0
    rows: Iterable[Any]
    if args.what == "turns":
        found = catalog.turns(asked, order=args.order, most=args.most)
        rows, total = found["turns"], found["found"]
    else:
        rows = catalog.players(asked) if args.what == "players" else catalog.matches(asked)
        total = len(rows)
    if args.json:
        lines: Iterator[str] = (json.dumps(row, ensure_ascii=False) for row in rows)
    else:
        lines = (printable(_LINES[args.what](row)) for row in rows)
    for one in lines:
        print(one)
    if args.what == "turns" and total > args.most:
        say(f"{total:,} turns found; --most prints more of them, --out writes them all")
    return 0 if total else 1


def _turn_line(row: FoundTurn) -> str:
    dice = "-".join(map(str, row["dice"])) or "no roll"
    judged = ", ".join(
        f"{name} {value:+.3f}"
        for name, value in (("error", row["loss"]), ("luck", row["luck"]))
        if value is not None
    )
    where = f"match {row['match']}, game {row['game']}, turn {row['turn']}"
    line = f"{where}: {row['player']} against {row['opponent']}, {dice}: {row['play']}"
    return f"{line} ({judged})" if judged else line


def _match_line(row: FoundMatch) -> str:
    light, dark = row["light"], row["dark"]
    day = datetime.fromtimestamp(row["begun"], UTC).astimezone().date()
    place = ", ".join(filter(None, (row["event"], row["round"])))
    score = f"{light['points']}-{dark['points']}"
    state = " (not finished)" if row["is_open"] else ""
    line = f"match {row['match']}, {day}: {light['name']} {score} {dark['name']}{state}"
    return f"{line}, {place}" if place else line


def _player_line(row: PlayerRow) -> str:
    matches = str(ngettext("{number:,} match", "{number:,} matches", row["matches"]))
    parts = [matches, f"{row['won']} won", f"{row['lost']} lost"]
    if row["rating"] is not None:
        parts.append(f"PR {row['rating']:.2f}, luck {row['luck']:+.3f}")
    if row["timed"]:
        parts.append(f"{row['seconds'] / row['timed']:.1f} s a turn")
    if row["rolls"]:
        share = row["doubles"] / row["rolls"]
        parts.append(f"{row['rolls']:,} rolls with {share:.1%} doubles")
    return f"{row['name']}: {', '.join(parts)}"


_LINES: Final[dict[str, Callable[[Any], str]]] = {
    "turns": _turn_line,
    "matches": _match_line,
    "players": _player_line,
}
