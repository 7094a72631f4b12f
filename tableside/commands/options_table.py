"""The options of what runs at the table: demo, live, review, cameras."""

from __future__ import annotations

from pathlib import Path

from tableside.commands.options_shared import (
    Parsers,
    command,
    match_options,
    page_options,
    record_option,
    words_option,
)


def demo(commands: Parsers) -> None:
    """`tableside demo`."""
    one = command(
        commands,
        "demo",
        "play the sample clip through the real thing and show the page",
        "tableside demo\ntableside demo --once --no-browser --out /tmp/match",
    )
    one.add_argument("--once", action="store_true", help="end when the clip ends")
    page_options(one)
    one.add_argument("--out", type=Path, metavar="DIR", help="where the match files go")


def live(commands: Parsers) -> None:
    """`tableside live`."""
    one = command(
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
    match_options(one)
    page_options(one)
    record_option(one)
    one.add_argument(
        "--cup",
        nargs="?",
        const="",
        metavar="URL",
        help="the rolls are a dice cup's: its port, `virtual`, or nothing to find it by itself",
    )
    words_option(one)
    one.add_argument(
        "--new", action="store_true", help="begin a match even if one of these players is open"
    )


def review(commands: Parsers) -> None:
    """`tableside review`."""
    one = command(
        commands,
        "review",
        "show the matches of the record: replay, what is doubtful, downloads, analysis",
        "tableside review\ntableside review --record club.sqlite --port 8080 --no-browser",
    )
    page_options(one)
    record_option(one)


def cameras(commands: Parsers) -> None:
    """`tableside cameras`."""
    one = command(
        commands,
        "cameras",
        "list the cameras that the system knows, with their numbers for --camera",
        "tableside cameras\ntableside cameras --json",
    )
    one.add_argument("--json", action="store_true", help="one JSON object a line, nothing else")
