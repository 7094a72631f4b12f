"""What can be said on the command line: one function for each command's options."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, Final, NoReturn

from tableside.arguments import count, delay, pixel, port, position, setting

Parsers = Any
"""What `add_subparsers` returns; argparse keeps its class to itself."""

VARIANTS: Final = (
    "short, nackgammon, hypergammon, longgammon, narde, nardgammon, crazy_narde, gulbar, "
    "crazy_gulbar, khachapuri, fevga, giul"
)
RULE_SETS: Final = "casual, seeds, us2009, usbgf, wbgf, ukbgf or narde"
PRESETS: Final = "classic000 (as without), classic002, site_classic or home_block"


class _Parser(argparse.ArgumentParser):
    """Wrong usage is one line that says where to look, not the whole usage text."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}; see `{self.prog} --help`\n")


def parser() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    top = _Parser(
        prog="tableside",
        description="A camera over the backgammon board: sees the play, referees it, records it.",
        epilog="start with `tableside demo`; `tableside COMMAND --help` tells the rest",
    )
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for add in (
        *(_demo, _live, _review, _cameras, _transcribe, _read, _calibrate, _plays, _bench),
        *(_check, _export, _dice, _cup, _without_options),
    ):
        add(commands)
    return top


def _command(commands: Parsers, name: str, summary: str, example: str) -> argparse.ArgumentParser:
    added: argparse.ArgumentParser = commands.add_parser(
        name,
        help=summary,
        description=summary[0].upper() + summary[1:] + ".",
        epilog="examples:\n" + "\n".join(f"  {line}" for line in example.splitlines()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    return added


def _demo(commands: Parsers) -> None:
    one = _command(
        commands,
        "demo",
        "play the sample clip through the real thing and show the page",
        "tableside demo\ntableside demo --once --no-browser --out /tmp/match",
    )
    one.add_argument("--once", action="store_true", help="end when the clip ends")
    _page_options(one)
    one.add_argument("--out", type=Path, metavar="DIR", help="where the match files go")


def _live(commands: Parsers) -> None:
    one = _command(
        commands,
        "live",
        "watch a board through a camera, record the match and show the page",
        "tableside live                              (the page asks, step by step)\n"
        "tableside live --camera 0 --light Ann --dark Bob --length 7\n"
        "tableside live --camera rtsp://192.168.1.20/stream\n"
        "tableside live --camera evening.mp4        (a file, served as a camera)\n"
        "tableside live --no-camera --cup           (a cup rolls, the desk is told the plays)",
    )
    eyes = one.add_mutually_exclusive_group()
    eyes.add_argument(
        "--camera",
        metavar="N|URL|FILE",
        help="a number, an address or a file; without it the page asks, step by step",
    )
    eyes.add_argument(
        "--no-camera",
        action="store_true",
        help="nobody watches: plays are told at the desk, and rolls too where no cup makes them",
    )
    _match_options(one)
    _page_options(one)
    _record_option(one)
    one.add_argument(
        "--cup",
        nargs="?",
        const="",
        metavar="URL",
        help="the rolls are a dice cup's: its port, `virtual`, or nothing to find it by itself",
    )
    _words_option(one)
    one.add_argument(
        "--new", action="store_true", help="begin a match even if one of these players is open"
    )


def _review(commands: Parsers) -> None:
    one = _command(
        commands,
        "review",
        "show the matches of the record: replay, what is doubtful, downloads, analysis",
        "tableside review\ntableside review --record club.sqlite --port 8080 --no-browser",
    )
    _page_options(one)
    _record_option(one)


def _cameras(commands: Parsers) -> None:
    one = _command(
        commands,
        "cameras",
        "list the cameras that the system knows, with their numbers for --camera",
        "tableside cameras\ntableside cameras --json",
    )
    one.add_argument("--json", action="store_true", help="one JSON object a line, nothing else")


def _transcribe(commands: Parsers) -> None:
    one = _command(
        commands,
        "transcribe",
        "turn a video of a match into a match file",
        "tableside transcribe evening.mp4 --out evening --length 7 --light Ann --dark Bob",
    )
    one.add_argument("video", metavar="VIDEO", help="a video file or a folder of images")
    one.add_argument(
        "--out",
        required=True,
        type=Path,
        metavar="DIR",
        help="match.mat, events.jsonl, rolls.csv; what is doubtful: review.json, review/index.html",
    )
    _match_options(one)
    one.add_argument(
        "--start",
        type=position,
        metavar="POSITION",
        help='where the game starts, as {"light": [26], "dark": [26]}, a file with that, a '
        "Position ID or in words; otherwise the variant's opening",
    )


def _read(commands: Parsers) -> None:
    one = _command(
        commands,
        "read",
        "read the position and the dice from pictures",
        "tableside read board.jpg\ntableside read --json shots/*.jpg > positions.jsonl",
    )
    one.add_argument("images", nargs="+", type=Path, metavar="IMAGE")
    _profile_option(one)
    one.add_argument("--json", action="store_true", help="one JSON object a line, nothing else")
    one.add_argument(
        "--overlay", type=Path, metavar="DIR", help="write each picture with what was seen on it"
    )


def _calibrate(commands: Parsers) -> None:
    one = _command(
        commands,
        "calibrate",
        "learn a board from one picture and save its profile",
        "tableside calibrate --image opening.jpg --profile club.json\n"
        "tableside calibrate --image opening.jpg --profile club.json "
        "--corners 102,88 1180,92 1201,700 80,694\n"
        "tableside calibrate --lens-sheet sheet.png\n"
        "tableside calibrate --image opening.jpg --profile club.json --lens sheet1.jpg sheet2.jpg",
    )
    one.add_argument("--image", type=Path, metavar="IMAGE", help="the picture of the board")
    one.add_argument("--profile", type=Path, metavar="OUT", help="the file to write")
    _lens_options(one)
    _variant_option(one)
    one.add_argument(
        "--position",
        type=position,
        metavar="POSITION",
        help="what the picture shows, if it is not the opening: JSON, a file with it, a "
        "Position ID or words such as 'light 24:2 13:5 | dark 24:2'",
    )
    one.add_argument(
        "--corners",
        nargs=4,
        type=pixel,
        metavar="x,y",
        help="the corners of the playing field in pixels, where it cannot be found by itself",
    )
    one.add_argument(
        "--light-home",
        type=pixel,
        metavar="x,y",
        help="a pixel near the field's corner beside light's ace point",
    )
    one.add_argument(
        "--throw-zone",
        nargs="+",
        type=pixel,
        metavar="x,y",
        help="three corners or more, in pixels, around where dice are thrown, if not on the field: "
        "a dice tray or a baffle box",
    )


def _lens_options(one: argparse.ArgumentParser) -> None:
    lens = one.add_argument_group("a lens that bends much, such as a wide-angle one")
    lens.add_argument(
        "--lens-sheet",
        type=Path,
        metavar="OUT.png",
        help="instead of all else: write the sheet to print, on A4 or any other size",
    )
    lens.add_argument(
        "--lens",
        nargs="+",
        type=Path,
        metavar="PHOTO",
        help="photos of the printed sheet, which lies flat and fills them, tilted by 30 to 45 "
        "degrees from different sides: same camera, zoom and mode as the board's picture",
    )


def _plays(commands: Parsers) -> None:
    one = _command(
        commands,
        "plays",
        "list the legal plays: positions in, plays out, JSON lines both",
        "tableside plays < positions.jsonl\n"
        "tableside plays --variant narde --preset site_classic < positions.jsonl\n"
        'a line in: {"light": [26], "dark": [26], "to_move": "light", "dice": [3, 1]}\n'
        'narde too: "first_turn": true, "opponent_first_roll": [5, 5] or null',
    )
    _variant_option(one)
    one.add_argument("--preset", metavar="P", help=f"house rules of narde: {PRESETS}")


def _bench(commands: Parsers) -> None:
    one = _command(
        commands,
        "bench",
        "measure this program, each figure beside a baseline from the same run",
        "tableside bench\ntableside bench --only read_full --json\n"
        "tableside bench --stills labelled --out report\n"
        "tableside bench --referee 300 --noise sight=0.01 miscounted=0.01 --curve --out report",
    )
    one.add_argument("--json", action="store_true", help="JSON instead of a table")
    one.add_argument(
        "--only", action="append", metavar="NAME", help="only this row; may be given again"
    )
    stills = one.add_argument_group("how well labelled pictures are read")
    stills.add_argument(
        "--stills",
        type=Path,
        metavar="FOLDER",
        help="instead: NAME.jpg beside NAME.json, or photos with a manifest.json",
    )
    stills.add_argument(
        "--adapt",
        action="store_true",
        help="learn each board from one of its own pictures first, and read the others",
    )
    stills.add_argument(
        "--limit", type=count, metavar="N", help="only N of the pictures, the same ones each time"
    )
    one.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help="images.csv, figures.json and reliability.png of stills; referee.json, with every "
        "fault, and referee.png of simulated games",
    )
    _referee_options(one)


def _referee_options(one: argparse.ArgumentParser) -> None:
    referee = one.add_argument_group("how well simulated games are refereed")
    referee.add_argument(
        "--referee", type=count, metavar="GAMES", help="instead: so many games, seen with errors"
    )
    referee.add_argument(
        "--noise",
        nargs="+",
        type=setting,
        metavar="NAME=SHARE",
        help="what goes wrong how often; sight=0.01 is 1 %% of the cells misread. A name that "
        "there is not is answered with those there are",
    )
    referee.add_argument(
        "--curve", action="store_true", help="also with 0.1, 0.3, 1 and 3 %% of the cells misread"
    )
    referee.add_argument(
        "--seed", type=count, metavar="N", help="of the first match; 0 if not given"
    )


def _check(commands: Parsers) -> None:
    one = _command(
        commands,
        "check",
        "referee match files: every play held against the rules",
        "tableside check final.mat\ntableside check --json *.mat *.sgf > reports.jsonl",
    )
    one.add_argument(
        "files", nargs="+", type=Path, metavar="FILE", help=".mat, .sgf, XG's text or our JSON"
    )
    one.add_argument("--json", action="store_true", help="one JSON object a line, nothing else")


def _export(commands: Parsers) -> None:
    one = _command(
        commands,
        "export",
        "write a match in another format",
        "tableside export last --format mat --out final.mat\n"
        "tableside export final.mat --format sgf --out final.sgf",
    )
    one.add_argument(
        "match", metavar="MATCH", help="number of a recorded match, `last`, or a match file"
    )
    one.add_argument(
        "--format",
        required=True,
        choices=("mat", "sgf", "xg", "json", "csv"),
        help="mat and sgf of gnubg, xg for XG's match text, json with everything, csv as a table",
    )
    one.add_argument("--out", required=True, type=Path, metavar="FILE", help="the file to write")
    _record_option(one)


def _dice(commands: Parsers) -> None:
    one = _command(
        commands,
        "dice",
        "tell what rolls say of dice: of the record, of match files, of any table",
        "tableside dice report                           (all recorded matches)\n"
        "tableside dice report --csv rolls.csv --html dice.html\n"
        "tableside dice report --match final.mat semi.mat --json\n"
        "tableside dice log --out rolls.csv\n"
        "tableside dice merge 'white pair' 'ivory pair'\n"
        "tableside dice rename 'white pair' 'club dice'\n"
        "tableside dice simulate --logs 1000 --rolls 5000",
    )
    words = one.add_subparsers(dest="action", metavar="WORD", required=True)
    _dice_report(words)
    _dice_simulate(words)
    _dice_naming(words)
    log = _command(words, "log", "write every recorded die as a table", "tableside dice log")
    log.add_argument("--db", type=Path, metavar="FILE", help="the record; the usual one without it")
    log.add_argument("--out", required=True, type=Path, metavar="FILE", help="the CSV to write")


def _dice_report(words: Parsers) -> None:
    example = (
        "tableside dice report --csv rolls.csv\n"
        "tableside dice report --db club.sqlite --html dice.html"
    )
    one = _command(words, "report", "say what the rolls tell of the dice", example)
    given = one.add_mutually_exclusive_group()
    given.add_argument(
        "--csv",
        type=Path,
        metavar="FILE",
        help="a table with the columns time, player, die, value, and throw where there is one",
    )
    given.add_argument("--db", type=Path, metavar="FILE", help="a record; the usual one without it")
    given.add_argument("--match", nargs="+", type=Path, metavar="FILE", help="match files")
    one.add_argument("--json", action="store_true", help="one JSON object, nothing else")
    one.add_argument("--html", type=Path, metavar="OUT", help="write the report as a page as well")
    one.add_argument(
        "--lang", metavar="CODE", help="the page's language, `en` or `ru`; the system's without it"
    )
    one.add_argument(
        "--misread",
        metavar="RATE|FILE",
        help="how often the dice were misread: a rate such as 0.01, or a JSON file with six rows "
        "of six, true face by told face",
    )


def _dice_naming(words: Parsers) -> None:
    told = "for all matches of the record, those to come too"
    merge = _command(
        words, "merge", f"two names are the same dice, {told}",
        "tableside dice merge 'white pair' 'ivory pair'",
    )  # fmt: skip
    merge.add_argument("keep", metavar="KEEP", help="the name that they keep, as reports tell it")
    merge.add_argument("other", metavar="OTHER", help="the name that they had as well")
    rename = _command(
        words, "rename", f"call dice otherwise, {told}",
        "tableside dice rename 'white pair' 'club dice'",
    )  # fmt: skip
    rename.add_argument("name", metavar="NAME", help="what reports call them")
    rename.add_argument("to", metavar="TO", help="what they are to be called")
    undo = _command(words, "undo", "take back the last merge or rename", "tableside dice undo")
    for one in (merge, rename, undo):
        one.add_argument(
            "--db", type=Path, metavar="FILE", help="the record; the usual one without it"
        )


def _dice_simulate(words: Parsers) -> None:
    example = "tableside dice simulate\ntableside dice simulate --logs 10000 --power --json"
    one = _command(words, "simulate", "roll known dice and see whether all that holds", example)
    one.add_argument("--logs", type=count, metavar="N", help="logs of dice; 1000 if not given")
    one.add_argument("--rolls", type=count, metavar="N", help="rolls of a log; 5000 if not given")
    one.add_argument("--power", action="store_true", help="biased dice too: when they are found")
    one.add_argument("--seed", type=count, metavar="N", help="of the dice; 1 if not given")
    one.add_argument("--json", action="store_true", help="one JSON object, nothing else")


def _without_options(commands: Parsers) -> None:
    example = (
        'tableside id < ids.jsonl\na line in: {"position_id": "4HPwATDgc/ABMA", '
        '"match_id": "cInlAAAAAAAE"}\n'
        'or: {"xgid": "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:7:10"}'
    )
    _command(commands, "id", "translate Position, Match and XG ids: JSON lines both ways", example)


def _cup(commands: Parsers) -> None:
    one = _command(
        commands,
        "cup",
        "find, test and throw a dice cup on a serial line, and prove a match's rolls",
        "tableside cup find\n"
        "tableside cup test --port /dev/ttyUSB0\n"
        "tableside cup roll --virtual --count 5 --out rolls.jsonl\n"
        "tableside cup monitor --port socket://192.168.1.30:4000\n"
        "tableside cup verify last\n"
        "tableside cup verify rolls.jsonl",
    )
    one.add_argument(
        "action",
        choices=("find", "test", "roll", "log", "monitor", "verify"),
        help="find: which port; test: the cup's self-test; roll: rolls with their proof; log: its "
        "last rolls; monitor: all that it says; verify: a match's rolls made again",
    )
    one.add_argument(
        "match",
        nargs="?",
        metavar="MATCH",
        help="verify: number of a recorded match, a file of events, or `last`, which is usual",
    )
    _cup_options(one)
    rolls = one.add_argument_group("roll")
    rolls.add_argument(
        "--dice", choices=("one", "two", "opening"), default="two", help="what; two if not given"
    )
    rolls.add_argument("--count", type=count, default=1, metavar="N", help="so many; 1 by itself")
    rolls.add_argument("--shake", action="store_true", help="when the cup is shaken and poured")
    rolls.add_argument("--out", type=Path, metavar="FILE", help="the proof, for `verify`")
    one.add_argument("--seconds", type=count, metavar="N", help="monitor: end after so long")
    one.add_argument("--json", action="store_true", help="JSON lines, nothing else")
    _record_option(one)


def _cup_options(one: argparse.ArgumentParser) -> None:
    where = one.add_mutually_exclusive_group()
    where.add_argument(
        "--port",
        dest="cup_port",
        metavar="URL",
        help="the cup's port: a path, a COM name, socket://HOST:N or rfc2217://HOST:N; found by "
        "itself if not given",
    )
    where.add_argument("--virtual", action="store_true", help="a cup without hardware")
    _words_option(one)


def _words_option(one: argparse.ArgumentParser) -> None:
    one.add_argument(
        "--words",
        nargs=2,
        metavar=("LIGHT", "DARK"),
        help="a word of each player, part of every roll, where none is to be asked for once the "
        "cup has bound itself",
    )


def _match_options(one: argparse.ArgumentParser) -> None:
    _variant_option(one)
    one.add_argument(
        "--length", type=count, default=0, metavar="N", help="points of the match; 0 = money"
    )
    one.add_argument(
        "--light", default="Light", metavar="NAME", help="who plays the light checkers"
    )
    one.add_argument("--dark", default="Dark", metavar="NAME", help="who plays the dark checkers")
    one.add_argument(
        "--rules",
        type=Path,
        metavar="FILE",
        help=f"how it is refereed, and the cube: a TOML file, or one of {RULE_SETS}",
    )
    _profile_option(one)


def _page_options(one: argparse.ArgumentParser) -> None:
    one.add_argument("--no-browser", action="store_true", help="print the address, open nothing")
    one.add_argument(
        "--port",
        type=port,
        default=None,
        metavar="N",
        help="port of the page; a free one if not given",
    )
    one.add_argument(
        "--host",
        metavar="ADDRESS",
        help="serve the page to others too, who log in: this machine's address in their network, "
        "or 0.0.0.0 for every network that it is in; without it only this machine sees the page",
    )
    one.add_argument(
        "--passwords",
        type=Path,
        metavar="FILE",
        help="where the hashes of the viewers' and the referee's password are kept; they are made "
        "and told when there are none. TABLESIDE_VIEWER_PASSWORD and TABLESIDE_REFEREE_PASSWORD "
        "choose them",
    )

    one.add_argument(
        "--delay",
        type=delay,
        default=0.0,
        metavar="SECONDS",
        help="how far viewers are behind the board at least, whatever they ask for; the referee "
        "sees it at once. Goes with --host",
    )


def _record_option(one: argparse.ArgumentParser) -> None:
    one.add_argument(
        "--record",
        type=Path,
        metavar="FILE",
        help="the record; by default in the user's data folder",
    )


def _profile_option(one: argparse.ArgumentParser) -> None:
    one.add_argument(
        "--profile", type=Path, metavar="FILE", help="a board's profile from `tableside calibrate`"
    )


def _variant_option(one: argparse.ArgumentParser) -> None:
    one.add_argument("--variant", default="short", metavar="V", help=f"one of {VARIANTS}")
