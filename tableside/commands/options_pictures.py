"""The options of what reads pictures: transcribe, read, calibrate."""

from __future__ import annotations

import argparse
from pathlib import Path

from tableside.commands.arguments import pixel, position
from tableside.commands.options_shared import (
    Parsers,
    command,
    match_options,
    profile_option,
    variant_option,
)


def transcribe(commands: Parsers) -> None:
    """`tableside transcribe`."""
    one = command(
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
    match_options(one)
    one.add_argument(
        "--start",
        type=position,
        metavar="POSITION",
        help='where the game starts, as {"light": [26], "dark": [26]}, a file with that, a '
        "Position ID or in words; otherwise the variant's opening",
    )


def read(commands: Parsers) -> None:
    """`tableside read`."""
    one = command(
        commands,
        "read",
        "read the position and the dice from pictures",
        "tableside read board.jpg\ntableside read --json shots/*.jpg > positions.jsonl",
    )
    one.add_argument("images", nargs="+", type=Path, metavar="IMAGE")
    profile_option(one)
    one.add_argument("--json", action="store_true", help="one JSON object a line, nothing else")
    one.add_argument(
        "--overlay", type=Path, metavar="DIR", help="write each picture with what was seen on it"
    )


def calibrate(commands: Parsers) -> None:
    """`tableside calibrate`."""
    one = command(
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
    variant_option(one)
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
