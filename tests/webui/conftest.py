"""A table that plays a test's script, a server for it, and a real browser."""

from __future__ import annotations

import copy
import threading
from typing import Any

import cv2
import numpy as np
import pytest

from engine import NotNow
from engine.message import msg
from webui.app import create_app
from webui.contracts.roles import Visibility
from webui.contracts.state import blank_state
from webui.server import serve

OPENING = [0] + [0] * 5 + [5, 0, 3] + [0] * 4 + [5] + [0] * 10 + [2, 0]


class ScriptedTable:
    """A `webui.Table` whose state a test changes; pictures are plain gray."""

    def __init__(self):
        self.changed = threading.Condition()
        self.now: Any = blank_state(version=100, message="show the board to the camera")
        self.apart = {}
        self.photo = None
        self.photo_number = 0

    def _known(self, visibility):
        apart = self.apart if visibility is Visibility.EVERYTHING else {}
        return copy.deepcopy({**self.now, **apart})

    def state(self, visibility=Visibility.PLAYERS):
        with self.changed:
            return self._known(visibility)

    def next_state(self, after, timeout, visibility=Visibility.PLAYERS):
        with self.changed:
            arrived = self.changed.wait_for(lambda: self.now["version"] > after, timeout)
            return self._known(visibility) if arrived else None

    def picture(self):
        with self.changed:
            return self.photo

    def next_picture(self, after, timeout):
        with self.changed:
            arrived = self.changed.wait_for(
                lambda: self.photo and self.photo_number > after, timeout
            )
            return (self.photo_number, self.photo) if arrived else None

    def publish(self, **changes):
        with self.changed:
            self.now = {**self.now, **changes, "version": self.now["version"] + 1}
            self.changed.notify_all()

    def tell_referee(self, **apart):
        with self.changed:
            self.apart = apart
            self.changed.notify_all()

    def show_picture(self, grey=120):
        with self.changed:
            frame = np.full((180, 320, 3), grey, np.uint8)
            self.photo = cv2.imencode(".jpg", frame)[1].tobytes()
            self.photo_number += 1
            self.changed.notify_all()


CLIP = b"\0\0\0\x18ftypmp42" + bytes(500)


class ScriptedDesk:
    """A `webui.contracts.desk.Desk` that records its commands, or refuses with `error`."""

    def __init__(self):
        self.commands = []
        self.asked = None
        self.error = None
        self.why_not_begin = msg("a match is in progress: end it first")

    def execute(self, command):
        if self.error is not None:
            raise self.error
        self.commands.append(command)

    def status(self):
        cube = {"value": 1, "owner": None, "offered": None, "by": None, "crawford": False}
        return {
            "paused": False, "phase": "to_roll", "message": "", "game": 1, "asked": [],
            "turns": 1, "to_move": "dark", "cube": cube, "rule_set": "usual", "options": {},
            "can": ["pause"],
            "cannot": {"undo": msg("there is nothing to undo")},
            "variant": "short", "length": 7,
            "players": {"light": "Anna", "dark": "Boris"},
            "begin": self.why_not_begin, "by_hand": False,
            "telling": {"lots": False, "dice": None, "roll": "",
                        "play": msg("nobody has rolled yet")},
        }  # fmt: skip

    def seat(self, player):
        not_now = {"reject": msg("Anna has no illegal play to answer")}
        return {"player": player.value, "can": ["double"], "cannot": not_now}

    def turn_to_play(self):
        raise NotNow(msg("nobody has rolled yet"))

    def turns(self):
        return [{
            "number": 1, "game": 1, "player": "light", "dice": [3, 1], "play": "8/5 6/5",
            "legal": True, "rule": "", "confidence": 0.7, "review": True, "doubts": ["play"],
            "rejected": False, "by": "sight", "time": 3.0, "frame": 36,
        }]  # fmt: skip

    def turn(self, number):
        if number != 1:
            return None
        board = {"light": list(OPENING), "dark": list(OPENING)}
        others = [
            {"play": "24/20", "confidence": 0.3, "position": board},
            {"play": "20/16", "confidence": 0.1, "position": None},
        ]
        rolls = [{"dice": [3, 1], "explains": True}]
        more = {"before": board, "after": board, "alternatives": others, "rolls": rolls}
        return {**self.turns()[0], **more}

    def stills(self, number):
        if number != 1:
            return []
        marks = [
            {"x": 0.4, "y": 0.5, "kind": "die", "text": "3", "sure": 0.99},
            {"x": 0.2, "y": 0.9, "kind": "light", "text": "2", "sure": 0.6},
        ]
        return [
            {"frame": frame, "shows": shows, "time": frame / 12, "width": 320, "height": 180,
             "is_kept": frame == 24, "marks": marks}
            for frame, shows in ((24, "The roll"), (36, "The board after the turn"))
        ]  # fmt: skip

    def still(self, number, frame):
        grey = np.full((180, 320, 3), 120, np.uint8)
        return cv2.imencode(".jpg", grey)[1].tobytes() if (number, frame) == (1, 24) else None

    def has_clip(self, number):
        return number == 1

    def clip(self, number):
        return CLIP if number == 1 else None

    def legal_plays(self, number, dice):
        self.asked = dice
        if number != 1:
            return None
        board = {"light": list(OPENING), "dark": list(OPENING)}
        return [{"play": "8/5 6/5", "position": board, "played": True}]


def turn(number, play, dice, **flags):
    return {
        "id": str(number),
        "kind": "play",
        "value": 0,
        "dice": dice,
        "play": play,
        "review": False,
        "illegal": False,
        **flags,
    }


def game_sheet(number, light=0, dark=0, **more):
    """`webui.contracts.state.GameSheet` of a game that began at this score."""
    score = {"light": light, "dark": dark}
    return {"number": number, "score": score, "crawford": False, "result": None, "rows": [], **more}


def cup_shown(state, **more):
    """`webui.contracts.state.CupShown` of a working cup."""
    known: dict[str, Any] = {
        "why": "",
        "stage": "sealed",
        "commitment": "3fa912bc" * 8,
        "words": None,
    }
    known |= {"kind": "cup", "charges": []}
    known["disagrees"] = None
    return {"state": state, **known, **more}


def start_game(table):
    table.publish(
        phase="playing", message="", players={"light": "Anna", "dark": "Boris"}, length=7,
        position={"light": list(OPENING), "dark": list(OPENING)}, to_move="light",
        cube={"value": 1, "owner": None, "offered": None, "by": None, "crawford": False},
        pips={"light": 167, "dark": 167}, source={"name": "clip.mp4", "fps": 15.0, "seconds": 3.0},
        games=[game_sheet(1)],
    )  # fmt: skip


def last_play(play, dice, player="light", **more):
    return {
        "id": "1", "player": player, "play": play, "dice": dice, "confidence": 0.998,
        "review": False, "legal": True, "rule": "", **more,
    }  # fmt: skip


def make_five_point(table):
    """Light plays 8/5 6/5 with 3-1."""
    light = list(OPENING)
    light[8], light[6], light[5] = 2, 4, 2
    table.publish(
        position={"light": light, "dark": list(OPENING)}, to_move="dark",
        pips={"light": 163, "dark": 167}, last_play=last_play("8/5 6/5", [3, 1]),
        moves=[{"number": 1, "light": turn(1, "8/5 6/5", [3, 1]), "dark": None}],
    )  # fmt: skip


def doubt(table):
    table.publish(
        review=[{
            "id": "1", "time": 63.0, "player": "light", "dice": [3, 1], "play": "8/5 6/5",
            "alternatives": [{"play": "8/5 6/5", "confidence": 0.7},
                             {"play": "24/20", "confidence": 0.3}],
            "kind": "doubt", "note": "a hand hid the 5 point",
        }],
    )  # fmt: skip


def play_illegally(table):
    rule = "A 3 and a 1 cannot take a checker five points."
    table.publish(last_play=last_play("13/8", [3, 1], legal=False, rule=rule))


class Script:
    start_game = staticmethod(start_game)
    make_five_point = staticmethod(make_five_point)
    doubt = staticmethod(doubt)
    play_illegally = staticmethod(play_illegally)


@pytest.fixture
def script():
    return Script


@pytest.fixture
def table():
    return ScriptedTable()


@pytest.fixture
def desk():
    return ScriptedDesk()


@pytest.fixture
def client(table, desk):
    return create_app(table, desk=desk, streams=2).test_client()


@pytest.fixture
def server(table):
    server = serve(create_app(table), port=0)
    yield server
    server.close()


@pytest.fixture
def screen(browser):
    """A screen of a given size whose system prefers dark or light: `screen(390, 844, "dark")`."""

    def emulate(width, height, scheme="light"):
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)

    return emulate
