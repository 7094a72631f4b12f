"""Every parser of files, cookies and messages, with broken input for it."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from flask import session

from calibration.errors import CalibrationError
from calibration.grid import Grid
from calibration.profile import Profile
from engine import as_json, from_json
from engine.dice_sets.edits import DiceMerged, DiceRenamed, edit_from_json, edit_json
from engine.errors import EngineError
from engine.events.match import DiceRolled, DieAtRest
from engine.position import Side
from engine.ruleset_file import load_rule_set
from engine.simulation.board import die, observation_of
from hardware.errors import HardwareError
from hardware.virtual_cup import CupMemory
from tableside.cup.open_cup import memory_text, read_memory
from tableside.dice.rolls_csv import read_dice
from tableside.errors import BadDice, StoreError, WrongUsage
from tableside.record.files import events_text, read_events
from tableside.record.observation_codec import decode_entry, encode_entry
from tableside.record.rows import Row, line_of, row_of
from tableside.review.logos import sanitized
from tableside.setup.last_setup import LastSetupStore
from tableside.site.network import read_passwords
from tableside.site.stream_links import LinksFile
from tests.calibration.drawn_board import LAYOUT, drawn_pose
from tests.hostile_names import HOSTILE
from tests.mutation import mutated_bytes, mutated_json
from tests.tableside.fuzz.target import Target, put
from tests.tableside.sample_record import OPENING, finished, match_events
from tests.webui.conftest import ScriptedTable
from vision.errors import VisionError
from vision.sources.frame import read_image
from vision.sources.phone import decode
from webui.app import create_app
from webui.contracts.logos import BadPicture
from webui.contracts.roles import Role
from webui.http.passwords import hashed
from webui.http.stream_links import LinksNotKept, StreamLinks

WORDS = [
    *(b"{", b"}", b"[", b"]", b'"', b",", b"\n", b"\0", b"\xff", b"-1", b"1e999", b"null", b"NaN"),
    *(
        b"'",
        b"=",
        b"[x]",
        b"\r",
        b"\t",
        b";",
        b"\xef\xbb\xbf",
        b"\xff\xfe",
        b"\xff\xd8",
        b"\xff\xd9",
    ),
    *(name.encode() for name in HOSTILE[::9]),
]
EVENTS = [
    *finished(match_events()),
    DiceRolled(
        time=1.0, frame=2, player=Side.LIGHT, dice=(3, 1),
        dice_at_rest=(DieAtRest(chances=(0.95, *[0.01] * 5), place=(0.2, 0.5)),) * 2,
    ),
]  # fmt: skip
RULES = """
name = "club"
[referee]
announce = "everybody"
[cube]
jacoby = true
automatic_doubles = 2
[game]
variant = "short"
length = 7
"""
TABLE = "time,player,die,value,throw,confidence\n1,Ann,red,6,1,0.9\n2.5,Ben,white,2,1,1\n" * 3


def from_file(folder: Path, name: str, parse: Callable[[Path], object]) -> Callable[[Any], object]:
    """`parse`, given the content of a file."""

    def read(content: bytes | str) -> object:
        path = folder / name
        put(path, content if isinstance(content, bytes) else content.encode())
        return parse(path)

    return read


def of_json(*values: Any) -> Callable[[random.Random], Any]:
    """One of these values, with a fault in it."""
    return lambda chance: mutated_json(chance.choice(values), chance)


def of_bytes(*contents: bytes) -> Callable[[random.Random], bytes]:
    """One of these contents, broken."""
    return lambda chance: mutated_bytes(chance.choice(contents), WORDS, chance)


def half(*makers: Callable[[random.Random], Any]) -> Callable[[random.Random], Any]:
    """What one of the makers makes, as bytes."""

    def make(chance: random.Random) -> bytes:
        made = chance.choice(makers)(chance)
        return made if isinstance(made, bytes) else json.dumps(made).encode()

    return make


def pictures() -> list[bytes]:
    """Small pictures of each kind that is read."""
    image = np.random.default_rng(1).integers(0, 255, (24, 32, 3), dtype=np.uint8)
    return [cv2.imencode(kind, image)[1].tobytes() for kind in (".jpg", ".png", ".webp", ".bmp")]


def parsers(folder: Path) -> dict[str, Target]:
    """Every parser with a name; `folder` is for files."""
    centers = {side: np.array([[40.5, 60.0], [40.5, 90.0]]) for side in Side}
    width, height = Grid(drawn_pose(), LAYOUT).size
    picture = np.zeros((height, width, 3), np.uint8)
    profile = Profile(drawn_pose(), LAYOUT, picture, OPENING, centers, diameter=25.0)
    profile.save(folder / "profile.json")
    known = json.loads((folder / "profile.json").read_text())
    events = [as_json(event) for event in EVENTS]
    edits = [edit_json(DiceRenamed("white die", "bone")), edit_json(DiceMerged("a", "b"))]
    lines = [line_of(Row("ends", (1, 2.0))), line_of(Row("evidence", (1, 1, 7, b"seen")))]
    setup = {
        "format": "tableside setup 1", "address": "0", "name": "camera", "when": 1.0,
        "light": "Ann", "dark": "Ben", "length": 3, "variant": "short", "rules": "", "options": {},
    }  # fmt: skip
    entry = encode_entry(observation_of(OPENING, die(3), die(1), seconds=2.0))
    links = [{"id": "0a1b2c3d", "name": "OBS", "hash": "ab" * 32}]
    hashes = {role.value: hashed("a password") for role in list(Role)[:2]}
    jpegs = pictures()
    app = create_app(ScriptedTable())

    def cookie(content: bytes) -> object:
        value = content.decode("latin-1").replace("\n", "").replace("\r", "")
        with app.test_request_context(headers={"Cookie": f"session={value}; lang={value}"}):
            return dict(session)

    def overlay_links(path: Path) -> object:
        return StreamLinks(LinksFile(path)).listed()

    def last_setup(path: Path) -> object:
        (folder / "record.board.json").touch()
        return LastSetupStore(path.with_name("record.sqlite")).last()

    return {
        "profiles": Target(
            half(of_json(known), of_bytes(json.dumps(known).encode())),
            from_file(folder, "board.json", Profile.load), (CalibrationError,),
        ),
        "rules": Target(
            of_bytes(RULES.encode()), from_file(folder, "rules.toml", load_rule_set), (EngineError,)
        ),
        "rolls": Target(
            of_bytes(TABLE.encode(), b"1 2 3\n6 5\n", TABLE.encode("utf-16")),
            from_file(folder, "rolls.csv", read_dice), (BadDice,),
        ),
        "events": Target(of_json(*events), from_json, (EngineError,)),
        "files of events": Target(
            of_bytes(events_text(EVENTS[:4]).encode()),
            from_file(folder, "events.jsonl", read_events), (StoreError,),
        ),
        "names of dice": Target(of_json(*edits), edit_from_json, (LookupError, TypeError)),
        "rows of the journal": Target(of_bytes(*lines), row_of, ()),
        "evidence": Target(of_bytes(entry), decode_entry, (StoreError,)),
        "the last set-up": Target(
            half(of_json(setup), of_bytes(json.dumps(setup).encode())),
            from_file(folder, "record.setup.json", last_setup), (),
        ),
        "cookies": Target(of_bytes(b"eyJpZCI6ImFiYyJ9.aBcDeF.x-Y_z", b".eJyrVko.x.y"), cookie, ()),
        "pictures of a phone": Target(of_bytes(jpegs[0]), decode, ()),
        "pictures": Target(
            of_bytes(*jpegs), from_file(folder, "board.jpg", read_image), (VisionError,)
        ),
        "logos": Target(of_bytes(*jpegs), sanitized, (BadPicture,)),
        "overlay links": Target(
            half(of_json(links), of_bytes(json.dumps(links).encode())),
            from_file(folder, "overlay-links.json", overlay_links),
            (LinksNotKept,),
        ),
        "passwords": Target(
            half(of_json(hashes), of_bytes(json.dumps(hashes).encode())),
            from_file(folder, "passwords.json", read_passwords), (WrongUsage,),
        ),
        "the cup's memory": Target(
            of_bytes(memory_text(CupMemory(bytes(8))).encode()),
            from_file(folder, "cup.json", read_memory), (HardwareError,),
        ),
    }  # fmt: skip
